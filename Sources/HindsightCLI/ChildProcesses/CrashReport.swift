import Foundation
import HindsightFormat
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Reports a reducer, or other code of the app, that ended the process of a replay.
struct CrashReport {
    let recording: Recording
    /// The names of this build's reducers, to which numbers refer.
    let reducers: [String]
    /// The last point that the replay reached.
    let point: ReplayPoint
    let ending: ProcessEnding
    /// The trap's message, escaped.
    let message: String?
    let backtrace: Backtrace?
    /// The changed log that ran, to which the number of the action refers; `nil` if the recording itself did.
    var log: ChangedLog?

    private var seq: Int { point.seq }
    /// The action in the changed log; `nil` if the recording itself ran, or the action lies before the first change.
    private var entry: ChangedLog.Entry? {
        guard let log, seq > log.kept, seq <= log.lastNumber else { return nil }
        return log.entry(seq).entry
    }
    /// The number of the action in the recording; `nil` if it was inserted.
    private var recordedSeq: Int? { entry.map(\.seq) ?? seq }
    /// The number of frames that the report prints.
    private static let maxFrames = 4

    /// Whether the recorded process ended in this action too.
    private var isAgain: Bool {
        if let recordedSeq, case .crashed(recordedSeq, _) = recording.ending { true } else { false }
    }

    /// - Parameters:
    ///   - file: The given path of the recording.
    ///   - advises: Whether it may name an option of the command.
    func failure(_ file: String, tool: String, advises: Bool = true) throws -> Failure {
        let what = try action()
        let place = Self.place(of: point, reducers)
        let happening =
            switch (point.phase, isAgain) {
            case (.reducing, _) where point.reducer == 0:
                "A reducer, or other code of the app, \(verb) \(place): \(what)"
            case (.reducing, true): "It \(verb) again where the recorded process ended, \(place): \(what)"
            case (.reducing, false): "A reducer \(verb) \(place): \(what)"
            case (.decoding, _): "The app's init(from:) \(verb) \(place): \(what)"
            case (.encoding, _): "The app's encode(to:) \(verb) \(place): \(what)"
            case (.retrying, _):
                "The action differs from the recording. A reducer \(verb) \(place), given other placeholders for"
                    + " redacted values to find out why: \(what)"
            }
        // The state after the previous reducer, if its number means the same in the recording; jump computes the state if
        // it was not recorded.
        let before = reducers == recording.reducers ? max(0, point.reducer - 1) : 0
        let given = Recording.Position(seq: seq, reducer: before)
        let named = ShellQuoting.quote(file)
        if let entry {
            let advice = advises || entry.seq == nil ? [advice(entry)] : []
            return Failure(.crash, lines: [happening, explanation] + frameLines + advice)
        }
        return Failure(
            .crash,
            lines: [happening, explanation] + frameLines + [
                "Its input: " + ShellQuoting.command(tool, "jump", named, "\(given)")
                    + " and " + ShellQuoting.command(tool, "show", named, "\(seq)") + "."
            ]
        )
    }

    /// The action as text.
    private func action() throws -> String {
        let text = ActionText(budget: 60)
        if let payload = entry?.payload { return text.text(of: payload) }
        let action = try recording.action(recordedSeq ?? seq)
        return text.text(of: action.payload, type: action.type)
    }

    /// What the number of an action of the changed log is in the recording, and what to do.
    private func advice(_ entry: ChangedLog.Entry) -> String {
        guard let recorded = entry.seq else {
            return "Action \(Quantities.grouped(seq)) of the changed log is one that --insert adds."
        }
        return "Action \(Quantities.grouped(seq)) of the changed log is action \(Quantities.grouped(recorded)) of the"
            + " recording. --skip \(recorded) leaves it out."
    }

    var verb: String { Self.verb(ending) }

    /// What the app's code did, in the past tense.
    static func verb(_ ending: ProcessEnding) -> String {
        switch ending {
        case .signal: "crashed"
        case .status(Isolation.cutOff): "closed its connection to the tool"
        case .status: "ended the process"
        case .timeout(let seconds): "did not return within \(Self.text(of: seconds)) s"
        }
    }

