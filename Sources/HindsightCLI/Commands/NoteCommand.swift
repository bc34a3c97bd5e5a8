import Foundation
import HindsightRecording
import HindsightSupport
import HindsightTree

/// `hindsight note FILE P TEXT`
enum NoteCommand: Command {
    static let position = Positional("P", help: SharedArguments.positionHelp)
    static let text = Positional("TEXT", required: false, help: "The note, of at most 200 bytes.")
    static let replace = Flag("replace", help: "Move the note here if there is one with this text.")
    static let remove = Flag("remove", help: "Remove the note P, or the one with TEXT at P.")

    static let syntax = Syntax(
        "note",
        abstract: "Names a position of a recording; log shows the note, and every command takes it as a position",
        discussion: """
            The file is replaced at once by a copy with the note; a killed run leaves the file as it was, and perhaps a
            file .NAME.XXXXXXXX.part beside it, which the next note removes. Of several runs at the same time, each waits
            for the others, up to ten seconds. Processes that read the recording meanwhile go on reading the old file. A
            recording that is being recorded, must be recovered or is read-only is refused, and so is one whose database
            is damaged. From the app itself, call recorder.note("user saw the bug") while it records.
            """,
        arguments: [SharedArguments.file, position, text, replace, remove],
        examples: [
            "note session.hindsight 412.3 'the total is wrong'": "Name a position.",
            "jump session.hindsight 'the total is wrong'": "Use the name.",
            "note session.hindsight 'the total is wrong' --remove": "Remove it.",
        ],
        jsonShape: "one object, \(Shape.text(of: Result.self))"
    )

    struct Result: Answer {
        let file: String
        let note: RecordedNote
        let removed: Bool
    }

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let place = try arguments.require(position)
        let text = arguments[text]
        try arguments.checkAtMostOne(of: remove, replace)
        guard text != nil || arguments[remove] else { throw UsageError(syntax.name, .missingArguments(["TEXT"])) }
        // Reports what is wrong with the file before anything else.
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        try tool.requireRecovered(recording)
        if tool.isProcess { TerminationSignal.removeDraftsAtEnd() }
        let note: RecordedNote
        if let text, !arguments[remove] {
            note = try Recording.addNote(text, at: place, of: recording.url, replacing: arguments[replace])
        } else if let text {
            note = try Recording.removeNote(text, at: place, of: recording.url)
        } else {
            note = try Recording.removeNote(place, of: recording.url)
        }
        if arguments[GlobalOptions.json] {
            let file = recording.url.relativePath
            tool.console.print(answer: Result(file: file, note: note, removed: arguments[remove]))
        } else {
            let verb = arguments[remove] ? "removed" : "noted"
            let style = tool.console.style
            tool.console.print("\(style.good(verb))  \(note.position)  \(NoteText.text(of: note))")
        }
        return .fine
    }
}
