import Foundation
import HindsightRecording
import HindsightReplay

/// Runs commands that run reducers in a process of their own: a reducer that traps, calls `exit` or never returns ends its
/// process, and this one is left to say where. An answer is given only where the child has told its verdict.
struct CrashGuard {
    /// Where this process tells how far it has come, where it is a child.
    static var mark: ReplayMark? {
        if case .child(let mark, _) = ReplayProcess.role { mark } else { nil }
    }

    /// Tells the parent each point of a replay; `nil` where this process is no child.
    static var watch: ((ReplayPoint) -> Void)? {
        mark.map { mark in { mark.note($0) } }
    }

    static let timeout = Option<Double>(
        "timeout",
        value: "SECONDS",
        expected: "a number of seconds above 0",
        help: "Stop with exit code 5 if replaying one action takes longer than this. Without it, there is no limit."
    ) { text in
        Double(text).flatMap { $0 > 0 && $0 <= 1_000_000 ? $0 : nil }
    }

    let tool: Tool
    let executable: URL

    /// The signals that a program's own fault ends it with.
    static let crashes = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

    /// One action that runs for so many seconds is told of.
    private static let patience = 2.0

    /// The guard of this process; `nil` where it is guarded itself, or a part of a test's process.
    ///
    /// - Throws: ``Failure`` where it cannot start a process of its own.
    init?(_ tool: Tool) throws {
        guard tool.isProcess, Self.mark == nil else { return nil }
        guard let path = Bundle.main.executablePath else {
            throw Failure(
                .badFile,
                "\(tool.name) does not know its own file, and so cannot run reducers in a process of their own.",
                "Call it by its path."
            )
        }
        self.tool = tool
        executable = URL(filePath: path)
    }

