import Foundation
import HindsightRecording
import HindsightReplay

/// Runs commands that run reducers in a process of their own: a reducer that traps or calls `exit` ends its process, and
/// this one is left to say where.
struct CrashGuard {
    /// The variable that tells a child that it is one, and where to note how far it has come.
    static let variable = "HINDSIGHT_REPLAY_MARK"

    /// This process's own mark, where it is a child.
    static let mark = ProcessInfo.processInfo.environment[variable].map(ReplayMark.init)

    let tool: Tool
    let executable: URL

    /// The signals that a program's own fault ends it with.
    private static let crashes = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

    /// The guard of this process; `nil` where it is guarded itself, or does not know its own file.
    init?(_ tool: Tool) {
        guard Self.mark == nil, let path = Bundle.main.executablePath, tool.isProcess else { return nil }
        self.tool = tool
        executable = URL(filePath: path)
    }

    /// Runs the tool once more with the same arguments and reports the reducer that ended it, if one did. Files behind
    /// the one in which that happened are gone on with.
    func run(_ command: any Command.Type, _ arguments: Arguments, _ words: [String]) throws -> ExitCode {
        var words: [String]? = words
        var worst = ExitCode.fine
        while let next = words {
            words = nil
            let code = try attempt([command.syntax.name] + next) { file, failure in
                if command == VerifyCommand.self, arguments[Common.json] {
                    tool.console.print(JSONShapes.unverified(file, because: failure))
                }
                words = command.remainder(of: try Parser(syntax: command.syntax).parse(next), after: file)
            }
            if code.rawValue > worst.rawValue { worst = code }
        }
        return worst
    }

    /// - Parameter crashed: Told the file in whose replay a reducer ended the process, and how that is reported.
    private func attempt(
        _ words: [String],
        crashed: (_ file: String, _ failure: Failure) throws -> Void
    ) throws -> ExitCode {
        let mark = FileManager.default.temporaryDirectory.appending(path: "hindsight-\(UUID().uuidString)").path
        defer { unlink(mark) }
        tool.console.finish()
        let end = try start(words, mark: mark, ErrorRelay(at: mark + "-errors"))
        let place = ReplayMark.read(mark)
        if case .status(let status) = end.ending, place == nil { return ExitCode(rawValue: status) }
        if case .signal(let signal) = end.ending, !Self.crashes.contains(signal) {
            // As a shell tells it: somebody stopped the replay, which says nothing about reducers.
            throw Failure(ExitCode(rawValue: 128 + signal), "The replay was stopped by signal \(signal).")
        }
        guard let (file, seq) = place else {
            throw Failure(.crash, "The replay was ended by a crash, before its first action.")
        }
        let report = try CrashReport(
            recording: tool.open(file),
            seq: seq,
            reducer: reducer(in: tool.open(file), file, seq),
            ending: end.ending,
            message: end.message
        )
        let failure = try report.failure(file, tool: tool.name)
        if words.first == ReplayCommand.syntax.name, words.contains("--json") {
            tool.console.print(printable(report.json))
        }
        try crashed(file, failure)
        return tool.report(failure)
    }

    /// Looks for the reducer that ends a process, by running one reducer more each time.
    private func reducer(in recording: Recording, _ file: String, _ seq: Int) throws -> Int? {
        let known = recording.reducers.indices.map { $0 + 1 }
        let mark = FileManager.default.temporaryDirectory.appending(path: "hindsight-\(UUID().uuidString)").path
        defer { unlink(mark) }
        for number in known {
            let words = ["jump", "--replayed", "--json", "--", file, "\(seq).\(number)"]
            let end = try start(words, mark: mark, nil, isSilent: true)
            if case .signal = end.ending { return number }
            if ReplayMark.read(mark) != nil { return number }
        }
        if case .crashed(seq, let number?) = recording.ending, known.contains(number) { return number }
        return nil
    }

    /// Runs the tool in a process of its own, to its end.
    ///
    /// - Parameters:
    ///   - relay: Takes what reducers print.
    ///   - isSilent: Whether the process is to be neither seen nor heard.
    private func start(
        _ words: [String],
        mark: String,
        _ relay: ErrorRelay?,
        isSilent: Bool = false
    ) throws -> (ending: ProcessEnding, message: String?) {
        let process = Process()
        process.executableURL = executable
        process.arguments = words
        var environment = ProcessInfo.processInfo.environment
        environment[Self.variable] = mark
        environment[ErrorRelay.variable] = relay?.path
        // The report is ours; a backtrace of the reducer would bury it.
        environment["SWIFT_BACKTRACE"] = environment["SWIFT_BACKTRACE"] ?? "enable=no"
        process.environment = environment
        // The child ends when this end of the pipe is closed: that is, when this process ends, however it does.
        let lifeline = Pipe()
        _ = fcntl(lifeline.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        process.standardInput = lifeline
        process.standardOutput = FileHandle(fileDescriptor: tool.outputDescriptor)
        if isSilent {
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
        }
        try process.run()
        let show = { (line: String) in tool.console.note(line) }
        while let relay, process.isRunning { relay.pump(waiting: 20, show) }
        process.waitUntilExit()
        try lifeline.fileHandleForWriting.close()
        relay?.pump(waiting: 0, show)
        let status = process.terminationStatus
        let isSignal = process.terminationReason == .uncaughtSignal
        let message = relay?.finish(crashed: isSignal && Self.crashes.contains(status), show)
        return (isSignal ? .signal(status) : .status(status), message)
    }
}

/// How a process has ended.
enum ProcessEnding {
    case signal(Int32)
    case status(Int32)
}

extension CrashGuard {
    /// Where this process is a child, ends it together with its parent: a replay that nobody waits for would run on.
    static func endWithParent() {
        guard let path = ProcessInfo.processInfo.environment[variable] else { return }
        Thread.detachNewThread {
            var bytes: [UInt8] = [0]
            // Nothing is ever written: reading returns when the parent is gone.
            while case .success(1...) = bytes.withUnsafeMutableBytes({ Descriptor.read(0, into: $0) }) {}
            if !path.isEmpty { unlink(path) }
            _exit(ExitCode.fine.rawValue)
        }
    }
}
