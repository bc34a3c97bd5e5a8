/// What changed in a node, reversible.
///
/// As JSON a patch is an array of operations. `add`, `remove` and `replace` are those of RFC 6902 with `old` beside
/// them (the RFC has readers ignore members that they do not know), so that each can be undone. `splice` changes a
/// run of an array's elements and `edit` a run of a string's or data's bytes; ``rfc6902(base:)`` expands both.
///
/// Operations apply one after the other, each to what the one before it left.
public struct Patch: Sendable, Hashable {
    /// One change at one place.
    public enum Operation: Sendable, Hashable {
        /// A member that was not there. `at` is its place among the members, from 0; `nil` where members are sorted by
        /// key. In JSON: `{"op":"add","path":…,"value":…,"at":…}`.
        case add(path: NodePath, value: Node, at: Int?)
        /// A member that is not there any more. In JSON: `{"op":"remove","path":…,"old":…,"at":…}`.
        case remove(path: NodePath, old: Node, at: Int?)
        /// Another value. In JSON: `{"op":"replace","path":…,"old":…,"value":…}`.
        case replace(path: NodePath, old: Node, new: Node)
        /// Elements from index `at` on replaced by others. In JSON:
        /// `{"op":"splice","path":…,"at":…,"remove":[…],"insert":[…]}`.
        case splice(path: NodePath, at: Int, remove: [Node], insert: [Node])
        /// Bytes from offset `at` on replaced by others; `at` counts UTF-8 bytes of a string, or bytes of data, and
        /// `remove` and `insert` are both strings or both data. In JSON:
        /// `{"op":"edit","path":…,"at":…,"remove":…,"insert":…}`.
        case edit(path: NodePath, at: Int, remove: Node, insert: Node)
    }

    /// The changes in the order in which they apply.
    public var operations: [Operation]

    public init(_ operations: [Operation] = []) {
        self.operations = operations
    }

    /// Whether nothing changed.
    public var isEmpty: Bool { operations.isEmpty }
}

extension Patch.Operation {
    /// The place that this operation changes; for `splice` and `edit` the array, string or data itself.
    public var path: NodePath {
        switch self {
        case .add(let path, _, _), .remove(let path, _, _), .replace(let path, _, _), .splice(let path, _, _, _),
            .edit(let path, _, _, _):
            path
        }
    }

    /// The operation's name in JSON.
    public var name: String {
        switch self {
        case .add: "add"
        case .remove: "remove"
        case .replace: "replace"
        case .splice: "splice"
        case .edit: "edit"
        }
    }
}