    /// Runs the tool once more with the same arguments and reports the reducer that ended it, if one did. Files behind
    /// the one in which that happened are gone on with.
    func run(_ command: any Command.Type, _ arguments: Arguments, _ words: [String]) throws -> ExitCode {
        let timeout = try arguments[Self.timeout]
        Waiting.endOnSignals(unlessIgnored: true)
        var words: [String]? = words
        var worst = ExitCode.fine
        while let next = words {
            words = nil
            let code = try attempt([command.syntax.name] + next, timeout) { file, failure, report in
                if command == VerifyCommand.self, arguments[Common.json] {
                    tool.console.print(JSONShapes.unverified(file, because: failure, report?.crash))
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
        _ timeout: Double?,
        crashed: (_ file: String, _ failure: Failure, _ report: CrashReport?) throws -> Void
    ) throws -> ExitCode {
        tool.console.finish()
        let process = try ReplayProcess(executable, words, output: tool.outputDescriptor)
        var news = News(tool)
        let end = try process.run(timeout: timeout, show: { tool.console.note($0) }) { seconds in
            if let signal = Waiting.signal { throw stopped(by: signal, process.progress, seconds, &news) }
            news.tell(process.progress, seconds, after: Self.patience)
        }
        tool.console.clearProgress()
        let progress = process.progress
        switch end.ending {
        case .status(let status) where progress.verdict?.rawValue == status:
            return ExitCode(rawValue: status)
        case .signal(let signal) where !Self.crashes.contains(signal):
            let isForAll = Waiting.signal != nil || [SIGINT, SIGQUIT, SIGHUP].contains(signal)
            guard words.first == VerifyCommand.syntax.name, !isForAll, let file = progress.file else {
                throw stopped(by: signal, progress, 0, &news)
            }
            // One file's process was ended from outside: the other files can be verified all the same.
            let failure = killed(by: signal, file, progress, &news)
            try crashed(file, failure, nil)
            return ExitCode(rawValue: max(tool.report(failure).rawValue, progress.worst.rawValue))
        default:
            break
        }
        guard let file = progress.file else {
            throw Failure(
                .crash,
                lines: [
                    "The replay's own process \(deed(end.ending)) before it had begun, or after it was through, and"
                        + " without a verdict."
                ] + [end.message].compactMap { $0 }
            )
        }
        guard let point = progress.point else {
            let failure = Failure(
                .crash,
                lines: [
                    "The replay of \(escape(file)) \(deed(end.ending)) before its first action, as the app's initial state"
                        + " or the recorded one was encoded or decoded."
                ] + [end.message].compactMap { $0 } + (process.relay.backtrace?.frames.prefix(4).map(\.text) ?? [])
            )
            try crashed(file, failure, nil)
            return tool.report(failure)
        }
        let report = CrashReport(
            recording: try tool.open(file),
            point: point,
            ending: end.ending,
            message: end.message,
            backtrace: process.relay.backtrace
        )
        let failure = try report.failure(file, tool: tool.name)
        if words.first == ReplayCommand.syntax.name, words.contains("--json") {
            tool.console.print(printable(report.json))
        }
        try crashed(file, failure, report)
        return tool.report(failure)
    }

    private func deed(_ ending: ProcessEnding) -> String {
        switch ending {
        case .signal(let signal): "crashed with signal \(signal)"
        case .status(let status): "ended with exit status \(status)"
        case .timeout: "was ended"
        }
    }

    /// The verdict on a file whose process was ended from outside: that says nothing about its reducers.
    private func killed(
        by signal: Int32,
        _ file: String,
        _ progress: ReplayMark.Progress,
        _ news: inout News
    ) -> Failure {
        let name = Self.signalNames[signal] ?? "signal \(signal)"
        let place = news.place(progress).map { ", \($0)" } ?? ""
        return Failure(
            .badFile,
            lines: ["\(escape(file)): the process that verified it was killed by \(name)\(place)."]
                + Self.reason(for: signal)
        )
    }

    private static let signalNames = [
        SIGKILL: "SIGKILL", SIGTERM: "SIGTERM", SIGXCPU: "SIGXCPU", SIGALRM: "SIGALRM", SIGUSR1: "SIGUSR1",
        SIGUSR2: "SIGUSR2", SIGPIPE: "SIGPIPE",
    ]

    private static func reason(for signal: Int32) -> [String] {
        signal == SIGKILL ? ["The system does that, too, to a process that takes more memory than there is."] : []
    }

    /// As a shell tells it: the replay was stopped from outside, which says nothing about reducers.
    private func stopped(
        by signal: Int32,
        _ progress: ReplayMark.Progress,
        _ seconds: Double,
        _ news: inout News
    ) -> Failure {
        let place = news.place(progress).map { ", \($0)" } ?? ""
        let long = seconds >= Self.patience ? ", which had run for \(Int(seconds)) s" : ""
        return Failure(
            ExitCode(rawValue: 128 + signal),
            lines: ["The replay was stopped by signal \(signal)\(place)\(long)."] + Self.reason(for: signal)
        )
    }

    /// Says of an action that runs for long which it is.
    private struct News {
        private let tool: Tool
        /// The action that was told of last, and when.
        private var told: (file: String, seq: Int, second: Int)?
        private var opened: (file: String, recording: Recording?)?

        init(_ tool: Tool) { self.tool = tool }

        mutating func tell(_ progress: ReplayMark.Progress, _ seconds: Double, after patience: Double) {
            guard seconds >= patience, let file = progress.file, let point = progress.point else {
                if told != nil, seconds < patience { tool.console.clearProgress() }
                return
            }
            let isKnown = told?.file == file && told?.seq == point.seq
            guard !isKnown || told?.second != Int(seconds) else { return }
            told = (file, point.seq, Int(seconds))
            guard let place = place(progress) else { return }
            if tool.console.terminal.isErrorTerminal {
                tool.console.progress("Running for \(Int(seconds)) s: \(place)")
            } else if !isKnown {
                tool.console.note("Running for \(Int(seconds)) s: \(place). --timeout SECONDS ends such a replay.")
            }
        }

        /// `in action 412, reducer 3 of 7 (cart.totals)`
        mutating func place(_ progress: ReplayMark.Progress) -> String? {
            guard let file = progress.file else { return nil }
            if opened?.file != file { opened = (file, (try? tool.open(file))) }
            guard let point = progress.point else { return "before the first action of \(escape(file))" }
            return "\(CrashReport.place(of: point, in: opened?.recording)) of \(escape(file))"
        }
    }
}

extension CrashGuard {
    /// Where this process is a child, ends it together with its parent: a replay that nobody waits for would run on.
    static func endWithParent() {
        guard mark != nil else { return }
        Thread.detachNewThread {
            var bytes: [UInt8] = [0]
            // Nothing is ever written: reading returns when the parent is gone.
            while case .success(1...) = bytes.withUnsafeMutableBytes({ Descriptor.read(0, into: $0) }) {}
            _exit(ReplayProcess.cutOff)
        }
    }
}
