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
        arguments: [SharedArguments.file.declaration],
        examples: [
            Syntax.Example(arguments: "notes session.hindsight", help: "Position, time and text, one on each line.")
        ],
        jsonShape: """
            a line a note, {position, name (null if the note has only a text), text, at (when it was made, ns since 1970)}
            """
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        let notes = try recording.notes()
        if arguments[GlobalOptions.json] {
            for note in notes { tool.console.print(printable(NoteText.node(note))) }
            return .fine
        }
        let width = notes.map(\.position.description.count).max() ?? 0
        for note in notes {
            let position = note.position.description.alignedRight(to: max(3, width))
            let time = note.position.seq > recording.start.seq ? try recording.action(note.position.seq) : nil
            let elapsed = Quantities.elapsed(
                nanoseconds: time.map {
                    Quantities.interval(from: recording.createdNanoseconds, to: $0.nanosecondsSinceEpoch)
                } ?? 0
            )
            let style = tool.console.style
            tool.console.print(
                "\(style.faint(position))  \(style.faint(elapsed))  \(NoteText.text(of: note))",
                hanging: max(3, width) + elapsed.count + 4
            )
        }
        if notes.isEmpty {
            let command = ShellQuoting.command(tool.name, "note", tool.quoted(recording), "P", "TEXT")
            tool.console.note("\(tool.shown(recording)) has no notes. To add one, run \(command).")
        }
        return .fine
    }
}
