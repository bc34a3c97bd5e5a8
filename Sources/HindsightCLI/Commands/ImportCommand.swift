import Foundation
import HindsightRecording
import HindsightSupport
import HindsightTree

/// `hindsight import FILE.jsonl -o OUT.hindsight`
enum ImportCommand: Command {
    static let file = Positional("FILE.jsonl", help: "The recording in text, as export writes it.")
    static let output = Option<String>("output", short: "o", value: "OUT", help: "The recording to create.")

    static let syntax = Syntax(
        "import",
        abstract: "Makes a recording of the text that export wrote",
        discussion: """
            OUT has everything that the text has, bit for bit: export writes the same lines again. Before OUT appears, its
            lines are compared with those of the text. A line that would change is refused with its number, as is one that
            does not fit the lines before it; then there is no OUT. Space between JSON's tokens, escapes and blank lines do
            not count. Every command reads the text itself too; a recording is quicker to open, and SQLite reads it.
            """,
        arguments: [file, output, SharedArguments.force],
        examples: [
            "import Fixtures/session.jsonl -o session.hindsight": "The recording of a fixture."
        ],
        jsonShape: "one object with file, output and actions (their count)"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let file = try arguments.require(file)
        let output = try arguments.require(output)
        for path in [file, output] { try Failure.checkNotEmpty(path, "FILE.jsonl and OUT must not be empty.") }
        if tool.isProcess { TerminationSignal.removeDraftsAtEnd() }
        let actions = try Recording.importText(
            from: URL(filePath: file),
            to: URL(filePath: output),
            overwrite: arguments[SharedArguments.force]
        )
        if arguments[GlobalOptions.json] {
            tool.console.print(json: ["file": .string(file), "output": .string(output), "actions": .int(actions)])
        } else {
            tool.console.print("Wrote \(Quantities.counted(actions, "action")) to \(escape(output)).")
        }
        return .fine
    }
}
