extension Patch {
    /// The same changes as a plain RFC 6902 patch of `add`, `remove` and `replace`, which any tool can apply to the
    /// JSON text of `base`.
    ///
    /// A splice becomes operations on single elements, and an edit a replacement of the whole string. RFC 6902 does not
    /// keep the order of members. Costs what ``apply(to:)`` costs, and the length of the result.
    ///
    /// - Throws: ``TreeError`` as ``apply(to:)`` does, if this patch does not fit `base`.
    package func rfc6902(base: Node) throws(TreeError) -> Node {
        var state = base
        var plain: [Node] = []
        for operation in operations {
            let operation = operation.indexed(in: state)
            let before = state.escapedPlace(above: operation.path)
            try operation.apply(to: &state)
            let after = state.escapedPlace(above: operation.path)
            // The key of an object is escaped while it is the only one and looks like a tag. A change inside such an
            // object becomes a replacement of the object.
            if let place = [before, after].compactMap({ $0 }).min(by: { $0.components.count < $1.components.count }) {
                plain.append(.replacing(place, state[place]))
            } else {
                plain += operation.plain(result: state)
            }
        }
        return .array(plain)
    }
}

extension Patch.Operation {
    /// The operations of RFC 6902 for this one, which leads to `result`.
    fileprivate func plain(result: Node) -> [Node] {
        switch self {
        case .add(let path, let value, _):
            return [.plain("add", path, value)]
        case .remove(let path, _, _):
            return [.plain("remove", path)]
        case .splice(let path, let at, let remove, let insert):
            let both = min(remove.count, insert.count)
            var plain: [Node] = []
            for index in 0..<both where remove[index] != insert[index] {
                plain.append(.replacing(path.appending(String(at + index)), insert[index]))
            }
            for _ in both..<remove.count {
                plain.append(.plain("remove", path.appending(String(at + both))))
            }
            for index in both..<insert.count {
                plain.append(.plain("add", path.appending(String(at + index)), insert[index]))
            }
            return plain
        default:
            return [.replacing(path, result[path])]
        }
    }
}

extension Node {
    fileprivate static func plain(_ name: String, _ path: NodePath, _ value: Node? = nil) -> Node {
        var members = [Member("op", .string(name)), Member("path", .string(path.description))]
        if let value { members.append(Member("value", value)) }
        return .object(members)
    }

    /// A replacement. For a member `-` it is an add, which replaces what is there: some tools take any `-` for the end
    /// of an array, and refuse to replace that.
    fileprivate static func replacing(_ path: NodePath, _ value: Node?) -> Node {
        plain(path.components.last == "-" ? "add" : "replace", path, value)
    }

    /// The path of the first object above `path` whose key is escaped.
    fileprivate func escapedPlace(above path: NodePath) -> NodePath? {
        var node = self
        for (level, component) in path.components.enumerated() {
            if JSONTag.isEscaped(node) { return NodePath(Array(path.components[..<level])) }
            guard let child = node[NodePath([component])] else { return nil }
            node = child
        }
        return nil
    }
}
