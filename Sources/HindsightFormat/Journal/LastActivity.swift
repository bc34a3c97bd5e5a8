import HindsightTree

/// What the store was doing when its process ended, according to the journal.
///
/// It describes the dispatching thread. Another thread may have ended the process: `Recording.crashSignal` says so if
/// the recorder had the option `marksCrashes`.
public enum LastActivity: Sendable, Hashable {
    /// No dispatch was under way. `after` is the last action's number, or 0 before the first.
    case idle(after: Int)
    /// An action was in the middleware, before its reduction. It has no number and is not in the recording. `parent` is
    /// the action that it answers. `origin` is where it was dispatched, as `file:line`.
    case enteringMiddleware(after: Int, parent: Int?, origin: String?)
    /// A reducer was running.
    case reducer(Int, of: Int)
    /// The action with the number `of` was being reduced, and no reducer was running: the recorder, another observer,
    /// or a subscriber that is notified after each reducer. `after` is the number of reducers that had run; `nil` if
    /// unknown.
    case betweenReducers(after: Int?, of: Int)
    /// Subscribers were being notified of the action with the number `of`.
    case subscribers(of: Int)
    /// Middleware was running after the reduction of the action with the number `of`.
    case leavingMiddleware(of: Int)
}

extension LastActivity {
    /// Combines the two marks of a journal; `nil` if they do not match the recording's last action, for example after a
    /// power loss, or if a version without phases wrote the journal.
    package init?(_ journal: JournalSnapshot, last: Int, isFinished: Bool) {
        guard let mark = journal.mark, mark.phase != .stopped, mark.lead(over: last) <= 0, let phase = journal.phase
        else { return nil }
        if !isFinished {
            // The action was written ahead, but the recorder had not marked it yet.
            guard mark.isOf(last), mark.phase == .reducing else {
                self = .betweenReducers(after: 0, of: last)
                return
            }
            self.init(within: last, mark, phase)
            return
        }
        guard mark.isOf(last) else { return nil }
        // According to the journal all reducers had run, so the mark was about to follow.
        guard mark.phase == .idle else {
            self = .leavingMiddleware(of: last)
            return
        }
        self.init(after: last, phase, journal.entry)
    }

    private init(within seq: Int, _ mark: ReducerMark, _ phase: PhaseMark) {
        switch phase.kind {
        // This happens only if the recorder is not the only observer. The phase is then more precise.
        case .reducer where mark.isOf(phase.seq): self = .reducer(phase.detail, of: seq)
        case .betweenReducers where mark.isOf(phase.seq): self = .betweenReducers(after: phase.detail, of: seq)
        default: self = mark.reducer > 0 ? .reducer(mark.reducer, of: seq) : .betweenReducers(after: nil, of: seq)
        }
    }

    private init(after last: Int, _ phase: PhaseMark, _ entry: PhaseMark.Entry?) {
        func isLast(_ seq: Int) -> Bool { (seq ^ last) & (1 << 40 - 1) == 0 }
        switch phase.kind {
        case .idle where isLast(phase.seq):
            self = .idle(after: last)
        case .middleware where isLast(phase.seq):
            let origin = entry.flatMap { $0.origin.isEmpty ? nil : $0.origin }
            self = .enteringMiddleware(after: last, parent: entry?.parent, origin: origin)
        case .subscribers where isLast(phase.seq):
            self = .subscribers(of: last)
        case .unwinding where phase.detail == PhaseMark.detail(of: last) && phase.seq <= last:
            self = .leavingMiddleware(of: phase.seq)
        case .betweenReducers where isLast(phase.seq - 1):
            // An observer before the recorder was called with the next action.
            self = .enteringMiddleware(after: last, parent: nil, origin: nil)
        default:
            // The phase is from before the last action, which had just ended.
            self = last == 0 ? .idle(after: 0) : .leavingMiddleware(of: last)
        }
    }
}

extension LastActivity {
    /// The JSON that `Recovery` writes into the file, and that `--json` shows.
    package var node: Node {
        switch self {
        case .idle(let seq):
            ["phase": "idle", "after": .int(seq)]
        case .enteringMiddleware(let seq, let parent, let origin):
            [
                "phase": "middleware before", "after": .int(seq), "parent": parent.map(Node.int) ?? .null,
                "origin": origin.map(Node.string) ?? .null,
            ]
        case .reducer(let reducer, let seq):
            ["phase": "reducer", "seq": .int(seq), "reducer": .int(reducer)]
        case .betweenReducers(let count, let seq):
            ["phase": "between reducers", "seq": .int(seq), "after": count.map(Node.int) ?? .null]
        case .subscribers(let seq):
            ["phase": "subscribers", "seq": .int(seq)]
        case .leavingMiddleware(let seq):
            ["phase": "middleware after", "seq": .int(seq)]
        }
    }

    /// Reads what a recovery wrote; `nil` if that is damaged, or does not match the last action.
    package init?(json: String, last: Int, isFinished: Bool) {
        guard let node = try? Node(json: json) else { return nil }
        func number(_ key: String) -> Int? {
            guard case .int(let number)? = node[key], 0...RecordingPosition.lastPossibleAction ~= number else {
                return nil
            }
            return number
        }
        func text(_ key: String) -> String? { if case .string(let text)? = node[key] { text } else { nil } }
        switch (text("phase"), number("seq"), number("after")) {
        case ("idle", _, last) where isFinished: self = .idle(after: last)
        case ("middleware before", _, last) where isFinished:
            self = .enteringMiddleware(after: last, parent: number("parent"), origin: text("origin"))
        case ("reducer", last, _) where !isFinished:
            guard let reducer = number("reducer") else { return nil }
            self = .reducer(reducer, of: last)
        case ("between reducers", last, let count) where !isFinished: self = .betweenReducers(after: count, of: last)
        case ("subscribers", last, _) where isFinished: self = .subscribers(of: last)
        case ("middleware after", let seq?, _) where isFinished && seq <= last: self = .leavingMiddleware(of: seq)
        default: return nil
        }
    }
}
