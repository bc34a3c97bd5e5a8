extension Patch {
    /// The patch that undoes this one: the inverse of each operation, in reverse order.
    public var inverted: Patch {
        Patch(operations.reversed().map(\.inverted))
    }

    /// Undoes the patch on the node that it led to.
    ///
    /// Costs and errors are those of ``apply(to:)``.
    public func undo(on node: inout Node) throws(TreeError) {
        for operation in operations.reversed() {
            try operation.inverted.apply(to: &node)
        }
    }
}

extension Patch.Operation {
    /// The operation that undoes this one.
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

    /// The same operation on a node of which this operation's node is the part at `prefix`.
    func prefixed(by prefix: NodePath) -> Patch.Operation {
        if prefix.isRoot { return self }
        func whole(_ path: NodePath) -> NodePath { NodePath(prefix.components + path.components) }
        return switch self {
        case .add(let path, let value, let at): .add(path: whole(path), value: value, at: at)
        case .remove(let path, let old, let at): .remove(path: whole(path), old: old, at: at)
        case .replace(let path, let old, let new): .replace(path: whole(path), old: old, new: new)
        case .splice(let path, let at, let remove, let insert):
            .splice(path: whole(path), at: at, remove: remove, insert: insert)
        case .edit(let path, let at, let remove, let insert):
            .edit(path: whole(path), at: at, remove: remove, insert: insert)
        }
    }
}
