import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightReplay
import HindsightSQLite
import HindsightSupport

/// Replays a recording in a child process, so that a reducer that traps does not end the test's process.
///
/// The child is a fork of the test's process: the app's reducers are values of the running test, and no other
/// process has them. A fork has one thread, so a lock that another thread held stays locked there. A child that
/// sleeps too long is therefore killed and forked again. If all attempts fail, the outcome is unknown.
struct ForkedReplay {
    /// How a replay ended its process.
    struct Termination {
        /// The last point that the replay reached; `nil` before the first action.
        let point: ReplayPoint?
        /// `signal 4` or `exit status 0`.
        let ending: String
        /// The message of the trap.
        let message: String?
    }

    enum Outcome {
        /// The replay ended with this result, and nothing else is to be said of it.
        case matched(VerificationResult)
        /// The replay ended with a result.
        case finished
        case terminated(Termination)
        /// The system could not fork, as on Apple's systems, each fork slept too long, or the replay ended with an
        /// error, which a replay in the test's process throws and reports.
        case unknown
    }

    /// For each attempt, the milliseconds of sleep after which a fork is assumed to wait for a lock that stays
    /// locked.
    private static let maxSleeps = [200, 200, 400, 1000, 2000]

    let recording: URL
    let app: ReplayableApp
    /// What is compared. Without it, all actions run, and nothing is compared.
    let options: VerificationOptions?

    /// Replays the recording, including the actions that finished but whose states were not recorded.
    func run() -> Outcome {
        guard ForkedProcess.isAvailable else { return .unknown }
        for maxSleep in Self.maxSleeps {
            if let outcome = attempt(maxSleep) { return outcome }
        }
        return .unknown
    }

    /// - Returns: `nil` if the fork slept too long.
    private func attempt(_ maxSleep: Int) -> Outcome? {
        guard let progress = Progress(), let output = Channel() else { return .unknown }
        // What this process has looked up, no fork has to look up again.
        app.lookUpTypes()
        fflush(nil)
        let child = withSQLiteUnlocked { ForkedProcess.start() }
        if child == 0 { replay(progress, output.writeEnd) }
        guard child > 0 else { return .unknown }
        output.closeWriteEnd()

        var (printed, stamp, started) = ([UInt8](), -1, ContinuousClock.now)
        while true {
            var entry = pollfd(fd: output.readEnd, events: Int16(POLLIN), revents: 0)
            // A fork that ends closes its end of the pipe, which ends the wait at once. If it has closed the pipe
            // and still runs, each turn waits a moment.
            let isClosed = poll(&entry, 1, 10) > 0 && entry.revents & Int16(POLLIN) == 0
            var status: Int32 = 0
            let waited = waitpid(child, &status, WNOHANG)
            // If this process ignores SIGCHLD, the system does not tell how the child ended.
            let isUnknown = waited == -1 && errno == ECHILD
            let hasEnded = waited == child || isUnknown
            printed += output.drain()
            if printed.count > 1 << 20 { printed.removeFirst(printed.count - 1 << 16) }
            if hasEnded { return outcome(progress, isUnknown ? nil : status, printed) }
            if isClosed { usleep(100) }
            let present = progress.content.stamp
            let isWaiting = present == stamp && ForkedProcess.isAsleep(child)
            if !isWaiting { started = .now }
            stamp = present
            if started.duration(to: .now) >= .milliseconds(maxSleep) {
                kill(child, SIGKILL)
                while waitpid(child, &status, 0) == -1, errno == EINTR {}
                return nil
            }
        }
    }

    /// - Parameter status: How the fork ended; `nil` if the system does not tell.
    private func outcome(_ progress: Progress, _ status: Int32?, _ printed: [UInt8]) -> Outcome {
        let signal = (status ?? 0) & 0x7F
        let told = progress.content
        if let hasFailed = told.hasFailed, signal == 0 {
            guard !hasFailed else { return .unknown }
            guard let options, let (level, actions, steps) = told.plain else { return .finished }
            return .matched(VerificationResult(plain: level, actions: actions, steps: steps, options: options))
        }
        let ending =
            switch status {
            case nil: "in an unknown way"
            case let status? where signal == 0: "exit status \(status >> 8 & 0xFF)"
            case _?: "signal \(signal)"
            }
        let message = TrapMessage.last(in: printed).map { String($0.prefix(400)) }
        return .terminated(Termination(point: told.point, ending: ending, message: message))
    }
}

// MARK: The report

