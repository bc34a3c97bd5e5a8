import Foundation
import HindsightFormat
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Runs the commands that run reducers in a child process. If a reducer traps, calls `exit` or never returns, only the
/// child ends, and this process says where. It takes the child's exit status only if the child has reported the same
/// verdict.
struct CrashGuard {
    let tool: Tool
    let executable: URL

    /// The seconds after which a running action is reported.
    static let slowAction = 2.0

    /// Fails with `nil` if this process is a child itself, or a part of another program.
    ///
    /// - Throws: ``Failure`` if the path of the executable is unknown.
    init?(_ tool: Tool) throws {
        guard tool.isProcess, Isolation.replies == nil else { return nil }
        self.tool = tool
        executable = try Isolation.executable(of: tool.name)
    }

    init(_ tool: Tool, _ executable: URL) { (self.tool, self.executable) = (tool, executable) }

    /// Runs the tool again with the same arguments. If a reducer ends that process, reports the reducer, and continues
    /// with the remaining files.
    func run(_ command: any Command.Type, _ arguments: Arguments, _ words: [String]) throws -> ExitCode {
        let timeout = try arguments[SharedArguments.timeout]
        TerminationSignal.observe(unlessIgnored: true)
        defer { removeDrafts(of: command, arguments) }
        if command == VerifyCommand.self, CorpusArguments.areGiven(arguments) {
            return try VerificationJobs(arguments, timeout, self).run()
        }
        var words: [String]? = words
        var worst = ExitCode.fine
        while let next = words {
            words = nil
            let conclusion = try attempt([command.syntax.name] + next, timeout)
            worst = max(worst, conclusion.code)
            guard let failed = conclusion.failed else { continue }
            if arguments[GlobalOptions.json], let node = failed.node(of: command) {
                tool.console.print(json: node)
            }
            if let command = command as? any FilesCommand.Type {
                words = command.remainder(of: try Parser(syntax: command.syntax).parse(next), after: failed.file)
            }
            _ = tool.report(failed.failure)
        }
        return worst
    }

    /// Removes the unfinished output of a child that was killed, or that a reducer ended.
    private func removeDrafts(of command: any Command.Type, _ arguments: Arguments) {
        guard let output = arguments.options[WhatIfCommand.output.declaration.name]?.first else { return }
        let files = command == MigrateCommand.self ? arguments.all(MigrateCommand.files) : []
        let inside = files.map { Tool.path(of: URL(filePath: $0).lastPathComponent, in: output) }
        for path in [output] + inside { DraftFile.removeAbandoned(beside: path) }
    }

    private func attempt(_ words: [String], _ timeout: Double?) throws -> Conclusion {
        tool.console.finish()
        let process = try Isolation(CommandTask(words: words), by: executable, output: tool.outputDescriptor)
        var notice = SlowActionNotice(tool)
        let end = try process.run(timeout: timeout, show: { tool.console.note($0) }) { seconds in
            if let signal = TerminationSignal.received { throw stopped(by: signal, process.progress, seconds, &notice) }
            notice.update(process.progress, seconds)
        }
        tool.console.clearProgress()
        return try conclude(process, end, words)
    }

    /// What the end of a child process means.
    struct Conclusion {
        /// A file in whose replay something ended the process.
        struct FailedFile {
            let file: String
            let failure: Failure
            /// How a reducer ended it; `nil` if none did.
            var report: CrashReport?

            /// What `--json` prints of it.
            func node(of command: any Command.Type) -> Node? {
                if command == ReplayCommand.self { return report?.json }
                return (command as? any FilesCommand.Type)?.node(ofFailed: file, because: failure, report?.crash)
            }
        }

        /// The exit code of the command.
        let code: ExitCode
        /// The file that failed; `nil` if the process gave a verdict.
        var failed: FailedFile?
    }