    /// What it said, or why it said nothing.
    var explanation: String {
        switch ending {
        case .signal(let number):
            let signal = "signal \(number), \(Self.name(ofSignal: number))"
            if let message { return "It said: \(message) (\(signal))" }
            if number == SIGKILL { return Self.killed }
            return [SIGSEGV, SIGBUS].contains(number)
                ? "It printed no message (\(signal)): the stack may have overflowed, or an address was invalid."
                : "It printed no message (\(signal)). Traps of optimized builds print none."
        case .status(Isolation.cutOff):
            return
                "It closed descriptors that it had not opened, so it could not report a verdict. The tool asks once an"
                + " action, so it does not know which reducer did this."
        case .status(let status):
            return
                "It called exit(\(status)), _exit or exec, or code that it calls did. A reducer must not do this,"
                + " because it ends the app too."
        case .timeout:
            return backtrace == nil ? "It was ended." : "It was ended. It was here:"
        }
    }

    /// The app's calls, or why they are unknown.
    var frameLines: [String] {
        guard let backtrace else {
            if case .status = ending { return [] }
            return [
                Backtracer.isSwitchedOff
                    ? "\(Backtracer.variable) switches backtraces off. Unset it to see the calls."
                    : "Swift's backtracer did not answer, so the calls are not known. It comes with the toolchain;"
                        + " \(Backtracer.variable)=swift-backtrace=PATH sets its path."
            ]
        }
        let frames = backtrace.frames
        if frames.isEmpty { return ["The backtrace shows no calls of the app: this build has no symbols for them."] }
        let missing = frames.count - Self.maxFrames
        return frames.prefix(Self.maxFrames).map(\.text)
            + (missing > 0 ? ["… and \(Quantities.counted(missing, "call")) more"] : [])
    }

    /// `in action 412, reducer 3 of 7 (cart.totals)`
    static func place(of point: ReplayPoint, _ reducers: [String]?) -> String {
        let count = reducers.map { " of \($0.count)" } ?? ""
        let name = reducers?.name(ofReducer: point.reducer).map { " (\(brief($0)))" } ?? ""
        let reducer = "reducer \(point.reducer)\(count)\(name)"
        let action = "action \(Quantities.grouped(point.seq))"
        return switch point.phase {
        case .decoding: "in \(action), before its first reducer"
        case .reducing: "in \(action)" + (point.reducer == 0 ? "" : ", \(reducer)")
        case .retrying: "in \(action)"
        case .encoding: point.reducer == 0 ? "before \(action)" : "in \(action), after \(reducer)"
        }
    }

    /// The name of the reducer; `nil` if none ended the process.
    var reducer: String? { reducers.name(ofReducer: point.reducer) }

    static func text(of seconds: Double) -> String {
        seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
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

    var json: Node { ["file": .string(recording.url.relativePath), "crash": crash] }

    /// The member `crash` of `--json`.
    var crash: Node {
        var (signal, status, timeout): (Int32?, Int32?, Double?)
        switch ending {
        case .signal(let number): signal = number
        case .status(let number): status = number
        case .timeout(let seconds): timeout = seconds
        }
        let reducer = point.reducer > 0 ? point.reducer : nil
        return [
            "seq": .int(seq),
            "reducer": .optional(reducer.map(Node.int)),
            "name": .optional(self.reducer.map(Node.string)),
            "phase": reducer == nil && point.phase == .reducing ? .null : .string("\(point.phase)"),
            "signal": .optional(signal.map { .int(Int($0)) }),
            "exit": .optional(status.map { .int(Int($0)) }),
            "timeout": .optional(timeout.map { .number("\($0)") }),
            "message": .optional(message.map(Node.string)),
            "frames": .array((backtrace?.frames ?? []).map(\.json)),
            "again": .bool(isAgain),
        ]
    }
}

/// Processes that something outside has ended, which says nothing about their reducers.
extension CrashReport {
    /// The failure for a file whose process was killed.
    ///
    /// - Parameter place: Where the replay was, with the name of the file.
    static func killed(by signal: Int32, _ file: String, _ place: String) -> Failure {
        let name = signalNames[signal] ?? "signal \(signal)"
        return Failure(
            .badFile,
            lines: ["\(escape(file)): the process that replayed it was killed by \(name), \(place)."]
                + reason(for: signal)
        )
    }

    static let killed = (["It was killed (signal 9)."] + reason(for: SIGKILL)).joined(separator: " ")

    static func reason(for signal: Int32) -> [String] {
        signal == SIGKILL ? ["The system also kills a process that takes more memory than there is."] : []
    }

    private static let signalNames = [
        SIGKILL: "SIGKILL", SIGTERM: "SIGTERM", SIGXCPU: "SIGXCPU", SIGALRM: "SIGALRM", SIGUSR1: "SIGUSR1",
        SIGUSR2: "SIGUSR2", SIGPIPE: "SIGPIPE",
    ]
}
