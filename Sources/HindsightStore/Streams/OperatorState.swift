/// Who waits for what in an operator, and who is to be woken.
struct OperatorState<Machine: OperatorMachine, Failure: Error> {
    typealias Answer = Result<Machine.Output?, Failure>

    var machine: Machine
    /// Runs the workers, once they have begun.
    var task: Task<Void, Never>?
    /// Workers that wait to go on.
    var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
    private var consumer: CheckedContinuation<Answer, Never>?
    private var failure: Failure?
    private var hasBegun = false
    private var hasEnded = false

    init(machine: Machine) {
        self.machine = machine
    }

    /// Whether the workers are to begin now.
    mutating func begins() -> Bool {
        if hasBegun || hasEnded { return false }
        hasBegun = true
        return true
    }

    mutating func demand(_ consumer: CheckedContinuation<Answer, Never>) {
        precondition(
            self.consumer == nil,
            "An iterator was asked for a value while an earlier call still waits. Give each task its own iterator."
        )
        self.consumer = consumer
    }

    /// A worker has failed: what came before goes out first.
    mutating func fail(_ error: Failure) {
        if failure == nil { failure = error }
    }

    mutating func end() {
        hasEnded = true
        failure = nil
    }

    /// Answers the consumer if there is an answer, and lets workers go on that may.
    mutating func settle() -> WakeUp {
        var wakeUp = WakeUp()
        if let consumer, let answer = answer() {
            wakeUp.consumer = (consumer, answer)
            self.consumer = nil
        }
        let isOver = hasEnded || failure != nil
        if isOver { wakeUp.cancelled = task }
        for (worker, continuation) in waiting where isOver || machine.mayGoOn(worker) {
            wakeUp.workers.append((continuation, !isOver))
            waiting[worker] = nil
        }
        return wakeUp
    }

    private mutating func answer() -> Answer? {
        if hasEnded { return .success(nil) }
        if let output = machine.take() { return .success(output) }
        if let failure {
            end()
            return .failure(failure)
        }
        guard machine.isDone else { return nil }
        end()
        return .success(nil)
    }

    /// What is to be done once the lock is free.
    struct WakeUp {
        var consumer: (CheckedContinuation<Answer, Never>, Answer)?
        var workers: [(CheckedContinuation<Bool, Never>, Bool)] = []
        var cancelled: Task<Void, Never>?

        func run() {
            cancelled?.cancel()
            for (worker, goesOn) in workers { worker.resume(returning: goesOn) }
            if let consumer { consumer.0.resume(returning: consumer.1) }
        }
    }
}
