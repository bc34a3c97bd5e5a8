import Foundation
import HindsightRecording
import HindsightTree

/// What is known of a reducer that ended a replay's process.
struct CrashReport {
    let recording: Recording
    /// The action that was being run.
    let seq: Int
    /// The reducer's number, from 1; `nil` where none ends a process when it is run up to it once more.
    let reducer: Int?
    let ending: ProcessEnding
    /// What the trap said, harmless.
    let message: String?

    /// Whether the recorded process ended in this action too.
    private var isAgain: Bool {
        if case .crashed(seq, _) = recording.ending { true } else { false }
    }

    /// - Parameter file: The recording as it was named.
    func failure(_ file: String, tool: String) throws -> Failure {
        let action = try recording.action(seq)
        let what = action.payload.map { ActionText(budget: 60).text(of: $0) } ?? ValueText.key(action.type)
        let happening =
            switch (place, isAgain) {
            case (let place?, true): "It \(deed) again where the recorded process ended, \(place): \(what)"
            case (let place?, false): "A reducer \(deed) \(place): \(what)"
            case (nil, _): "The replay \(deed) at action \(seq), in no reducer that does so again: \(what)"
            }
        // A reducer is given what those before it have made of the state; jump computes it where it was not recorded.
        let given = Position(seq: seq, reducer: reducer.map { $0 - 1 } ?? 0)
        let named = ShellQuoting.quote(file)
        return Failure(
            .crash,
            happening,
            words,
            "What it was given: " + ShellQuoting.command(tool, "jump", named, "\(given)")
                + " and " + ShellQuoting.command(tool, "show", named, "\(seq)") + "."
        )
    }

    private var deed: String {
        if case .signal = ending { "crashed" } else { "ended the process" }
    }

    private var words: String {
        switch ending {
        case .signal(let number):
            let signal = "signal \(number), \(Self.name(ofSignal: number))"
            return message.map { "It said: \($0) (\(signal))" } ?? "It said nothing (\(signal))."
        case .status(let status):
            return
                "It called exit(\(status)), or something that it calls did. A reducer may not: the app ends there too."
        }
    }

    private var place: String? {
        reducer.map { number in
            let name = brief(recording.name(ofReducer: number) ?? "?")
            return "in action \(seq), reducer \(number) of \(recording.reducers.count) (\(name))"
        }
    }

    private static func name(ofSignal signal: Int32) -> String {
        switch signal {
        case SIGILL: "illegal instruction"
        case SIGTRAP: "trap"
        case SIGABRT: "abort"
        case SIGBUS: "bus error"
        case SIGFPE: "arithmetic exception"
        case SIGSEGV: "segmentation fault"
        default: "a fault"
        }
    }

    var json: Node {
        let name = reducer.flatMap { recording.name(ofReducer: $0) }
        var (signal, status): (Int32?, Int32?)
        switch ending {
        case .signal(let number): signal = number
        case .status(let number): status = number
        }
        let crash: Node = [
            "seq": .int(seq),
            "reducer": .optional(reducer.map(Node.int)),
            "name": .optional(name.map(Node.string)),
            "signal": .optional(signal.map { .int(Int($0)) }),
            "exit": .optional(status.map { .int(Int($0)) }),
            "message": .optional(message.map(Node.string)),
            "again": .bool(isAgain),
        ]
        return ["file": .string(recording.url.relativePath), "crash": crash]
    }
}
