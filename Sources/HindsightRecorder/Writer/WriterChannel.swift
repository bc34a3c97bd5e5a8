import HindsightFormat
import HindsightSupport
import Synchronization

/// Passes commands to the writer's thread: the locking and waiting around a ``WriterQueue``.
///
/// Sound: mutable properties are accessed only while `mutex` is held. The mutex and the conditions never move.
final class WriterChannel<Item: Sendable>: @unchecked Sendable {
    /// How the recording ended.
    enum Conclusion {
        case closed
        case stopped(RecordingError)
    }

    /// The lifecycle of the recording. It moves only to later cases.
    private enum Lifecycle {
        case recording
        /// The recording has failed. The writer has not ended it yet.
        case failing(RecordingError)
        /// The writer has ended the recording. A failure may not be reported yet.
        case ended(Conclusion)
        case reported(Conclusion)

        var conclusion: Conclusion? {
            switch self {
            case .recording, .failing: nil
            case .ended(let conclusion), .reported(let conclusion): conclusion
            }
        }

        var failure: RecordingError? { if case .failing(let error) = self { error } else { nil } }

        var hasEnded: Bool { conclusion != nil }
    }

    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let workCame: UnsafeMutablePointer<pthread_cond_t>
    private let workWasDone: UnsafeMutablePointer<pthread_cond_t>
    private var queue: WriterQueue<Item>
    private var skippedActions = 0
    private var lifecycle = Lifecycle.recording
    private var writer: pthread_t?
    /// Whether commands are accepted: never after `lifecycle` has left `recording`. A copy that costs one load to read.
    private let open = Atomic(true)
    /// A copy of the queue's ``WriterQueue/Fullness``, so that checking for room costs one load.
    private let fullness = Atomic(0)

    private let pulse = Pulse()
    /// Whether dispatching threads continue without room, because the app's own code delays the writer and may wait for
    /// them. Ends when the writer has finished a batch.
    private var isYielding = false

    /// How long the writer waits for more commands before it writes a small batch, in nanoseconds.
    static var lingerTime: Int { 5_000_000 }
    /// How long a dispatching thread waits for a writer without progress, in nanoseconds.
    private let yieldTime: Int

    /// The writer's activity. A separate allocation, because it is written for each action, and rarely read.
    private final class Pulse: Sendable {
        /// Whether the writer waits for the disk, and not for the app's own code.
        let onDisk = Atomic(false)
        /// The number of commands that it has begun.
        let count = Atomic(0)
    }

    init(limit: WriterQueue<Item>.Limit, yieldTime: Int = 100_000_000) {
        self.yieldTime = yieldTime
        queue = WriterQueue(limit: limit)
        mutex = .allocate(capacity: 1)
        workCame = .allocate(capacity: 1)
        workWasDone = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        TimedCondition.initialize(workCame)
        TimedCondition.initialize(workWasDone)
    }

    deinit {
        pthread_cond_destroy(workCame)
        pthread_cond_destroy(workWasDone)
        pthread_mutex_destroy(mutex)
        workCame.deallocate()
        workWasDone.deallocate()
        mutex.deallocate()
    }

    private func withLock<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    // MARK: Dispatching threads

    /// Whether commands are accepted: the recording has neither ended nor failed. Costs one load.
    var isOpen: Bool { open.load(ordering: .relaxed) }

    /// The progress of the recording.
    var progress: RecorderProgress {
        withLock {
            RecorderProgress(
                recorded: queue.doneActions,
                waiting: queue.addedActions - queue.doneActions,
                withoutStates: skippedActions
            )
        }
    }

    /// How the recording ended or failed; `nil` while it continues.
    var state: Conclusion? { withLock { lifecycle.conclusion ?? lifecycle.failure.map(Conclusion.stopped) } }

    /// Whether the queue is full. Costs one load.
    var isFull: Bool { fullness.load(ordering: .relaxed) == WriterQueue<Item>.Fullness.full.rawValue }

    /// Whether the queue is nearly empty. Costs one load.
    var isNearlyEmpty: Bool { fullness.load(ordering: .relaxed) == WriterQueue<Item>.Fullness.low.rawValue }

    /// Waits until there is room for a command.
    ///
    /// A state's `deinit` and `encode(to:)` run on the writer's thread, and may wait for the store that dispatches
    /// here, for example to read its state. If they delay the writer, this method returns without room after a timeout.
    /// Up to twice the queue's limit, later calls return at once; beyond it, each call waits for the timeout.
    func waitForRoom() {
        guard isFull else { return }
        withLock {
            while isOpen, !queue.hasRoom {
                if isYielding, queue.hasRoomForTwice { return }
                if isHeldUp() {
                    isYielding = true
                    return
                }
            }
        }
    }

    /// Waits until the writer has made progress, for example if the journal is full.
    ///
    /// - Returns: Whether it has; `false` if the app's own code delays the writer for long, or dispatches on the
    ///   writer's thread, which cannot make progress until that dispatch returns.
    func waitForProgress() -> Bool {
        withLock {
            let goal = queue.requestFlush()
            let start = queue.done
            pthread_cond_signal(workCame)
            if isOnWriter { return lifecycle.hasEnded }
            var waitsLeft = 50
            while queue.done == start, queue.done < goal, !lifecycle.hasEnded {
                if isHeldUp() { waitsLeft -= 1 }
                if waitsLeft == 0 { return false }
            }
            return true
        }
    }

