import HindsightTree

/// What hides parts of a recorder's states and actions.
struct Redactors: Sendable {
    let redaction: Redaction
    let states: Redactor
    let actions: Redactor

    /// - Throws: A ``RecordingError``: `badRedaction`.
    init(_ redaction: Redaction) throws(RecordingError) {
        self.redaction = redaction
        states = try Self.redactor(redaction.states)
        actions = try Self.redactor(redaction.actions)
    }

    private static func redactor(_ paths: [RedactedPath]) throws(RecordingError) -> Redactor {
        do {
            return try Redactor(paths.map { ($0.pattern, $0.placeholder) })
        } catch {
            var failure = RecordingError(.badRedaction, reason: error.reason)
            failure.given = error.pattern
            throw failure
        }
    }

    /// How many places of fields that hide themselves have been met. Costs two loads.
    var fieldCount: Int { states.fieldCount + actions.fieldCount }

    /// How often a pattern has met something for the first time. Costs two loads.
    var matchCount: Int { states.matchCount + actions.matchCount }

    // MARK: Keys of the table `recording`

    /// The patterns as the recording has them.
    static let patternsKey = "redaction"
    /// The places of fields that hide themselves.
    static let fieldsKey = "redactedFields"

    /// The patterns that have met something.
    static let metKey = "redactionMet"
    static let keys = [patternsKey, fieldsKey, metKey]

    /// `{"states":[{"path":"/user/role","as":"guest"}],"actions":[]}`.
    var patterns: String {
        func node(_ paths: [RedactedPath]) -> Node {
            .array(
                paths.map { path in
                    .object([.init("path", .string(path.pattern))] + (path.placeholder.map { [.init("as", $0)] } ?? []))
                }
            )
        }
        return Node.object([.init("states", node(redaction.states)), .init("actions", node(redaction.actions))]).json
    }

    /// `{"states":["/login/password"],"actions":[]}`.
    var fields: String {
        func node(_ redactor: Redactor) -> Node { .array(redactor.fieldPatterns.map(Node.string)) }
        return Node.object([.init("states", node(states)), .init("actions", node(actions))]).json
    }

    /// The same of the patterns that have met something.
    var met: String {
        func node(_ redactor: Redactor) -> Node { .array(redactor.matchedPatterns.map(Node.string)) }
        return Node.object([.init("states", node(states)), .init("actions", node(actions))]).json
    }
}

extension ActionCodec {
    /// Makes a node of an action, in which what is to be is hidden.
    func encode(_ action: Action, hiding redactor: Redactor) throws -> Node {
        if let encodeHiding { return try encodeHiding(action, redactor) }
        return redactor.redacted(try encode(action))
    }

    /// Writes the text of that node into an encoder, which hides the same.
    func writer(hiding redactor: Redactor) -> @Sendable (Action, TextEncoder) throws -> NodeOutline {
        if let writeHiding { return writeHiding }
        return { $1.put(try encode($0, hiding: redactor)) }
    }
}

extension RecordingError {
    /// The error without what may be a value of the app, as texts of its own `encode(to:)` and keys of dictionaries are.
    func withoutValues(_ redactor: Redactor) -> RecordingError {
        guard redactor.isActive, code != .unregisteredAction else { return self }
        var error = self
        error.reason =
            (cause as? TreeError)?.code == .tooDeep
            ? "it is nested deeper than \(TreeLimits.depth) levels"
            : "what exactly is not said, since it might tell what is redacted"
        error.cause = nil
        error.path = error.path.map(redactor.visiblePrefix)
        return error
    }
}
