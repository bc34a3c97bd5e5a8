import HindsightFormat
import HindsightRecording
import HindsightTree

extension Recording {
    /// Counts and measures what the recording contains: types of actions, reducers, paths, and what grows.
    ///
    /// ```swift
    /// let statistics = try recording.statistics()
    /// for reducer in statistics.reducers where reducer.changing == 0 {
    ///     print(reducer.name, "never changes anything")
    /// }
    /// ```
    ///
    /// Costs a pass over the bytes of all rows in the range, and a few states.
    ///
    /// - Parameter range: The numbers of the actions; `nil` for all. It may exceed the recording.
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func statistics(in range: ClosedRange<Int>? = nil) throws(RecordingError) -> Statistics {
        let first = max(range?.lowerBound ?? 1, start.seq + 1)
        let last = min(range?.upperBound ?? actionCount, actionCount)
        var count = StatisticsCount(of: self, from: first)
        if first <= last {
            let cursor = try ActionCursor(of: self, reading: [.type, .payload, .duration, .steps])
            try cursor.forEach(in: first...last) { try count.add(cursor, $0) }
        }
        let known = min(first - 1, end.seq)...max(min(first - 1, end.seq), min(last, end.seq))
        return count.statistics(try StateSampler(of: self, in: known))
    }
}

/// Counts action by action.
private struct StatisticsCount {
    private let recording: Recording
    /// The number of the first action.
    private let first: Int
    private var statistics = Statistics()
    private var durations = DurationCount()
    private var reducerDurations: [DurationCount]
    private var types: [ScalarKey: TypeCount] = [:]
    private var paths = PathTally()

    init(of recording: Recording, from first: Int) {
        (self.recording, self.first) = (recording, first)
        reducerDurations = recording.reducers.map { _ in DurationCount() }
        statistics.reducers = recording.reducers.enumerated().map { index, name in
            Statistics.ReducerUse(number: index + 1, name: name)
        }
    }

    /// Counts the action of a cursor.
    mutating func add(_ cursor: ActionCursor, _ seq: Int) throws(RecordingError) {
        var one = Statistics.ActionType(type: "", payloadBytes: try cursor.withPayload(\.count) ?? 0)
        let duration = try cursor.duration()
        let run = recording.skippedRun(with: seq)
        let steps: Void? = try cursor.withSteps { try add($0, seq, run, to: &one) }
        if steps == nil { statistics.unknown += 1 }
        one.type = try cursor.type()
        count(one, duration)
    }

    private mutating func add(
        _ steps: UnsafeBufferPointer<UInt8>,
        _ seq: Int,
        _ run: ClosedRange<Int>?,
        to one: inout Statistics.ActionType
    ) throws(RecordingError) {
        var (changes, bytes, isTravel) = (0, 0, false)
        do {
            try TimedPatches.scan(steps) { operation in
                let reducer = operation.isTimed ? operation.entry + 1 : 0
                paths.add(operation.path, bytes: operation.text.count, reducer: run == nil ? reducer : nil)
            } end: { entry in
                changes += entry.operations
                bytes += entry.bytes
                guard let duration = try entry.nanoseconds() else {
                    isTravel = run == nil
                    return
                }
                guard entry.index < reducerDurations.count else { return }
                reducerDurations[entry.index].add(duration)
                statistics.reducers[entry.index].changing += entry.operations > 0 ? 1 : 0
                statistics.reducers[entry.index].operations += entry.operations
                statistics.reducers[entry.index].changeBytes += entry.bytes
            }
        } catch {
            let place = (error as? TreeError)?.offset.map { " (byte \($0) of the text)" } ?? ""
            let reason = "expected an array with what each reducer did" + place
            let what = "what its reducers did is not what it should be: \(reason)"
            throw recording.damaged(what, seq: seq, cause: error)
        }
        if isTravel { statistics.travels += 1 }
        if let run {
            // The rows of the run before this one were counted as unknown.
            let before = seq - max(run.lowerBound, first)
            statistics.bridged += before + 1
            statistics.unknown -= before
            return
        }
        (one.known, one.changing, one.changeBytes) = (1, changes > 0 ? 1 : 0, bytes)
    }

    private mutating func count(_ one: Statistics.ActionType, _ duration: Int64?) {
        let new = TypeCount(use: Statistics.ActionType(type: one.type))
        types[ScalarKey(one.type), default: new].add(one, duration)
        statistics.actions += 1
        if let duration { durations.add(duration) } else { statistics.unfinished += 1 }
    }

    func statistics(_ samples: StateSampler) -> Statistics {
        var statistics = statistics
        statistics.durations = durations.durations
        statistics.types = types.values.map { one in
            var use = one.use
            use.durations = one.durations.durations
            return use
        }.sorted { ($1.count, $0.type) < ($0.count, $1.type) }
        for (index, count) in reducerDurations.enumerated() { statistics.reducers[index].durations = count.durations }
        (statistics.paths, statistics.otherOperations) = (paths.paths, paths.others)
        (statistics.sizes, statistics.growth) = (samples.sizes, samples.growth)
        return statistics
    }
}

/// Counts the actions of one type.
private struct TypeCount {
    var use: Statistics.ActionType
    var durations = DurationCount()

    /// - Parameter one: The use by one action.
    mutating func add(_ one: Statistics.ActionType, _ duration: Int64?) {
        use.count += 1
        use.payloadBytes += one.payloadBytes
        use.known += one.known
        use.changing += one.changing
        use.changeBytes += one.changeBytes
        if let duration { durations.add(duration) }
    }
}
