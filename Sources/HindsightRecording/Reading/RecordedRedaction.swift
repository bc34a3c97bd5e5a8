import HindsightFormat
import HindsightTree

/// The places that a recording hides.
package struct RecordedRedaction: Sendable, Hashable {
    /// The patterns of the recorder's options.
    package internal(set) var given = Redaction()
    /// The places of `Redacted` fields in states, as patterns.
    package internal(set) var stateFields: [String] = []
    /// The places of `Redacted` fields in actions, as patterns.
    package internal(set) var actionFields: [String] = []

    /// The patterns for states that have matched nothing in the recording's file, and may be misspelt. A pattern that
    /// also applies to actions, and has matched there, is not included.
    package internal(set) var unmetStates: [String] = []
    /// The same for actions.
    package internal(set) var unmetActions: [String] = []

    /// All hidden places in states, as patterns.
    package var states: [String] { given.states.map(\.pattern) + stateFields }
    /// All hidden places in actions, as patterns.
    package var actions: [String] { given.actions.map(\.pattern) + actionFields }
    /// Whether the recording hides nothing.
    package var isEmpty: Bool { states.isEmpty && actions.isEmpty }

    /// Redacts today's states in the same way.
    package func stateRedactor() throws -> Redactor {
        try Redactor(given.states.map { ($0.pattern, $0.placeholder) })
    }

    /// Redacts today's actions in the same way.
    package func actionRedactor() throws -> Redactor {
        try Redactor(given.actions.map { ($0.pattern, $0.placeholder) })
    }
}

extension RecordedRedaction {
    /// The recording's description of its redaction is not valid.
    private struct Unreadable: Error {}

    /// Parses the value of one of the two keys. Other keys are ignored.
    ///
    /// - Throws: An error if a recorder would not write this value.
    mutating func read(_ text: String, under key: String) throws {
        guard Redaction.Key.all.contains(key) else { return }
        let node = try Node(json: text)
        let (states, actions) = (try Self.elements(node["states"]), try Self.elements(node["actions"]))
        switch key {
        case Redaction.Key.patterns:
            (given.states, given.actions) = (try states.map(Self.path), try actions.map(Self.path))
        case Redaction.Key.fields:
            (stateFields, actionFields) = (try states.map(Self.text), try actions.map(Self.text))
        default:
            let met = (states: try states.map(Self.text), actions: try actions.map(Self.text))
            unmetStates = try Self.unmet(given.states, met.states, given.actions, met.actions)
            unmetActions = try Self.unmet(given.actions, met.actions, given.states, met.states)
        }
        _ = try RedactionMask(self.states)
        _ = try RedactionMask(self.actions)
    }

    /// - Parameters:
    ///   - others: The patterns of the other side, states or actions.
    ///   - metThere: Those of them that have matched something.
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

    /// Whether the value of a key can be parsed.
    static func canRead(_ text: String, under key: String) -> Bool {
        var redaction = RecordedRedaction()
        return (try? redaction.read(text, under: key)) != nil
    }
}

extension ReadableFile {
    /// Reads the redaction. Recorders without redaction write none.
    func redaction(_ metadata: Metadata) throws(RecordingError) -> RecordedRedaction {
        var redaction = RecordedRedaction()
        for key in Redaction.Key.all {
            guard let text = try reading({ try metadata.text(key) }) else { continue }
            do {
                try redaction.read(text, under: key)
            } catch {
                throw damaged("what it says of redacted values cannot be read")
            }
        }
        return redaction
    }
}
