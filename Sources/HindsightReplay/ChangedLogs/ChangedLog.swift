import HindsightSupport
import HindsightTree

/// The actions of a recording with some of them skipped, edited, inserted or moved.
///
/// It is a pure value: it reads no file and runs no reducer. Positions in edits are always those of the recording: `41`
/// names action 41, and the moment after it. An action is moved or inserted *after* a moment; the start of the recording
/// is the moment before its first action. Several actions that come to one moment run in the order of the edits.
///
/// ```swift
/// let log = try ChangedLog(of: recording, [.skip(12), .edit(20, to: ["applyCoupon": ["code": "HALF"]])])
/// let replayer = try Replayer(of: recording, by: app, running: log)
/// ```
///
/// The actions of the changed log have consecutive numbers. Up to ``kept`` they are those of the recording.
package struct ChangedLog: Sendable, Hashable {
    /// A change of the actions.
    package enum Edit: Sendable, Hashable {
        /// Leaves an action out.
        case skip(Int)
        /// Leaves all actions out that a rule has selected. The rule is its text, such as `drop-type tick`.
        case skipAll([Int], rule: String)
        /// Runs another action in place of one.
        case edit(Int, to: Node)
        /// Runs one more action, after the one with this number.
        case insert(Node, after: Int)
        /// Runs an action after another one, instead of at its place.
        case move(Int, after: Int)

        /// The actions that it leaves out.
        var skipped: [Int] {
            switch self {
            case .skip(let seq): [seq]
            case .skipAll(let seqs, _): seqs
            case .edit, .insert, .move: []
            }
        }
    }

    /// An action of the changed log.
    package enum Entry: Sendable, Hashable {
        /// The recorded action with this number.
        case recorded(Int)
        /// Another action in place of the recorded one with this number.
        case edited(Int, Node)
        /// An action that the recording does not have.
        case inserted(Node)

        /// The number of the recorded action; `nil` if it was inserted.
        package var seq: Int? {
            switch self {
            case .recorded(let seq), .edited(let seq, _): seq
            case .inserted: nil
            }
        }

        /// The action, if it is not the recorded one.
        package var payload: Node? {
            switch self {
            case .recorded: nil
            case .edited(_, let node), .inserted(let node): node
            }
        }
    }

    /// The edits, in the order in which they were given.
    package let edits: [Edit]
    /// The number of the last action before the first one of the recording; 0 unless a limit dropped some.
    package let start: Int
    /// The number of the recording's last action.
    package let last: Int
    /// The number of the last action before the first change. States up to there are the recorded ones.
    package let kept: Int

    /// The actions that do not run at their place, in order.
    private let removed: [Int]
    private let moved: [Int: Int]
    private let payloads: [Int: Node]
    /// The moments to which actions come, in order, with these, and the number of those before.
    private let arrivals: [Arrivals]

    private struct Arrivals: Sendable, Hashable {
        let moment: Int
        let entries: [Entry]
        let before: Int
    }

    /// - Parameters:
    ///   - start: The position before the first action.
    ///   - last: The number of the last action.
    ///   - edits: The changes.
    /// - Throws: ``ChangedLogError`` if an edit names no action, or two contradict each other.
    package init(after start: Int, upTo last: Int, _ edits: [Edit]) throws(ChangedLogError) {
        let check = try EditCheck(after: start, upTo: last, edits)
        (self.start, self.last, self.edits) = (start, last, edits)
        payloads = check.payloads
        moved = check.moved
        removed = (check.skipped.union(check.moved.keys)).sorted()
        var coming: [Int: [Entry]] = [:]
        for edit in edits {
            switch edit {
            case .insert(let node, let moment): coming[moment, default: []].append(.inserted(node))
            case .move(let seq, let moment):
                let entry = check.payloads[seq].map { Entry.edited(seq, $0) } ?? .recorded(seq)
                coming[moment, default: []].append(entry)
            default: break
            }
        }
        var before = 0
        arrivals = coming.sorted { $0.key < $1.key }.map { moment, entries in
            defer { before += entries.count }
            return Arrivals(moment: moment, entries: entries, before: before)
        }
        let firstRemoved = removed.first.map { $0 - 1 } ?? last
        let firstEdited = check.payloads.keys.min().map { $0 - 1 } ?? last
        kept = min(firstRemoved, firstEdited, arrivals.first?.moment ?? last, last)
    }

    /// Whether it has the recorded actions in their order.
    package var isUnchanged: Bool { removed.isEmpty && payloads.isEmpty && arrivals.isEmpty }

    /// The number of its last action.
    package var lastNumber: Int { number(after: last) }

    /// The number of the last action up to a moment of the recording.
    package func number(after moment: Int) -> Int {
        moment < kept ? moment : moment - removed.count(upTo: moment) + arrivalCount(upTo: moment)
    }

    /// The number that a recorded action has here; `nil` if it is skipped.
    package func number(of seq: Int) -> Int? {
        if seq <= kept { return seq }
        if let moment = moved[seq] {
            let entries = entries(arrivingAfter: moment)
            guard let index = entries.firstIndex(where: { $0.seq == seq }) else { return nil }
            return number(after: moment) - entries.count + index + 1
        }
        if removed.contains(sorted: seq) { return nil }
        return number(after: seq) - entries(arrivingAfter: seq).count
    }

    /// Whether a recorded action does not run at all.
    package func isSkipped(_ seq: Int) -> Bool { moved[seq] == nil && removed.contains(sorted: seq) }

    /// Whether a recorded action runs at another place.
    package func isMoved(_ seq: Int) -> Bool { moved[seq] != nil }

    /// Whether the recorded action runs unchanged at its place, and none comes after it.
    package func isUnchanged(at seq: Int) -> Bool {
        if seq <= kept { return seq < kept || entries(arrivingAfter: seq).isEmpty }
        return payloads[seq] == nil && !removed.contains(sorted: seq) && entries(arrivingAfter: seq).isEmpty
    }

    /// The action with a number of the changed log, and the moment of the recording to which it belongs: its own, or the
    /// one after which it comes. Costs a search that is logarithmic in the length.
    ///
    /// - Parameter number: A number from `start + 1` to ``lastNumber``.
    package func entry(_ number: Int) -> (entry: Entry, moment: Int) {
        if number <= kept { return (.recorded(number), number) }
        // The first moment up to which there are that many actions.
        let moment = (kept..<last).partitioningIndex { self.number(after: $0) >= number }
        let entries = entries(arrivingAfter: moment)
        let index = entries.count - 1 - (self.number(after: moment) - number)
        if entries.indices.contains(index) { return (entries[index], moment) }
        return (payloads[moment].map { .edited(moment, $0) } ?? .recorded(moment), moment)
    }

    /// The actions that come to a moment of the recording.
    package func entries(arrivingAfter moment: Int) -> [Entry] {
        let index = arrivals.partitioningIndex { $0.moment >= moment }
        return index < arrivals.count && arrivals[index].moment == moment ? arrivals[index].entries : []
    }

    private func arrivalCount(upTo moment: Int) -> Int {
        let index = arrivals.partitioningIndex { $0.moment > moment }
        guard index > 0 else { return 0 }
        return arrivals[index - 1].before + arrivals[index - 1].entries.count
    }
}

