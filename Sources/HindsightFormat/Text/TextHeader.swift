import HindsightTree

/// The first line of a recording in text: everything that concerns the whole recording, and the initial state.
package struct TextHeader {
    /// The rows of the table `recording`.
    package var facts: [String: Metadata.Value]
    /// The names of the reducers, in order.
    package var reducers: [String]
    /// The number of actions that a limit dropped.
    package var start: Int
    /// The state at the start; `nil` if no store was attached to the recorder.
    package var state: Node?

    package init(
        facts: [String: Metadata.Value],
        reducers: [String],
        start: Int,
        state: Node?
    ) {
        self.facts = facts
        self.reducers = reducers
        self.start = start
        self.state = state
    }

    /// The facts that every recording has, in the order of the line.
    private static let leading = Metadata.Key.neededTexts + [Metadata.Key.created]

    // MARK: Writing

    package var node: Node {
        var members: [Node.Member] = [
            .init("hindsight", "recording"), .init("text", .int(TextForm.version)),
        ]
        for key in Self.leading {
            if let value = facts[key].flatMap(Self.node) { members.append(.init(key, value)) }
        }
        let others = facts.filter { !Self.leading.contains($0.key) }.sorted {
            $0.key.unicodeScalars.lexicographicallyPrecedes($1.key.unicodeScalars)
        }
        let rest = others.compactMap { key, value in Self.node(value).map { Node.Member(key, $0) } }
        if !rest.isEmpty { members.append(.init("facts", .object(rest))) }
        members.append(.init("reducers", .array(reducers.map(Node.string))))
        if start > 0 { members.append(.init("start", .int(start))) }
        if let state { members.append(.init("state", state)) }
        return .object(members)
    }

    /// A text that is a JSON object is written as one, if that gives the text back.
    private static func node(_ value: Metadata.Value) -> Node? {
        switch value {
        case .number(let number): return .int(Int(number))
        case .foreign: return nil
        case .text(let text):
            guard text.hasPrefix("{"), let node = try? Node(json: text), case .object = node, node.json == text else {
                return .string(text)
            }
            return node
        }
    }

    // MARK: Reading

    /// - Throws: ``TextFault``; or a ``RecordingError`` with the code `newerFormat`.
    init(_ members: [Node.Member], path: String) throws {
        (facts, reducers, start) = ([:], [], 0)
        // Must come first: a newer version may have other members.
        guard case .int(let version)? = Node.object(members)["text"] else {
            throw TextFault("its \"text\" is no whole number")
        }
        guard version <= TextForm.version else {
            let reason = "text form \(version); this version of Hindsight reads text forms up to \(TextForm.version)"
            throw RecordingError(.newerFormat, file: path, reason: reason)
        }
        guard version > 0 else { throw TextFault("there is no text form \(version)") }
        for member in members { try take(member.key, member.value) }
        for key in Self.leading where facts[key] == nil { throw TextFault("its \"\(key)\" is missing") }
        if start > 0, facts[Metadata.Key.salvaged] == nil, !facts.keys.contains(where: { $0.hasPrefix("limit_") }) {
            throw TextFault("it has a \"start\", but no limit that dropped actions")
        }
        if start > 0, state == nil { throw TextFault("its \"state\" is missing") }
        if let id = facts[Metadata.Key.id], Metadata.id(id) == nil { throw TextFault("its fact \"id\" is no UUID") }
    }

    private mutating func take(_ key: String, _ value: Node) throws {
        switch (key, value) {
        case ("hindsight", _), ("text", _): break
        case ("reducers", .array(let names)):
            reducers = try names.map { name in
                guard case .string(let text) = name else { throw TextFault("a name of a reducer is no string") }
                return text
            }
            guard reducers.count < 1 << 14 else { throw TextFault("it has more reducers than an app may have") }
        case ("start", .int(let number)) where 0...RecordingPosition.lastPossibleAction ~= number: start = number
        case ("state", _): state = value
        case ("facts", .object(let members)):
            for member in members where !Self.leading.contains(member.key) {
                facts[member.key] = try Self.value(of: member)
            }
        case (Metadata.Key.created, .int(let number)): facts[key] = .number(Int64(number))
        case (_, .string(let text)) where Metadata.Key.neededTexts.contains(key): facts[key] = .text(text)
        default: throw TextFault("its \(Node.string(key).json) is not one that a recording has")
        }
    }

    private static func value(of member: Node.Member) throws -> Metadata.Value {
        switch member.value {
        case .int(let number): return .number(Int64(number))
        case .string(let text): return .text(text)
        case .object: return .text(member.value.json)
        default: throw TextFault("its fact \(Node.string(member.key).json) is neither a whole number nor a text")
        }
    }
}
