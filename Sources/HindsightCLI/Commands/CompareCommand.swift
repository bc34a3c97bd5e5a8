import Foundation
import HindsightRecording
import HindsightSupport
import HindsightTree

/// `hindsight compare OLD NEW FILE…`
enum CompareCommand: Command {
    static let old = Positional("OLD", help: "The tool of the app, built from the old code.")
    static let new = Positional("NEW", help: "The same, built from the new code.")
    static let files = Positional("FILE", repeating: true, help: "Recordings of the app, or directories of them.")
    static let markdown = Flag("markdown", help: "Print a table for a pull request.")

    static let syntax = Syntax(
        "compare",
        abstract: "Runs recordings by two builds of the app's tool, and shows what the new one does differently",
        discussion: """
            Each build runs the recorded actions through its reducers, in processes of its own, with the clock at each
            action's time, fixed random numbers and hash seeds. Where an action changes something else in the new build,
            the run goes on from the state of the old one, so one change of the code does not hide another. A recording that
            differs also runs in the new build on its own states: whether it crashes there counts.
            The differences are grouped by the action's type, the reducer and the place. It also tells the recordings
            that a build cannot read or that end its process, and the time an action takes: the run of the reducers and
            the search for changes, in one run of each build.
            What was recorded does not count: verify compares a build with that. If a recording ends in a crash, the
            action that crashed runs, too.
            If OLD or NEW is a script, it must start the tool with exec.
            Exits with 1 if the builds differ, with 0 if they do not, with the code of the error if neither can read a
            recording, and with 6 if no action ran in both or time was over.
            """,
        arguments: [old, new, files, markdown, ExperimentArguments.budget, ExperimentArguments.timeout],
        examples: [
            "compare ./shop-main .build/debug/shop Fixtures/*.hindsight": "What a branch changes.",
            "compare ./shop-main .build/debug/shop Fixtures/*.hindsight --markdown > comment.md": "For a pull request.",
        ],
        jsonShape: "one object, \(Shape.text(of: CompareAnswer.self))"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        try arguments.checkAtMostOne(of: GlobalOptions.json, markdown)
        let files = try arguments.all(files).flatMap { try Tool.recordings(at: $0) }
        func process(_ positional: Positional) throws -> ExperimentProcess {
            let path = try arguments.require(positional)
            try checkExecutable(path)
            return try ExperimentArguments.process(arguments, by: URL(filePath: path), tool)
        }
        let processes = (old: try process(old), new: try process(new))
        let comparison = try BuildComparison(files, tool)
        try comparison.run(processes)
        let answer = try answer(comparison, arguments, files)
        let report = CompareReport(tool: tool, answer: answer, interruption: comparison.interruption)
        if arguments[GlobalOptions.json] {
            tool.console.print(answer: answer)
        } else if arguments[markdown] {
            report.printMarkdown()
        } else {
            report.print()
        }
        if let code = comparison.interruption?.code { return code }
        if answer.differs { return .difference }
        if let code = comparison.unreadable { return code }
        return answer.actions == 0 || comparison.interruption != nil ? .nothingCompared : .fine
    }

    /// - Throws: ``Failure`` if no executable is there.
    static func checkExecutable(_ path: String) throws(Failure) {
        if FileManager.default.isExecutableFile(atPath: path), !FileSystem.isDirectory(path) { return }
        throw Failure(.usage, "\(escape(path)) is no executable.", "Give a build of the app's tool.")
    }

    private static func answer(
        _ comparison: BuildComparison,
        _ arguments: Arguments,
        _ files: [String]
    ) throws -> CompareAnswer {
        var (actions, timed, times): (Int, Int, [Double]) = (0, 0, [0, 0])
        let compared = min(comparison.old.count, comparison.new.count)
        for index in 0..<compared {
            actions += comparison.sharedActions(in: index)
            // The search for a difference takes time, too.
            guard comparison.isSame(index), case .ran(let count, let old) = comparison.old[index],
                case .ran(_, let new) = comparison.new[index]
            else { continue }
            timed += count
            times[0] += old
            times[1] += new
        }
        func microseconds(_ seconds: Double) -> Double? {
            timed == 0 ? nil : (seconds * 1e7 / Double(timed)).rounded() / 10
        }
        return CompareAnswer(
            old: try arguments.require(old),
            new: try arguments.require(new),
            files: files.count,
            compared: compared,
            actions: actions,
            same: (0..<compared).count { comparison.isSame($0) },
            kinds: comparison.sortedKinds,
            failed: comparison.failed,
            oldMicroseconds: microseconds(times[0]),
            newMicroseconds: microseconds(times[1])
        )
    }
}
