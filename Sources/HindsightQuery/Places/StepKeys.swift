import HindsightFormat
import HindsightRecording
import HindsightTree

/// Numbers the steps of a recording, so that a later step has a larger number.
struct StepKeys: Equatable {
    /// The number of keys of an action: one before the first reducer, one for each reducer, and one for a step without a
    /// reducer.
    let stride: Int

    init(reducerCount: Int) { stride = reducerCount + 2 }

    /// The key of an entry in an action's steps.
    func key(_ seq: Int, entry: Int, isTimed: Bool) -> Int {
        seq * stride + (isTimed ? min(entry + 1, stride - 1) : stride - 1)
    }

    /// The last key at or before a position.
    func last(upTo position: Recording.Position) -> Int {
        position.seq * stride + min(position.reducer ?? stride - 1, stride - 1)
    }

    func seq(_ key: Int) -> Int { key / stride }

    /// The position after the step.
    func position(_ key: Int) -> Recording.Position {
        let place = key % stride
        return Recording.Position(seq: key / stride, reducer: place == stride - 1 ? nil : place)
    }

    /// The keys of all actions of a range.
    func keys(of actions: ClosedRange<Int>) -> ClosedRange<Int> {
        actions.lowerBound * stride...actions.upperBound * stride + stride - 1
    }
}

/// Reads what single steps of a recording changed. Keeps the steps of the last action.
final class StepReader {
    private let recording: Recording
    private let keys: StepKeys
    private var present: (seq: Int, entries: [TimedPatch])?

    init(_ recording: Recording, _ keys: StepKeys) {
        (self.recording, self.keys) = (recording, keys)
    }

    /// The operations of a step, in order.
    func operations(_ key: Int) throws(RecordingError) -> [Patch.Operation] {
        let seq = keys.seq(key)
        if present?.seq != seq { present = (seq, try recording.timedPatches(of: seq)) }
        var operations: [Patch.Operation] = []
        for (index, entry) in (present?.entries ?? []).enumerated()
        where keys.key(seq, entry: index, isTimed: entry.duration != nil) == key {
            operations += entry.patch.operations
        }
        return operations
    }
}
