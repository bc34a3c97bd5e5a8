import Foundation
import HindsightFormat
import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

/// `hindsight export FILE`
enum ExportCommand: Command {
    static let format = Option<ExportFormat>("format", help: "The form of the output; jsonl is the default.")
    static let output = Option<String>(
        "output",
        short: "o",
        value: "OUT|-",
        help: "The file to create; - is standard output, the default."
    )
    static let from = Option<String>("from", value: "P", help: "The first action; not for jsonl and json.")
    static let to = Option<String>("to", value: "P", help: "The last action; not for jsonl and json.")
    static let force = Flag("force", help: "Replace the output if it exists.")

    static let syntax = Syntax(
        "export",
        abstract: "Writes a recording as text, as a table, or for Redux DevTools or Perfetto",
        discussion: """
            jsonl has a line of JSON an action. Every command reads it as it reads FILE, and import makes a recording of it
            again. The same recording always gives the same bytes, and a change of one action's effect is a change of one
            line, so the text suits a version control system. json is one array of these lines.
            csv has a row an action. A text that begins like a formula of a spreadsheet gets a ' in front.
            redux-devtools is a file that Redux DevTools imports, with the state after each action: of the last \(ExportFormat.reduxDevTools.usualLimit ?? 0)
            actions, or of those that you choose. JavaScript rounds integers beyond 2^53.
            perfetto is a trace that https://ui.perfetto.dev opens, with a slice for each action and for each reducer in it.
            Each thread that dispatched has a track. The recording has no start times of reducers; they stand one after the other.
            FILE stays as it is. To let git show the differences of .hindsight files as text, put this line into
            .gitattributes, and run the command below it:

              *.hindsight diff=hindsight
              git config diff.hindsight.textconv "hindsight export -o -"

            OUT appears once it is complete. A killed run may leave a file .NAME.XXXXXXXX.part beside it, which the next
            run with the same OUT removes.
            """,
        arguments: [SharedArguments.file, format, output, from, to, force],
        examples: [
            "export session.hindsight -o Fixtures/session.jsonl": "A fixture in text.",
            "export session.hindsight": "The text on standard output.",
            "export session.hindsight --format perfetto -o session.perfetto.json":
                "A trace for https://ui.perfetto.dev.",
            "export session.hindsight --format redux-devtools --from 400 --to 450 -o state.json":
                "51 actions and their states, for Redux DevTools.",
        ],
        jsonShape: "with -o OUT, one object with file, output, format and actions (their count); else the text itself"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let format = try arguments[format] ?? .jsonl
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        let (from, to) = (try arguments[from], try arguments[to])
        guard format.takesRange || from == nil && to == nil else {
            throw Failure(
                .usage,
                "\(format.rawValue) has all actions: --from and --to are for the other formats.",
                "\(tool.name) cut makes a shorter recording, which you can export."
            )
        }
        let range = try recording.actions(from: from, to: to)
        let output = try arguments[output] ?? "-"
        try Failure.checkNotEmpty(output, "--output needs the name of a file.")
        let chosen = recording.exportedActions(as: format, in: range)
        warn(format, chosen, hasRange: range != nil, recording, tool)
        guard output != "-" else {
            try tool.console.write { try recording.export(as: format, in: range, $0) }
            return .fine
        }
        if tool.isProcess { TerminationSignal.removeDraftsAtEnd() }
        try recording.writeFile(to: URL(filePath: output), overwrite: arguments[force]) { write in
            try recording.export(as: format, in: range, write)
        }
        let actions = chosen?.count ?? 0
        if arguments[GlobalOptions.json] {
            tool.console.print(json: [
                "file": .string(recording.url.relativePath), "output": .string(output),
                "format": .string(format.rawValue), "actions": .int(actions),
            ])
        } else {
            tool.console.print("Wrote \(Quantities.counted(actions, "action")) to \(escape(output)).")
        }
        return .fine
    }

    /// The number of actions above which programs that open the output may run out of memory.
    private static let manyActions = 200_000

    private static func warn(
        _ format: ExportFormat,
        _ actions: ClosedRange<Int>?,
        hasRange: Bool,
        _ recording: Recording,
        _ tool: Tool
    ) {
        guard let actions else { return }
        let all = recording.actionCount - recording.droppedCount
        if !hasRange, actions.count < all {
            tool.console.note(
                "note: only the last \(Quantities.grouped(actions.count)) of \(Quantities.counted(all, "action")): "
                    + "Redux DevTools holds a state for each. --from and --to choose others."
            )
        } else if format == .reduxDevTools, actions.count > format.usualLimit ?? .max {
            tool.console.note(
                "note: Redux DevTools holds \(Quantities.grouped(actions.count)) states in memory, and may be slow."
            )
        } else if format == .perfetto, actions.count > manyActions {
            tool.console.note(
                "note: a trace of \(Quantities.counted(actions.count, "action")) may be too large for a browser. "
                    + "--from and --to choose a part."
            )
        }
    }
}
