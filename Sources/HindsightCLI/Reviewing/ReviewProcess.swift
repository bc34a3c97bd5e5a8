import Foundation
import HindsightFormat
import HindsightRecording
import HindsightReplay
import HindsightSupport

/// Examines and rewrites recordings in child processes, because reducers may trap, call `exit` or never return. If the
/// tool is a part of another program, it does so in this process.
struct ReviewProcess {
    private let tool: Tool
    private let timeout: Double?
    /// The tool itself; `nil` if it is a part of another program.
    private let executable: URL?
    private let fingerprint: FileFingerprint?

    /// The most files of one child process.
    private static let maxFiles = 200

    /// - Parameter timeout: The seconds that one action may take.
    /// - Throws: ``Failure`` if the path of the executable is unknown.
    init(_ tool: Tool, timeout: Double?) throws {
        self.tool = tool
        self.timeout = timeout
        executable = tool.isProcess ? try Isolation.executable(of: tool.name) : nil
        fingerprint = executable.flatMap { FileFingerprint(of: $0.path) }
    }

    /// Examines recordings. A file whose replay ends its process has a ``ExaminedFile/problem``.
    ///
    /// - Throws: ``Failure`` if a signal asks this process to end.
    func examine(_ files: [String], _ options: ReviewOptions) throws -> [ExaminedFile] {
        guard executable != nil else { return files.map { tool.examine($0, options) } }
        var results: [ExaminedFile] = []
        while results.count < files.count {
            tool.console.progress("\(results.count) of \(files.count) recordings")
            let chunk = files[results.count...].prefix(Self.maxFiles)
            let (found, problem) = try run(ExaminationTask(files: Array(chunk), options: options))
            results += found
            guard found.count < chunk.count else { continue }
            var failed = ExaminedFile(file: files[results.count])
            failed.problem =
                problem ?? ExaminedFile.Problem(Failure(.crash, "The process of the replay ended without a verdict."))
            // If it cannot be read, the problem says more.
            if let recording = try? Recording(at: URL(filePath: failed.file)) { failed.app = recording.app.name }
            results.append(failed)
        }
        tool.console.clearProgress()
        return results
    }

    /// Gives an examined recording the states of today's reducers.
    ///
    /// - Returns: Why it was not written; `nil` if it was.
    /// - Throws: ``Failure`` if a signal asks this process to end.
    func accept(_ file: ExaminedFile) throws -> Failure? {
        guard let executable else {
            return tool.accept(file.file, expecting: file.fingerprint).problem?.failure
        }
        guard FileFingerprint(of: executable.path) == fingerprint else {
            return Failure(
                .badFile,
                "\(escape(file.file)) is left as it is: \(tool.name) was built again since the examination.",
                "Run \(ShellQuoting.command(tool.name, "review")) again."
            )
        }
        let (found, problem) = try run(AcceptanceTask(file: file.file, fingerprint: file.fingerprint))
        if let result = found.first { return result.problem?.failure }
        return problem?.failure ?? Failure(.crash, "\(escape(file.file)): the process that rewrote it gave no verdict.")
    }

    /// Runs one child process.
    ///
    /// - Returns: Its answers, and how the file after those failed.
    private func run(_ task: some IsolatedTask) throws -> (found: [ExaminedFile], problem: ExaminedFile.Problem?) {
        guard let executable else { return ([], nil) }
        try Self.checkNotStopped()
        let process = try Isolation(task, by: executable)
        let end = try process.run(timeout: timeout, show: { tool.console.note($0) }) { _ in try Self.checkNotStopped() }
        let answers = process.progress.takeAnswers()
        let found = try answers.map { try JSONDecoder().decode(ExaminedFile.self, from: Data($0)) }
        return (found, process.verdict(of: end.ending) == nil ? try problem(process, end) : nil)
    }

    /// How the file that a child replayed last ended it.
    func problem(_ process: Isolation, _ end: Isolation.End) throws -> ExaminedFile.Problem? {
        try Self.checkNotStopped()
        guard process.progress.file != nil, let executable else { return nil }
        let conclusion = try CrashGuard(tool, executable).conclude(process, end, [VerifyCommand.syntax.name])
        guard let failed = conclusion.failed else { return nil }
        var problem = ExaminedFile.Problem(failed.failure)
        problem.isCrash = failed.failure.code == .crash
        if let report = failed.report {
            problem.seq = report.point.seq
            problem.type = try report.recording.action(report.point.seq).type
            problem.reducer = report.reducer
        }
        return problem
    }

    private static func checkNotStopped() throws {
        try TerminationSignal.check { "The review was stopped by signal \($0)." }
    }
}
