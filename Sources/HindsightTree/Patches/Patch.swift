/// A reversible change of a node.
///
/// In JSON, a patch is an array of operations. `add`, `remove` and `replace` are those of RFC 6902 with a member `old`,
/// which makes them reversible (the RFC has readers ignore members that they do not know). `splice` changes a run of an
/// array's elements, and `edit` a run of bytes in a string or data. ``rfc6902(base:)`` expands both.
///
/// Operations apply one after the other, each to the result of the one before.
public struct Patch: Sendable, Hashable {
    /// One change at one place.
    public enum Operation: Sendable, Hashable {
        /// Adds a member or element. `at` is the member's index, or `nil` if members are sorted by key. In JSON:
        /// `{"op":"add","path":…,"value":…,"at":…}`.
        case add(path: NodePath, value: Node, at: Int?)
        /// Removes a member or element. In JSON: `{"op":"remove","path":…,"old":…,"at":…}`.
        case remove(path: NodePath, old: Node, at: Int?)
        /// Replaces a value. In JSON: `{"op":"replace","path":…,"old":…,"value":…}`.
        case replace(path: NodePath, old: Node, new: Node)
        /// Replaces a run of elements that starts at index `at`. In JSON:
        /// `{"op":"splice","path":…,"at":…,"remove":[…],"insert":[…]}`.
        case splice(path: NodePath, at: Int, remove: [Node], insert: [Node])
        /// Replaces a run of bytes that starts at offset `at`, in UTF-8 bytes of a string or bytes of data. `remove`
        /// and `insert` are both strings or both data. In JSON: `{"op":"edit","path":…,"at":…,"remove":…,"insert":…}`.
        case edit(path: NodePath, at: Int, remove: Node, insert: Node)
    }

    /// The operations in the order in which they apply.
    public var operations: [Operation]

    /// Creates a patch from operations, each of which applies to the result of the one before.
    public init(_ operations: [Operation] = []) {
        self.operations = operations
    }

    /// Whether the patch changes nothing.
    public var isEmpty: Bool { operations.isEmpty }
}

extension Patch.Operation {
    /// The path that this operation changes; for `splice` and `edit`, that of the array, string or data.
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
