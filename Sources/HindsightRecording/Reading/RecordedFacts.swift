import HindsightFormat
import HindsightTree

/// An action in answers.
package struct ActionFacts: Answer {
    package let seq: Int
    @Nullable package var parent: Int?
    package let type: String
    @Nullable package var action: Node?
    package let at: Int64
    @Nullable package var duration: Int64?
    @Nullable package var origin: String?
    package let thread: DispatchingThread?
    package let problem: String?

    package static let notes = [
        "parent": "the action that led to it", "action": "the payload", "at": "ns since 1970", "duration": "ns",
        "origin": "file:line that dispatched it", "problem": "why an action could not be recorded",
    ]

    package init(_ action: RecordedAction) {
        (seq, type, at) = (action.seq, action.type, action.nanosecondsSinceEpoch)
        (thread, problem) = (action.thread, action.problem)
        parent = action.parent
        self.action = action.payload
        duration = action.durationInNanoseconds
        origin = action.origin
    }
}

/// Where the recorded process ended.
package struct CrashFacts: Answer {
    package let seq: Int
    @Nullable package var reducer: Int?
    @Nullable package var name: String?
}

/// How a recording ended.
package enum EndingName: String, Codable, CaseIterable, Sendable {
    case closed, open, crashed
}

extension Recording {
    package var endingName: EndingName {
        switch ending {
        case .closed: .closed
        case .open: .open
        case .crashed: .crashed
        }
    }

    /// Where the process ended; `nil` if it did not end in an action.
    package var crash: CrashFacts? {
        guard case .crashed(let seq, let reducer) = ending else { return nil }
        return CrashFacts(seq: seq, reducer: reducer, name: reducer.map { name(ofReducer: $0) ?? "?" })
    }

    /// ``crash``, if the process ended in this action.
    package func crash(in seq: Int) -> CrashFacts? { crash.flatMap { $0.seq == seq ? $0 : nil } }
}

/// What is known about the end of the recorded process.
package struct EndFacts: Answer {
    @Nullable package var crash: CrashFacts?
    @Nullable package var during: Node?
    @Nullable package var signal: Node?
    package let exited: Bool

    package static let notes = [
        "during": """
        what the store was doing: {phase: "idle", after}, {phase: "middleware before", after, parent, origin}, \
        {phase: "reducer", seq, reducer}, {phase: "between reducers", seq, after}, where after is the number of \
        reducers, {phase: "subscribers", seq}, or {phase: "middleware after", seq}
        """,
        "signal": """
        of marksCrashes: {number, name, address, thread, main, dispatching (null if no dispatch was under way), \
        stackOverflow, frames [{address, image, offset}]}
        """, "exited": "whether exit was called",
    ]
}

extension Recording {
    package var endFacts: EndFacts {
        EndFacts(crash: crash, during: lastActivity?.node, signal: crashSignal?.node, exited: hasExited)
    }
}
