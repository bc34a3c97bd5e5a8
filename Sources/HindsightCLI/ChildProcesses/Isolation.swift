import Foundation
import HindsightFormat
import HindsightReplay
import HindsightSupport

/// How a process has ended.
enum ProcessEnding: Equatable {
    case signal(Int32)
    case status(Int32)
    /// The parent ended it after one action had run for this many seconds.
    case timeout(Double)

    /// Whether a fault of the program ended it.
    var isCrash: Bool {
        if case .signal(let signal) = self { Self.crashSignals.contains(signal) } else { false }
    }

    /// Whether the parent ended it.
    var isTimeout: Bool { if case .timeout = self { true } else { false } }

    private static let crashSignals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]
}

/// A child process of this tool, for code of an app, which may trap, call `exit` or never return: the one way to run
/// reducers in another process.
///
/// The child's descriptors: 0 is a pipe with the task, which ends with the parent; 1 the tool's output; 2 a pipe for
/// text that reducers print; 3 the pipe of the ``ReplyWriter``; 4 the tool's error stream; and 5 the file of the
/// ``SharedPoint``.
final class Isolation {
    /// How a child has ended, and the message of a trap.
    typealias End = (ending: ProcessEnding, message: String?)

    static let repliesDescriptor: Int32 = 3
    static let errorsDescriptor: Int32 = 4
    static let pointDescriptor: Int32 = 5
    /// The exit status of a child that has closed its pipes to a parent that is still alive.
    static let cutOff: Int32 = 113

    private let id: pid_t
    private let (lifeline, reports, errors): (Int32, Int32, Int32)
    private let shared: SharedPoint
    private let timesReducers: Bool
    private let isTraced: Bool
    var progress = Replies()
    private(set) var relay = ErrorRelay()
    /// When the child was asked to end; see ``terminate()``.
    private var askedSince: SuspendingClock.Instant?
    /// When the child began to end, after a timeout or a trap.
    private var endingSince: SuspendingClock.Instant?
    private var timedOut = false
    private var hasBeenReaped = false
    private var (isErrorsOpen, isReportsOpen) = (true, true)
    /// The bytes of the last reports.
    private var received = 0
    /// Whether the child reports so much that its pipe may fill up soon.
    private var isBusy: Bool { received > 1 << 13 }
    /// The open pipes whose content is read at once.
    private var urgent: [Int32] { (isErrorsOpen ? [errors] : []) + (timesReducers && isReportsOpen ? [reports] : []) }
    /// When the current action began, or the current reducer.
    private(set) var since = SuspendingClock.now
    /// When the timeouts were looked at last.
    private var looked = SuspendingClock.now

