import HindsightFormat

/// Divides the limit of bytes between a recording's file and the files beside it.
///
/// Together they stay within 1.25 times the limit. The `-wal` and the journal cannot shrink at any moment, so small
/// transactions and frequent checkpoints keep them small. The rest is for the file. SQLite reuses free pages, so the
/// file is as large as its largest use.
struct ByteBudget {
    /// The limit of the options.
    let asked: Int
    /// The size of the last keyframe in bytes.
    var stateBytes = 0

    /// - Parameter asked: A limit beyond every disk is one of 2^60 bytes, with which the sums below cannot overflow.
    init(_ asked: Int) { self.asked = min(max(RecordingLimit.fewestBytes, asked), 1 << 60) }

    /// The limit that can be kept.
    var limit: Int { max(asked, RecordingLimit.fewestStates * stateBytes) }

    /// The text that one transaction writes, but at least one action.
    var transactionBytes: Int { min(max(asked / 32, 32 << 10), 2 << 20) }

    /// The size of the `-wal` at which it is checkpointed.
    var checkpointBytes: Int { min(max(asked / 16, 256 << 10), 4 << 20) }

    /// The size of the journal's ring in bytes.
    var journalBytes: Int { JournalLayout.wholeWords(min(asked / 16, 1 << 20)) }

    /// The largest use of the file, for a size of its journal in bytes.
    func maxUsed(journal: Int) -> Int {
        // Before a checkpoint, the `-wal` may have a page more than once. In the file, a page may be half empty.
        let wal = checkpointBytes + 4 * transactionBytes + stateBytes
        let sharedMemory = 64 << 10
        return min(limit, limit + limit / 4 - wal - journal - sharedMemory)
    }
}
