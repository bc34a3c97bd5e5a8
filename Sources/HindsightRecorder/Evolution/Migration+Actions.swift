import HindsightTree

/// Whole actions, and whole states.
extension Migration {
    /// Renames the case of an action; the cases around it stay.
    ///
    /// - Parameters:
    ///   - action: The present name, such as `addItem`, or `market.quotes` for a case in a case.
    ///   - name: The new name of the case, without the cases around it.
    public mutating func renameAction(_ action: String, to name: String) {
        addToAction("renameAction(\(action.literal), to: \(name.literal))", action) { node in
            guard let member = node.soleMember else { return [.string(name)] }
            return [.object([Node.Member(name, member.value)])]
        }
    }

    /// Removes an action: it no longer runs.
    ///
    /// - Parameter action: Its name, such as `addItem`, or `market.quotes` for a case in a case.
    public mutating func removeAction(_ action: String) {
        addToAction("removeAction(\(action.literal))", action) { _ in [] }
    }

    /// Replaces an action by others, which run in their order.
    ///
    /// ```swift
    /// $0.splitAction("addTwo") { payload in
    ///     [["add": ["id": payload["first"] ?? .null]], ["add": ["id": payload["second"] ?? .null]]]
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - action: Its name, such as `addItem`, or `market.quotes` for a case in a case.
    ///   - split: Returns the cases in place of this one, from its payload. The cases around it stay around each.
    public mutating func splitAction(_ action: String, _ split: @escaping @Sendable (Node) throws -> [Node]) {
        addToAction("splitAction(\(action.literal))", action) { try split($0.soleMember?.value ?? $0) }
    }

    /// Puts actions into the case of an enum around them: `{"add":…}` becomes `{"todo":{"_0":{"add":…}}}`.
    ///
    /// - Parameters:
    ///   - names: The cases to wrap; `nil` for all actions.
    ///   - name: The name of the case around them.
    ///   - label: The label of its payload; `_0` if it has none.
    public mutating func wrapActions(_ names: [String]? = nil, in name: String, label: String = "_0") {
        operations.append(
            Operation(
                name: "wrapActions(in: \(name.literal))",
                action: { node in
                    if let names, !names.contains(where: { node.casePlace($0)?.isRoot == true }) { return [node] }
                    return [.object([Node.Member(name, .object([Node.Member(label, node)]))])]
                }
            )
        )
    }

    /// Converts each action in any way.
    ///
    /// - Parameter convert: Returns the actions in place of a given one.
    public mutating func mapActions(_ convert: @escaping @Sendable (Node) throws -> [Node]) {
        operations.append(Operation(name: "mapActions", action: convert))
    }

    /// Converts each state in any way.
    ///
    /// - Parameter convert: Returns the state in place of a given one.
    public mutating func mapState(_ convert: @escaping @Sendable (Node) throws -> Node) {
        operations.append(Operation(name: "mapState", state: convert))
    }

    /// Adds an operation on a case, an object with one member or a string.
    private mutating func addToAction(
        _ name: String,
        _ action: String,
        _ change: @escaping @Sendable (Node) throws -> [Node]
    ) {
        operations.append(
            Operation(
                name: name,
                action: { node in
                    guard let place = node.casePlace(action), let present = node[place] else { return [node] }
                    do {
                        return try change(present).map { changed in
                            node.replacing(literally: place.components[...]) { _ in changed }
                        }
                    } catch {
                        let reason = (error as? TreeError)?.reason ?? "\(error)"
                        throw TreeError(.notDecodable, at: (error as? TreeError)?.path ?? place, reason)
                    }
                }
            )
        )
    }
}
