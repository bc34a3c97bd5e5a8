import Foundation
import HindsightRecording
import HindsightSupport
import HindsightTree

/// `hindsight cut FILE P Q -o OUT`
enum CutCommand: Command {
    static let first = Positional("P", help: "The position with whose state the part begins.")
    static let last = Positional("Q", help: "The last position of the part.")
    static let output = Option<String>(output: "OUT", help: "The new recording.")

    static let syntax = Syntax(
        "cut",
        abstract: "Writes a part of a recording as a recording of its own, which begins with the state at a position",
        discussion: """
            The part has the actions after P, up to Q. If P or Q is within an action, the part has all of that action.
            The actions are numbered from 1, and info says what they were cut from. Times, origins, changes, notes,
            redaction and what the recording says of its app stay; a parent before the part becomes none. verify runs
            the reducers from the first state of the part. A part that has the last action ends as FILE does. After a
            crash, end is the position before that action; for the action itself, Q is crash.
            The state at P must be recorded. FILE never changes; if it is being recorded or must be recovered, it is refused.
            OUT is a text if its name ends in .jsonl, a database if it ends in .hindsight, and else like FILE.
            OUT appears once it is complete. A killed run may leave a file .NAME.XXXXXXXX.part beside it, which the next
            run with the same OUT removes.
            """,
        arguments: [SharedArguments.file, first, last, output, SharedArguments.force],
        examples: [
            "cut session.hindsight 400 end -o bug.hindsight": "Only what matters, for a report or a fixture.",
            "cut crashed.hindsight -5s crash -o crash.jsonl": "The last five seconds before a crash, as text.",
        ],
        jsonShape: "one object with file, output, from (the position of the first state), to (the last action), actions"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let output = try arguments.require(output)
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        try tool.requireRecovered(recording)
        let from = try recording.position(try arguments.require(first), knownOnly: false)
        let to = try recording.position(try arguments.require(last), knownOnly: false)
        if tool.isProcess { TerminationSignal.removeDraftsAtEnd() }
        let origin = try recording.cut(
            from: from,
            to: to,
            into: URL(filePath: output),
            overwrite: arguments[SharedArguments.force]
        ) { seq in
            guard seq.isMultiple(of: 5000) else { return }
            tool.console.progress("\(Quantities.grouped(seq - from.seq)) actions")
        }
        tool.console.clearProgress()
        if case .crashed(let seq, _) = recording.ending, origin.last + 1 == seq, arguments[last] == "end" {
            tool.console.note(
                "\(tool.shown(recording)): end is before action \(seq), in which its process ended, so the part does not have "
                    + "that action. With crash in the place of end, it does."
            )
        }
        let count = origin.last - origin.first
        if arguments[GlobalOptions.json] {
            tool.console.print(json: [
                "file": .string(recording.url.relativePath), "output": .string(output),
                "from": .int(origin.first), "to": .int(origin.last), "actions": .int(count),
            ])
        } else {
            let label = tool.console.style.good("cut")
            tool.console.print("\(label)  \(escape(output))  \(origin.sentence)")
        }
        return .fine
    }
}

extension CutOrigin {
    /// `88 actions, which are 413 to 500 of session.hindsight: add 412 to a number for its number there`
    var sentence: String {
        let file = brief(file)
        guard first < last else { return "the state at \(first) of \(file), without actions" }
        let actions = Quantities.counted(last - first, "action")
        let which = last - first == 1 ? "which is" : "which are"
        let offset = first > 0 ? ": add \(first) to a number for its number there" : ""
        return "\(actions), \(which) \(Quantities.range(first + 1...last)) of \(file)\(offset)"
    }
}
