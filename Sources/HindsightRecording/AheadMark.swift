/// Where a live recorder is: what its file says when the process has died.
struct AheadMark: Equatable {
    enum Phase: UInt32 {
        /// No reducer runs.
        case idle = 0
        /// A reducer runs.
        case reducing = 1
        /// The recorder could not go on, and its process went on unrecorded.
        case stopped = 2
    }

    var phase: Phase
    /// The last action.
    var seq: Int
    /// The number of the reducer that runs, from 1; 0 where none does.
    var reducer: Int
}

extension AheadMark {
    /// A mark's form in the file: three little-endian numbers, the last a checksum of the first two.
    typealias Words = (UInt64, UInt64, UInt64)

    var words: Words {
        let first = UInt64(bitPattern: Int64(seq))
        let second = UInt64(phase.rawValue) << 32 | UInt64(UInt32(truncatingIfNeeded: reducer))
        return (first.littleEndian, second.littleEndian, Self.checksum(first, second).littleEndian)
    }

    /// `nil` where the checksum is wrong: the mark was half written, or is none.
    init?(words: Words) {
        let first = UInt64(littleEndian: words.0)
        let second = UInt64(littleEndian: words.1)
        guard UInt64(littleEndian: words.2) == Self.checksum(first, second),
            let phase = Phase(rawValue: UInt32(second >> 32))
        else { return nil }
        self.phase = phase
        seq = Int(Int64(bitPattern: first))
        reducer = Int(UInt32(truncatingIfNeeded: second))
    }

    /// FNV-1a over the sixteen bytes. Against torn writes, not against forgers.
    private static func checksum(_ first: UInt64, _ second: UInt64) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for word in [first, second] {
            for shift in stride(from: 0, to: 64, by: 8) {
                hash = (hash ^ (word >> UInt64(shift)) & 0xFF) &* 0x100_0000_01B3
            }
        }
        return hash
    }
}
