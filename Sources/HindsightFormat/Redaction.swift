import HindsightTree

/// The places of states and actions that a recording hides.
///
/// ```swift
/// let redaction = Redaction(
///     states: ["/user/email", "/cards/*/number", RedactedPath("/user/role", as: "guest")],
///     actions: ["/logIn/password"]
/// )
/// let options = RecorderOptions(redaction: redaction)
/// ```
///
/// The recorder replaces these values before it writes anything, even to the journal. To mark fields instead, use
/// `Redacted` of `HindsightTree`. The article *Redaction* of `HindsightRecorder` has the rules.
public struct Redaction: Sendable, Hashable {
    /// Places in the state.
    public var states: [RedactedPath]
    /// Places in actions, in the form in which they are recorded: `/logIn/password` for `.logIn(name:password:)`.
    public var actions: [RedactedPath]

    /// Creates a redaction from paths, which may be string literals.
    public init(states: [RedactedPath] = [], actions: [RedactedPath] = []) {
        self.states = states
        self.actions = actions
    }

    /// Whether the redaction has no places.
    public var isEmpty: Bool { states.isEmpty && actions.isEmpty }
}

/// A pattern for places whose values are not recorded.
public struct RedactedPath: Sendable, Hashable, ExpressibleByStringLiteral {
    /// A JSON Pointer with wildcards, such as `/cards/*/number` or `/**/password`. `*` stands for any one name, `**`
    /// for any number of names including none, and a number for any number. Everything below the place is redacted as
    /// well.
    public var pattern: String
    /// The value to record instead; `nil` for a placeholder of the value's type. A missing value stays missing.
    public var placeholder: Node?

    /// Creates a pattern. A recorder checks it when it is created, and fails with the code `badRedaction`.
    ///
    /// - Parameters:
    ///   - pattern: A JSON Pointer with wildcards.
    ///   - placeholder: The value to record instead; `nil` for a placeholder of the value's type.
    public init(_ pattern: String, as placeholder: Node? = nil) {
        self.pattern = pattern
        self.placeholder = placeholder
    }

    public init(stringLiteral pattern: String) { self.init(pattern) }
}

extension Redaction {
    /// The keys of the table `recording` for redaction.
    package enum Key {
        /// The patterns of the options: `{"states":[{"path":"/user/role","as":"guest"}],"actions":[]}`.
        package static let patterns = "redaction"
        /// The places of `Redacted` fields: `{"states":["/login/password"],"actions":[]}`.
        package static let fields = "redactedFields"
        /// The patterns that have matched something, in the same form.
        package static let met = "redactionMet"
        package static let all = [patterns, fields, met]
    }
}
