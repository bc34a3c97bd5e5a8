import HindsightTree

/// A point in a recording's time.
///
/// As text, `42` is after action 42, `42.2` is after the second reducer of that action, and `42.0` is before its first.
/// 0 is the initial state.
public struct RecordingPosition: Sendable, Hashable {
    /// The action's number; 0 for the initial state.
    public var seq: Int
    /// The number of the action's reducers that have run; `nil` after the whole action.
    public var reducer: Int?

    /// Creates a position after an action, or after one of its reducers. 0 is before the first.
    public init(seq: Int, reducer: Int? = nil) {
        self.seq = seq
        self.reducer = reducer
    }

    /// A bound on action numbers: a thousand actions a second for a million years. Sums of such numbers never overflow.
    package static let lastPossibleAction = 1 << 55
}

extension RecordingPosition: Comparable {
    /// Whether `left` comes before `right`. `42` comes after every `42.n`.
    public static func < (left: RecordingPosition, right: RecordingPosition) -> Bool {
        (left.seq, left.reducer ?? .max) < (right.seq, right.reducer ?? .max)
    }
}

extension RecordingPosition: LosslessStringConvertible {
    /// Parses `42` or `42.2`; `nil` for any other text. Other names of positions depend on the recording: see
    /// `Recording.position(_:knownOnly:)`.
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

    /// Accepts digits only, because `Int.init` accepts signs too.
    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? Int(text) : nil
    }

    /// `42`, or `42.2` after the second reducer of action 42.
    public var description: String {
        reducer.map { "\(seq).\($0)" } ?? "\(seq)"
    }
}

extension RecordingPosition: Codable, ShapeLeaf {
    /// Reads ``description``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let position = RecordingPosition(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "It is no position.")
        }
        self = position
    }

    /// Writes ``description``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    package static var sample: RecordingPosition { RecordingPosition(seq: 0) }
    package static var form: String { "position" }
}
