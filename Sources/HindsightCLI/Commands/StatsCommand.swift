import HindsightQuery
import HindsightRecording
import HindsightTree

/// `hindsight stats FILE`
enum StatsCommand: Command {
    static let from = Option<String>("from", value: "P", help: "The first action.")
    static let to = Option<String>("to", value: "P", help: "The last action.")
    static let all = Flag("all", help: "List all rows, not only the first \(StatisticsReport.most).")

    static let syntax = Syntax(
        "stats",
        abstract: "Counts and times action types and reducers, and shows what changes most and what grows",
        discussion: """
            The time of an action is that of all its reducers together. p99 is the duration that 99 % do not exceed. Median
            and p99 are exact up to 2 µs, and to 0.1 % above. changing counts the runs that changed something, and changes
            is the size of what they wrote, as it is stored. In paths, * stands for an index.
            What grew compares the state at the start and at the end, and at a few positions between them.
            """,
        isPaged: true,
        arguments: [SharedArguments.file, from, to, all],
        examples: [
            "stats session.hindsight": "Where the time goes, and what grows.",
            "stats session.hindsight --from 90%": "The same for the last tenth.",
        ],
        jsonShape: "one object, \(Shape.text(of: Joined<FileName, Statistics>.self))"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        let range = try recording.actions(from: arguments[from], to: arguments[to])
        let statistics = try recording.statistics(in: range)
        let answer = Joined(FileName(file: recording.url.relativePath), statistics)
        tool.print(arguments, json: printable(answer: answer)) {
            StatisticsReport(recording: recording, statistics: statistics, tool: tool).print(listsAll: arguments[all])
        }
        return .fine
    }
}
