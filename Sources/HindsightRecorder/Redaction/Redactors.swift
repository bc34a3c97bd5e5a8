import HindsightFormat
import HindsightTree

/// Redacts a recorder's states and actions.
struct Redactors: Sendable {
    let redaction: Redaction
    let states: Redactor
    let actions: Redactor

    /// - Throws: A `RecordingError` with the code `badRedaction`.
    init(_ redaction: Redaction) throws(RecordingError) {
        self.redaction = redaction
        states = try Self.redactor(redaction.states)
        actions = try Self.redactor(redaction.actions)
    }

    private static func redactor(_ paths: [RedactedPath]) throws(RecordingError) -> Redactor {
        do {
            return try Redactor(paths.map { ($0.pattern, $0.placeholder) })
        } catch {
            throw RecordingError(.badRedaction, given: error.pattern, reason: error.reason)
        }
    }

    /// The number of places of `Redacted` fields so far. Costs two loads.
    var fieldCount: Int { states.fieldCount + actions.fieldCount }

    /// The number of patterns that have matched so far. Costs two loads.
    var matchCount: Int { states.matchCount + actions.matchCount }

    // MARK: Keys of the table `recording`

    /// `{"states":[{"path":"/user/role","as":"guest"}],"actions":[]}`.
    var patterns: String {
        func node(_ path: RedactedPath) -> Node {
            .object([.init("path", .string(path.pattern))] + (path.placeholder.map { [.init("as", $0)] } ?? []))
        }
        return Self.text(states: redaction.states.map(node), actions: redaction.actions.map(node))
    }

    /// `{"states":["/login/password"],"actions":[]}`.
    var fields: String {
        Self.text(states: states.fieldPatterns.map(Node.string), actions: actions.fieldPatterns.map(Node.string))
    }

    /// The same for the patterns that have matched.
    var met: String {
        Self.text(states: states.matchedPatterns.map(Node.string), actions: actions.matchedPatterns.map(Node.string))
    }

    private static func text(states: [Node], actions: [Node]) -> String {
        Node.object([.init("states", .array(states)), .init("actions", .array(actions))]).json
    }
}

extension RecordingError {
    /// Removes possible values of the app from an error, such as texts of its `encode(to:)` and keys of dictionaries.
    func withoutValues(_ redactor: Redactor) -> RecordingError {
        guard redactor.isActive, code != .unregisteredAction else { return self }
        var error = self
        error.reason =
            (cause as? TreeError)?.code == .tooDeep
            ? "it is nested deeper than \(TreeLimits.depth) levels"
            : "the details are withheld, since they could reveal a redacted value"
        error.cause = nil
        error.path = error.path.map(redactor.visiblePrefix)
        return error
    }
}
