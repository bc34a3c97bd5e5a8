import Foundation
import HindsightFormat
import HindsightRecording
import HindsightSupport
import HindsightTree

/// `hindsight export FILE`
enum ExportCommand: Command {
    static let output = Option<String>(
        "output",
        short: "o",
        value: "OUT.jsonl|-",
        expected: "a file, or -",
        help: "The file to create; - is standard output, the default."
    ) { $0 }
    static let force = Flag("force", help: "Replace the output if it exists.")

    static let syntax = Syntax(
        "export",
        abstract: "Writes a recording as text: a line of JSON an action",
        discussion: """
            Every command reads the text as it reads FILE. The same recording always gives the same bytes, and a change of
            one action's effect is a change of one line, so the text suits a version control system. FILE stays as it is.
            To let git show the differences of .hindsight files as text, put this line into .gitattributes:
            *.hindsight diff=hindsight
            and run: git config diff.hindsight.textconv "hindsight export -o -"
            OUT appears once it is complete. A killed run may leave a file .NAME.XXXXXXXX.part beside it, which you may
            delete.
            """,
        arguments: [SharedArguments.file.declaration, output.declaration, force.declaration],
        examples: [
            Syntax.Example(
                arguments: "export session.hindsight -o Fixtures/session.jsonl",
                help: "A fixture in text."
            ),
            Syntax.Example(arguments: "export session.hindsight", help: "The text on standard output."),
        ],
        jsonShape: "with -o OUT.jsonl, one object with file, output and actions (their count); else the text itself"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        let output = try arguments[output] ?? "-"
        guard !output.isEmpty else {
            throw Failure(.usage, "--output needs the name of a file.", "Is a variable of your shell not set?")
        }
        guard output != "-" else {
            try print(recording, tool)
            return .fine
        }
        if tool.isProcess { TerminationSignal.removeDraftsAtEnd() }
        try recording.writeText(to: URL(filePath: output), overwrite: arguments[force])
        let actions = recording.actionCount - recording.droppedCount
        if arguments[GlobalOptions.json] {
            tool.console.print(
                printable([
                    "file": .string(recording.url.relativePath), "output": .string(output), "actions": .int(actions),
                ])
            )
        } else {
            tool.console.print("Wrote \(Quantities.counted(actions, "action")) to \(escape(output)).")
        }
        return .fine
    }

    /// Standard output has lost its reader.
    private struct Closed: Error {}

    private static func print(_ recording: Recording, _ tool: Tool) throws {
        do {
            try recording.writeText { line in
                guard tool.console.isOpen else { throw Closed() }
                tool.console.output.write(line)
            }
        } catch is Closed {
            return
        }
    }
}
