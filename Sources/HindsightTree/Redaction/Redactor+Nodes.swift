extension Node {
    /// The placeholder for a node of which only the kind is known.
    var placeholder: Node {
        switch self {
        case .null: .null
        case .bool: .bool(false)
        case .int, .number: .int(0)
        case .string: .string(Placeholder.text)
        case .data: .data([])
        case .array: .array([])
        case .object: .object([])
        }
    }

    /// The placeholder for a node whose Swift type is not known. A string that is a UUID, a date or a URL becomes
    /// another one of its kind.
    fileprivate var guessedPlaceholder: Node {
        guard case .string(let text) = self else { return placeholder }
        if text.isUUID { return .string(Placeholder.uuid) }
        if DateText.seconds(from: text) != nil { return .string(Placeholder.date) }
        if text.utf8.starts(with: "http://".utf8) || text.utf8.starts(with: "https://".utf8) {
            return .string(Placeholder.link)
        }
        return .string(Placeholder.text)
    }
}

extension Node {
    /// The number of ``otherPlaceholder(_:)``s.
    package static let otherPlaceholderCount = 4

    /// A value that may stand in the place of this placeholder, of the same type as far as a node shows it: the first
    /// ones differ in what code derives from a value, the last is null. It may not decode.
    package func otherPlaceholder(_ number: Int) -> Node {
        switch self {
        case .array(let elements) where !elements.isEmpty:
            return .array(elements.map { $0.otherPlaceholder(number) })
        case .object(let members) where !members.isEmpty:
            return .object(members.map { Node.Member($0.key, $0.value.otherPlaceholder(number)) })
        default:
            let others = otherPlaceholders
            return others[number % others.count]
        }
    }

    private var otherPlaceholders: [Node] {
        let text = "a user@redacted.invalid"
        func only(_ value: Node) -> [Node] { [value, value, value, .null] }
        return switch self {
        case .null: [.null]
        case .array: [[.string(text)], [1], [.string(Placeholder.otherUUID)], [true]]
        case .object: [["other": .string(text)], ["other": 1], ["other": []], ["other": true]]
        case .bool(let value): only(.bool(!value))
        case .int, .number: [self == 1 ? 2 : 1, 1000, 2, .null]
        case .data: [.data([1]), .data([1, 2, 3]), .data([1]), .null]
        case .string:
            switch guessedPlaceholder {
            case .string(Placeholder.uuid): only(.string(Placeholder.otherUUID))
            case .string(Placeholder.date): only("2024-02-29T12:30:15Z")
            case .string(Placeholder.link): only("https://user@redacted.invalid:8080/other?a=1")
            default: [.string(text), "7", "", .null]
            }
        }
    }
}

extension String {
    /// Whether this is a UUID, as Foundation writes it, in upper or lower case.
    package var isUUID: Bool {
        guard utf8.count == 36 else { return false }
        return utf8.enumerated().allSatisfy { index, byte in
            [8, 13, 18, 23].contains(index)
                ? byte == UInt8(ascii: "-") : Character(UnicodeScalar(byte)).isHexDigit
        }
    }
}

extension Redactor {
    /// Redacts a node whose Swift types are not known.
    ///
    /// A hidden object becomes empty, since its keys may be data.
    package func redacted(_ node: Node) -> Node {
        automaton.start == PathAutomaton.dead ? node : redacted(node, automaton.start)
    }

    /// - Parameter state: The automaton's state at the node.
    func redacted(_ node: Node, _ state: Int) -> Node {
        if state == PathAutomaton.dead { return node }
        if hides(at: state) {
            if case .null = node { return .null }
            return automaton.placeholder(state) ?? node.guessedPlaceholder
        }
        switch node {
        case .array(let elements):
            return .array(elements.map { redacted($0, automaton.step(from: state, to: .index(0))) })
        case .object(let members):
            return .object(
                members.map { Member($0.key, redacted($0.value, automaton.step(from: state, toName: $0.key))) }
            )
        default:
            return node
        }
    }

    private typealias Member = Node.Member
}
