import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The line on which work goes to the writer's thread: a ``WorkQueue`` with threads that wait at it.
///
/// Sound: everything mutable is touched only while `mutex` is held, and both conditions and the mutex stay at one place
/// on the heap, as they must.
final class WorkLine<Item: Sendable>: @unchecked Sendable {
    /// How the recording ended.
    enum Outcome {
        case closed
        case stopped(RecordingError)
    }

    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let workCame: UnsafeMutablePointer<pthread_cond_t>
    private let workWasDone: UnsafeMutablePointer<pthread_cond_t>
    @exclusivity(unchecked) private var queue: WorkQueue<Item>
    @exclusivity(unchecked) private var skippedActions = 0
    private var failure: RecordingError?
    private var outcome: Outcome?
    /// Whether the app was told of the outcome, where it is one to be told of.
    private var isTold = false
    private var writer: pthread_t?
    private let open = Atomic(true)
    /// The queue's ``WorkQueue/Fullness``, so that it costs a load to see that there is room.
    private let fullness = Atomic(0)

    /// How long the writer waits for more before it writes a little, in nanoseconds.
    static var lingerTime: Int { 5_000_000 }

    init(limit: WorkQueue<Item>.Limit) {
        queue = WorkQueue(limit: limit)
        mutex = .allocate(capacity: 1)
        workCame = .allocate(capacity: 1)
        workWasDone = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        #if !canImport(Darwin)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        #endif
        pthread_cond_init(workCame, &attributes)
        pthread_cond_init(workWasDone, &attributes)
        pthread_condattr_destroy(&attributes)
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

    /// Whether work is taken: the recording has neither ended nor failed. Costs a load.
    var isOpen: Bool { open.load(ordering: .relaxed) }

    /// How far the recording has come.
    var progress: RecorderProgress {
        withLock {
            RecorderProgress(
                recorded: queue.doneActions,
                waiting: queue.addedActions - queue.doneActions,
                withoutStates: skippedActions
            )
        }
    }

    /// What has become of the recording; `nil` while it goes on.
    var state: Outcome? { withLock { outcome ?? failure.map(Outcome.stopped) } }

    /// Whether there is no room for an item. Costs a load.
    var isFull: Bool { fullness.load(ordering: .relaxed) == WorkQueue<Item>.Fullness.full.rawValue }

    /// Whether there is hardly an item left. Costs a load.
    var isNearlyEmpty: Bool { fullness.load(ordering: .relaxed) == WorkQueue<Item>.Fullness.low.rawValue }

    /// Waits until there is room for an item.
    func waitForRoom() {
        guard isFull else { return }
        withLock {
            while isOpen, !queue.hasRoom { pthread_cond_wait(workWasDone, mutex) }
        }
    }

    /// Hands an item over, with as many actions, of which so many are without states.
    func add(_ item: Item, bytes: Int, actions: Int, skipped: Int) {
        withLock {
            if outcome == nil, queue.add(item, bytes: bytes, actions: actions) { pthread_cond_signal(workCame) }
            skippedActions += skipped
            fullness.store(queue.fullness.rawValue, ordering: .relaxed)
        }
    }

    /// Waits until all that was added is done with, and the app was told where that failed. On the writer's thread, which
    /// would wait for itself, it does not wait.
    func flush() {
        waitUntilIdle()
        withLock { waitUntilTold() }
    }

    /// Waits until all that was added is done with.
    func waitUntilIdle() {
        withLock {
            let goal = queue.hurry()
            pthread_cond_signal(workCame)
            while queue.done < goal, outcome == nil, !isOnWriter { pthread_cond_wait(workWasDone, mutex) }
        }
    }

    /// Says that no more work is taken.
    func shut() { open.store(false, ordering: .relaxed) }

    /// Takes no more work, and waits until the writer has done what there was and ended; on its own thread it does not wait.
    ///
    /// - Returns: How it ended, as far as that is known.
    func end() -> Outcome? {
        withLock {
            shut()
            queue.end()
            pthread_cond_broadcast(workCame)
            pthread_cond_broadcast(workWasDone)
            waitUntilTold()
            while outcome == nil, !isOnWriter { pthread_cond_wait(workWasDone, mutex) }
            return outcome
        }
    }

    /// Waits until the app knows of the end, where there is one: but not on the thread that tells it.
    private func waitUntilTold() {
        while queue.isEnded, !isTold, !isOnWriter { pthread_cond_wait(workWasDone, mutex) }
    }

    /// Whether this is the writer's thread: what the app has written runs there too, as states are encoded and let go of.
    private var isOnWriter: Bool { writer.map { pthread_equal($0, pthread_self()) != 0 } ?? false }

    /// Makes the recording a failure, unless it is one already; whoever is told so reports it.
    func fail(_ error: RecordingError) -> Bool {
        withLock {
            guard failure == nil, outcome == nil else { return false }
            failure = error
            open.store(false, ordering: .relaxed)
            queue.end()
            pthread_cond_broadcast(workCame)
            pthread_cond_broadcast(workWasDone)
            return true
        }
    }

    // MARK: The writer's thread

    /// Waits for work; `nil` where none will come any more.
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

    /// Says that so many bytes of what is in hand were let go of.
    func free(_ bytes: Int) {
        withLock {
            queue.free(bytes)
            fullness.store(queue.fullness.rawValue, ordering: .relaxed)
            pthread_cond_broadcast(workWasDone)
        }
    }

    func finish() {
        withLock {
            queue.finish()
            fullness.store(queue.fullness.rawValue, ordering: .relaxed)
            pthread_cond_broadcast(workWasDone)
        }
    }

    /// Whether there is nothing to be written just now.
    var hasTime: Bool { withLock { queue.hasTime } }

    /// The failure that a dispatching thread has met.
    var failureSoFar: RecordingError? { withLock { failure } }

    /// Says that the writer has ended; nobody waits any more.
    func conclude(_ end: Outcome) {
        withLock {
            outcome = end
            open.store(false, ordering: .relaxed)
            pthread_cond_broadcast(workWasDone)
        }
    }

    /// Says that the app was told of the outcome.
    func told() {
        withLock {
            isTold = true
            pthread_cond_broadcast(workWasDone)
        }
    }

    private func waitForMore() {
        var time = timespec()
        #if canImport(Darwin)
            time.tv_nsec = Self.lingerTime
            pthread_cond_timedwait_relative_np(workCame, mutex, &time)
        #else
            clock_gettime(CLOCK_MONOTONIC, &time)
            time.tv_nsec += Self.lingerTime
            if time.tv_nsec >= 1_000_000_000 {
                time.tv_nsec -= 1_000_000_000
                time.tv_sec += 1
            }
            pthread_cond_timedwait(workCame, mutex, &time)
        #endif
    }
}

extension WorkLine<Work> {
    /// Hands work over.
    func add(_ work: Work, bytes: Int) {
        var isSkipped = false
        if case .action(let slot, _) = work, case .skipped = slot.deed { isSkipped = true }
        add(work, bytes: bytes, actions: work.isAction ? 1 : 0, skipped: isSkipped ? 1 : 0)
    }
}
