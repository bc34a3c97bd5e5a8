import HindsightTree

/// Fields of states, and of the payloads of actions.
extension Migration {
    /// Renames a field.
    ///
    /// Where the field is missing, nothing happens. It fails where a field of the new name exists.
    ///
    /// - Parameters:
    ///   - path: The field's path, in the state or, with `action`, in the payload of that action.
    ///   - name: The new name.
    ///   - action: The name of the action; `nil` for states.
    public mutating func renameField(_ path: String, to name: String, in action: String? = nil) {
        addToFields("renameField(\(path.literal), to: \(name.literal)\(Self.suffix(action)))", path, action) {
            members,
            field,
            path in
            guard let index = members.firstIndex(where: { $0.key.hasSameScalars(as: field) }) else { return }
            if members.contains(where: { $0.key.hasSameScalars(as: name) }) {
                throw TreeError(.notDecodable, at: path, "there is a field \(name.literal) already")
            }
            members[index].key = name
        }
    }

    /// Adds a field with a default. Where the field exists, nothing happens, nor where the object around it is missing.
    ///
    /// - Parameters:
    ///   - path: The field's path, in the state or, with `action`, in the payload of that action.
    ///   - value: The value as `Codable` encodes it.
    ///   - action: The name of the action; `nil` for states.
    public mutating func addField(_ path: String, default value: Node, in action: String? = nil) {
        addToFields("addField(\(path.literal), default: …\(Self.suffix(action)))", path, action) { members, field, _ in
            if members.contains(where: { $0.key.hasSameScalars(as: field) }) { return }
            members.append(Node.Member(field, value))
        }
    }

    /// Removes a field. Where it is missing, nothing happens.
    ///
    /// - Parameters:
    ///   - path: The field's path, in the state or, with `action`, in the payload of that action.
    ///   - action: The name of the action; `nil` for states.
    public mutating func removeField(_ path: String, in action: String? = nil) {
        addToFields("removeField(\(path.literal)\(Self.suffix(action)))", path, action) { members, field, _ in
            members.removeAll { $0.key.hasSameScalars(as: field) }
        }
    }

    /// Converts the values of a field to another type. Where the field is missing, nothing happens.
    ///
    /// - Parameters:
    ///   - path: The field's path, in the state or, with `action`, in the payload of that action.
    ///   - action: The name of the action; `nil` for states.
    ///   - convert: Returns the new value as `Codable` encodes it.
    public mutating func convertField(
        _ path: String,
        in action: String? = nil,
        _ convert: @escaping @Sendable (Node) throws -> Node
    ) {
        add("convertField(\(path.literal)\(Self.suffix(action)))", in: action) { node, base in
            try node.replacing(try Self.components(path), at: base) { value, place in
                do {
                    return try convert(value)
                } catch {
                    throw TreeError(.notDecodable, at: place, (error as? TreeError)?.reason ?? "\(error)")
                }
            }
        }
    }

    /// Moves a field, with all below it. The objects around the new place are created if they are missing.
    ///
    /// Where the field is missing, nothing happens. It fails where the new place is taken, or lies in a value that is
    /// no object.
    ///
    /// - Parameters:
    ///   - path: The field's path, in the state or, with `action`, in the payload of that action.
    ///   - target: The new path. If `path` has wildcards, both must be equal up to the last one.
    ///   - action: The name of the action; `nil` for states.
    public mutating func moveField(_ path: String, to target: String, in action: String? = nil) {
        add("moveField(\(path.literal), to: \(target.literal)\(Self.suffix(action)))", in: action) { node, base in
            let (source, target) = (try Self.components(path), try Self.components(target))
            let shared = (source.lastIndex { $0 == "*" || $0 == "**" } ?? -1) + 1
            guard source.count > shared, target.count > shared, source[..<shared] == target[..<shared],
                !target[shared...].contains(where: { $0 == "*" || $0 == "**" })
            else {
                throw TreeError(.notDecodable, "both paths must be equal up to the last wildcard")
            }
            return try node.replacing(Array(source[..<shared]), at: base) { node, place in
                var node = node
                guard let value = node.remove(source[shared...]) else { return node }
                try node.insert(value, target[shared...], at: place)
                return node
            }
        }
    }

    // MARK: Paths

    private static func suffix(_ action: String?) -> String { action.map { ", in: \($0.literal)" } ?? "" }

    private static func components(_ text: String) throws(TreeError) -> [String] {
        if let path = NodePath(text) { return path.components }
        throw TreeError(.notDecodable, "\(text.literal) is no path such as \"/user/name\"")
    }

    /// Adds an operation on the objects that have the field at `path`, or may have it.
    private mutating func addToFields(
        _ name: String,
        _ path: String,
        _ action: String?,
        _ change: @escaping @Sendable (inout [Node.Member], _ field: String, NodePath) throws -> Void
    ) {
        add(name, in: action) { node, base in
            let components = try Self.components(path)
            guard let field = components.last, field != "*", field != "**" else {
                throw TreeError(.notDecodable, "\(path.literal) names no field: its last part must be a name")
            }
            return try node.replacing(components.dropLast(), at: base) { object, place in
                guard case .object(var members) = object else { return object }
                try change(&members, field, place.appending(field))
                return .object(members)
            }
        }
    }

    /// Adds an operation on states, or on the payloads of an action.
    private mutating func add(
        _ name: String,
        in action: String?,
        _ change: @escaping @Sendable (Node, NodePath) throws -> Node
    ) {
        guard let action else {
            operations.append(Operation(name: name, state: { try change($0, NodePath()) }))
            return
        }
        operations.append(
            Operation(
                name: name,
                action: { node in
                    guard let place = node.casePlace(action), let payload = node[place]?.soleMember?.value else {
                        return [node]
                    }
                    let components = place.components + [node[place]?.soleMember?.key ?? ""]
                    let changed = try change(payload, NodePath(components))
                    return [node.replacing(literally: components[...]) { _ in changed }]
                }
            )
        )
    }
}
