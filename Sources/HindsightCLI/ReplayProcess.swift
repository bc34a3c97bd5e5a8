import Foundation
import HindsightReplay

/// How a process has ended.
enum ProcessEnding: Equatable {
    case signal(Int32)
    case status(Int32)
    /// It was ended after an action had run for so many seconds.
    case timeout(Double)
}

/// A replay's own process: the tool once more, with pipes for what is told between the two.
///
/// Descriptors of the child: 0 is a pipe that ends when the parent does, 1 the tool's output, 2 a pipe for what reducers
/// print, and two more: the pipe of the ``ReplayMark``, and the tool's error stream.
final class ReplayProcess {
    private static let markDescriptor: Int32 = 3
    private static let errorsDescriptor: Int32 = 4
    /// The status of a child whose pipe from the parent has ended, while the parent is there: it has closed that pipe.
    static let cutOff: Int32 = 113

    private let id: pid_t
    private let (lifeline, marks, errors): (Int32, Int32, Int32)
    private(set) var progress = ReplayMark.Progress()
    private(set) var relay = ErrorRelay()
    /// When the action that is being run was begun.
    private(set) var since = SuspendingClock.now

    /// - Parameters:
    ///   - output: Where the child's output goes.
    /// - Throws: ``Failure`` where no process or no pipe can be had: nothing is replayed then.
    init(_ executable: URL, _ words: [String], output: Int32) throws {
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        func makePipe() throws -> (read: Int32, write: Int32) {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw Self.failure("make a pipe for", errno) }
            // Above what the child's own are copied to.
            for index in ends.indices {
                let low = ends[index]
                ends[index] = fcntl(low, F_DUPFD_CLOEXEC, 10)
                let code = errno
                close(low)
                if ends[index] < 0 { throw Self.failure("make a pipe for", code) }
                opened.append(ends[index])
            }
            return (ends[0], ends[1])
        }
        func copy(_ descriptor: Int32) -> Int32? {
            let high = fcntl(descriptor, F_DUPFD_CLOEXEC, 10)
            guard high >= 0 else { return nil }
            opened.append(high)
            return high
        }
        let (life, mark, error) = (try makePipe(), try makePipe(), try makePipe())
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, life.read, 0)
        if let output = copy(output) { posix_spawn_file_actions_adddup2(&actions, output, 1) }
        if let own = copy(STDERR_FILENO) { posix_spawn_file_actions_adddup2(&actions, own, Self.errorsDescriptor) }
        posix_spawn_file_actions_adddup2(&actions, error.write, 2)
        posix_spawn_file_actions_adddup2(&actions, mark.write, Self.markDescriptor)
        var environment = ProcessInfo.processInfo.environment
        environment[ReplayProcess.variable] = "\(getpid())"
        environment[Backtracer.variable] = Backtracer.settings
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        var arguments = ([executable.path] + words).map { strdup($0) } + [nil]
        defer { for text in variables + arguments { free(text) } }
        var id = pid_t()
        let result = posix_spawn(&id, executable.path, &actions, nil, &arguments, &variables)
        guard result == 0 else { throw Self.failure("start", result) }
        self.id = id
        (lifeline, marks, errors) = (life.write, mark.read, error.read)
        opened.removeAll { [life.write, mark.read, error.read].contains($0) }
        for descriptor in [marks, errors] {
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        }
    }

    deinit {
        for descriptor in [lifeline, marks, errors] { close(descriptor) }
    }

    private static func failure(_ what: String, _ code: Int32) -> Failure {
        Failure(
            .badFile,
            "Could not \(what) the process that runs the reducers: \(String(cString: strerror(code))).",
            "Reducers run in no other way, as one that ends the process would leave no verdict."
        )
    }

    /// Waits for its end.
    ///
    /// - Parameters:
    ///   - timeout: After how many seconds in one action it is ended.
    ///   - show: Shows a line that a reducer printed.
    ///   - waiting: Called now and then while one action runs for long, with the seconds that it has run.
    /// - Returns: How it ended, and the words of a trap.
    /// - Throws: What `waiting` throws, after the child was ended.
    func run(
        timeout: Double?,
        show: (String) -> Void,
        waiting: (Double) throws -> Void
    ) throws -> (ending: ProcessEnding, message: String?) {
        var tracedSince: SuspendingClock.Instant?
        var timedOut = false
        var isErrorsOpen = true
        while true {
            if isErrorsOpen {
                var entry = pollfd(fd: errors, events: Int16(POLLIN), revents: 0)
                poll(&entry, 1, 10)
            } else {
                usleep(10_000)
            }
            var status: Int32 = 0
            let hasEnded = waitpid(id, &status, WNOHANG) == id
            drain(marks) { bytes in
                if progress.take(bytes) { since = .now }
            }
            isErrorsOpen = drain(errors) { relay.take($0, show) }
            if hasEnded {
                let ending: ProcessEnding
                if timedOut, let timeout {
                    ending = .timeout(timeout)
                } else if status & 0x7F == 0 {
                    ending = .status(status >> 8 & 0xFF)
                } else if status & 0x7F == SIGKILL, let traced = relay.tracedSignal {
                    // The backtracer took too long.
                    ending = .signal(traced)
                } else {
                    ending = .signal(status & 0x7F)
                }
                let isCrash =
                    if case .signal(let signal) = ending { CrashGuard.crashes.contains(signal) } else { false }
                return (ending, relay.finish(crashed: isCrash, show))
            }
            do {
                try lookAfter(&tracedSince, &timedOut, timeout, waiting)
            } catch {
                end()
                throw error
            }
        }
    }

    private func lookAfter(
        _ tracedSince: inout SuspendingClock.Instant?,
        _ timedOut: inout Bool,
        _ timeout: Double?,
        _ waiting: (Double) throws -> Void
    ) throws {
        let now = SuspendingClock.now
        if relay.tracedSignal != nil || timedOut {
            let start = tracedSince ?? now
            tracedSince = start
            // Where a signal from outside started the backtracer, what it interrupted goes on.
            let isTraced = timedOut && relay.backtrace != nil
            if isTraced || now - start > (relay.tracedSignal == nil ? .seconds(2) : Backtracer.patience) {
                kill(id, SIGKILL)
            }
            if Waiting.signal != nil { try waiting(0) }
            return
        }
        let seconds = (now - since) / .seconds(1)
        try waiting(progress.point == nil ? 0 : seconds)
        guard let timeout, seconds >= timeout, progress.point != nil else { return }
        timedOut = true
        // The runtime's handler for it starts the backtracer, which says where the reducer was.
        kill(id, Backtracer.isSwitchedOff ? SIGKILL : SIGABRT)
    }

    private func end() {
        kill(id, SIGKILL)
        var status: Int32 = 0
        while waitpid(id, &status, 0) == -1, errno == EINTR {}
    }

    /// Reads what is there.
    ///
    /// - Returns: Whether the other end is open.
    @discardableResult
    private func drain(_ descriptor: Int32, _ take: (ArraySlice<UInt8>) -> Void) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                take(bytes[..<count])
            } else {
                return count < 0 && (errno == EAGAIN || errno == EINTR)
            }
        }
    }
}

extension ReplayProcess {
    /// The variable that tells a child that it is one, and whose.
    static let variable = "HINDSIGHT_REPLAY_OF"

    /// What a process is.
    enum Role {
        /// One that a person, or a program, has started.
        case tool
        /// The child of one that is a tool, which tells it how far it has come, and whose own words go to `errors`.
        case child(ReplayMark, errors: Int32)
        /// One that has the variable, but no parent that listens.
        case orphan
    }

    /// What this process is. Asked once, before anything else runs: what is started later inherits nothing of it.
    static let role: Role = {
        guard let parent = ProcessInfo.processInfo.environment[variable] else { return .tool }
        unsetenv(variable)
        var status = stat()
        guard parent == "\(getppid())", fstat(markDescriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else {
            return .orphan
        }
        for descriptor in [markDescriptor, errorsDescriptor] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return .child(ReplayMark(descriptor: markDescriptor), errors: errorsDescriptor)
    }()
}
