/// Where a live recorder is: what its journal says when the process has died.
@usableFromInline
package struct ReducerMark: Equatable {
    @usableFromInline
    package enum Phase: UInt64 {
        /// No reducer runs.
        case idle = 0
        /// A reducer runs.
        case reducing = 1
        /// The recorder could not go on, and its process went on unrecorded.
        case stopped = 2
    }

    @usableFromInline package var phase: Phase
    /// The last action.
    @usableFromInline package var seq: Int
    /// The number of the reducer that runs, from 1; 0 where none does.
    @usableFromInline package var reducer: Int

    @inlinable
    package init(phase: Phase, seq: Int, reducer: Int) {
        self.phase = phase
        self.seq = seq
        self.reducer = reducer
    }
}

extension ReducerMark {
    // A mark is one word, so that it is written whole or not at all: from the low end forty bits of the action's
    // number, fourteen of the reducer's, two of the phase, and eight that all bytes together make zero.
    @usableFromInline static var seqBits: UInt64 { 40 }
    @usableFromInline static var reducerBits: UInt64 { 14 }

    @inlinable package var word: UInt64 {
        let seq = UInt64(truncatingIfNeeded: seq) & (1 << Self.seqBits - 1)
        let reducer = UInt64(truncatingIfNeeded: reducer) & (1 << Self.reducerBits - 1)
        let word = seq | reducer << Self.seqBits | phase.rawValue << (Self.seqBits + Self.reducerBits)
        return word | Self.fold(word) << 56
    }

    /// `nil` where the word is no mark.
    package init?(word: UInt64) {
        guard Self.fold(word) == 0,
            let phase = Phase(rawValue: word >> (Self.seqBits + Self.reducerBits) & 0b11)
        else { return nil }
        self.phase = phase
        seq = Int(word & (1 << Self.seqBits - 1))
        reducer = Int(word >> Self.seqBits & (1 << Self.reducerBits - 1))
    }

    /// Whether the mark is one of this action: of a number's bits it has only the lower ones.
    package func isOf(_ seq: Int) -> Bool {
        UInt64(truncatingIfNeeded: seq ^ self.seq) & (1 << Self.seqBits - 1) == 0
    }

    /// All bytes, and a constant so that zeros are no mark, in one.
    @inlinable package static func fold(_ word: UInt64) -> UInt64 {
        var fold = word ^ word >> 32
        fold ^= fold >> 16
        fold ^= fold >> 8
        return (fold ^ 0x5A) & 0xFF
    }
}
