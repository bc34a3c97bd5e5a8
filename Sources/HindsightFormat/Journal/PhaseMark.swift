/// The phase of a dispatch in a recorder's store: a second word in the journal, beside ``ReducerMark``.
///
/// It is a separate word so that a phase can be marked without the recorder's lock. A recorder that has stopped keeps
/// its mark.
package struct PhaseMark: Equatable {
    package enum Kind: UInt64 {
        /// No dispatch is under way. `seq` is the last action's number.
        case idle = 0
        /// An action without a number is in the middleware. `seq` is the last action's number, `detail` the place of
        /// its ``Entry``.
        case middleware = 1
        /// Reducer `detail` is running in action `seq`.
        case reducer = 2
        /// No reducer is running in the reduction of action `seq`; `detail` have run.
        case betweenReducers = 3
        /// Subscribers are being notified of action `seq`.
        case subscribers = 4
        /// Middleware is running after the reduction of action `seq`. `detail` has the low bits of the last action's
        /// number.
        case unwinding = 5
    }

    package var kind: Kind
    package var seq: Int
    package var detail: Int

    package init(kind: Kind, seq: Int, detail: Int) {
        self.kind = kind
        self.seq = seq
        self.detail = detail
    }

    /// The known facts about an action that is in the middleware and has no number.
    package struct Entry: Equatable {
        package var parent: Int?
        /// Where it was dispatched, as `file:line`, truncated if it is long.
        package var origin: String
    }
}

extension PhaseMark {
    // From the low end: forty bits of the action's number, thirteen of the detail, three of the kind, and a checksum of
    // eight bits.
    private static let seqBits: UInt64 = 40
    package static let detailBits: UInt64 = 13

    /// The low bits of a number, as in `detail`.
    package static func detail(of number: Int) -> Int { number & (1 << Int(detailBits) - 1) }

    package var word: UInt64 {
        let seq = UInt64(truncatingIfNeeded: seq) & (1 << Self.seqBits - 1)
        let word =
            seq | UInt64(Self.detail(of: detail)) << Self.seqBits | kind.rawValue << (Self.seqBits + Self.detailBits)
        return word | ReducerMark.fold(word) << 56
    }

    /// `nil` if the word is not a mark.
    package init?(word: UInt64) {
        guard ReducerMark.fold(word) == 0,
            let kind = Kind(rawValue: word >> (Self.seqBits + Self.detailBits) & 0b111)
        else { return nil }
        self.init(
            kind: kind,
            seq: Int(word & (1 << Self.seqBits - 1)),
            detail: Int(word >> Self.seqBits & (1 << Self.detailBits - 1))
        )
    }
}
