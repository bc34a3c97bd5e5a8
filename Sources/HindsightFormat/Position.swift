/// A point in a recording's time.
///
/// As text: `42` is after action 42, `42.2` after that action's second reducer, `42.0` before its first. 0 is the
/// initial state.
public struct Position: Sendable, Hashable {
    /// The action's number; 0 for the initial state.
    public var seq: Int
    /// How many of the action's reducers have run; `nil` for all of them, and the action is over.
    public var reducer: Int?

    public init(seq: Int, reducer: Int? = nil) {
        self.seq = seq
        self.reducer = reducer
    }

    /// More actions than a thousand a second in a million years; sums of such numbers never overflow.
    package static let lastPossibleAction = 1 << 55
}

extension Position: Comparable {
    /// Whether `left` comes before `right`. `42` comes after every `42.n`.
    public static func < (left: Position, right: Position) -> Bool {
        (left.seq, left.reducer ?? .max) < (right.seq, right.reducer ?? .max)
    }
}

extension Position: LosslessStringConvertible {
    /// Reads `42` or `42.2`; `nil` where the text is anything else. What else names a position depends on the
    /// recording: ``Recording/position(_:)`` reads that.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let seq = parts.first.flatMap(Self.number) else { return nil }
        if parts.count == 1 {
            self.init(seq: seq)
        } else {
            guard let reducer = Self.number(parts[1]) else { return nil }
            self.init(seq: seq, reducer: reducer)
        }
    }

    /// Digits only: `Int.init` takes signs too.
    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? Int(text) : nil
    }

    public var description: String {
        reducer.map { "\(seq).\($0)" } ?? "\(seq)"
    }
}
