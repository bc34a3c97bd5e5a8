import HindsightRecording
import HindsightTree

extension Recording {
    /// Finds the first action at which this recording and another part.
    ///
    /// ```swift
    /// let result = try good.firstDifference(from: bad)
    /// print(result.firstDifference?.seq as Any)
    /// ```
    ///
    /// Actions are compared by their numbers, from the first that both recordings have. Values are compared exactly.
    /// Changes that are written in different ways count as the same if they lead to the same state. Where one of the
    /// recordings does not have an action's effect, the states are compared at the next action after which both have
    /// them.
    ///
    /// Costs a pass over the stored texts of both recordings up to the action at which they part. Parses actions only
    /// where the texts differ, and reads two states where the changes of an action are written in different ways.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`; `positionOutOfRange` if no position is in
    ///   both recordings.
    package func firstDifference(from other: Recording, options: FirstDifferenceOptions = FirstDifferenceOptions())
        throws(RecordingError)
        -> FirstDifferenceResult
    {
        var search = FirstDifferenceSearch(self, other, options)
        do {
            try search.run()
        } catch {
            if let error = error as? RecordingError { throw error }
            throw RecordingError(.damaged, file: url.path, cause: error)
        }
        return search.result
    }
}

private struct FirstDifferenceSearch {
    private let left: Recording
    private let right: Recording
    private let options: FirstDifferenceOptions
    private(set) var result = FirstDifferenceResult()
    /// The first action with an unknown effect since the states were last known to be the same.
    private var unknownSince: Int?

    /// The number of actions that are parsed at once, where stored texts differ.
    private static let parsedAtOnce = 256

    private typealias Entry = (action: RecordedAction, steps: [RecordedStep])

    private static let maxParents = 10
    private static let maxCommon = 3

    init(_ left: Recording, _ right: Recording, _ options: FirstDifferenceOptions) {
        (self.left, self.right, self.options) = (left, right, options)
        result.hasSameReducers = left.reducers == right.reducers
    }

    mutating func run() throws {
        let start = max(left.start.seq, right.start.seq)
        let last = min(left.actionCount, right.actionCount)
        guard start <= max(last, left.start.seq), start <= max(last, right.start.seq) else {
            // One of them begins after the other has ended.
            _ = try (left.start.seq < start ? left : right).position("\(start)", knownOnly: false)
            return
        }
        if options.effects, try !isSame(after: start), unknownSince == nil {
            let patch = try Patch(from: state(left, start), to: state(right, start))
            result.firstDifference = FirstDifference(seq: start, differences: [.start], patch: patch)
            return
        }
        if start < last {
            try compare(start + 1...last)
            try addCommonActions(after: start, before: result.firstDifference?.seq ?? last + 1)
        }
        guard result.firstDifference == nil, left.actionCount != right.actionCount else { return }
        var firstDifference = FirstDifference(seq: last + 1, differences: [.end])
        if left.actionCount > last { firstDifference.left = try side(of: left, last + 1) }
        if right.actionCount > last { firstDifference.right = try side(of: right, last + 1) }
        result.firstDifference = firstDifference
    }

    private mutating func compare(_ range: ClosedRange<Int>) throws {
        var columns: Set<ActionCursor.Column> = []
        if options.payloads { columns.formUnion([.type, .payload]) }
        if options.effects { columns.insert(.steps) }
        let stored = try StoredComparison(of: left, and: right, comparing: columns)
        var seq = range.lowerBound
        while seq <= range.upperBound, result.firstDifference == nil {
            if try isStoredAlike(seq, stored) {
                seq += 1
                continue
            }
            let end = min(range.upperBound, seq + Self.parsedAtOnce - 1)
            try compareParsed(seq...end)
            seq = end + 1
        }
        result.compared = range.lowerBound...(result.firstDifference?.seq ?? range.upperBound)
    }

    /// Whether the texts of an action show that the recordings do not part there. `false` is not certain.
    private func isStoredAlike(_ seq: Int, _ stored: StoredComparison) throws -> Bool {
        guard seq <= stored.last else { return false }
        if options.effects {
            guard unknownSince == nil, left.absence(ofChangesIn: seq) == nil, right.absence(ofChangesIn: seq) == nil
            else { return false }
        }
        guard let times = try stored.times(ofSame: seq) else { return false }
        return options.nanoseconds.map { !isApart(times.left, times.right, $0) } ?? true
    }

