import HindsightTree

extension Node {
    /// The only member of an object.
    package var soleMember: Member? {
        guard case .object(let members) = self, members.count == 1 else { return nil }
        return members[0]
    }

    /// The place of a case in an action: an object whose only member is the case, or a string.
    ///
    /// - Parameter name: The name of the case, after those of the cases around it: `market.quotes`.
    package func casePlace(_ name: String, at path: NodePath = NodePath()) -> NodePath? {
        if case .string(let text) = self { return text.hasSameScalars(as: name) ? path : nil }
        guard let member = soleMember else { return nil }
        if member.key.hasSameScalars(as: name) { return path }
        guard name.utf8.starts(with: (member.key + ".").utf8) else { return nil }
        let rest = String(decoding: name.utf8.dropFirst(member.key.utf8.count + 1), as: UTF8.self)
        let inside = path.appending(member.key)
        // A registered enum is the payload itself; another one is a value of the payload.
        if let place = member.value.casePlace(rest, at: inside) { return place }
        guard case .object(let payload) = member.value else { return nil }
        return payload.lazy.compactMap { $0.value.casePlace(rest, at: inside.appending($0.key)) }.first
    }

    /// Replaces each node that a pattern matches: `*` matches each child, `**` any number of levels.
    ///
    /// - Parameters:
    ///   - path: The path of this node, for `change` and for errors.
    ///   - change: Returns the new node, from the present one and its path.
    func replacing(
        _ pattern: some Collection<String>,
        at path: NodePath,
        _ change: (Node, NodePath) throws -> Node
    ) throws -> Node {
        guard let first = pattern.first else { return try change(self, path) }
        let rest = Array(pattern.dropFirst())
        func child(_ name: String, _ node: Node) throws -> Node {
            let path = path.appending(name)
            if first == "**" { return try node.replacing(Array(pattern), at: path, change) }
            guard first == "*" || first.hasSameScalars(as: name) else { return node }
            return try node.replacing(rest, at: path, change)
        }
        let node = first == "**" ? try replacing(rest, at: path, change) : self
        switch node {
        case .object(var members):
            for index in members.indices { members[index].value = try child(members[index].key, members[index].value) }
            return .object(members)
        case .array(var elements):
            for index in elements.indices { elements[index] = try child("\(index)", elements[index]) }
            return .array(elements)
        default:
            return node
        }
    }

    /// Replaces the node at a path, whose names are no wildcards. Without such a node, nothing happens.
    package func replacing(literally path: ArraySlice<String>, _ change: (Node) throws -> Node) rethrows -> Node {
        guard let first = path.first else { return try change(self) }
        switch self {
        case .object(var members):
            for index in members.indices where members[index].key.hasSameScalars(as: first) {
                members[index].value = try members[index].value.replacing(literally: path.dropFirst(), change)
            }
            return .object(members)
        case .array(var elements):
            for index in elements.indices where "\(index)" == first {
                elements[index] = try elements[index].replacing(literally: path.dropFirst(), change)
            }
            return .array(elements)
        default:
            return self
        }
    }

    /// Removes the member at a path from its object, and returns it; `nil` if there is none.
    mutating func remove(_ path: ArraySlice<String>) -> Node? {
        guard let first = path.first, case .object(var members) = self,
            let index = members.firstIndex(where: { $0.key.hasSameScalars(as: first) })
        else { return nil }
        let removed: Node?
        if path.count == 1 {
            removed = members.remove(at: index).value
        } else {
            removed = members[index].value.remove(path.dropFirst())
        }
        self = .object(members)
        return removed
    }

    /// Inserts a member at a path. Creates the objects around it.
    ///
    /// - Parameter place: The path of this node, for errors.
    mutating func insert(_ value: Node, _ path: ArraySlice<String>, at place: NodePath) throws(TreeError) {
        guard case .object(var members) = self, let first = path.first else {
            throw TreeError(.notDecodable, at: place, "the new place is taken by a value that is no object")
        }
        let index = members.firstIndex { $0.key.hasSameScalars(as: first) }
        let inside = place.appending(first)
        if path.count == 1 {
            guard index == nil else { throw TreeError(.notDecodable, at: inside, "the new place is taken") }
            members.append(Member(first, value))
        } else if let index {
            try members[index].value.insert(value, path.dropFirst(), at: inside)
        } else {
            var object = Node.object([])
            try object.insert(value, path.dropFirst(), at: inside)
            members.append(Member(first, object))
        }
        self = .object(members)
    }
}

extension String {
    /// The text as a literal of Swift, for messages.
    var literal: String { Node.string(self).json }
}
