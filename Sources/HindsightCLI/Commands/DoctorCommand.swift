import Foundation
import HindsightRecording
import HindsightSupport
import HindsightTree

/// `hindsight doctor FILE`
enum DoctorCommand: Command {
    static let output = Option<String>(
        "salvage",
        value: "OUT",
        help: "Save the longest sound part into a new recording."
    )

    static let syntax = Syntax(
        "doctor",
        abstract: "Reports damage in a recording, and saves the longest sound part",
        discussion: """
            Examines SQLite's pages, all actions, all changes and all states, forward and backward from the keyframes
            in the file. If these contradict each other, it lists the positions in doubt. Exits with 0 if everything is
            sound, and with 3 if something is damaged, not known because the journal is missing, or too large to examine
            in time: a minute, and a second for each 100 KB.
            --salvage saves the longest run of actions whose states can be reconstructed, with all whole actions of the
            journal; they keep their numbers. An action that the journal has lost between them becomes a gap. It
            never changes FILE. All commands still show the readable parts of FILE.
            """,
        arguments: [SharedArguments.file, output, SharedArguments.force],
        examples: [
            "doctor session.hindsight": "The damage in a recording.",
            "doctor session.hindsight --salvage saved.hindsight":
                "The longest sound part, as a recording that can be read, replayed and verified.",
        ],
        jsonShape: "one object, \(Shape.text(of: ExaminationAnswer.self))"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let path = try arguments.require(SharedArguments.file)
        try Failure.checkNotEmpty(path, "FILE is empty, so it names no recording.")
        let output = try arguments[output]
        if let output { try Failure.checkNotEmpty(output, "--salvage needs the name of a file.") }
        let examination = try Recording.examine(at: URL(filePath: path)) { seq, last in
            tool.showProgress(seq, of: last, in: path, each: 1000)
        }
        tool.console.clearProgress()
        let report = DoctorReport(examination: examination, path: path, tool: tool)
        if !arguments[GlobalOptions.json] { report.print(salvages: output != nil) }
        var saved: ClosedRange<Int>?
        var failure: (any Error)?
        if let output {
            if tool.isProcess { TerminationSignal.removeDraftsAtEnd() }
            do {
                saved = try examination.salvage(to: URL(filePath: output), overwrite: arguments[SharedArguments.force])
            } catch {
                failure = error
            }
        }
        if arguments[GlobalOptions.json] {
            tool.console.print(answer: examination.answer(path, saved: saved, to: output))
        } else if let saved, let output {
            report.print(saved: saved, to: output)
        }
        if let failure { throw failure }
        return examination.isSound ? .fine : .badFile
    }
}
