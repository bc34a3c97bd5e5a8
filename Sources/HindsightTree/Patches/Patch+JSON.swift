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
    public init(node: Node) throws(TreeError) {
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
    public var node: Node { .array(operations.map(\.node)) }
}

extension Patch.Operation {
    /// The operation as an object, with its members in the documented order.
    public var node: Node {
        var members = [Node.Member("op", .string(name)), Node.Member("path", .string(path.description))]
        func add(_ key: String, _ value: Node) { members.append(Node.Member(key, value)) }
        switch self {
        case .add(_, let value, let at):
            add("value", value)
            if let at { add("at", .int(at)) }
        case .remove(_, let old, let at):
            add("old", old)
            if let at { add("at", .int(at)) }
        case .replace(_, let old, let new):
            add("old", old)
            add("value", new)
        case .splice(_, let at, let remove, let insert):
            add("at", .int(at))
            add("remove", .array(remove))
            add("insert", .array(insert))
        case .edit(_, let at, let remove, let insert):
            add("at", .int(at))
            add("remove", remove)
            add("insert", insert)
        }
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
        switch name {
        case "add": return .add(path: place, value: try member("value"), at: try offset("at", ifThere: true))
        case "remove": return .remove(path: place, old: try old(name), at: try offset("at", ifThere: true))
        case "replace": return .replace(path: place, old: try old(name), new: try member("value"))
        case "splice":
            return .splice(path: place, at: try offset("at"), remove: try array("remove"), insert: try array("insert"))
        case "edit":
            let remove = try member("remove")
            let insert = try member("insert")
            switch (remove, insert) {
            case (.string, .string), (.data, .data): break
            default: throw failure("expected \"remove\" and \"insert\" of an edit to be two strings, or both data")
            }
            return .edit(path: place, at: try offset("at"), remove: remove, insert: insert)
        default:
            throw failure(
                "expected add, remove, replace, splice or edit, but found \(Node.string(name).brief)",
                member: "op"
            )
        }
    }

    private func failure(_ reason: String, member: String? = nil) -> TreeError {
        TreeError(.badPatch, at: member.map { path.appending($0) } ?? path, reason)
    }

    private func member(_ key: String) throws(TreeError) -> Node {
        guard let value = node[key] else { throw failure("expected the operation to have \"\(key)\"") }
        return value
    }

    private func old(_ name: String) throws(TreeError) -> Node {
        guard let value = node["old"] else {
            throw failure("expected \"old\", the value that was there; without it the \(name) cannot be undone")
        }
        return value
    }

    private func string(_ key: String) throws(TreeError) -> String {
        guard case .string(let text) = try member(key) else { throw failure("expected a string", member: key) }
        return text
    }

    private func array(_ key: String) throws(TreeError) -> [Node] {
        guard case .array(let elements) = try member(key) else { throw failure("expected an array", member: key) }
        return elements
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

    private func offset(_ key: String, ifThere: Bool) throws(TreeError) -> Int? {
        node[key] == nil ? nil : try offset(key)
    }
}
