import HindsightFormat
import HindsightTree

/// The actions that are in a recording's journal alone: nothing is known of the states after them.
struct JournalOnlyActions {
    /// In their order, without a gap.
    private(set) var actions: [ActionRecord] = []
    /// The parents of actions that learned of them only here.
    private(set) var parents: [Int: Int] = [:]

    init() {}

    /// Takes what a journal has beyond the last action in the file. What does not fit there is left.
    init(of journal: JournalSnapshot?, after last: Int) {
        for (action, duration) in journal?.actions(after: last) ?? [] {
            for child in action.adopted { parents[child] = action.seq }
            actions.append(ActionRecord(action, duration: duration))
        }
    }

    subscript(seq: Int) -> ActionRecord? {
        guard let first = actions.first?.seq, actions.indices.contains(seq - first) else { return nil }
        return adopted(actions[seq - first])
    }

    /// Gives an action the parent that it learned of here.
    func adopted(_ action: ActionRecord) -> ActionRecord {
        guard let parent = parents[action.seq] else { return action }
        var action = action
        action.parent = parent
        return action
    }
}

extension JournalSnapshot {
    /// The actions that follow upon the last one in the file, in their order, without a gap.
    func actions(after last: Int) -> [(action: DispatchedAction, duration: Int64?)] {
        // In a file that somebody has made up, anything may be the last.
        guard last < .max else { return [] }
        var next = last + 1
        return actions.filter { action, _ in
            guard action.seq == next else { return false }
            next &+= 1
            return true
        }
    }

    /// The actions between the last one in the file and those that the journal has; `nil` if the journal goes on from there.
    /// A recorder leaves no such gap: the journal keeps each action until the file has it, or its `-wal`.
    func missing(after last: Int) -> ClosedRange<Int>? {
        let end = last + actions(after: last).count
        let next = actions.lazy.map(\.action.seq).filter { $0 > end + 1 }.min()
        return next.map { end + 1...$0 - 1 }
    }
}

extension ActionRecord {
    fileprivate init(_ action: DispatchedAction, duration: Int64?) {
        var payload: Node?
        var problem = action.problem
        if let text = action.payload {
            do {
                payload = try Node(json: text)
            } catch {
                problem = "Its journal is damaged: \(error)."
            }
        }
        self.init(
            seq: action.seq,
            parent: action.parent,
            type: action.type,
            payload: payload,
            at: action.at,
            duration: duration,
            origin: action.origin?.description,
            problem: problem
        )
    }
}
