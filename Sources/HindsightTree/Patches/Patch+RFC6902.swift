extension Patch {
    /// The same changes as a plain RFC 6902 patch of `add`, `remove` and `replace`, which any tool can apply to the JSON
    /// text of `base`.
    ///
    /// A splice becomes operations on single elements and an edit a replacement of the whole string. RFC 6902 knows no
    /// order of members. Costs what the result is long, and what ``apply(to:)`` costs.
    ///
    /// - Throws: ``TreeError`` as ``apply(to:)`` does, where this patch does not fit `base`.
    public func rfc6902(base: Node) throws -> Node {
        var state = base
        var plain: [Node] = []
        for operation in operations {
            let before = state.escapedPlace(above: operation.path)
            try operation.apply(to: &state)
            let after = state.escapedPlace(above: operation.path)
            // An object with the key of a tag alone is written with another key than it has; one with a second member is
            // not. What happens within is told as a replacement of the object.
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
    /// The operations of RFC 6902 for this one; `result` is the node that it led to.
    fileprivate func plain(result: Node) -> [Node] {
        switch self {
        case .add(let path, let value, _):
            return [.plain("add", path, value)]
        case .remove(let path, _, _):
            return [.plain("remove", path)]
        case .replace(let path, _, let new):
            return [.replacing(path, new)]
        case .edit(let path, _, _, _):
            return [.replacing(path, result[path])]
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
        }
    }
}

extension Node {
    fileprivate static func plain(_ name: String, _ path: NodePath, _ value: Node? = nil) -> Node {
        var members = [Member("op", .string(name)), Member("path", .string(path.description))]
        if let value { members.append(Member("value", value)) }
        return .object(members)
    }

    /// A replacement. A member `-` is added: RFC 6902's add replaces what is there, and some tools take any `-` for the
    /// end of an array, which they refuse to replace.
    fileprivate static func replacing(_ path: NodePath, _ value: Node?) -> Node {
        plain(path.components.last == "-" ? "add" : "replace", path, value)
    }

    /// The first object on the way to `path`, `path` itself not, that is written with another key than it has.
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