    private mutating func compareParsed(_ range: ClosedRange<Int>) throws {
        var lefts = try left.entries(in: range, withSteps: true)
        var rights = try right.entries(in: range, withSteps: true)
        while let one = try lefts.next(), let other = try rights.next() {
            let seq = one.action.seq
            var firstDifference = FirstDifference(seq: seq, differences: [])
            if options.payloads, !isSame(one.action, other.action) { firstDifference.differences.append(.action) }
            if options.effects { try compareEffects(one, other, &firstDifference) }
            if (one.action.duration == nil) != (other.action.duration == nil) {
                firstDifference.differences.append(.end)
            }
            if let most = options.nanoseconds,
                isApart(one.action.nanosecondsSinceEpoch, other.action.nanosecondsSinceEpoch, most)
            {
                firstDifference.differences.append(.time)
            }
            guard firstDifference.differences.isEmpty else {
                firstDifference.left = try side(of: left, one.action, one.steps)
                firstDifference.right = try side(of: right, other.action, other.steps)
                result.firstDifference = firstDifference
                return
            }
        }
    }

    private mutating func addCommonActions(after start: Int, before seq: Int) throws {
        let first = max(start + 1, seq - Self.maxCommon)
        guard first < seq else { return }
        var entries = try left.entries(in: first...seq - 1, withSteps: true)
        while let entry = try entries.next() { result.common.append(entry) }
    }

    // MARK: Actions

    private func isSame(_ one: RecordedAction, _ other: RecordedAction) -> Bool {
        guard one.type.utf8.elementsEqual(other.type.utf8), one.isTravel == other.isTravel else { return false }
        return one.payload == other.payload
    }

    private func isApart(_ one: Int64, _ other: Int64, _ most: Int64) -> Bool {
        func elapsed(_ time: Int64, _ recording: Recording) -> Int64 {
            time.subtractingReportingOverflow(recording.createdNanoseconds).partialValue
        }
        let (distance, overflows) = elapsed(one, left).subtractingReportingOverflow(elapsed(other, right))
        return overflows || distance.magnitude > most.magnitude
    }

    private func parents(of action: RecordedAction, _ recording: Recording) throws -> [RecordedAction] {
        var parents: [RecordedAction] = []
        var next = action.parent
        while let seq = next, seq > recording.start.seq, seq <= recording.actionCount, parents.count < Self.maxParents {
            let parent = try recording.action(seq)
            parents.append(parent)
            next = parent.parent
        }
        return parents
    }

    private func side(of recording: Recording, _ seq: Int) throws -> FirstDifference.Occurrence {
        let action = try recording.action(seq)
        let steps = recording.absence(ofChangesIn: seq) == nil ? try recording.steps(of: seq) : []
        return try side(of: recording, action, steps)
    }

    private func side(of recording: Recording, _ action: RecordedAction, _ steps: [RecordedStep]) throws
        -> FirstDifference.Occurrence
    {
        FirstDifference.Occurrence(action: action, steps: steps, parents: try parents(of: action, recording))
    }

    // MARK: Effects

    private mutating func compareEffects(_ one: Entry, _ other: Entry, _ firstDifference: inout FirstDifference) throws
    {
        let seq = one.action.seq
        let isKnown = left.absence(ofChangesIn: seq) == nil && right.absence(ofChangesIn: seq) == nil
        guard isKnown, unknownSince == nil else {
            if !isKnown { result.unknownEffects += 1 }
            let first = unknownSince ?? seq
            if try isSame(after: seq) { return }
            guard isStateKnown(seq) else {
                unknownSince = first
                return
            }
            firstDifference.differences.append(.effect)
            if first < seq { firstDifference.possible = first...seq }
            firstDifference.patch = try Patch(from: state(left, seq), to: state(right, seq))
            return
        }
        if one.steps.map({ $0.patch ?? Patch() }) == other.steps.map({ $0.patch ?? Patch() }) { return }
        // The states before are the same. Changes that are written in different ways may lead to the same state.
        if result.hasSameReducers, !one.action.isTravel, !other.action.isTravel {
            for step in one.steps {
                let position = Recording.Position(seq: seq, reducer: step.reducer)
                if try left.state(at: position) == right.state(at: position) { continue }
                firstDifference.reducer = step.reducer
                break
            }
        }
        let states = (try state(left, seq), try state(right, seq))
        guard states.0 != states.1 || firstDifference.reducer != nil else { return }
        firstDifference.differences.append(.effect)
        if states.0 != states.1 { firstDifference.patch = Patch(from: states.0, to: states.1) }
    }

    /// Whether the states after an action are known and the same. They are then known to be the same until then.
    private mutating func isSame(after seq: Int) throws -> Bool {
        guard isStateKnown(seq) else {
            unknownSince = unknownSince ?? seq
            return false
        }
        guard try state(left, seq) == state(right, seq) else { return false }
        unknownSince = nil
        return true
    }

    private func isStateKnown(_ seq: Int) -> Bool {
        let position = Recording.Position(seq: seq)
        return left.absence(at: position) == nil && right.absence(at: position) == nil
    }

    private func state(_ recording: Recording, _ seq: Int) throws -> Node {
        try recording.state(at: Recording.Position(seq: seq))
    }
}
