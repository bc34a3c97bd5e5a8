import Foundation
import HindsightRecording
import HindsightReplay
import HindsightSupport

/// Runs experiments on a recording in child processes, one after another: a list of actions may end its process.
struct ExperimentProcess {
    let tool: Tool
    /// What runs: a recording, or the executable of a build that is not this one.
    let name: String
    /// The seconds that a reducer may take.
    let actionLimit: Double
    /// When to stop.
    let deadline: ContinuousClock.Instant
    private let executable: URL
    private let start = ContinuousClock.now

    init(_ name: String, by executable: URL, actionLimit: Double, budget: Double, _ tool: Tool) {
        (self.tool, self.name, self.actionLimit, self.executable) = (tool, name, actionLimit, executable)
        deadline = .now + .seconds(budget)
    }

    /// The seconds since experiments began, to the millisecond.
    var seconds: Double { ((ContinuousClock.now - start) / .seconds(1) * 1000).rounded() / 1000 }

    /// Why experiments end before all is tried; `nil` if they go on.
    var interruption: EarlyEnd? {
        if let signal = TerminationSignal.received { return .signal(signal) }
        return .now < deadline ? nil : .budget
    }

    enum EarlyEnd {
        /// The time is over.
        case budget
        /// A signal asks for it.
        case signal(Int32)
        /// A signal that is no crash has ended the process that runs the actions, twice at the same ones.
        case stopped(Int32)

        /// The exit code of a command that a signal has stopped; `nil` if the time is over.
        var code: ExitCode? {
            switch self {
            case .budget: nil
            case .signal(let signal), .stopped(let signal): .signal(signal)
            }
        }

        /// Says so below an answer.
        var remark: String {
            switch self {
            case .budget: "time is over: --budget SECONDS gives it more"
            case .signal: "it was stopped"
            case .stopped(let signal):
                (["the process that runs the actions was stopped by signal \(signal) twice, so the rest was not tried"]
                    + CrashReport.reason(for: signal)).joined(separator: ". ")
            }
        }
    }

    /// Does a task in a new process until it ends, or until experiments are to end. From then on, signals do not end this
    /// process.
    ///
    /// - Parameters:
    ///   - isBounded: Whether the deadline ends it. A signal always does.
    ///   - traces: Whether to find the calls of a crash, which takes a second.
    ///   - needsPoint: Whether a process that ends before its first action, or by a signal that is no crash, is a failure.
    ///   - answersWithin: The seconds until its first answer after which it is ended.
    ///   - change: Changes the process's variables.
    ///   - reply: Takes each answer. Its error ends the process.
    /// - Returns: How the app's code ended the process; `nil` if it did not.
    /// - Throws: ``Failure`` if the task fails, or the process cannot be started.
    func run<Reply: Decodable>(
        _ task: some IsolatedTask,
        isBounded: Bool,
        traces: Bool = false,
        needsPoint: Bool = true,
        answersWithin patience: Double? = nil,
        changing change: (inout [String: String]) -> Void = { _ in },
        _ reply: (Reply) throws -> Void
    ) throws -> (site: CrashSite, backtrace: Backtrace?)? {
        let process = try start(task, traces: traces, changing: change)
        defer { process.end() }
        let start = ContinuousClock.now
        var hasAnswered = false
        while true {
            process.wait()
            let end = try advance(process) { (answer: Reply) in
                hasAnswered = true
                try reply(answer)
            }
            if let end { return try site(process, end, needsPoint: needsPoint).map { ($0, process.relay.backtrace) } }
            if let patience, !hasAnswered, ContinuousClock.now - start > .seconds(patience) { return nil }
            switch interruption {
            case .signal, .stopped: return nil
            case .budget where isBounded: return nil
            case .budget, nil: break
            }
        }
    }

    /// How a worker's process has ended.
    enum WorkerEnd {
        case done
        case crash(CrashSite)
        /// By a signal that is no crash: another program or the system sent it.
        case stopped(Int32)
    }

