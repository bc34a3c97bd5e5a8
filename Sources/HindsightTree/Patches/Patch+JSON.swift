extension Patch {
    /// Reads a patch from its JSON text.
    ///
    /// - Throws: ``TreeError`` with the code ``TreeError/Code/badJSON`` if the text is no JSON, or
    ///   ``TreeError/Code/badPatch`` if it is no patch.
    public init(json: String) throws(TreeError) {
        try self.init(node: Node(json: json))
    }

    /// Reads a patch from its node, an array of operations. Ignores unknown members of an operation.
    ///
    /// - Throws: ``TreeError`` with the code ``TreeError/Code/badPatch`` and a path in the patch, such as `/3/old`.
    package init(node: Node) throws(TreeError) {
        guard case .array(let elements) = node else {
            throw TreeError(.badPatch, at: NodePath(), "expected a patch, an array of operations")
        }
        self.init()
        for (index, element) in elements.enumerated() {
            operations.append(try OperationReader(node: element, path: NodePath([String(index)])).read())
        }
    }

    /// The patch as one line of JSON.
    public var json: String { node.json }

    /// The patch as a node: an array with an object for each operation.
    package var node: Node { .array(operations.map(\.node)) }
}

extension Patch.Operation {
    /// The operation as an object, with its members in the documented order.
    package var node: Node {
        var members = [Node.Member("op", .string(name)), Node.Member("path", .string(path.description))]
        func add(_ key: String?, _ value: Node?) {
            if let key, let value { members.append(Node.Member(key, value)) }
        }
        let (kind, change) = (kind, change)
        let place = change.at.map(Node.int)
        if kind.hasPlace == true { add("at", place) }
        add(kind.keys.old, change.old)
        add(kind.keys.new, change.new)
        if kind.hasPlace == nil { add("at", place) }
        return .object(members)
    }
}

/// Reads one operation. Its errors name the wrong member.
private struct OperationReader {
    let node: Node
    /// The path of the operation in the patch.
    let path: NodePath

    func read() throws(TreeError) -> Patch.Operation {
        guard case .object = node else { throw failure("expected an operation, an object") }
        let name = try string("op")
        let place = try place()
        guard let kind = Patch.Operation.Kind.allCases.first(where: { $0.name == name }) else {
            let found = Node.string(name).brief
            throw failure("expected add, remove, replace, splice or edit, but found \(found)", member: "op")
        }
        var change = Patch.Operation.Change()
        if let key = kind.keys.old { change.old = try value(key, of: kind) }
        if let key = kind.keys.new { change.new = try value(key, of: kind) }
        if kind.hasPlace ?? (node["at"] != nil) { change.at = try offset("at") }
        guard let operation = Patch.Operation(kind, at: place, change) else {
            throw failure("expected the \(name) to have \(kind.requirement)")
        }
        return operation
    }

    private func failure(_ reason: String, member: String? = nil) -> TreeError {
        TreeError(.badPatch, at: member.map { path.appending($0) } ?? path, reason)
    }

    private func value(_ key: String, of kind: Patch.Operation.Kind) throws(TreeError) -> Node {
        if key == "old", node[key] == nil {
            throw failure("expected \"old\", the value that was there; without it the \(kind.name) cannot be undone")
        }
        let value = try member(key)
        if kind == .splice, value.elementCount == nil { throw failure("expected an array", member: key) }
        return value
    }

    private func member(_ key: String) throws(TreeError) -> Node {
        guard let value = node[key] else { throw failure("expected the operation to have \"\(key)\"") }
        return value
    }

    private func string(_ key: String) throws(TreeError) -> String {
        guard case .string(let text) = try member(key) else { throw failure("expected a string", member: key) }
        return text
    }

    private func place() throws(TreeError) -> NodePath {
        let text = try string("path")
        guard let place = NodePath(text) else {
            let found = Node.string(text).brief
            throw failure("expected a JSON Pointer such as /lines/2, but found \(found)", member: "path")
        }
        // A node has no longer paths, and the cost of a path is not always linear.
        guard place.components.count <= TreeLimits.depth else {
            throw failure("expected a path of at most \(TreeLimits.depth) names", member: "path")
        }
        return place
    }

    private func offset(_ key: String) throws(TreeError) -> Int {
        guard case .int(let value) = try member(key), value >= 0 else {
            throw failure("expected a whole number from 0 up", member: key)
        }
        return value
    }
}
