import HindsightFormat
import HindsightRecording
import HindsightTree

/// Reads what led to a position of a recording, the last step first: computed steps, recorded ones, and the sums of those
/// that are not known one by one.
///
/// Costs a pass over the texts of the steps, of which it parses only those of actions that are wanted.
final class StepsBackward {
    /// A step, or several of which only the sum is known.
    struct Step {
        let origin: ChangeOrigin
        /// The last position before it.
        let before: Recording.Position
        let operations: [Patch.Operation]
    }

    private let recording: Recording
    private let position: Recording.Position
    private let computed: ComputedSteps?
    private let actions: ActionCursor
    private let states: LazyStateCursor
    private let progress: ((Double) -> Void)?
    /// The next action to read.
    private(set) var seq: Int
    /// The steps that were read, the next one last.
    private var pending: [Step] = []
    /// The ranges of actions to compare as a whole, the next one last.
    private var unknown: [ClosedRange<Int>]

    /// - Parameters:
    ///   - computed: What led to the position, if that is after the last recorded one.
    ///   - progress: Called now and then with the part that was read, from 0 to 1.
    init(
        from position: Recording.Position,
        of recording: Recording,
        computed: ComputedSteps?,
        progress: ((Double) -> Void)?
    ) throws(RecordingError) {
        (self.recording, self.computed, self.progress) = (recording, computed, progress)
        for (position, operations) in computed?.steps(upTo: position) ?? [] {
            pending.append(Step(origin: .step(position), before: position.before, operations: operations))
        }
        self.position = computed?.firstRecorded(before: position) ?? position
        seq = self.position.reducer == 0 ? self.position.seq - 1 : self.position.seq
        unknown = recording.unknownRanges(before: self.position)
        actions = try ActionCursor(of: recording, reading: [.steps], backward: true)
        states = LazyStateCursor(on: recording)
    }

    /// Reads the next step. Leaves out those of actions without an operation that is wanted.
    ///
    /// - Returns: `nil` if there are none back to the start.
    func next(where isWanted: (TimedPatches.ScannedOperation) -> Bool) throws(RecordingError) -> Step? {
        while pending.isEmpty {
            guard try readAction(where: isWanted) else { return nil }
        }
        return pending.removeLast()
    }

    /// The number of steps that are left and may have changed a place, and whether each of them did. Parses none.
    func count(touching path: NodePath) throws(RecordingError) -> (count: Int, isExact: Bool) {
        let touching = pending.map { $0.operations.map(\.region).filter { $0.touches(path) } }.filter { !$0.isEmpty }
        var (count, isExact) = (touching.count, touching.joined().allSatisfy(path.contains))
        let place = Array(path.description.utf8)
        while seq > recording.start.seq {
            if unknown.last.map({ seq <= $0.upperBound }) ?? false {
                seq = unknown.removeLast().lowerBound
                (count, isExact) = (count + 1, false)
            } else {
                var last: Int?
                try scan { operation in
                    guard operation.touches(place) else { return }
                    if operation.entry != last { count += 1 }
                    last = operation.entry
                    isExact = isExact && !operation.isEscaped && operation.region.count >= place.count
                }
            }
            seq -= 1
        }
        return (count, isExact)
    }

    /// The state before a step.
    func state(before step: Step) throws(RecordingError) -> Node {
        if let state = computed?.state(at: step.before) { return state }
        return try states.state(at: step.before)
    }

    /// Reads the next action, or the next range of actions whose changes are not known one by one.
    ///
    /// - Returns: Whether there is one.
    private func readAction(where isWanted: (TimedPatches.ScannedOperation) -> Bool) throws(RecordingError) -> Bool {
        guard seq > recording.start.seq else { return false }
        if let progress, seq.isMultiple(of: 4096) {
            progress(Double(position.seq - seq) / Double(position.seq - recording.start.seq))
        }
        defer { seq -= 1 }
        if let range = unknown.last, seq <= range.upperBound {
            unknown.removeLast()
            seq = range.lowerBound
            let (before, last) = (Recording.Position(seq: seq - 1), Recording.Position(seq: range.upperBound))
            let new = try recording.state(at: min(last, position))
            let patch = Patch(from: try states.state(at: before), to: new)
            let origin = ChangeOrigin.oneOf(seq...min(range.upperBound, position.seq))
            pending = [Step(origin: origin, before: before, operations: patch.operations)]
            return true
        }
        var isFound = false
        try scan { isFound = isFound || isWanted($0) }
        if isFound { pending = try steps() }
        return true
    }

    /// Scans the text of the present action's steps.
    private func scan(_ body: (TimedPatches.ScannedOperation) -> Void) throws(RecordingError) {
        try actions.move(to: seq)
        try actions.withSteps { text in
            do {
                try TimedPatches.scan(text, body)
            } catch {
                throw recording.damaged("what its reducers did is not what it should be", seq: seq, cause: error)
            }
        }
    }

    /// The steps of the present action, as far as they lead to the position.
    private func steps() throws(RecordingError) -> [Step] {
        let run = recording.skippedRun(with: seq)
        let entries = try actions.timedPatches()
        let count = seq == position.seq ? position.reducer ?? entries.count : entries.count
        return entries.prefix(count).enumerated().map { index, entry in
            let after = Recording.Position(seq: seq, reducer: entry.duration == nil ? nil : index + 1)
            return Step(
                origin: run.map { .oneOf($0) } ?? .step(after),
                before: run.map { Recording.Position(seq: $0.lowerBound - 1) } ?? after.before,
                operations: entry.patch.operations
            )
        }
    }
}