    /// - Parameters:
    ///   - output: The descriptor of the child's output; `nil` if it prints nothing.
    ///   - errors: The descriptor of the child's own messages; `nil` if it has none.
    ///   - columns: The width that the child lays text out for; `nil` for its own choice.
    ///   - traces: Whether the report of a crash is to have the app's calls, which takes seconds.
    ///   - timesReducers: Whether the seconds of the child are those in a reducer, without those in which the parent did
    ///     not read, and not those in an action. The parent then reads each answer at once.
    ///   - change: Changes the child's variables.
    /// - Throws: ``Failure`` if the system creates no process or no pipe.
    init(
        _ task: some IsolatedTask,
        by executable: URL,
        output: Int32? = nil,
        errors own: Int32? = STDERR_FILENO,
        columns: Int? = nil,
        traces: Bool = true,
        timingReducers timesReducers: Bool = false,
        changing change: (inout [String: String]) -> Void = { _ in }
    ) throws {
        self.timesReducers = timesReducers
        isTraced = traces && !Backtracer.isSwitchedOff
        let request =
            "{\"\(type(of: task).name)\":\(String(decoding: try JSONEncoder().encode(task), as: UTF8.self))}\n"
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        func makePipe() throws -> (read: Int32, write: Int32) {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw Self.failure("make a pipe for", errno) }
            // Uses numbers above those of the child's descriptors.
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
        Self.keepInherited
        let (life, report, error) = (try makePipe(), try makePipe(), try makePipe())
        let points = try CapturedFile(allocating: SharedPoint.size)
        guard let shared = SharedPoint(descriptor: points.descriptor) else {
            throw Self.failure("share memory with", errno)
        }
        self.shared = shared
        let process = SpawnedProcess()
        /// Gives the child a copy of a descriptor; of none, one that takes everything.
        func give(_ descriptor: Int32?, as number: Int32) {
            guard let descriptor else {
                return process.giveNull(as: number, access: O_WRONLY)
            }
            let high = fcntl(descriptor, F_DUPFD_CLOEXEC, 10)
            guard high >= 0 else { return }
            opened.append(high)
            process.give(high, as: number)
        }
        process.give(life.read, as: 0)
        give(output, as: 1)
        process.give(error.write, as: 2)
        process.give(report.write, as: Self.repliesDescriptor)
        give(own, as: Self.errorsDescriptor)
        give(points.descriptor, as: Self.pointDescriptor)
        var environment = ProcessInfo.processInfo.environment
        change(&environment)
        environment[Isolation.variable] = "\(getpid())"
        environment[Backtracer.variable] = traces ? Backtracer.settings : "enable=no"
        if let columns { environment["COLUMNS"] = "\(columns)" }
        // The system limits their length.
        let shown = task.words.prefix(200).map { String($0.prefix(250)) }
        let child = process.start(executable.path, [executable.path] + shown, environment: environment)
        guard child.error == 0 else { throw Self.failure("start", child.error) }
        id = child.id
        (lifeline, reports, errors) = (life.write, report.read, error.read)
        opened.removeAll { [life.write, report.read, error.read].contains($0) }
        for descriptor in [reports, errors] {
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        }
        // If the child has ended already, ``advance(timeout:show:waiting:)`` says so.
        try? FileSystem.writeAll(Array(request.utf8)[...], to: lifeline)
    }

    deinit {
        for descriptor in [lifeline, reports, errors] { close(descriptor) }
    }

