import HindsightTree

/// Edits of a log that name no action, or contradict each other.
package struct ChangedLogError: Error, Sendable {
    /// What is wrong.
    package enum Code: String, Sendable {
        /// The recording has no such action.
        case noAction
        /// The recording has no such moment.
        case noMoment
        /// The action is edited or moved twice.
        case twice
        /// The action is skipped, and edited or moved as well.
        case skippedToo
        /// The action is moved to the place where it is.
        case unmoved
    }

    /// What is wrong.
    package let code: Code
    /// The number of the action, or the moment.
    package let seq: Int
    /// The edit.
    package let edit: ChangedLog.Edit
    /// The earlier edit that it contradicts.
    package let other: ChangedLog.Edit?
    /// The numbers of the recording's actions: from, to.
    package let actions: (first: Int, last: Int)
}

extension ChangedLogError: CustomStringConvertible {
    /// What is wrong, then what to do.
    package var description: String {
        let has = actions.first > actions.last ? "It has none." : "It has \(actions.first) to \(actions.last)."
        return switch code {
        case .noAction: "`\(edit)`: the recording has no action \(seq).\n\(has)"
        case .noMoment: "`\(edit)`: the recording has no moment \(seq).\n\(has) The moment before the first is start."
        case .twice:
            "`\(edit)` contradicts `\(other?.description ?? "")`: an action can be changed so once.\nKeep one of them."
        case .skippedToo:
            "`\(edit)` contradicts `\(other?.description ?? "")`, which leaves action \(seq) out.\nKeep one of them."
        case .unmoved: "`\(edit)` leaves action \(seq) where it is.\nGive the action after which it is to run."
        }
    }
}

/// Checks edits one after the other.
struct EditCheck {
    private(set) var skipped: Set<Int> = []
    private(set) var payloads: [Int: Node] = [:]
    private(set) var moved: [Int: Int] = [:]
    private let actions: (first: Int, last: Int)
    private var changes: [Int: [ChangedLog.Edit]] = [:]

    init(after start: Int, upTo last: Int, _ edits: [ChangedLog.Edit]) throws(ChangedLogError) {
        actions = (start + 1, last)
        for edit in edits { try add(edit) }
        // An action that is skipped must not be changed, in whatever order both were given.
        for (seq, changes) in changes.sorted(by: { $0.key < $1.key }) where skipped.contains(seq) {
            let skip = edits.first { $0.skipped.contains(seq) }
            throw ChangedLogError(code: .skippedToo, seq: seq, edit: changes[0], other: skip, actions: actions)
        }
    }

    private mutating func add(_ edit: ChangedLog.Edit) throws(ChangedLogError) {
        switch edit {
        case .skip, .skipAll:
            for seq in edit.skipped { try checkAction(seq, edit) }
            skipped.formUnion(edit.skipped)
        case .edit(let seq, let node):
            try checkAction(seq, edit)
            try note(edit, of: seq, isTwice: payloads.updateValue(node, forKey: seq) != nil)
        case .insert(_, let moment):
            try checkMoment(moment, edit)
        case .move(let seq, let moment):
            try checkAction(seq, edit)
            try checkMoment(moment, edit)
            if moment == seq || moment == seq - 1 {
                throw ChangedLogError(code: .unmoved, seq: seq, edit: edit, other: nil, actions: actions)
            }
            try note(edit, of: seq, isTwice: moved.updateValue(moment, forKey: seq) != nil)
        }
    }

    private mutating func note(_ edit: ChangedLog.Edit, of seq: Int, isTwice: Bool) throws(ChangedLogError) {
        if isTwice {
            let other = changes[seq]?.first { $0.isMove == edit.isMove }
            throw ChangedLogError(code: .twice, seq: seq, edit: edit, other: other, actions: actions)
        }
        changes[seq, default: []].append(edit)
    }

    private func checkAction(_ seq: Int, _ edit: ChangedLog.Edit) throws(ChangedLogError) {
        if seq >= actions.first, seq <= actions.last { return }
        throw ChangedLogError(code: .noAction, seq: seq, edit: edit, other: nil, actions: actions)
    }

    private func checkMoment(_ moment: Int, _ edit: ChangedLog.Edit) throws(ChangedLogError) {
        if moment >= actions.first - 1, moment <= actions.last { return }
        throw ChangedLogError(code: .noMoment, seq: moment, edit: edit, other: nil, actions: actions)
    }
}

extension ChangedLog.Edit {
    fileprivate var isMove: Bool { if case .move = self { true } else { false } }
}