extension ChangedLog {
    /// Recorded actions that follow each other here too, with their numbers.
    package struct Span: Sendable, Hashable {
        /// The numbers in the recording.
        package var recorded: ClosedRange<Int>
        /// The numbers here.
        package var numbers: ClosedRange<Int>
    }

    /// How the recorded numbers after ``kept`` map to those of the changed log. Skipped actions are left out.
    ///
    /// - Parameter most: The most spans to return.
    package func spans(most: Int) -> [Span] {
        var spans: [Span] = []
        var seq = kept + 1
        while seq <= last, spans.count < most {
            guard let number = number(of: seq) else {
                seq += 1
                continue
            }
            var end = seq
            if !isMoved(seq) {
                let arrival = arrivals.partitioningIndex { $0.moment >= seq }
                let removal = removed.partitioningIndex { $0 > seq }
                end = min(
                    last,
                    arrival < arrivals.count ? arrivals[arrival].moment : last,
                    removal < removed.count ? removed[removal] - 1 : last
                )
            }
            spans.append(Span(recorded: seq...end, numbers: number...number + (end - seq)))
            seq = end + 1
        }
        return spans
    }
}

extension ChangedLog.Edit: CustomStringConvertible {
    /// The edit as the option of `whatif` without its dashes: `skip 12`, `edit 20={"clear":{}}`.
    package var description: String {
        switch self {
        case .skip(let seq): "skip \(seq)"
        case .skipAll(_, let rule): rule
        case .edit(let seq, let node): "edit \(seq)=\(node.json)"
        case .insert(let node, let moment): "insert \(moment)=\(node.json)"
        case .move(let seq, let moment): "move \(seq)=\(moment)"
        }
    }
}

extension [Int] {
    /// The number of elements up to a value, in a sorted array.
    fileprivate func count(upTo value: Int) -> Int { partitioningIndex { $0 > value } }

    fileprivate func contains(sorted value: Int) -> Bool {
        let index = partitioningIndex { $0 >= value }
        return index < count && self[index] == value
    }
}
