import HindsightTree

/// What a recording does not show: places of states and of actions.
///
/// ```swift
/// var options = RecorderOptions()
/// options.redaction = Redaction(
///     states: ["/user/email", "/cards/*/number", RedactedPath("/user/role", as: "guest")],
///     actions: ["/logIn/password"]
/// )
/// ```
///
/// Values there are replaced before anything is written, in the journal too. Fields can also say themselves that they
/// are hidden: see `Redacted` in `HindsightTree`. <doc:Redaction> has the rules.
public struct Redaction: Sendable, Hashable {
    /// Places of the state.
    public var states: [RedactedPath]
    /// Places of actions, as they are recorded: `/logIn/password` is that of `.logIn(name:password:)`.
    public var actions: [RedactedPath]

    public init(states: [RedactedPath] = [], actions: [RedactedPath] = []) {
        self.states = states
        self.actions = actions
    }

    /// Whether there is no such place.
    public var isEmpty: Bool { states.isEmpty && actions.isEmpty }
}

/// A place, or many alike, whose values are not recorded.
public struct RedactedPath: Sendable, Hashable, ExpressibleByStringLiteral {
    /// A JSON Pointer in which `*` stands for any one name, `**` for any number of names, none too, and a number for any
    /// number: `/cards/*/number`, `/**/password`. All below the place is redacted as well.
    public var pattern: String
    /// What is recorded there; `nil` for something that fits the value's type. A missing value stays missing.
    public var placeholder: Node?

    public init(_ pattern: String, as placeholder: Node? = nil) {
        self.pattern = pattern
        self.placeholder = placeholder
    }

    public init(stringLiteral pattern: String) { self.init(pattern) }
}

extension Redaction {
    /// The keys of the table `recording` under which a recorder says what it does not record.
    package enum Key {
        /// The patterns that the recorder was given: `{"states":[{"path":"/user/role","as":"guest"}],"actions":[]}`.
        package static let patterns = "redaction"
        /// The places of fields that hide themselves: `{"states":["/login/password"],"actions":[]}`.
        package static let fields = "redactedFields"
        /// The patterns that have met something, in the same form.
        package static let met = "redactionMet"
        package static let all = [patterns, fields, met]
    }
}
