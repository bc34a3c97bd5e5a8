import HindsightRecording
import HindsightTree

/// `hindsight log FILE`
enum LogCommand: Command {
    static let from = Option<String>("from", value: "P", help: "The first position to show.")
    static let to = Option<String>("to", value: "P", help: "The last position to show.")
    static let type = Option<String>("type", value: "TYPE", help: "Only actions of this type: toggle, market.quotes.")
    static let limit = Option<Int>("limit", from: 0, help: "At most this many actions; 0 lists none.")

    static let syntax = Syntax(
        "log",
        abstract: "Lists actions: number, time since the start, action, changed paths, duration",
        discussion: """
            --path shows the actions that changed the value at this place, as history does, with the value before and
            after; * stands for any one name and ** for any number of names, as in '/**/title'. --type also takes the cases of an enum inside an
            action, as info counts them. If nothing matches, it says why on the error stream and exits with 0; if the
            recording does not have the path or the type, it exits with 2.
            If changes were not recorded, as after a kill, and this tool has the app's reducers, it computes them in a
            separate process and marks them with ≈; it stops if a reducer runs longer than \(Int(StateComputation.maxStepSeconds)) seconds.
            Notes stand below their actions, marked with ⚑.
            Below the list, it names the actions whose changes are neither recorded nor computed.
            """,
        isPaged: true,
        arguments: [SharedArguments.file, from, to, type, SharedArguments.path, limit, SharedArguments.recordedOnly],
        examples: [
            "log session.hindsight": "All actions, one on each line.",
            "log session.hindsight --path /items/3 --limit 10": "The first ten actions that changed one item.",
            "log session.hindsight --from 90%": "The last tenth.",
        ],
        jsonShape: """
            a line an action, \(Shape.text(of: LogLine.self)); then the event doubtful for each range of \
            doubtful states, \(Shape.text(of: Joined<EventName, DoubtFacts>.self)), and, if changes are unknown, the event \
            unknown for each reason, \(Shape.text(of: Joined<EventName, UnknownFacts>.self))
            """
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        let earliest = recording.start.seq + 1
        let ends = try recording.positions(from: arguments[from], to: arguments[to], knownOnly: false)
        let first = max(earliest, ends.first?.seq ?? earliest)
        let last = ends.last?.seq ?? recording.actionCount

        let filter = LogFilter(type: try arguments[type], path: try arguments[SharedArguments.path])
        try filter.checkType(in: recording)
        func newReader() -> StateReader {
            StateReader(of: recording, tool, computingNothing: SharedArguments.refusal(arguments))
        }
        var lines = try LogLines(of: newReader(), filter, asJSON: arguments[GlobalOptions.json], tool)
        let most = try arguments[limit] ?? .max
        var left = most
        if first == earliest, most > 0 { for line in lines.notesAtStart { tool.console.print(line) } }
        if first <= last {
            var entries = try recording.entries(in: first...last)
            while left > 0, tool.console.isOpen, let (action, steps) = try entries.next() {
                guard let line = try lines.text(of: action, steps) else { continue }
                tool.console.print(line, hanging: lines.indentation)
                left -= 1
            }
        }
        for line in lines.remarks { tool.console.print(line) }
        if most == 0 {
            tool.console.note("--limit 0 lists no actions. Leave it out to list all that match.")
        } else if left == most {
            let answer = EmptyAnswer(reader: newReader(), filter: filter, tool: tool)
            tool.console.note(try answer.sentence(from: first, to: last))
        } else if let path = filter.path {
            try tool.noteRedacted(path, in: recording)
        }
        return .fine
    }
}
