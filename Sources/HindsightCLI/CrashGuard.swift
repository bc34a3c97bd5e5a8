import Foundation
import HindsightRecording
import HindsightReplay

/// Runs commands that run reducers in a process of their own: a reducer that traps ends its process, and this one is
/// left to say where.
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

    /// Runs the tool once more with the same arguments and reports the reducer that ended it, if one did.
    func run(_ words: [String]) throws -> ExitCode {
        let mark = FileManager.default.temporaryDirectory.appending(path: "hindsight-\(UUID().uuidString)").path
        defer { unlink(mark) }
        tool.console.finish()
        let end = try start(words, mark: mark, quietly: false)
        guard end.isSignal else { return ExitCode(rawValue: end.status) }
        guard Self.crashes.contains(end.status) else {
            // As a shell tells it: somebody stopped the replay, which says nothing about reducers.
            throw Failure(ExitCode(rawValue: 128 + end.status), "The replay was stopped by signal \(end.status).")
        }
        guard let (file, seq) = ReplayMark.read(mark) else {
            throw Failure(.crash, "The replay was ended by signal \(end.status), before its first action.")
        }
        return tool.report(try failure(in: file, seq: seq, signal: end.status))
    }

    private func failure(in file: String, seq: Int, signal: Int32) throws -> Failure {
        let recording = try tool.open(file)
        let action = try recording.action(seq)
        let what = action.payload.map { ActionText(budget: 60).text(of: $0) } ?? ValueText.key(action.type)
        let place = try reducer(in: recording, file, seq).map { number in
            "reducer \(number) of \(recording.reducers.count) (\(escape(recording.reducers[number - 1])))"
        }
        return Failure(
            .crash,
            "A reducer crashed (signal \(signal)) in action \(seq), \(place ?? "a reducer that could not be told"): \(what)",
            "What it was given: '\(tool.name) jump \(escape(file)) \(seq - 1)' and '\(tool.name) show \(escape(file)) \(seq)'."
        )
    }

    /// Looks for the reducer that ends a process, by running one reducer more each time.
    private func reducer(in recording: Recording, _ file: String, _ seq: Int) throws -> Int? {
        let known = recording.reducers.indices.map { $0 + 1 }
        for number in known {
            let words = ["jump", "--replayed", "--json", "--", file, "\(seq).\(number)"]
            if try start(words, mark: "/dev/null", quietly: true).isSignal { return number }
        }
        if case .crashed(seq, let number?) = recording.ending { return number }
        return nil
    }

    private func start(_ words: [String], mark: String, quietly: Bool) throws -> (status: Int32, isSignal: Bool) {
        let process = Process()
        process.executableURL = executable
        process.arguments = words
        var environment = ProcessInfo.processInfo.environment
        environment[Self.variable] = mark
        // The report is ours; a backtrace of the reducer would bury it.
        environment["SWIFT_BACKTRACE"] = environment["SWIFT_BACKTRACE"] ?? "enable=no"
        process.environment = environment
        if quietly {
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
        }
        try process.run()
        process.waitUntilExit()
        return (process.terminationStatus, process.terminationReason == .uncaughtSignal)
    }
}