    /// Says what the end of a child process means.
    ///
    /// - Parameters:
    ///   - words: The command and its arguments.
    ///   - advises: Whether the failure may name an option of the command.
    /// - Throws: ``Failure`` if the end concerns no file, or all.
    func conclude(
        _ process: Isolation,
        _ end: Isolation.End,
        _ words: [String],
        advises: Bool = true
    ) throws -> Conclusion {
        if let verdict = process.verdict(of: end.ending) { return Conclusion(code: verdict) }
        var notice = SlowActionNotice(tool)
        let progress = process.progress
        if case .signal(let signal) = end.ending, !end.ending.isCrash {
            let isForAll = TerminationSignal.received != nil || [SIGINT, SIGQUIT, SIGHUP].contains(signal)
            guard words.first == VerifyCommand.syntax.name, !isForAll, let file = progress.file,
                let place = notice.place(progress)
            else { throw stopped(by: signal, progress, 0, &notice) }
            // Something outside ended this file's process: the other files can still be verified.
            let failure = CrashReport.killed(by: signal, file, place)
            let worst = max(failure.code, progress.worst)
            return Conclusion(code: worst, failed: .init(file: file, failure: failure))
        }
        guard let file = progress.file else {
            throw Failure(
                .crash,
                lines: [
                    "The child process of the replay \(verb(end.ending)) before it began or after it finished, without"
                        + " a verdict."
                ] + [end.message].compactMap { $0 }
            )
        }
        guard let point = progress.point else {
            let runs = ![CheckCommand.syntax.name, MigrateCommand.syntax.name].contains(words.first)
            let failure = Failure(
                .crash,
                lines: [
                    runs
                        ? "The replay of \(escape(file)) \(verb(end.ending)) before its first action, while the app's initial"
                            + " state or the recorded one was migrated, encoded or decoded."
                        : "\(escape(file)): the process \(verb(end.ending)) in a migration, or in an init(from:) or"
                            + " encode(to:) of the app."
                ] + [end.message].compactMap { $0 } + (process.relay.backtrace?.frames.prefix(4).map(\.text) ?? [])
            )
            return Conclusion(code: failure.code, failed: .init(file: file, failure: failure))
        }
        let recording = try tool.open(file)
        let report = CrashReport(
            recording: recording,
            reducers: tool.reducers(replaying: recording),
            point: point,
            ending: end.ending,
            message: end.message,
            backtrace: process.relay.backtrace,
            log: words.first == WhatIfCommand.syntax.name
                ? try WhatIfCommand.log(words.dropFirst(), recording, tool) : nil
        )
        let failure = try report.failure(file, tool: tool.name, advises: advises)
        return Conclusion(code: failure.code, failed: .init(file: file, failure: failure, report: report))
    }

    private func verb(_ ending: ProcessEnding) -> String {
        switch ending {
        case .signal(let signal): "crashed with signal \(signal)"
        case .status(let status): "ended with exit status \(status)"
        case .timeout: "was killed"
        }
    }

    /// The failure if the replay was stopped from outside, with the exit code that a shell gives.
    func stopped(
        by signal: Int32,
        _ progress: Replies,
        _ seconds: Double,
        _ notice: inout SlowActionNotice
    ) -> Failure {
        let place = notice.place(progress).map { ", \($0)" } ?? ""
        let long = seconds >= Self.slowAction ? ", which had run for \(Int(seconds)) s" : ""
        return Failure(
            .signal(signal),
            lines: ["The replay was stopped by signal \(signal)\(place)\(long)."] + CrashReport.reason(for: signal)
        )
    }

    /// Shows on the error stream an action that runs for long.
    struct SlowActionNotice {
        private let tool: Tool
        /// The action of the last notice, and when that was.
        private var shown: (file: String, seq: Int, second: Int)?
        private var opened: (file: String, recording: Recording?)?

        init(_ tool: Tool) { self.tool = tool }

        mutating func update(_ progress: Replies, _ seconds: Double) {
            guard seconds >= CrashGuard.slowAction, let file = progress.file, let point = progress.point else {
                if shown != nil, seconds < CrashGuard.slowAction { tool.console.clearProgress() }
                return
            }
            let isKnown = shown?.file == file && shown?.seq == point.seq
            guard !isKnown || shown?.second != Int(seconds) else { return }
            shown = (file, point.seq, Int(seconds))
            guard let place = place(progress) else { return }
            if tool.console.terminal.isErrorTerminal {
                tool.console.progress("Running for \(Int(seconds)) s: \(place)")
            } else if !isKnown {
                tool.console.note("Running for \(Int(seconds)) s: \(place). --timeout SECONDS ends such a replay.")
            }
        }

        /// `in action 412, reducer 3 of 7 (cart.totals) of a.hindsight`; `nil` between two files.
        mutating func place(_ progress: Replies) -> String? {
            guard let file = progress.file else { return nil }
            guard let point = progress.point else { return "before the first action of \(escape(file))" }
            return "\(CrashReport.place(of: point, reducers(of: file))) of \(escape(file))"
        }

        /// The names of a recording's reducers. Without them, a place lacks its name; the replay itself reports the error.
        private mutating func reducers(of file: String) -> [String]? {
            if opened?.file != file { opened = (file, (try? tool.open(file, notesLoss: false))) }
            return opened?.recording.map(tool.reducers)
        }
    }
}
