/// A reversible change of a node.
///
/// In JSON, a patch is an array of operations. `add`, `remove` and `replace` are those of RFC 6902 with a member `old`,
/// which makes them reversible (the RFC has readers ignore members that they do not know). `splice` changes a run of an
/// array's elements, and `edit` a run of bytes in a string or data. ``rfc6902(base:)`` expands both.
///
/// The compact form in recordings, the form in JSON, redaction and searches treat all operations alike, by their
/// ``Operation/Kind`` and ``Operation/Change``.
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
    package init(_ operations: [Operation] = []) {
        self.operations = operations
    }

    /// Whether the patch changes nothing.
    public var isEmpty: Bool { operations.isEmpty }
}

extension Patch.Operation {
    /// The five kinds of operations. The raw value is the letter with which ``Patch/compactJSON`` begins an operation.
    package enum Kind: UnicodeScalar, Sendable, CaseIterable {
        case add = "a"
        case remove = "d"
        case replace = "r"
        case splice = "s"
        case edit = "e"

        /// The name in JSON.
        package var name: String {
            switch self {
            case .add: "add"
            case .remove: "remove"
            case .replace: "replace"
            case .splice: "splice"
            case .edit: "edit"
            }
        }

        /// The members in JSON that have the removed and the inserted value.
        var keys: (old: String?, new: String?) {
            switch self {
            case .add: (nil, "value")
            case .remove: ("old", nil)
            case .replace: ("old", "value")
            case .splice, .edit: ("remove", "insert")
            }
        }

        /// What an operation must have, for errors.
        var requirement: String {
            switch self {
            case .add: "a value, and an index if any"
            case .remove: "an old value, and an index if any"
            case .replace: "an old and a new value"
            case .splice: "two arrays and an index"
            case .edit: "two strings, or both data, and an offset"
            }
        }

        /// Whether the operation has an index or offset: `nil` if it may have one.
        var hasPlace: Bool? {
            switch self {
            case .add, .remove: nil
            case .replace: false
            case .splice, .edit: true
            }
        }
    }

    /// What an operation of any kind removes and inserts.
    package struct Change: Sendable {
        /// The value that is removed: for `splice`, an array of elements; `nil` for `add`.
        package var old: Node?
        /// The value that is inserted: for `splice`, an array of elements; `nil` for `remove`.
        package var new: Node?
        /// The index or offset, if the operation has one.
        package var at: Int?
    }

    /// The operation's kind.
    package var kind: Kind {
        switch self {
        case .add: .add
        case .remove: .remove
        case .replace: .replace
        case .splice: .splice
        case .edit: .edit
        }
    }

    /// What the operation removes and inserts, for code that treats all kinds alike.
    package var change: Change {
        switch self {
        case .add(_, let value, let at): Change(old: nil, new: value, at: at)
        case .remove(_, let old, let at): Change(old: old, new: nil, at: at)
        case .replace(_, let old, let new): Change(old: old, new: new, at: nil)
        case .splice(_, let at, let remove, let insert): Change(old: .array(remove), new: .array(insert), at: at)
        case .edit(_, let at, let remove, let insert): Change(old: remove, new: insert, at: at)
        }
    }

    /// Puts an operation together; `nil` if the change does not fit the kind.
    package init?(_ kind: Kind, at path: NodePath, _ change: Change) {
        switch (kind, change.old, change.new, change.at) {
        case (.add, nil, let value?, let at): self = .add(path: path, value: value, at: at)
        case (.remove, let old?, nil, let at): self = .remove(path: path, old: old, at: at)
        case (.replace, let old?, let new?, nil): self = .replace(path: path, old: old, new: new)
        case (.splice, .array(let remove)?, .array(let insert)?, let at?):
            self = .splice(path: path, at: at, remove: remove, insert: insert)
        case (.edit, .string(_)?, .string(_)?, let at?), (.edit, .data(_)?, .data(_)?, let at?):
            guard let remove = change.old, let insert = change.new else { return nil }
            self = .edit(path: path, at: at, remove: remove, insert: insert)
        default: return nil
        }
    }

    /// The same operation on a node of which this operation's node is the part at `prefix`.
    package func prefixed(by prefix: NodePath) -> Patch.Operation {
        if prefix.isRoot { return self }
        // An operation's own change fits its kind.
        return Self(kind, at: NodePath(prefix.components + path.components), change) ?? self
    }

    /// The path that this operation changes; for `splice` and `edit`, that of the array, string or data.
    public var path: NodePath {
        switch self {
        case .add(let path, _, _), .remove(let path, _, _), .replace(let path, _, _), .splice(let path, _, _, _),
            .edit(let path, _, _, _):
            path
        }
    }

    /// The operation's name in JSON.
    package var name: String { kind.name }

    /// The operation that undoes this one.
    package var inverted: Patch.Operation {
        switch self {
        case .add(let path, let value, let at): .remove(path: path, old: value, at: at)
        case .remove(let path, let old, let at): .add(path: path, value: old, at: at)
        case .replace(let path, let old, let new): .replace(path: path, old: new, new: old)
        case .splice(let path, let at, let remove, let insert):
            .splice(path: path, at: at, remove: insert, insert: remove)
        case .edit(let path, let at, let remove, let insert):
            .edit(path: path, at: at, remove: insert, insert: remove)
        }
    }
}
