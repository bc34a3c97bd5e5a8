import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

/// `hindsight find FILE EXPR`
enum FindCommand: Command {
    static let expression = Positional("EXPR", help: "A condition, in quotes: '/cart/total = 0'.")
    static let first = Flag("first", help: "Only the first position.")
    static let last = Flag("last", help: "Only the last position.")
    static let all = Flag("all", help: "All of them, however many; otherwise the first \(usual).")
    static let count = Flag("count", help: "Only how many positions there are.")
    static let becomes = Flag("becomes", help: "Only positions at which it becomes true, and was not before.")
    static let from = Option<String>("from", value: "P", help: "The first position to look at.")
    static let to = Option<String>("to", value: "P", help: "The last position to look at.")

    private static let usual = 20
    /// Shortest recordings, in actions, for which an index pays: a scan of all changes of others is as fast.
    private static let leastIndexed = 20_000

    static let syntax = Syntax(
        "find",
        abstract: "Lists the positions at which an expression over state and action is true",
        discussion: """
            \(ExpressionArguments.discussion)
            It looks at the start and after each action. Neighbouring positions count as one stretch. A result of NULL
            counts as not true, and is counted; so is where the result is not known because a state was not recorded, or
            because it depends on a redacted value. After each reducer, it also looks at the steps of the action in which
            the process ended, if this tool has the app's reducers: it computes them, and marks them with ≈. If nothing is
            true, and a path, a type or a reducer does not occur in the recording, it says so and exits with 2.
            """,
        isPaged: true,
        arguments: [
            SharedArguments.file, expression, first, last, all, count, becomes, from, to, ExpressionArguments.by,
            ExpressionArguments.rules, PlaceArguments.noIndex,
        ],
        examples: [
            "find session.hindsight '/cart/total < 0' --becomes": "Where the total became negative.",
            "find session.hindsight \"type = 'Pay' and not changed(/payments)\"": "Payments that changed nothing.",
            "find session.hindsight \"reducer = 'cart.totals' and duration > 1000000\" --count":
                "How often one reducer took more than a millisecond.",
        ],
        jsonShape: """
            a line a stretch, {position, to, count} (with --becomes only the first position of each, and unknown [first,
            last] if it may have become true at one of these before, whose states were not recorded); then {event:
            "summary", positions, true, null, unknown, turns (how often it became true, with --becomes; otherwise null),
            unknownRanges [[first, last]], doubtful (whether it reads states, and some of those searched are doubtful),
            missing [path] (nothing was ever there), missingTypes [type], missingReducers [name], otherKind [path] (a
            value there was of another kind than the literals with which it is compared; empty if it is true at some
            positions only), redacted [path] (placeholders there, or below)};
            doubtful: true in the line of a stretch with doubtful states, or of a turn at one or after one, computed:
            true in that of a stretch with computed ones
            """
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        try arguments.checkAtMostOne(of: first, last, all, count)
        let expression = try RecordingExpression(
            try arguments.require(expression),
            rules: try ExpressionArguments.rules(arguments)
        )
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        let isIndexed =
            !arguments[PlaceArguments.noIndex] && !expression.paths.isEmpty
            && recording.end.seq - recording.start.seq >= leastIndexed
        let index = isIndexed ? try tool.index(of: recording, arguments) : nil
        let ends = try ends(arguments, in: recording, knownOnly: false)
        let end = Recording.Position(seq: recording.actionCount)
        let range = ends == (nil, nil) ? nil : (ends.first ?? recording.start)...(ends.last ?? end)
        let granularity = try arguments[ExpressionArguments.by] ?? expression.granularity
        let scan = try ExpressionScan(
            of: recording,
            where: expression,
            in: range,
            by: granularity,
            index: index,
            computed: granularity == .reducer ? try computedSteps(in: range, of: recording, tool) : nil
        )
        var search = ExpressionSearch(scan)
        let onlyTurns = arguments[becomes]
        search.onlyTurns = onlyTurns
        let isJSON = arguments[GlobalOptions.json]
        let limit = arguments[first] || arguments[last] ? 1 : arguments[all] ? .max : usual
        search.most = arguments[count] ? 0 : isJSON && limit == usual ? .max : limit
        search.keepsLast = arguments[last]
        search.stopsEarly = arguments[first]
        search.progress = { part in
            tool.console.progress("Searching \(tool.shown(recording)): \(Int(part * 100)) %")
        }
        if isJSON, !arguments[last] {
            search.output = { found in
                if !arguments[count] {
                    tool.console.print(ExpressionReport.line(found, onlyTurns: onlyTurns, of: scan))
                }
                return tool.console.isOpen
            }
        }
        try search.run()
        tool.console.clearProgress()

        let report = try ExpressionReport(search: search, scan: scan, by: index, tool)
        if isJSON {
            if arguments[last] {
                for found in search.found {
                    tool.console.print(ExpressionReport.line(found, onlyTurns: onlyTurns, of: scan))
                }
            }
            tool.console.print(try report.summary())
        } else if arguments[count] {
            tool.console.print("\(search.onlyTurns ? search.stretchCount : search.trueCount)")
            try report.printRemarks()
        } else {
            try report.printAnswer()
            try report.printRemarks()
        }
        return report.isMistaken ? .usage : .fine
    }

    /// The steps before the end of the recorded process, if the range has positions after them.
    private static func computedSteps(
        in range: ClosedRange<Recording.Position>?,
        of recording: Recording,
        _ tool: Tool
    ) throws -> ComputedSteps? {
        guard case .crashed(let seq, _) = recording.ending, recording.end.seq == seq - 1 else { return nil }
        if let range, range.upperBound <= Recording.Position(seq: seq, reducer: 0) { return nil }
        return try StateReader(of: recording, tool).stepsBeforeCrash().steps
    }

    /// The positions of `--from` and `--to`, in order.
    static func ends(
        _ arguments: Arguments,
        in recording: Recording,
        knownOnly: Bool
    ) throws -> (first: Recording.Position?, last: Recording.Position?) {
        let ends = try recording.positions(from: arguments[from], to: arguments[to], knownOnly: knownOnly)
        if let first = ends.first, let last = ends.last, first > last {
            throw Failure(
                .usage,
                "--from \(first) is after --to \(last), so there are no positions between them.",
                "Swap the two."
            )
        }
        return ends
    }
}
