import HindsightSupport

/// Runs an asynchronous operator: its workers, its consumer, and its end.
///
/// Workers start with the consumer's first ``next(isolation:)``. They are cancelled when the consumer is, when its
/// iterator is gone, when one of them fails, and when nothing more can come.
final class OperatorStorage<Machine: OperatorMachine, Failure: Error>: Sendable {
    typealias Worker = @Sendable (OperatorStorage) async throws(Failure) -> Void

    private let state: Locked<OperatorState<Machine, Failure>>
    private let workers: [Worker]

    init(_ machine: Machine, workers: [Worker]) {
        state = Locked(OperatorState(machine: machine))
        self.workers = workers
    }

    /// Waits for the next value; `nil` at the end and after a cancellation.
    func next(isolation actor: isolated (any Actor)? = #isolation) async throws(Failure) -> Machine.Output? {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { consumer in
                change { state in
                    state.demand(consumer)
                    if state.begins() { state.task = Task { await self.run() } }
                }
            }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    /// Ends everything: workers, and the consumer if it waits.
    func cancel() {
        change { $0.end() }
    }

    /// Tells the machine that something has happened.
    func update(_ body: (inout Machine) -> Void) {
        change { body(&$0.machine) }
    }

    func read<Value: Sendable>(_ body: (Machine) -> Value) -> Value {
        state.withLock { body($0.machine) }
    }

    /// Waits until the machine lets this worker go on.
    ///
    /// - Returns: Whether it goes on at all; `false` once everything has ended.
    func pause(_ worker: Int) async -> Bool {
        await withCheckedContinuation { continuation in
            change { $0.waiting[worker] = continuation }
        }
    }

    private func run() async {
        await withTaskGroup(of: Void.self) { group in
            for worker in workers {
                group.addTask {
                    do throws(Failure) {
                        try await worker(self)
                    } catch {
                        self.change { $0.fail(error) }
                    }
                }
            }
        }
    }

    /// Changes the state and wakes those whom it concerns, out of the lock.
    private func change(_ body: (inout OperatorState<Machine, Failure>) -> Void) {
        let wakeUp = state.withLock { state in
            body(&state)
            return state.settle()
        }
        wakeUp.run()
    }
}
