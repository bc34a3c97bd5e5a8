extension Patch.Operation {
    /// The same operation on a node that stands at `prefix` in a bigger one.
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
