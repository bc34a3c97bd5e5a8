extension Patch {
    /// Applies the operations in their order, in place.
    ///
    /// Every operation first makes sure that what it takes away is what is there, so a patch for another node is not
    /// applied by accident.
    ///
    /// Costs what changes, and what stands beside it on the way down: members or elements after an inserted one move,
    /// and so does the text after an edit. What `node` shares with copies of it is copied on the way down, a level at a
    /// time.
    ///
    /// - Throws: ``TreeError`` with the code ``TreeError/Code/badPatch`` and the path where the patch does not fit; the
    ///   operations before the failing one are then applied and the failing one is not. With the code
    ///   ``TreeError/Code/tooDeep`` where the result would nest deeper than ``TreeLimits/depth``.
    public func apply(to node: inout Node) throws {
        for operation in operations {
            try operation.apply(to: &node)
        }
    }
}

extension Patch {
    /// Applies the operations as far as they fit, in place: a value that is not the one to be replaced is replaced all the
    /// same, and what fits nowhere is left out. For changes that are known not to follow from one another.
    package func applyLeniently(to node: inout Node) {
        for operation in operations {
            do {
                try operation.apply(to: &node)
            } catch {
                guard case .replace(let path, _, let new) = operation, let found = node[path] else { continue }
                // The value there is taken for the old one: this fits, unless it would nest too deep.
                _ = try? Operation.replace(path: path, old: found, new: new).apply(to: &node)
            }
        }
    }
}

extension Patch.Operation {
    func apply(to node: inout Node) throws {
        switch self {
        case .add(let path, let value, let at):
            try checkDepth(of: value, below: path.components.count)
            try changeMember(path, in: &node, element: { try $0.add(value, at: $1) }) {
                try $0.add(value, key: $1, at: at)
            }
        case .remove(let path, let old, let at):
            try changeMember(path, in: &node, element: { try $0.remove(old, at: $1) }) {
                try $0.remove(old, key: $1, at: at)
            }
        case .replace(let path, let old, let new):
            try checkDepth(of: new, below: path.components.count)
            try change(path.components[...], in: &node) { place in
                try place.verify(is: old)
                place = new
            }
        case .splice(let path, let at, let remove, let insert):
            for element in insert { try checkDepth(of: element, below: path.components.count + 1) }
            try change(path.components[...], in: &node) { try $0.splice(at: at, remove: remove, insert: insert) }
        case .edit(let path, let at, let remove, let insert):
            try change(path.components[...], in: &node) { try $0.edit(at: at, remove: remove, insert: insert) }
        }
    }

    /// Keeps a hostile patch from building, level by level, what overflows the stack.
    private func checkDepth(of node: Node, below levels: Int) throws {
        guard node.nests(atMost: TreeLimits.depth - levels) else {
            throw TreeError(
                .tooDeep,
                at: path,
                "more than \(TreeLimits.depth) containers would stand one inside the other"
            )
        }
    }

    /// Changes the node at `path`, where everything on the way there stays where it is.
    ///
    /// A container is taken out of its case before it is changed, so that nobody else holds it and it changes in place.
    private func change(
        _ components: ArraySlice<String>,
        in node: inout Node,
        _ body: (inout Node) throws -> Void
    ) throws {
        guard let component = components.first else {
            do {
                return try body(&node)
            } catch let mismatch as PatchMismatch {
                throw TreeError(.badPatch, at: path, mismatch.reason)
            }
        }
        if let place = NodePath.index(component), let count = node.elementCount, place < count {
            var elements = node.extractElements()
            defer { node = .array(elements) }
            try change(components.dropFirst(), in: &elements[place], body)
        } else if let place = node.memberIndex(ofKey: component) {
            var members = node.extractMembers()
            defer { node = .object(members) }
            try change(components.dropFirst(), in: &members[place].value, body)
        } else {
            throw missing(components)
        }
    }

    /// Changes the elements or members of the container that the last name of `path` is in.
    private func changeMember(
        _ path: NodePath,
        in node: inout Node,
        element: (inout [Node], String) throws -> Void,
        member: (inout [Node.Member], String) throws -> Void
    ) throws {
        guard let name = path.components.last else {
            throw TreeError(.badPatch, at: path, "the whole node can be replaced, but not be part of \(self.name)")
        }
        try change(path.components.dropLast(), in: &node) { container in
            if container.elementCount != nil {
                var elements = container.extractElements()
                defer { container = .array(elements) }
                try element(&elements, name)
            } else if container.memberCount != nil {
                var members = container.extractMembers()
                defer { container = .object(members) }
                try member(&members, name)
            } else {
                throw PatchMismatch("what it is to be in is neither an object nor an array, but \(container.brief)")
            }
        }
    }

    private func missing(_ rest: ArraySlice<String>) -> TreeError {
        let found = NodePath(Array(path.components[..<(rest.startIndex + 1)]))
        return TreeError(.badPatch, at: path, "the patch does not fit: nothing is at \(found)")
    }
}

/// Why an operation does not fit the place that it was found to change.
struct PatchMismatch: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = "the patch does not fit: " + reason
    }
}

extension Node {
    /// Whether no more than `limit` containers stand one inside the other.
    func nests(atMost limit: Int) -> Bool {
        switch self {
        case .array(let elements): limit > 0 && elements.allSatisfy { $0.nests(atMost: limit - 1) }
        case .object(let members): limit > 0 && members.allSatisfy { $0.value.nests(atMost: limit - 1) }
        default: limit >= 0
        }
    }

    func verify(is old: Node) throws(PatchMismatch) {
        guard self == old else { throw PatchMismatch("expected \(old.brief) there, but found \(brief)") }
    }
}
