import HindsightFormat
import HindsightTree

/// Follows a store's states, writes the changes as the text of patches, and adds a keyframe when one is due.
///
/// The writer has one on its own thread. The dispatching threads have one if states may hold class instances, which can
/// change before the writer reads them.
final class StateDiffer<StateValue: Codable & Sendable> {
    let finder: ChangeFinder<StateValue>
    /// The action that led to the state that was followed last.
    private(set) var lastSeq = 0
    private var rule: KeyframeRule
    private var steps = TimedPatchWriter()
    private let redactor: Redactor

    /// - Parameter writesText: See ``ChangeFinder``.
    init(_ rule: KeyframeRule, _ redactor: Redactor, writesText: Bool) {
        self.rule = rule
        self.redactor = redactor
        finder = ChangeFinder(redactor: redactor, writesText: writesText)
    }

    /// The estimated size of the present state's text in bytes.
    var stateBytes: Int { rule.stateBytes }

    /// Notes a keyframe by the size of its text.
    func keep(_ bytes: Int) { rule.keep(bytes) }

    /// Starts with a state that is recorded as `text`.
    ///
    /// - Parameter looking: Whether to look for class instances even if the type reveals none.
    /// - Returns: The error to report if `encode(to:)` is impure; `nil` if it is pure.
    func follow(
        from state: StateValue,
        _ text: String,
        after seq: Int,
        lookingForInstances looking: Bool = false
    ) throws -> RecordingError? {
        if let impurity = try impurity(of: state, writtenAs: text) {
            finder.follow(from: state, writtenAs: try Node(json: text))
            return impurity
        }
        try naming(seq, redactor) { try finder.follow(from: state, lookingForInstances: looking) }
        return nil
    }

    /// Adds the changes that lead to a state: those of a reducer, or, without one, of time travel or skipped actions.
    func add(_ state: StateValue, after seq: Int, reducer: Int? = nil, _ duration: Int64? = nil) throws {
        lastSeq = seq
        let patch = try naming(seq, reducer: reducer, redactor) { try finder.patch(to: state) }
        steps.add(duration, patch)
    }

    /// Ends an action: returns the changes that were added for it, and the keyframe after it if one is due.
    func finish(after seq: Int, _ duration: Int64 = 0, payloadBytes: Int = 0) throws -> ActionChanges {
        let written = steps.finish()
        steps.clear()
        var changes = ActionChanges(duration: duration, steps: written.text)
        let rowBytes = written.text.utf8.count + payloadBytes
        guard rule.isDue(after: written.operationBytes, growth: written.growth, rowBytes: rowBytes),
            let state = finder.lastFollowed
        else {
            return changes
        }
        let keyframe = try text(of: state, after: seq)
        keep(keyframe.utf8.count)
        changes.keyframe = keyframe
        return changes
    }

    /// The first place at which two states differ in content; `nil` if they do not.
    func firstDifference(from old: StateValue, to new: StateValue, after seq: Int) throws -> NodePath? {
        let finder = ChangeFinder<StateValue>(redactor: redactor)
        return try naming(seq, redactor) { try finder.patch(from: old, to: new) }.operations.first?.path
    }

    /// The whole state as text.
    func text(of state: StateValue, after seq: Int) throws -> String {
        try naming(seq, redactor) { try TextEncoder.text(of: state, redactor: redactor) }
    }

    /// Encodes a state again to check that its `encode(to:)` writes the same text; `nil` if it does, or if the state is
    /// too large to check.
    func impurity(of state: StateValue, writtenAs text: String) throws -> RecordingError? {
        guard text.utf8.count <= SelfAudit.maxStateBytes else { return nil }
        let again = try self.text(of: state, after: 0)
        if again.hasSameScalars(as: text) { return nil }
        let difference = Patch(from: try Node(json: text), to: try Node(json: again))
        let place = difference.operations.first?.path
        let type = TypeAtPath.name(place ?? NodePath(), in: state)
        return RecordingError(.impureEncoding, type: type, path: place)
    }
}

/// Runs `body`, which encodes a state, and adds the action and the reducer to its error.
func naming<Result>(
    _ seq: Int,
    reducer: Int? = nil,
    _ redactor: Redactor,
    _ body: () throws -> Result
) throws -> Result {
    do {
        return try body()
    } catch {
        let place = (error as? TreeError)?.path
        throw RecordingError(.unencodableState, seq: seq, reducer: reducer, path: place, cause: error)
            .withoutValues(redactor)
    }
}
