extension Patch {
    /// Applies the operations in order, in place.
    ///
    /// Each operation first checks that what it removes is there, so a patch for another node does not apply by
    /// accident.
    ///
    /// Costs what changes, and what is beside it on the path: members or elements after an inserted one move, and so
    /// does the text after an edit. If `node` shares containers on the path with a copy, they are copied, a level at a
    /// time.
    ///
    /// - Throws: ``TreeError`` with the path at which the patch does not fit, or if the result would be nested deeper
    ///   than ``TreeLimits/depth``. The operations before the failing one stay applied.
    public func apply(to node: inout Node) throws(TreeError) {
        var run = PatchRun()
        for operation in operations { try run.apply(operation, to: &node) }
    }

    /// Undoes the patch on the node that it led to.
    ///
    /// Costs and errors are those of ``apply(to:)``.
    public func undo(on node: inout Node) throws(TreeError) {
        var run = PatchRun()
        for operation in operations.reversed() { try run.apply(operation.inverted, to: &node) }
    }

    /// Applies the operations as far as they fit, in place. Replaces a value even if it is not the expected one, and
    /// skips what fits nowhere. For patches that do not follow from one another.
    package func applyLeniently(to node: inout Node) {
        for operation in operations {
            do {
                try operation.apply(to: &node)
            } catch {
                guard case .replace(let path, _, let new) = operation, let found = node[path] else { continue }
                // With the value that is there as the old one, this fits unless it is nested too deep.
                _ = try? Operation.replace(path: path, old: found, new: new).apply(to: &node)
            }
        }
    }
}

/// Applies operations one after the other to a node that nothing else changes meanwhile.
///
/// An operation that adds a member compares its key with all others, and these with each other. Of several in a row that
/// add to one object, only the first two do.
package struct PatchRun {
    /// The object to which the last operation added a member, and whether its members are sorted; `nil` if not known.
    private var last: (object: NodePath, isSorted: Bool?)?

    package init() {}

    /// - Throws: A ``TreeError`` as ``Patch/apply(to:)``.
    package mutating func apply(_ operation: Patch.Operation, to node: inout Node) throws(TreeError) {
        guard case .add(let path, _, nil) = operation else {
            last = nil
            return try operation.apply(to: &node)
        }
        let object = NodePath(path.components.dropLast())
        var isSorted: Bool?
        if let last, last.object == object {
            isSorted = last.isSorted ?? node[object]?.hasSortedMembers ?? false
        }
        last = nil
        try operation.apply(to: &node, isSorted: isSorted ?? false)
        last = (object, isSorted)
    }
}

extension Patch.Operation {
    /// The operation with an index in place of `-`: that behind the last element of the array if it adds one, as in
    /// RFC 6902, and that of the last element if it removes one, as the inverse does.
    ///
    /// A path with `-` does not name the element. Costs nothing for other operations.
    ///
    /// - Parameter node: The node to which the operation applies.
    package func indexed(in node: Node) -> Patch.Operation {
        guard kind == .add || kind == .remove, path.components.last == "-" else { return self }
        let array = NodePath(path.components.dropLast())
        guard let count = node[array]?.elementCount else { return self }
        let index = kind == .add ? count : count - 1
        return Self(kind, at: array.appending(String(index)), change) ?? self
    }

    /// - Parameter isSorted: Whether the object to which a member is added is known to be sorted by key.
    func apply(to node: inout Node, isSorted: Bool = false) throws(TreeError) {
        switch self {
        case .add(let path, let value, let at):
            try checkDepth(of: value, below: path.components.count)
            try changeMember(path, in: &node) { elements, name throws(PatchMismatch) in
                try elements.add(value, at: name)
            } member: { members, key throws(PatchMismatch) in
                try members.add(value, key: key, at: at, isSorted: isSorted)
            }
        case .remove(let path, let old, let at):
            try changeMember(path, in: &node) { elements, name throws(PatchMismatch) in
                try elements.remove(old, at: name)
            } member: { members, key throws(PatchMismatch) in
                try members.remove(old, key: key, at: at)
            }
        case .replace(let path, let old, let new):
            try checkDepth(of: new, below: path.components.count)
            try change(path.components[...], in: &node) { place throws(PatchMismatch) in
                try place.verify(is: old)
                place = new
            }
        case .splice(let path, let at, let remove, let insert):
            for element in insert { try checkDepth(of: element, below: path.components.count + 1) }
            try change(path.components[...], in: &node) { array throws(PatchMismatch) in
                try array.splice(at: at, remove: remove, insert: insert)
            }
        case .edit(let path, let at, let remove, let insert):
            try change(path.components[...], in: &node) { text throws(PatchMismatch) in
                try text.edit(at: at, remove: remove, insert: insert)
            }
        }
    }

    /// Keeps a hostile patch from building a node that overflows the stack.
    private func checkDepth(of node: Node, below levels: Int) throws(TreeError) {
        guard node.nests(atMost: TreeLimits.depth - levels) else {
            throw TreeError(
                .tooDeep,
                at: path,
                "more than \(TreeLimits.depth) containers would stand one inside the other"
            )
        }
    }

    /// Changes the node at `path`.
    ///
    /// Moves each container on the path out of its node first, so that the container has one reference and changes in
    /// place.
    private func change(
        _ components: ArraySlice<String>,
        in node: inout Node,
        _ body: (inout Node) throws(PatchMismatch) -> Void
    ) throws(TreeError) {
        guard let component = components.first else {
            do {
                return try body(&node)
            } catch {
                throw TreeError(.badPatch, at: path, error.reason)
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

    /// Changes the elements or members of the container above `path`.
    private func changeMember(
        _ path: NodePath,
        in node: inout Node,
        element: (inout [Node], String) throws(PatchMismatch) -> Void,
        member: (inout [Node.Member], String) throws(PatchMismatch) -> Void
    ) throws(TreeError) {
        guard let name = path.components.last else {
            throw TreeError(.badPatch, at: path, "the whole node can be replaced, but not be part of \(self.name)")
        }
        try change(path.components.dropLast(), in: &node) { container throws(PatchMismatch) in
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

/// The reason why an operation does not fit its node.
struct PatchMismatch: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = "the patch does not fit: " + reason
    }
}

extension Node {
    /// Whether no more than `limit` containers are nested.
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