extension ForkedReplay.Termination {
    /// Where and how the replay ended its process, in one or two sentences.
    func text(in recording: Recording, replayedBy app: ReplayableApp) throws -> String {
        let said = message.map { " It said: \(escape($0))" } ?? ""
        guard let point else {
            return
                "the replay ended its process (\(ending)) before the first action, while the app's initial"
                + " state or the recorded one was encoded or decoded.\(said)"
        }
        let action = try recording.action(point.seq)
        let index = point.reducer - 1
        let name = app.reducers.indices.contains(index) ? " (\(escape(app.reducers[index])))" : ""
        let reducer = "reducer \(point.reducer) of \(app.reducers.count)\(name)"
        let place =
            switch point.phase {
            case .decoding: "while the app decoded the action"
            case .reducing: "in \(reducer)"
            case .encoding: "while the app encoded the changes of \(reducer)"
            case .retrying: "which differs, while it ran again with other placeholders for redacted values"
            }
        let known = min(point.seq - 1, recording.end.seq)
        return "the replay ended its process (\(ending)) in action \(point.seq) (\(escape(action.type))), \(place)."
            + " Nothing after action \(known) was compared.\(said)"
    }
}

// MARK: The fork

extension ForkedReplay {
    /// Replays in the fork. It runs neither signal handlers nor `atexit` functions of the test.
    private func replay(_ progress: Progress, _ output: Int32) -> Never {
        dup2(output, STDOUT_FILENO)
        dup2(output, STDERR_FILENO)
        // A copied descriptor would keep a recording locked after the test has closed its recorder.
        for descriptor in ForkedProcess.descriptors() where descriptor > 2 { close(descriptor) }
        for number in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT] { signal(number, SIG_DFL) }
        ResourceLimit.forbidCoreDumps()
        do {
            let recording = try Recording(at: recording)
            try replay(recording, progress)
            progress.noteEnd(hasFailed: false)
        } catch {
            // The replay in the test's process throws it again.
            progress.noteEnd(hasFailed: true)
        }
        _exit(0)
    }

    private func replay(_ recording: Recording, _ progress: Progress) throws {
        guard let options else {
            try runUncompared(recording, app, from: recording.start, runningUnfinished: true, watch: progress.note)
            return
        }
        let verification = try Verification(of: recording, by: app, options: options)
        verification.watch = progress.note
        let result = try verification.run()
        if result.isPlain { progress.noteResult(result) }
        guard result.matches else { return }
        let last = try result.lastRunnable(in: recording)
        try runUncompared(recording, app, from: recording.end, to: last, runningUnfinished: true, watch: progress.note)
    }
}

/// What a fork tells of its replay, in memory that it shares with the test's process.
///
/// Writing a point costs no system call, and the point survives the end of the fork.
private final class Progress {
    struct Content {
        /// Changes with each point, and at the end.
        var stamp = 0
        /// The last point; `nil` before the first, and after the end.
        var point: ReplayPoint?
        /// Whether the replay has ended with an error; `nil` before its end.
        var hasFailed: Bool?
        /// The facts of a plain result.
        var plain: (level: VerificationOptions.Level, actions: Int, steps: Int)?
    }

    // Sound: the memory is mapped until `deinit`, and no member refers to other memory.
    private let memory: UnsafeMutablePointer<Content>

    /// Only the stamp is to be read before the fork has ended.
    var content: Content { memory.pointee }

    init?() {
        let place = mmap(nil, MemoryLayout<Content>.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANON, -1, 0)
        guard let place, place != MAP_FAILED else { return nil }
        memory = place.bindMemory(to: Content.self, capacity: 1)
        memory.initialize(to: Content())
    }

    deinit { munmap(memory, MemoryLayout<Content>.size) }

    /// Notes a point, in the fork.
    func note(_ point: ReplayPoint) {
        memory.pointee.stamp += 1
        memory.pointee.point = point
    }

    /// Notes that the replay has ended, in the fork.
    func noteEnd(hasFailed: Bool) {
        memory.pointee.stamp += 1
        memory.pointee.point = nil
        memory.pointee.hasFailed = hasFailed
    }

    /// Notes a plain result, in the fork.
    func noteResult(_ result: VerificationResult) {
        memory.pointee.plain = (result.level, result.actions, result.steps)
    }
}

/// A pipe.
private final class Channel {
    let readEnd: Int32
    private(set) var writeEnd: Int32

    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(readEnd, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(readEnd)
        closeWriteEnd()
    }

    func closeWriteEnd() {
        guard writeEnd >= 0 else { return }
        close(writeEnd)
        writeEnd = -1
    }

    /// Reads what the pipe holds.
    func drain() -> [UInt8] {
        var all: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = bytes.withUnsafeMutableBytes { read(readEnd, $0.baseAddress, $0.count) }
            guard count > 0 else { return all }
            all += bytes[..<count]
        }
    }
}
