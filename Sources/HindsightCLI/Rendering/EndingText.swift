import HindsightFormat
import HindsightRecording
import HindsightSupport
import HindsightTree

/// Describes how a recording ended.
struct EndingText {
    let recording: Recording
    let style: Style

    /// The whole text, on one line.
    var sentence: String {
        guard let cause, recording.ending != .closed, recording.ending != .open(live: true) else { return ending }
        return "\(ending); \(cause)"
    }

    /// The cause of the process's end, if the recorder marked it.
    private var cause: String? {
        guard let signal = recording.crashSignal else { return recording.hasExited ? "it called exit" : nil }
        let whose =
            switch signal.isDispatching {
            case true: "on the thread that dispatched"
            case false: "on a thread that did not dispatch"
            case nil: signal.isMainThread ? "on the main thread" : "on a background thread"
            }
        if signal.isStackOverflow { return "\(brief(signal.name)) \(whose): its stack overflowed" }
        let address = signal.address.map { ", at address 0x" + String($0, radix: 16) } ?? ""
        return "\(brief(signal.name)) \(whose)\(address)"
    }

    /// The frames of the thread that received the signal, a line each.
    var frames: [String] {
        guard let signal = recording.crashSignal else { return [] }
        return signal.frames.enumerated().map { number, frame in
            let address = "0x" + String(frame.address, radix: 16)
            let place = frame.image.map { image in
                "\(brief(image)) + 0x\(String(frame.offset ?? 0, radix: 16))"
            }
            return "\(number)  \(place ?? address)"
        }
    }

    /// A command that finds names for frames; `nil` if their images are unknown.
    var symbolising: String? {
        guard let signal = recording.crashSignal else { return nil }
        let images = signal.frames.compactMap(\.image)
        // Prefer the executable to a library.
        guard let image = images.first(where: { !$0.contains(".so") && !$0.contains(".dylib") }) ?? images.first else {
            return nil
        }
        let offsets = signal.frames.filter { $0.image == image }.prefix(3).compactMap(\.offset)
            .map { "0x" + String($0, radix: 16) }.joined(separator: " ")
        let file = ShellQuoting.quote(image)
        if recording.platform.hasPrefix("macOS") || recording.platform.hasPrefix("iOS") {
            return "atos -o \(file) -offset \(offsets)"
        }
        return "llvm-symbolizer --obj=\(file) \(offsets)"
    }

    /// Says that a verification did not run the action in which the process ended.
    ///
    /// - Parameter file: The quoted name of the file.
    /// - Parameter isGap: Whether the action was not recorded as a value.
    static func unfinished(_ seq: Int, isGap: Bool, _ file: String, tool: String) -> String {
        let action = "action \(seq), in which the recorded process ended,"
        if isGap { return "\(action) was not recorded as a value: nothing runs it" }
        return "\(action) was not run or compared; \(ShellQuoting.command(tool, "replay", file)) runs it"
    }

    private var ending: String {
        switch recording.ending {
        case .closed:
            return style.good("closed")
        case .open(live: true):
            return "open: it is being recorded now"
        case .open(live: false):
            if let reason = recording.stopReason {
                let rest = Self.loss(in: recording).map(style.bad) ?? "all before that is here"
                return style.bad("open") + ": the recorder had to stop; \(rest). \(brief(reason))"
            }
            if let salvaged = recording.salvageNote {
                return "open: this part was salvaged from a damaged recording, \(brief(salvaged))"
            }
            return openEnd
        case .crashed(let seq, let reducer):
            return style.bad("crashed") + " in action \(seq), \(place(reducer)); the state after it is not known"
        }
    }

    /// The end of a recording that was not closed and did not end in an action.
    private var openEnd: String {
        switch recording.lastActivity {
        case .idle(after: 0):
            return "open: its process ended before the first action, without closing it"
        case .idle(let seq):
            return "open: its process ended between two actions, after action \(seq), without closing it; \(allAreHere)"
        case .enteringMiddleware(_, let parent, let origin):
            let facts = [
                origin.map { "dispatched at \(brief($0))" }, parent.map { "in answer to action \($0)" },
            ].compactMap { $0 }
            let known = facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))"
            return "open: its process ended while an action was in middleware, before its reduction\(known): it has no "
                + "number and is not here; all actions before it are"
        case .subscribers(let seq):
            return "open: its process ended while subscribers were told of action \(seq); \(allAreHere)"
        case .leavingMiddleware(let seq):
            return "open: its process ended while action \(seq) was in middleware, after its reduction; \(allAreHere)"
        case nil, .reducer, .betweenReducers:
            return "open: its process ended without closing it; \(allAreHere)"
        }
    }

    private var allAreHere: String { Self.loss(in: recording).map(style.bad) ?? "all actions are here" }

    /// The actions that are missing at the end of a recording, as a clause; `nil` if there are none.
    static func loss(in recording: Recording) -> String? {
        if let lost = recording.lost {
            let (actions, verb) = (Quantities.actions(lost), lost.count == 1 ? "is" : "are")
            guard recording.lacksLog else {
                // A recovery has removed the journal.
                let isLeft = recording.sidecarFiles.contains { $0.hasSuffix(JournalFile.path(for: "")) }
                guard isLeft else { return "\(actions) had begun and \(verb) in no file" }
                return "\(actions) had begun and cannot be read: its journal is damaged"
            }
            let fault = SidecarFiles.faultOfLog(beside: FileSystem.place(of: recording.url.path))
            return "\(actions) \(verb) in no file: its -wal \(fault)"
        }
        guard recording.lacksJournal else { return nil }
        let fault =
            recording.hasForeignJournal
            ? "the journal beside it belongs to another recording" : "its journal is missing or damaged"
        return "\(fault): what came after action \(recording.actionCount) is not known"
    }

    /// Where the process ended, for a line below that action; `nil` if it did not end in an action.
    var mark: String? { crash.map { style.bad("↑") + " " + $0 } }

    /// The same without the arrow.
    var crash: String? {
        guard case .crashed(_, let reducer) = recording.ending else { return nil }
        return style.bad("its process ended here")
            + ", \(reducer == nil ? "" : "in ")\(place(reducer)); the state after it is not known"
    }

    private func place(_ reducer: Int?) -> String { reducer.map(recording.place(ofReducer:)) ?? outside }

    /// The place in an action where the process ended, outside its reducers.
    private var outside: String {
        guard case .betweenReducers(let count?, _) = recording.lastActivity else { return "outside its reducers" }
        if count == 0 { return "before its first reducer" }
        if count >= recording.reducers.count { return "after its last reducer" }
        return "after \(recording.place(ofReducer: count)), before the next"
    }
}

extension [String] {
    /// The name of a reducer by its number, from 1; `nil` if there is none.
    func name(ofReducer number: Int) -> String? { indices.contains(number - 1) ? self[number - 1] : nil }
}

extension Recording {
    /// The time from the start of the recording to an action: `+00:01.234`.
    func elapsed(until action: RecordedAction) -> String {
        let nanoseconds = Quantities.interval(from: createdNanoseconds, to: action.nanosecondsSinceEpoch)
        return Quantities.elapsed(nanoseconds: nanoseconds)
    }

    /// `reducer 3 of 7 (cart.totals)`
    func place(ofReducer reducer: Int) -> String {
        "reducer \(reducer) of \(reducers.count) (\(brief(name(ofReducer: reducer) ?? "?")))"
    }
}
