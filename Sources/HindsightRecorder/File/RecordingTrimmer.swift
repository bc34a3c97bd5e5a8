import HindsightFormat
import HindsightSQLite
import HindsightSupport

/// Keeps a recording within its limit. Runs on the writer's thread.
///
/// It makes room before each write, so that the file's use never exceeds the limit. When there is nothing to write, it
/// trims the rest. Both run in slices of some milliseconds.
final class RecordingTrimmer {
    private let file: TrimmableTables
    private var choice: TrimPoint
    private var budget: ByteBudget?
    private let path: String
    private let now: @Sendable () -> Int64
    private let report: @Sendable (RecordingError) -> Void
    private var last = 0
    private var isTold = false

    /// The longest slice in nanoseconds, unless the next write needs more room.
    private let slice: Int64
    /// Without a limit of bytes, the file returns free space beyond this size.
    private static let spare = 1 << 20

    init(
        _ limit: RecordingLimit,
        _ connection: Connection,
        slice: Int64 = 8_000_000,
        now: @escaping @Sendable () -> Int64,
        report: @escaping @Sendable (RecordingError) -> Void
    ) throws(SQLiteError) {
        file = try TrimmableTables(connection)
        choice = TrimPoint(limit)
        budget = limit.bytes.map(ByteBudget.init)
        path = connection.path
        self.slice = slice
        self.now = now
        self.report = report
    }

    /// The largest text of one transaction, but at least one action.
    var transactionBytes: Int { budget?.transactionBytes ?? 2 << 20 }

    // MARK: Around a write

    /// Makes room for actions that are about to be written, and for other bytes.
    func makeRoom(for actions: [PendingAction], andBytes other: Int = 0) throws(SQLiteError) {
        // A page of the file is at worst half empty.
        try makeRoom(forBytes: actions.reduce(2 * other) { $0 + 2 * $1.textBytes + $1.keyframeBytes })
    }

    /// Makes room for a number of bytes.
    func makeRoom(forBytes coming: Int) throws(SQLiteError) {
        guard try needsTrimming(for: coming) else { return }
        let before = try file.size().used
        let deadline = SystemClock.monotonic + slice
        while try needsTrimming(for: coming) {
            try trim(for: coming, until: deadline)
            // Freeing twice the size of the write keeps pace, however long it takes.
            let freed = before - (try file.size().used)
            if freed >= 2 * coming && SystemClock.monotonic > deadline { return }
        }
    }

    /// Notes the written actions.
    func wrote(_ actions: [PendingAction]) {
        last = actions.last?.action.seq ?? last
        for pending in actions where pending.outcome.changes?.keyframe != nil {
            keep(pending.keyframeBytes, at: pending.action.seq)
        }
    }

    /// Notes that the keyframes after these actions, but the last one, are no longer in the file.
    func forget(_ actions: ClosedRange<Int>) { choice.forget(actions) }

    /// Notes a keyframe in the file.
    func keep(_ bytes: Int, at seq: Int) {
        choice.keep(seq, at: now())
        guard let budget else { return }
        self.budget?.stateBytes = bytes
        if bytes * RecordingLimit.fewestStates > budget.asked, !isTold {
            isTold = true
            tell(stateBytes: bytes, of: budget)
        }
    }

    private func tell(stateBytes: Int, of budget: ByteBudget) {
        let error = RecordingError(
            .limitTooSmall,
            file: path,
            reason: "a keyframe has \(stateBytes) bytes, but the limit is \(budget.asked) bytes"
        )
        let report = report
        do {
            // On another thread, because `onError` may wait for the writer.
            try BackgroundThread.start { report(error) }
        } catch {
            // Without a thread, the error is not reported. The recording itself shows it.
        }
    }

    // MARK: Trimming

    private func needsTrimming(for coming: Int) throws(SQLiteError) -> Bool {
        if file.hasRemains || choice.isDue(last: last, now: now()) { return true }
        return choice.canMove ? try isOver(with: coming) : false
    }

    private func isOver(with coming: Int) throws(SQLiteError) -> Bool {
        guard let maxUsed else { return false }
        return try file.size().used + coming > maxUsed
    }

    private var maxUsed: Int? {
        budget?.maxUsed(journal: Int(FileSystem.size(of: JournalFile.path(for: path))))
    }

    /// Drops a part of the beginning in one transaction.
    private func trim(for coming: Int, until deadline: Int64) throws(SQLiteError) {
        let before = choice
        do {
            try file.transaction { () throws(SQLiteError) in
                try dropBeginning(for: coming, until: deadline)
            }
        } catch {
            choice = before
            throw error
        }
    }

    private func dropBeginning(for coming: Int, until deadline: Int64) throws(SQLiteError) {
        repeat {
            if file.hasRemains {
                try file.deleteRemains()
            } else if choice.isDue(last: last, now: now()) {
                choice.moveIfDue(last: last, now: now())
                try file.begin(at: choice.base)
            } else if choice.canMove, try isOver(with: coming) {
                choice.move()
                try file.begin(at: choice.base)
            } else {
                return
            }
        } while SystemClock.monotonic < deadline
    }

    /// Drops the rest and returns free space to the file system, while there is nothing else to do.
    func tidy(while isIdle: () -> Bool) throws(SQLiteError) {
        while isIdle() {
            if try needsTrimming(for: 0) {
                try trim(for: 0, until: SystemClock.monotonic + slice)
            } else {
                let (all, used) = try file.size()
                guard all > max(used, maxUsed ?? 2 * used + Self.spare) else { return }
                try file.vacuum()
                guard try file.size().all < all else { return }
            }
        }
    }
}

extension PendingAction {
    /// The number of bytes of its texts, and of what a row takes beside them.
    var textBytes: Int {
        (action.payload?.utf8.count ?? 0) + (outcome.changes?.steps.utf8.count ?? 0)
            + (action.problem?.utf8.count ?? 0) + RowWriter.rowOverhead + threadBytes
    }

    /// The size of the text of its thread in bytes, if it is not that of the action before, which the table `name` has.
    private var threadBytes: Int {
        guard case .thread(let thread) = action.thread else { return 0 }
        return RowWriter.rowOverhead + (thread.name?.utf8.count ?? 0) + (thread.task?.utf8.count ?? 0)
    }

    var keyframeBytes: Int { outcome.changes?.keyframe?.utf8.count ?? 0 }
}

extension RecordingFile {
    /// The trimmer of this file; `nil` without a limit.
    func trimmer(of options: RecorderOptions) throws(SQLiteError) -> RecordingTrimmer? {
        guard !options.limit.isNone else { return nil }
        return try RecordingTrimmer(options.limit, connection, now: options.now) { options.onError?($0) }
    }
}
