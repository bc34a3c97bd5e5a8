import HindsightRecording
import HindsightSupport
import HindsightTree

/// `hindsight notes FILE`
enum NotesCommand: Command {
    static let syntax = Syntax(
        "notes",
        abstract: "Lists the notes of a recording: those that note added, and those of the running app",
        discussion: """
            Every command takes a note's text as a position. If several notes have the same text, only the first one has
            it as its name; take the position of the others.
            """,
        isPaged: true,
        arguments: [SharedArguments.file],
        examples: [
            "notes session.hindsight": "Position, time and text, one on each line."
        ],
        jsonShape: "a line a note, \(Shape.text(of: RecordedNote.self))"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        let notes = try recording.notes()
        if arguments[GlobalOptions.json] {
            for note in notes { tool.console.print(answer: note) }
            return .fine
        }
        let table = Table(notes.map { [$0.position.description, ""] }, least: 3, rightAligned: [0])
        for note in notes {
            let action = note.position.seq > recording.start.seq ? try recording.action(note.position.seq) : nil
            let elapsed = action.map { recording.elapsed(until: $0) } ?? Quantities.elapsed(nanoseconds: 0)
            let style = tool.console.style
            let place = table.line([note.position.description, elapsed]) { style.faint($1) }
            tool.console.print(
                "\(place)  \(NoteText.text(of: note))",
                hanging: table.widths[0] + elapsed.count + 4
            )
        }
        if notes.isEmpty {
            let command = ShellQuoting.command(tool.name, "note", tool.quoted(recording), "P", "TEXT")
            tool.console.note("\(tool.shown(recording)) has no notes. To add one, run \(command).")
        }
        return .fine
    }
}
