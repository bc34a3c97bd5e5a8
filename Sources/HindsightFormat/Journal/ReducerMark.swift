/// What a live recorder is doing. After a crash, the journal says it.
@usableFromInline
package struct ReducerMark: Equatable {
    @usableFromInline
    package enum Phase: UInt64 {
        /// No reducer is running.
        case idle = 0
        /// A reducer is running.
        case reducing = 1
        /// The recorder stopped, and its process continued without it.
        case stopped = 2
    }

    @usableFromInline package var phase: Phase
    /// The number of the last action.
    @usableFromInline package var seq: Int
    /// The number of the running reducer, from 1; 0 if none is running.
    @usableFromInline package var reducer: Int

    @inlinable
    package init(phase: Phase, seq: Int, reducer: Int) {
        self.phase = phase
        self.seq = seq
        self.reducer = reducer
    }
}

extension ReducerMark {
    // A mark is one word, so that a write of it is atomic. From the low end: forty bits of the action's number,
    // fourteen of the reducer's, two of the phase, and a checksum of eight bits.
    @usableFromInline static var seqBits: UInt64 { 40 }
    @usableFromInline static var reducerBits: UInt64 { 14 }

    @inlinable package var word: UInt64 {
        let seq = UInt64(truncatingIfNeeded: seq) & (1 << Self.seqBits - 1)
        let reducer = UInt64(truncatingIfNeeded: reducer) & (1 << Self.reducerBits - 1)
        let word = seq | reducer << Self.seqBits | phase.rawValue << (Self.seqBits + Self.reducerBits)
        return word | Self.fold(word) << 56
    }

    /// `nil` if the word is not a mark.
    package init?(word: UInt64) {
        guard Self.fold(word) == 0,
            let phase = Phase(rawValue: word >> (Self.seqBits + Self.reducerBits) & 0b11)
        else { return nil }
        self.phase = phase
        seq = Int(word & (1 << Self.seqBits - 1))
        reducer = Int(word >> Self.seqBits & (1 << Self.reducerBits - 1))
    }

    /// Whether the mark belongs to this action.
    package func isOf(_ seq: Int) -> Bool { lead(over: seq) == 0 }

    /// The number of actions by which the mark is ahead of an action; negative if it is behind. The mark has only the
    /// low bits of the number.
    package func lead(over seq: Int) -> Int {
        let unused = 64 - Self.seqBits
        let lead = UInt64(truncatingIfNeeded: self.seq &- seq) << unused
        return Int(Int64(bitPattern: lead) >> unused)
    }

    /// The exclusive or of all bytes and a constant, so that zeros are not a mark.
    @inlinable package static func fold(_ word: UInt64) -> UInt64 {
        var fold = word ^ word >> 32
        fold ^= fold >> 16
        fold ^= fold >> 8
        return (fold ^ 0x5A) & 0xFF
    }
}