    /// Keeps from children the descriptors that this process inherited. A process that a child leaves behind would hold
    /// them open, and a program that started this one, such as Foundation's `Process`, may wait for their end.
    private static let keepInherited: Void = {
        for descriptor in 3..<min(getdtablesize(), 1 << 12) {
            let flags = fcntl(descriptor, F_GETFD)
            if flags >= 0 { _ = fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) }
        }
    }()

    private static func failure(_ what: String, _ code: Int32) -> Failure {
        Failure(
            .badFile,
            "Could not \(what) the process that runs the reducers: \(String(cString: strerror(code))).",
            "Reducers run only in a separate process, because one that ends its process would leave no verdict."
        )
    }

    /// Waits for the end of the child.
    ///
    /// - Parameters:
    ///   - timeout: The seconds in one action after which the child is ended.
    ///   - show: Shows a line that a reducer printed.
    ///   - waiting: Called repeatedly with the seconds that the current action has run.
    /// - Throws: The error of `waiting`, after killing the child.
    func run(timeout: Double?, show: (String) -> Void, waiting: (Double) throws -> Void) throws -> End {
        while true {
            wait()
            if let end = try advance(timeout: timeout, show: show, waiting: waiting) { return end }
        }
    }

    /// Waits for news of the child, not for long.
    func wait() { Self.wait(for: CollectionOfOne(self)) }

    /// Waits for news of one of some children, not for long. The end of a child ends the wait.
    static func wait(for children: some Collection<Isolation>) {
        // Waking for each report would cost more than the replay. The pipe must not fill up either.
        let pause: Int32 = children.contains(where: \.isBusy) ? 1 : 10
        var entries = children.flatMap(\.urgent).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        poll(&entries, nfds_t(entries.count), pause)
    }

    /// Reads what the child has written, and enforces the timeout, without waiting. The parameters are those of
    /// ``run(timeout:show:waiting:)``.
    ///
    /// - Returns: How the child ended; `nil` if it is running.
    func advance(timeout: Double?, show: (String) -> Void, waiting: (Double) throws -> Void) throws -> End? {
        var status: Int32 = 0
        let hasEnded = waitpid(id, &status, WNOHANG) == id
        received = 0
        isReportsOpen = drain(reports) { bytes in
            received += bytes.count
            progress.take(bytes)
        }
        let before = progress.point
        let hasBegun = progress.reach(shared.point)
        if hasBegun || timesReducers && (received > 0 || progress.point != before) { since = .now }
        // After the reports: if a file has ended, all text that its reducers printed is here.
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
            hasBeenReaped = true
            return (ending, relay.finish(crashed: ending.isCrash, show))
        }
        do {
            try enforceTimeouts(timeout, waiting)
        } catch {
            end()
            throw error
        }
        return nil
    }

    private func enforceTimeouts(_ timeout: Double?, _ waiting: (Double) throws -> Void) throws {
        let now = SuspendingClock.now
        // Ctrl-Z stops this process and the child. Such a time is no time of the action.
        since = min(now, since + max(.zero, now - looked - Self.longestPause))
        looked = now
        if let askedSince {
            if now - askedSince > Self.patience { kill(id, SIGKILL) }
            return
        }
        if relay.tracedSignal != nil || timedOut {
            let start = endingSince ?? now
            endingSince = start
            // If a signal from outside started the backtracer, the program continues afterwards.
            let hasAnswered = timedOut && relay.backtrace != nil
            if hasAnswered || now - start > (relay.tracedSignal == nil ? .seconds(2) : Backtracer.timeout) {
                kill(id, SIGKILL)
            }
            return try waiting(0)
        }
        let seconds = (now - since) / .seconds(1)
        try waiting(progress.point == nil ? 0 : seconds)
        guard let timeout, seconds >= timeout, progress.point != nil else { return }
        // The process has crashed, and its calls are being found.
        if isTraced, shared.crash != nil, seconds < timeout + Backtracer.timeout / .seconds(1) { return }
        timedOut = true
        // The runtime's handler of SIGABRT starts the backtracer, which says where the reducer was.
        kill(id, isTraced ? SIGABRT : SIGKILL)
    }

    /// The signal that ended the child, and its frames; `nil` if there was none, or the child does not mark crashes.
    var crash: CrashSignal? { shared.crash }

    /// Asks the child to end, so that it removes its unfinished files, and kills it after a while.
    /// ``run(timeout:show:waiting:)`` and ``advance(timeout:show:waiting:)`` say when it has ended.
    func terminate() {
        if askedSince == nil, !hasBeenReaped { kill(id, SIGTERM) }
        askedSince = askedSince ?? .now
    }

    /// Whether ``terminate()`` was called.
    var isAskedToEnd: Bool { askedSince != nil }

    private static let patience = Duration.milliseconds(200)
    /// The longest time between two looks at a child that runs.
    private static let longestPause = Duration.seconds(1)

    /// The verdict of a child that has ended so; `nil` if it gave none.
    func verdict(of ending: ProcessEnding) -> ExitCode? {
        guard case .status(let status) = ending, progress.verdict?.rawValue == status else { return nil }
        return progress.verdict
    }

    /// Kills the child, and what it has started if it leads a group, unless it has ended.
    func end() {
        if hasBeenReaped { return }
        hasBeenReaped = true
        kill(-id, SIGKILL)
        kill(id, SIGKILL)
        SpawnedProcess.wait(for: id)
    }

    /// Reads what the pipe holds, up to 4 MB.
    ///
    /// - Returns: Whether the other end is open.
    private func drain(_ descriptor: Int32, _ take: (ArraySlice<UInt8>) -> Void) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 1 << 14)
        // A process that the child has left behind may never stop writing.
        for _ in 0..<256 {
            let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                take(bytes[..<count])
            } else {
                return count < 0 && (errno == EAGAIN || errno == EINTR)
            }
        }
        return true
    }
}