    /// Does tasks in several processes at once until none is left, or the deadline or a signal ends it.
    ///
    /// - Parameters:
    ///   - count: The number of processes at once.
    ///   - next: The next task of a worker, by its number; `nil` if there is none.
    ///   - reply: Takes each answer, with the number of the worker.
    ///   - ended: Takes how a worker's process has ended, and says whether to go on.
    /// - Throws: ``Failure`` if a task fails, or a process cannot be started; what the closures throw.
    func run<Task: IsolatedTask, Reply: Decodable>(
        at count: Int,
        next: (Int) -> Task?,
        reply: (Int, Reply) throws -> Void,
        ended: (Int, WorkerEnd) throws -> Bool
    ) throws {
        var running: [Int: Isolation] = [:]
        defer { for process in running.values { process.end() } }
        func begin(_ worker: Int) throws {
            if interruption == nil, let task = next(worker) { running[worker] = try start(task) }
        }
        for worker in 0..<count { try begin(worker) }
        while !running.isEmpty, interruption == nil {
            Isolation.wait(for: running.values)
            for (worker, process) in running {
                guard let end = try advance(process, { try reply(worker, $0) }) else { continue }
                running[worker] = nil
                defer { process.end() }
                let stop = Self.stoppingSignal(end)
                if TerminationSignal.received != nil { break }
                let crash = try stop == nil ? site(process, end, needsPoint: true) : nil
                let how = stop.map(WorkerEnd.stopped) ?? crash.map(WorkerEnd.crash) ?? .done
                guard try ended(worker, how) else { return }
                try begin(worker)
            }
        }
    }

    private func start(
        _ task: some IsolatedTask,
        traces: Bool = false,
        changing change: (inout [String: String]) -> Void = { _ in }
    ) throws -> Isolation {
        TerminationSignal.observe(unlessIgnored: true)
        return try Isolation(
            task,
            by: executable,
            errors: nil,
            traces: traces,
            timingReducers: true,
            changing: change
        )
    }

    /// Takes what a process has answered.
    ///
    /// - Returns: How it has ended; `nil` if it goes on.
    private func advance<Reply: Decodable>(
        _ process: Isolation,
        _ reply: (Reply) throws -> Void
    ) throws -> Isolation.End? {
        let end = try process.advance(timeout: actionLimit, show: { _ in }, waiting: { _ in })
        for answer in process.progress.takeAnswers() {
            try reply(try JSONDecoder().decode(Reply.self, from: Data(answer)))
        }
        return end
    }

    /// The signal that ended a process and is no crash; `nil` if there was none.
    private static func stoppingSignal(_ end: Isolation.End) -> Int32? {
        guard case .signal(let signal) = end.ending, !end.ending.isCrash else { return nil }
        // A terminal sends Ctrl-C to both processes.
        if [SIGINT, SIGTERM].contains(signal) { usleep(50_000) }
        return signal
    }

    private func site(_ process: Isolation, _ end: Isolation.End, needsPoint: Bool) throws -> CrashSite? {
        if let verdict = process.verdict(of: end.ending) {
            if verdict != .fine { throw Tool.failure(verdict, process.progress.takeMessages()) }
            return nil
        }
        // The system kills a process that takes too much memory.
        if let signal = Self.stoppingSignal(end), signal != SIGKILL || process.progress.point == nil {
            if TerminationSignal.received != nil { return nil }
            if needsPoint {
                throw Failure(
                    .signal(signal),
                    lines: ["The process that runs the actions was stopped by signal \(signal)."]
                        + CrashReport.reason(for: signal)
                )
            }
        }
        let start = needsPoint ? nil : ReplayPoint(seq: 0, reducer: 0, phase: .decoding)
        guard let point = process.progress.point.flatMap({ $0.seq > 0 ? $0 : nil }) ?? start else {
            throw Failure(
                .crash,
                lines: [
                    "\(name): the process ended while an init(from:) of the app read the recorded state"
                        + " or the actions."
                ] + [end.message].compactMap { $0 }
            )
        }
        return CrashSite(
            point,
            end.ending,
            message: end.message,
            signal: process.crash,
            executable: executable.lastPathComponent
        )
    }
}
