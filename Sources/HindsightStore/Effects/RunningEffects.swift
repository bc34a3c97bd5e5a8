import HindsightSupport

/// Runs the effects of one store.
final class RunningEffects: Sendable {
    struct Handle: Sendable {
        let flag: CancellationFlag
        let task: Task<Void, Never>

        func cancel() {
            flag.cancel()
            task.cancel()
        }
    }

    private struct Content {
        var table = EffectTable<Handle>()
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter = 0
    }

    private let content = Locked(Content())

    /// Runs `work` in a task, and cancels the running effect with the same id.
    func start(
        id: HashableKey?,
        priority: TaskPriority?,
        _ work: @escaping @Sendable (CancellationFlag) async -> Void
    ) {
        let replaced = content.withLock { content in
            let (run, replaced) = content.table.begin(id: id)
            let flag = CancellationFlag()
            // The task needs the lock to end, so it cannot end before its handle is attached.
            let task = Task(priority: priority) {
                await work(flag)
                self.end(run)
            }
            content.table.attach(Handle(flag: flag, task: task), to: run)
            return replaced
        }
        // Outside of the lock: this runs the effect's cancellation handlers.
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

    /// Returns when no effect runs, or when the waiting task is cancelled.
    func finished() async {
        let number = content.withLock { content in
            content.lastWaiter += 1
            return content.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = content.withLock { content in
                    if content.table.isEmpty || Task.isCancelled { return true }
                    content.waiters[number] = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            content.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }
}
