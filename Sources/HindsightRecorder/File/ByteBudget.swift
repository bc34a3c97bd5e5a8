import HindsightFormat

/// How the bytes that a recording may take are shared out between its file and what stands beside it.
///
/// All together stay within 1.25 times the limit. What cannot be shrunk at any moment, the `-wal` and the journal, is
/// kept small by small transactions and frequent checkpoints; the rest is the file's. Its free pages are used again, so
/// its size is the most that it ever had in use.
struct ByteBudget {

    /// The limit as it was asked for.
    let asked: Int
    /// The bytes of the last whole state.
    var stateBytes = 0

    init(_ asked: Int) { self.asked = max(RecordingLimit.fewestBytes, asked) }

    /// The limit that can be held.
    var limit: Int { max(asked, RecordingLimit.fewestStates * stateBytes) }

    /// Text that one transaction writes, one action at least.
    var transactionBytes: Int { min(max(asked / 32, 32 << 10), 2 << 20) }

    /// Bytes of the `-wal` at which it is folded into the file.
    var checkpointBytes: Int { min(max(asked / 16, 256 << 10), 4 << 20) }

    /// Bytes of the journal's ring.
    var journalBytes: Int { min(asked / 16, 1 << 20) }

    /// The most bytes that the file may have in use, where its journal has so many bytes.
    func mostUsed(journal: Int) -> Int {
        // A page may be in the `-wal` more than once before it is folded in, and half empty in the file.
        let wal = checkpointBytes + 4 * transactionBytes + stateBytes
        let sharedMemory = 64 << 10
        return min(limit, limit + limit / 4 - wal - journal - sharedMemory)
    }
}
