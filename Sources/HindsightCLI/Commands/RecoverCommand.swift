import Foundation
import HindsightRecording
import HindsightTree

/// `hindsight recover FILE…`
enum RecoverCommand: FilesCommand {
    static let files = Positional(
        "FILE",
        repeating: true,
        help: "Recordings whose processes ended without closing them."
    )

    static let syntax = Syntax(
        "recover",
        abstract: "Merges the files that a process left beside its recording, so that the file stands alone",
        discussion: """
            A process that dies leaves files beside the recording: -wal and -shm, which are SQLite's, and -ahead, the
            recorder's journal with the last actions. Every command reads them in place; recover before you move or send
            the recording. Recovering computes no states; replay computes those that were lost with the process. You can
            interrupt recover and run it again. If there is nothing to do, it changes nothing. It refuses a recording
            that is being written. If other processes read the recording, it waits up to half a second for them, and
            says so if they are not done by then. It removes a file only if the recording then has all of it. If the
            journal is damaged or belongs to another recording, it changes nothing, and says what to do. If FILE is a
            directory, it recovers all recordings in it.
            """,
        arguments: [files],
        examples: [
            "recover session.hindsight": "One file, in place.",
            "recover runs/*.hindsight": "All that need it.",
        ],
        jsonShape: """
            a line a file, \(Shape.text(of: RecoveryAnswer.self)); or {file, error} if it could not be recovered
            """
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        runEach(try recordings(arguments), arguments, in: tool) { file in
            // Reports a wrong path before anything else. What is missing, the recovered recording says.
            let url = try tool.open(file, notesLoss: false).url
            let recovery = try Recording.recover(at: url)
            let recording = try tool.open(file)
            tool.print(arguments, json: printable(answer: recovery.answer(recording, file))) {
                text(of: recovery, recording, tool)
            }
            return .fine
        }
    }

    private static func text(of recovery: Recovery, _ recording: Recording, _ tool: Tool) {
        let console = tool.console
        let label = console.style.good(recovery.isNeeded ? "recovered" : "whole")
        let count = Quantities.counted(recording.actionCount - recording.droppedCount, "action")
        console.print("\(label)  \(tool.shown(recording))  \(count)\(recovery.isNeeded ? "" : ", nothing to recover")")
        guard recovery.isNeeded else { return }
        if let actions = recovery.actions {
            console.row("journal", "merged \(Quantities.actions(actions)), which no other file had")
        }
        if recording.end.seq < recording.lastFinished {
            console.row(
                "states",
                "known up to action \(Quantities.grouped(recording.end.seq))" + recording.computing("those after it")
            )
        }
        console.row("ended", EndingText(recording: recording, style: console.style).sentence)
        if !recovery.removed.isEmpty {
            console.row("removed", recovery.removed.map { brief($0) }.joined(separator: ", "))
        }
        if !recovery.left.isEmpty {
            let names = recovery.left.map { brief($0) }.joined(separator: ", ")
            console.row("left", "\(names): in use by another process. The file stands alone without them")
        }
    }
}

/// The answer of `recover`.
typealias RecoveryAnswer = Joined<RecoveryFacts, Joined<EndFacts, RecoveryFacts.Known>>

struct RecoveryFacts: Answer {
    let file: String
    let needed: Bool
    @Nullable var actions: ClosedRange<Int>?
    let removed: [String]
    let left: [String]
    let ended: EndingName

    static let notes = [
        "needed": "whether there was something to recover", "actions": "those that only the journal had",
        "removed": "names of files", "left": "names of files in use",
    ]

    struct Known: Answer {
        let known: Int

        static let notes = ["known": "the last action whose state is known"]
    }
}

extension Recovery {
    func answer(_ recording: Recording, _ file: String) -> RecoveryAnswer {
        let facts = RecoveryFacts(
            file: file,
            needed: isNeeded,
            actions: actions,
            removed: removed,
            left: left,
            ended: recording.endingName
        )
        return Joined(facts, Joined(recording.endFacts, RecoveryFacts.Known(known: recording.end.seq)))
    }
}
