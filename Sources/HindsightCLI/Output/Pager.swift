import Foundation
import HindsightSupport
import Synchronization

/// The user's pager, such as `less`, which shows the output of a command page by page.
///
/// It starts when a command writes its first bytes, so a command that fails before, or prints nothing, starts none. From
/// then on, the error stream goes through it too if it is a terminal, because lines beside the pager's would be lost.
final class Pager {
    private let command: String
    private let output: Int32
    private let errors: Int32
    /// Whether this pager starts none.
    var isOff = false
    private var running: (id: pid_t, terminal: Int32, errors: Int32?)?

    /// Says to the child process that runs a command's reducers that its output ends at a terminal.
    static let variable = "HINDSIGHT_PAGER_IN_USE"

    /// Fails if the environment asks for no pager, or the pager is not installed.
    ///
    /// - Parameters:
    ///   - output: The descriptor of the tool's output, which must be a terminal.
    ///   - errors: The descriptor of the tool's error stream.
    init?(output: Int32, errors: Int32, environment: [String: String] = ProcessInfo.processInfo.environment) {
        guard let command = Self.command(in: environment), Self.isInstalled(command, environment["PATH"] ?? "") else {
            return nil
        }
        (self.command, self.output, self.errors) = (command, output, errors)
    }

    /// The command line of the pager that the environment asks for; `nil` for none.
    static func command(in environment: [String: String]) -> String? {
        // A terminal that cannot move its cursor shows no pages.
        guard environment["TERM"] != "dumb" else { return nil }
        let command = environment["HINDSIGHT_PAGER"] ?? environment["PAGER"] ?? "less -FRX"
        let words = command.trimmingCharacters(in: .whitespacesAndNewlines)
        return words.isEmpty || words == "cat" ? nil : words
    }

    /// Whether the program of a command line is in `PATH`. True if only a shell can tell.
    static func isInstalled(_ command: String, _ path: String) -> Bool {
        let program = command.prefix { $0 != " " && $0 != "\t" }
        let isPlain = program.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "-_./+".contains($0) }
        if !isPlain { return true }
        if program.contains("/") { return access(String(program), X_OK) == 0 }
        return path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
    }

    /// Starts the pager when a console writes its first bytes.
    func attach(to console: Console) {
        console.output.willWrite = { [unowned self, unowned console] in start(for: console) }
    }

    /// Starts the pager now, for the output of a child process.
    func startForChild(_ console: Console) {
        start(for: console)
        guard running != nil else { return }
        setenv(Self.variable, "1", 1)
        if let columns = console.terminal.columns { setenv("COLUMNS", "\(columns)", 1) }
    }

    private func start(for console: Console) {
        guard !isOff, running == nil else { return }
        var ends: [Int32] = [-1, -1]
        guard HindsightSupport.pipe(&ends) == 0 else { return }
        defer { for end in ends { close(end) } }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let terminal = fcntl(output, F_DUPFD_CLOEXEC, 10)
        guard terminal >= 0 else { return }
        guard let id = spawn(reading: ends[0], writing: terminal) else {
            close(terminal)
            return
        }
        console.hideProgress()
        dup2(ends[1], output)
        _ = fcntl(output, F_SETFD, FD_CLOEXEC)
        var own: Int32?
        if isatty(errors) == 1 {
            let copy = fcntl(errors, F_DUPFD_CLOEXEC, 10)
            if copy >= 0, dup2(ends[1], errors) >= 0 { own = copy }
        }
        running = (id, terminal, own)
        endAfterPager(id, own == nil ? -1 : errors)
    }

    /// - Returns: The id of the pager's process; `nil` if the system starts none.
    private func spawn(reading input: Int32, writing terminal: Int32) -> pid_t? {
        let process = SpawnedProcess()
        process.give(input, as: 0)
        process.give(terminal, as: 1)
        // This process ignores SIGPIPE, and its child would too.
        process.restoreDefault(of: SIGPIPE)
        var environment = ProcessInfo.processInfo.environment
        // As git: colours, no pages for a short text, and the text stays on the screen.
        if environment["LESS"] == nil { environment["LESS"] = "FRX" }
        if environment["LV"] == nil { environment["LV"] = "-c" }
        let pager = process.start("/bin/sh", ["sh", "-c", command], environment: environment)
        return pager.error == 0 ? pager.id : nil
    }

    /// Waits until the user has left the pager, and gives the tool its streams back.
    func finish() {
        guard let (id, terminal, own) = running else { return }
        (running, isOff) = (nil, true)
        // Ctrl-C is for the pager. Everything has been written, so the exit code stays.
        for number in [SIGINT, SIGQUIT] { signal(number, SIG_IGN) }
        dup2(terminal, output)
        close(terminal)
        if let own {
            dup2(own, errors)
            close(own)
        }
        SpawnedProcess.wait(for: id)
        for number in [SIGINT, SIGQUIT] { signal(number, SIG_DFL) }
    }

    private static let process = Atomic<Int32>(0)
    private static let pipe = Atomic<Int32>(-1)
    private static let errorPipe = Atomic<Int32>(-1)

    /// Makes a signal that ends this process, such as that of Ctrl-C, wait until the user has left the pager. Both would
    /// read the terminal's keys otherwise: the pager and the shell.
    private func endAfterPager(_ id: pid_t, _ errors: Int32) {
        Self.process.store(id, ordering: .relaxed)
        Self.pipe.store(output, ordering: .relaxed)
        Self.errorPipe.store(errors, ordering: .relaxed)
        TerminationSignal.handle([SIGINT, SIGTERM, SIGHUP, SIGQUIT], true) { number in
            // The pager sees the end of its input only if this process holds its pipe no more.
            close(Pager.pipe.load(ordering: .relaxed))
            close(Pager.errorPipe.load(ordering: .relaxed))
            SpawnedProcess.wait(for: Pager.process.load(ordering: .relaxed))
            TerminationSignal.endProcess(by: number)
        }
    }
}
