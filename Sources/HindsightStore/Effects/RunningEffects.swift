import HindsightSupport
import Synchronization

/// The effects that run for one store.
final class RunningEffects: Sendable {
    /// Cancels an effect.
    struct Handle: Sendable {
        let flag: CancelledFlag
        let task: Task<Void, Never>

        func cancel() {
            flag.raise()
            task.cancel()
        }
    }

    private struct Content {
        var table = EffectTable<Handle>()
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter = 0
    }

    private let content = Locked(Content())

    /// Runs `work` in a task, in place of the effect that runs with the same id.
    func start(
        id: HashableKey?,
        priority: TaskPriority?,
        _ work: @escaping @Sendable (CancelledFlag) async -> Void
    ) {
        let replaced = content.withLock { content in
            let (run, replaced) = content.table.begin(id: id)
            let flag = CancelledFlag()
            // The task cannot end before its handle is attached: for that it needs the lock.
            let task = Task(priority: priority) {
                await work(flag)
                self.end(run)
            }
            content.table.attach(Handle(flag: flag, task: task), to: run)
            return replaced
        }
        // Outside of the lock, for it runs the effect's own cancellation handlers.
        replaced?.cancel()
    }

    func cancel(id: HashableKey) {
        content.withLock { $0.table.cancel(id: id) }?.cancel()
    }

    func cancelAll() {
        for handle in content.withLock({ $0.table.cancelAll() }) {
            handle.cancel()
        }
    }

    private func end(_ run: Int) {
        let waiters = content.withLock { content -> [CheckedContinuation<Void, Never>] in
            content.table.end(run)
            guard content.table.isEmpty else { return [] }
            defer { content.waiters = [:] }
            return Array(content.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when no effect runs any more, or when the waiting task is cancelled.
    func finished() async {
        let number = content.withLock { content in
            content.lastWaiter += 1
            return content.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = content.withLock { content in
                    if content.table.isEmpty || Task.isCancelled { return true }
                    content.waiters[number] = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            content.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }
}

/// Whether an effect was cancelled: what it dispatches is then not wanted any more, also after it has ended.
final class CancelledFlag: Sendable {
    private let flag = Atomic(false)

    var isRaised: Bool { flag.load(ordering: .acquiring) }
    func raise() { flag.store(true, ordering: .releasing) }
}