    /// Waits briefly for progress of the writer. Requires `mutex`.
    ///
    /// - Returns: Whether the app's own code delayed the writer all the time, as far as can be seen.
    private func isHeldUp() -> Bool {
        let (before, done) = (pulse.count.load(ordering: .relaxed), queue.done)
        let isOver = !TimedCondition.wait(for: workWasDone, mutex, nanoseconds: yieldTime)
        return isOver && queue.done == done && pulse.count.load(ordering: .relaxed) == before
            && !pulse.onDisk.load(ordering: .relaxed)
    }

    /// Adds a command for a number of actions, some of them without states.
    func add(_ item: Item, bytes: Int, actions: Int, skipped: Int) {
        withLock {
            if !lifecycle.hasEnded, queue.add(item, bytes: bytes, actions: actions) { pthread_cond_signal(workCame) }
            skippedActions += skipped
            fullness.store(queue.fullness.rawValue, ordering: .relaxed)
        }
    }

    /// Waits until all commands so far are processed, and a failure of theirs was reported. Does not wait on the
    /// writer's thread, which would wait for itself.
    func flush() {
        waitUntilIdle()
        withLock { waitUntilTold() }
    }

    /// Waits until all commands so far are processed.
    func waitUntilIdle() {
        withLock {
            let goal = queue.requestFlush()
            pthread_cond_signal(workCame)
            while queue.done < goal, !lifecycle.hasEnded, !isOnWriter { pthread_cond_wait(workWasDone, mutex) }
        }
    }

    /// Stops accepting commands.
    func close() { open.store(false, ordering: .relaxed) }

    /// Stops accepting commands, and waits until the writer has processed the others and ended. Does not wait on the
    /// writer's thread.
    ///
    /// - Returns: How the recording ended, if that is known.
    func end() -> Conclusion? {
        withLock {
            close()
            queue.end()
            pthread_cond_broadcast(workCame)
            pthread_cond_broadcast(workWasDone)
            waitUntilTold()
            while !lifecycle.hasEnded, !isOnWriter { pthread_cond_wait(workWasDone, mutex) }
            return lifecycle.conclusion
        }
    }

    /// Waits until the end was reported to the app, if the queue is closed. The reporting thread does not wait.
    private func waitUntilTold() {
        while queue.isEnded, !isOnWriter {
            if case .reported = lifecycle { return }
            pthread_cond_wait(workWasDone, mutex)
        }
    }

    /// Whether this is the writer's thread. The app's code runs there too: it encodes and releases states.
    private var isOnWriter: Bool { writer.map { pthread_equal($0, pthread_self()) != 0 } ?? false }

    /// Marks the recording as failed.
    ///
    /// - Returns: Whether this is the first failure. The caller then reports it to the app.
    func fail(_ error: RecordingError) -> Bool {
        withLock {
            guard case .recording = lifecycle else { return false }
            lifecycle = .failing(error)
            open.store(false, ordering: .relaxed)
            queue.end()
            pthread_cond_broadcast(workCame)
            pthread_cond_broadcast(workWasDone)
            return true
        }
    }

    // MARK: The writer's thread

    /// Waits for a batch of commands; `nil` if the queue is closed and empty.
    func next() -> [Item]? {
        withLock {
            writer = pthread_self()
            while true {
                switch queue.next() {
                case .write(let batch): return batch
                case .end: return nil
                case .sleep: pthread_cond_wait(workCame, mutex)
                case .doze:
                    waitForMore()
                    queue.wake()
                case .linger:
                    waitForMore()
                    queue.linger()
                }
            }
        }
    }

    /// Notes how many bytes of the present batch were released.
    func free(_ bytes: Int) {
        withLock {
            queue.free(bytes)
            fullness.store(queue.fullness.rawValue, ordering: .relaxed)
            pthread_cond_broadcast(workWasDone)
        }
    }

    /// Notes that the writer begins the next command.
    func heartbeat() { pulse.count.add(1, ordering: .relaxed) }

    /// Runs `body`, which waits for the disk, so that dispatching threads wait as long as it takes.
    func waitingForDisk(_ body: () throws -> Void) rethrows {
        pulse.onDisk.store(true, ordering: .relaxed)
        defer { pulse.onDisk.store(false, ordering: .relaxed) }
        try body()
    }

    func finish() {
        withLock {
            queue.finish()
            isYielding = false
            fullness.store(queue.fullness.rawValue, ordering: .relaxed)
            pthread_cond_broadcast(workWasDone)
        }
    }

    /// Whether nothing waits to be written.
    var hasTime: Bool { withLock { queue.hasTime } }

    /// The failure of the recording; `nil` if there is none, or if the recording has ended.
    var failure: RecordingError? { withLock { lifecycle.failure } }

    /// Ends the recording, and wakes the threads that wait for it.
    func conclude(_ end: Conclusion) {
        withLock {
            lifecycle = .ended(end)
            open.store(false, ordering: .relaxed)
            pthread_cond_broadcast(workWasDone)
        }
    }

    /// Notes that the conclusion was reported to the app.
    func didReport() {
        withLock {
            guard case .ended(let conclusion) = lifecycle else { return }
            lifecycle = .reported(conclusion)
            pthread_cond_broadcast(workWasDone)
        }
    }

    private func waitForMore() { _ = TimedCondition.wait(for: workCame, mutex, nanoseconds: Self.lingerTime) }
}

extension WriterChannel<WriterCommand> {
    /// Adds a command.
    func add(_ work: WriterCommand, bytes: Int) {
        guard case .action(let pending, _) = work else { return add(work, bytes: bytes, actions: 0, skipped: 0) }
        add(work, bytes: bytes, actions: 1, skipped: pending.outcome.isSkipped ? 1 : 0)
    }
}
