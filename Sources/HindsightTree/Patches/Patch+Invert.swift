extension Patch {
    /// The patch that takes this one back: each operation turned round, the last one first.
    public var inverted: Patch {
        Patch(operations.reversed().map(\.inverted))
    }

    /// Takes the patch back from the node that it led to.
    ///
    /// Costs and errors are those of ``apply(to:)``.
    public func undo(on node: inout Node) throws {
        for operation in operations.reversed() {
            try operation.inverted.apply(to: &node)
        }
    }
}

extension Patch.Operation {
    /// The operation that takes this one back.
    public var inverted: Patch.Operation {
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
