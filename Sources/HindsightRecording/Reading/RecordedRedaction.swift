import HindsightFormat
import HindsightSQLite
import HindsightTree

/// What a recording does not show.
public struct RecordedRedaction: Sendable, Hashable {
    /// The patterns that its recorder was given.
    public var given = Redaction()
    /// Places of states at which fields were met that hide themselves, as patterns.
    public var stateFields: [String] = []
    /// Such places of actions.
    public var actionFields: [String] = []

    /// Patterns for states that have met nothing, as far as the recording's file goes: they may be misspelt. One that
    /// stands for actions too, and has met something there, is not among them. Older recordings do not say.
    public var unmetStates: [String] = []
    /// Such patterns for actions.
    public var unmetActions: [String] = []

    /// The places of states that are not shown, as patterns.
    public var states: [String] { given.states.map(\.pattern) + stateFields }
    /// The places of actions that are not shown, as patterns.
    public var actions: [String] { given.actions.map(\.pattern) + actionFields }
    /// Whether everything is shown.
    public var isEmpty: Bool { states.isEmpty && actions.isEmpty }

    /// Hides today's states as the recorded ones were hidden.
    package func stateRedactor() throws -> Redactor {
        try Redactor(given.states.map { ($0.pattern, $0.placeholder) })
    }
}

extension RecordedRedaction {
    /// What is said of redaction does not read as what a recorder says.
    private struct Unreadable: Error {}

    /// Reads what a recording says under one of the two keys; others say nothing of it.
    ///
    /// - Throws: Where it is not what a recorder would say.
    mutating func read(_ text: String, under key: String) throws {
        switch key {
        case Redaction.Key.patterns:
            let node = try Node(json: text)
            given.states = try Self.elements(node["states"]).map(Self.path)
            given.actions = try Self.elements(node["actions"]).map(Self.path)
        case Redaction.Key.fields:
            let node = try Node(json: text)
            stateFields = try Self.elements(node["states"]).map(Self.text)
            actionFields = try Self.elements(node["actions"]).map(Self.text)
        case Redaction.Key.met:
            let node = try Node(json: text)
            let met = (
                states: try Self.elements(node["states"]).map(Self.text),
                actions: try Self.elements(node["actions"]).map(Self.text)
            )
            unmetStates = try Self.unmet(given.states, met.states, given.actions, met.actions)
            unmetActions = try Self.unmet(given.actions, met.actions, given.states, met.states)
        default:
            return
        }
        _ = try RedactionMask(states)
        _ = try RedactionMask(actions)
    }

    /// - Parameters:
    ///   - others: What was given on the other side, of states or of actions.
    ///   - metThere: What of it has met something.
    private static func unmet(
        _ given: [RedactedPath],
        _ met: [String],
        _ others: [RedactedPath],
        _ metThere: [String]
    ) throws -> [String] {
        let given = given.map(\.pattern)
        let covered = try RedactionMask(given).covered(of: given)
        let known = Set(met + covered).union(Set(metThere).intersection(others.map(\.pattern)))
        return given.filter { !known.contains($0) }
    }

    private static func elements(_ node: Node?) throws -> [Node] {
        guard case .array(let elements)? = node else { throw Unreadable() }
        return elements
    }

    private static func text(_ node: Node) throws -> String {
        guard case .string(let text) = node else { throw Unreadable() }
        return text
    }

    private static func path(_ node: Node) throws -> RedactedPath {
        guard let pattern = node["path"] else { throw Unreadable() }
        return RedactedPath(try text(pattern), as: node["as"])
    }

    /// Whether a recording that says this under a key can be read.
    static func canRead(_ text: String?, under key: String) -> Bool {
        guard Redaction.Key.all.contains(key) else { return true }
        guard let text else { return false }
        var redaction = RecordedRedaction()
        do {
            try redaction.read(text, under: key)
            return true
        } catch {
            return false
        }
    }
}

extension ReadableFile {
    /// Reads what the recording does not show. Recorders that redact nothing do not say so.
    func redaction() throws -> RecordedRedaction {
        try reading {
            var redaction = RecordedRedaction()
            let value = try connection.prepare("SELECT value FROM recording WHERE key = ?")
            for key in Redaction.Key.all {
                defer { value.reset() }
                try value.bind(key, at: 1)
                guard try value.step() else { continue }
                let text = try value.text(0)
                do {
                    try redaction.read(text, under: key)
                } catch {
                    throw damaged("what it says of redacted values cannot be read")
                }
            }
            return redaction
        }
    }
}
