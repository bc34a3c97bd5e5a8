/// The sequence that an operator of two or more workers makes: each iteration runs on its own.
struct OperatorSequence<Machine: OperatorMachine, Failure: Error>: AsyncSequence, Sendable {
    typealias Element = Machine.Output
    typealias Storage = OperatorStorage<Machine, Failure>

    let machine: Machine
    let workers: [Storage.Worker]

    func makeAsyncIterator() -> Iterator {
        Iterator(run: Run(storage: Storage(machine, workers: workers)))
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let run: Run

        mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws(Failure) -> Element? {
            try await run.storage.next(isolation: actor)
        }

        mutating func next() async throws(Failure) -> Element? {
            try await next(isolation: nil)
        }
    }

    /// Ends the workers when the last copy of the iterator is gone.
    fileprivate final class Run {
        let storage: Storage
        init(storage: Storage) { self.storage = storage }
        deinit { storage.cancel() }
    }
}

extension OperatorStorage {
    /// A worker that brings all values of a sequence, one after another.
    static func source<Base: AsyncSequence & Sendable>(
        _ base: Base,
        worker: Int = 0,
        arrived: @escaping @Sendable (inout Machine, Base.Element) -> Void,
        finished: @escaping @Sendable (inout Machine) -> Void
    ) -> Worker where Base.Element: Sendable, Base.Failure == Failure {
        { (storage) async throws(Failure) in
            var iterator = base.makeAsyncIterator()
            while let value = try await iterator.next(isolation: nil) {
                storage.update { arrived(&$0, value) }
                guard await storage.pause(worker) else { return }
            }
            storage.update(finished)
        }
    }

    /// A worker that wakes a timed machine when it wants to be woken.
    static func alarm<C: Clock>(_ clock: C) -> Worker where Machine: TimedMachine, Machine.Instant == C.Instant {
        { (storage) async throws(Failure) in
            while await storage.pause(1) {
                guard let deadline = storage.read(\.deadline) else { continue }
                do {
                    try await clock.sleep(until: deadline, tolerance: nil)
                } catch {
                    // Cancelled: nobody waits for the time any more.
                    return
                }
                storage.update { $0.woken(at: clock.now) }
            }
        }
    }
}
