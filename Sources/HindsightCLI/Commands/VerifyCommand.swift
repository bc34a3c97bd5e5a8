import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// `hindsight verify FILE…`
enum VerifyCommand: Command {
    static let files = Positional("FILE", repeating: true, help: "Recordings to check.")

    static let syntax = Syntax(
        "verify",
        abstract: "Checks that this build's reducers still do what was recorded, in many files",
        discussion: """
            A line a file, and the first divergence in full: action, reducer, path, what was recorded, what is there now.
            Of a directory, all recordings in it are checked.
            The tool reports a file that it cannot check, and goes on with the others. The exit code is the highest that
            any file gets: 1 if reducers do something else or nothing could be compared, 3 or 4 if the file could not be
            checked, also if its process was killed from outside, and 5 if a reducer ended its process or one action ran
            longer than --timeout.
            """,
        arguments: [files.declaration, SharedArguments.timeout.declaration],
        examples: [
            Syntax.Example(arguments: "verify Fixtures/*.hindsight", help: "Every fixture, as a test.")
        ],
        jsonShape: """
            a line a file, {file, app, equal (null: nothing could be compared), actions, steps, gaps [seq], travels [seq],
            skipped [[first, last]] (states left out), unknown [first, last] (states not recorded), redacted [pattern],
            unfinished (seq), initialDifference (patch),
            divergence {seq, type, reducer, name, path, expected, got, inputWasRecorded,
            isRepeatable, cause, redacted [pattern], difference (patch)}};
            or {file, equal: false, error, crash} if it could not be checked: crash as replay prints it, or null
            """
    )

    static func runsReducers(_ arguments: Arguments) -> Bool { true }

    static func remainder(of arguments: Arguments, after file: String) -> [String]? {
        guard let given = recordingsIfReadable(arguments), let index = given.firstIndex(of: file),
            index + 1 < given.count
        else { return nil }
        let options = arguments.options.map { "--\($0.key)=\($0.value)" } + arguments.flags.map { "--" + $0 }
        return options + ["--"] + given[(index + 1)...]
    }

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let asJSON = arguments[GlobalOptions.json]
        var worst = ExitCode.fine
        for file in try recordings(arguments) {
            // Flush before a reducer can end the process.
            if ReplayProcess.progressWriter != nil { tool.console.output.flush() }
            // Report the file before opening it: from here on it may end the process.
            ReplayProcess.progressWriter?.beginFile(file)
            let code: ExitCode
            do {
                code = try verify(file, asJSON, tool)
            } catch {
                let failure = Messages.failure(for: error, tool: tool.name)
                if asJSON { tool.console.print(JSONShapes.unverified(file, because: failure)) }
                code = tool.report(failure)
            }
            ReplayProcess.progressWriter?.endFile(code)
            if code.rawValue > worst.rawValue { worst = code }
        }
        return worst
    }

    /// The files, or `nil` if a directory cannot be listed, which `run` has reported already.
    private static func recordingsIfReadable(_ arguments: Arguments) -> [String]? {
        do {
            return try recordings(arguments)
        } catch {
            return nil
        }
    }

    /// The files that are given, and for each directory those in it.
    private static func recordings(_ arguments: Arguments) throws -> [String] {
        try arguments.all(files).flatMap { try Tool.recordings(at: $0) }
    }

    private static func verify(_ file: String, _ asJSON: Bool, _ tool: Tool) throws -> ExitCode {
        let recording = try tool.open(file)
        let app = try tool.app(of: recording)
        let verification = try Verification(of: recording, by: app)
        verification.watch = ReplayProcess.watch
        let result = try verification.run { seq in
            guard seq.isMultiple(of: 500) else { return }
            let all = Quantities.grouped(recording.actionCount)
            tool.console.progress("\(escape(file)): \(Quantities.grouped(seq)) of \(all) actions")
        }
        tool.console.clearProgress()
        let report = VerificationReport(recording: recording, tool: tool)
        if asJSON {
            tool.console.print(printable(report.json(result)))
        } else {
            report.print(result)
        }
        return result.matches && !result.comparedNothing ? .fine : .difference
    }
}
