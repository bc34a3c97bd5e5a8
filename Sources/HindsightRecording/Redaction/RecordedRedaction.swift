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

extension ReadableFile {
    /// Reads what the recording does not show. Recorders that redact nothing do not say so.
    func redaction() throws -> RecordedRedaction {
        try reading {
            var redaction = RecordedRedaction()
            if let patterns = try redactionNode(Redactors.patternsKey) {
                redaction.given.states = try patternsIn(patterns["states"])
                redaction.given.actions = try patternsIn(patterns["actions"])
            }
            if let fields = try redactionNode(Redactors.fieldsKey) {
                redaction.stateFields = try textsIn(fields["states"])
                redaction.actionFields = try textsIn(fields["actions"])
            }
            do {
                _ = try RedactionMask(redaction.states)
                _ = try RedactionMask(redaction.actions)
            } catch {
                throw bad()
            }
            return redaction
        }
    }

    private func redactionNode(_ key: String) throws -> Node? {
        let value = try connection.prepare("SELECT value FROM recording WHERE key = ?")
        try value.bind(key, at: 1)
        guard try value.step() else { return nil }
        let text = try value.text(0)
        do {
            return try Node(json: text)
        } catch {
            throw bad()
        }
    }

    private func patternsIn(_ node: Node?) throws -> [RedactedPath] {
        guard case .array(let elements)? = node else { throw bad() }
        return try elements.map { element in
            guard case .string(let pattern)? = element["path"] else { throw bad() }
            return RedactedPath(pattern, as: element["as"])
        }
    }

    private func textsIn(_ node: Node?) throws -> [String] {
        guard case .array(let elements)? = node else { throw bad() }
        return try elements.map { element in
            guard case .string(let text) = element else { throw bad() }
            return text
        }
    }

    private func bad() -> RecordingError { damaged("what it says of redacted values cannot be read") }
}
