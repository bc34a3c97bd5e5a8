import HindsightFormat
import HindsightTree

/// The actions that are only in a recording's journal. The states after them are unknown.
struct JournalOnlyActions {
    /// In order, without a gap.
    private(set) var actions: [RecordedAction] = []
    /// Parents that became known for earlier actions.
    private(set) var parents: [Int: Int] = [:]

    init() {}

    /// Takes the actions of a journal after the last action in the file. Leaves those that do not fit.
    ///
    /// - Parameter thread: The thread of the last action in the file; `nil` if it is not known.
    init(of journal: JournalSnapshot?, after last: Int, on thread: DispatchingThread?) {
        var thread = thread
        for (action, duration) in journal?.actions(after: last) ?? [] {
            for child in action.adopted { parents[child] = action.seq }
            thread = action.thread.thread(after: thread)
            actions.append(RecordedAction(action, duration: duration, on: thread))
        }
    }

    subscript(seq: Int) -> RecordedAction? {
        guard let first = actions.first?.seq, actions.indices.contains(seq - first) else { return nil }
        return adopted(actions[seq - first])
    }

    /// Sets the parent of an earlier action.
    func adopted(_ action: RecordedAction) -> RecordedAction {
        guard let parent = parents[action.seq] else { return action }
        var action = action
        action.parent = parent
        return action
    }
}

extension JournalSnapshot {
    /// The actions that follow the last one in the file, in order, without a gap.
    func actions(after last: Int) -> [(action: DispatchedAction, duration: Int64?)] {
        // In a malicious file, the last action may have any number.
        guard last < .max else { return [] }
        var next = last + 1
        return actions.filter { action, _ in
            guard action.seq == next else { return false }
            next &+= 1
            return true
        }
    }

    /// The actions between the last one in the file and the first one in the journal; `nil` if there are none. A
    /// recorder leaves no such gap, because the journal keeps each action until the file or its `-wal` has it.
    func missing(after last: Int) -> ClosedRange<Int>? {
        let end = last + actions(after: last).count
        let next = actions.lazy.map(\.action.seq).filter { $0 > end + 1 }.min()
        return next.map { end + 1...$0 - 1 }
    }
}

extension DispatchedAction {
    /// Parses the payload, and removes it if it is not JSON, because the journal is damaged.
    fileprivate mutating func parsePayload() -> Node? {
        do {
            return try payload.map { try Node(json: $0) }
        } catch {
            payload = nil
            problem = "Its journal is damaged: \(error)."
            return Node?.none
        }
    }

    /// The action, without its payload if that is not JSON.
    var withoutBadPayload: DispatchedAction {
        var action = self
        _ = action.parsePayload()
        return action
    }
}

extension RecordedAction {
    fileprivate init(_ action: DispatchedAction, duration: Int64?, on thread: DispatchingThread?) {
        var action = action
        let payload = action.parsePayload()
        self.init(
            seq: action.seq,
            parent: action.parent,
            type: action.type,
            payload: payload,
            nanosecondsSinceEpoch: action.at,
            durationInNanoseconds: duration,
            source: action.origin,
            problem: action.problem,
            thread: thread
        )
    }
}
