import HindsightFormat
import HindsightSQLite
import HindsightTree

/// A recorded state that moves through time.
///
/// ```swift
/// let cursor = try StateCursor(on: recording, at: recording.start)
/// while try cursor.stepForward(by: .reducer) {
///     print(cursor.position, cursor.state["total"]?.json ?? "none")
/// }
/// ```
///
/// Moving costs the changes in between, or those from a keyframe if it is nearer. To read many states in order, use a
/// cursor; ``Recording/state(at:)`` begins at a keyframe each time.
///
/// Use a cursor on the thread of its recording. If you ``Recording/refresh()`` the recording, the cursor reaches the
/// new states too.
public final class StateCursor {
    /// The position of the cursor.
    public private(set) var position: Recording.Position
    /// The state at ``position``.
    public private(set) var state: Node
    /// The recording.
    public let recording: Recording

    private let actions: ActionCursor
    private let keyframe: Statement
    /// Whether ``state`` is valid. It is not after a move that failed halfway.
    private(set) var isSound = false

    /// The number of actions whose changes cost about as much as reading a keyframe.
    private static let keyframeCost = 64

    /// Creates a cursor, and reads the state at `position`. Costs as much as ``Recording/state(at:)``.
    ///
    /// - Throws: A `RecordingError` with the code `positionOutOfRange`, `empty`, `damaged` or `unreadable`.
    public init(on recording: Recording, at position: Recording.Position) throws(RecordingError) {
        self.recording = recording
        self.position = position
        state = .null
        actions = try ActionCursor(of: recording, reading: [.steps])
        keyframe = try recording.file.reading {
            let nearest = "SELECT seq, state FROM keyframe WHERE seq <= ? ORDER BY seq DESC LIMIT 1"
            return try recording.file.connection.prepare(nearest)
        }
        try move(to: position)
    }

    /// Moves to another position.
    ///
    /// - Throws: A `RecordingError` with the code `positionOutOfRange`, after which the cursor stays at its position;
    ///   or `damaged` or `unreadable`, after which ``state`` is not valid until a move succeeds, which starts from a
    ///   keyframe.
    public func move(to target: Recording.Position) throws(RecordingError) {
        try recording.check(target)
        let wasSound = isSound
        isSound = false
        let body = { try self.walk(to: target, wasSound: wasSound) }
        try recording.file.reading {
            // While a recorder is writing, all reads must see one snapshot.
            try recording.isLive ? recording.file.connection.snapshot(body) : body()
        }
        position = target
        isSound = true
    }

    /// Moves to another position, from a keyframe and not from ``state``.
    ///
    /// - Throws: The errors of ``move(to:)``.
    package func reload(at target: Recording.Position) throws(RecordingError) {
        isSound = false
        state = .null
        try move(to: target)
    }

    // MARK: Steps

    private func walk(to target: Recording.Position, wasSound: Bool) throws {
        defer {
            actions.release()
            keyframe.reset()
        }
        let target = recording.bounds.withoutLastReducer(target)
        let start = Recording.Position(seq: try recording.presentStart())
        guard target >= start else {
            isSound = wasSound
            throw recording.goneMeanwhile(target.description, start.seq)
        }
        // Changes do not lead across actions that were dropped meanwhile, nor across runs without states.
        let isLed = wasSound && position >= start && !recording.bounds.hasGap(between: position, and: target)
        let distance = isLed ? abs(target.seq - position.seq) : .max
        if distance > Self.keyframeCost {
            let base = try seekKeyframe(before: target)
            if distance > target.seq - base + Self.keyframeCost { try load(base) }
        }
        if position < target {
            try apply(upTo: target)
        } else {
            try undo(downTo: target)
        }
    }

    private func seekKeyframe(before target: Recording.Position) throws -> Int {
        // A keyframe is the state after all reducers of an action.
        try keyframe.bind(target.lastWhole, at: 1)
        guard try keyframe.step() else {
            throw recording.file.damaged("there is no keyframe at or before \(target)")
        }
        return Int(try keyframe.integer(0))
    }

    private func load(_ seq: Int) throws {
        state = try recording.file.wholeState(keyframe, 1, seq: seq)
        position = Recording.Position(seq: seq)
    }

    private func apply(upTo target: Recording.Position) throws {
        for number in Self.actions(after: position, upTo: target) {
            for (seq, step, patch) in try changes(in: number, after: position, upTo: target) {
                if recording.bounds.doubtfulStates(at: Recording.Position(seq: seq, reducer: max(1, step))) != nil {
                    patch.applyLeniently(to: &state)
                } else {
                    try change(seq, step) { try patch.apply(to: &state) }
                }
            }
        }
    }

    private func undo(downTo target: Recording.Position) throws {
        for number in Self.actions(after: target, upTo: position).reversed() {
            for (seq, step, patch) in try changes(in: number, after: target, upTo: position).reversed() {
                try change(seq, step) { try patch.undo(on: &state) }
            }
        }
    }

    /// The actions that have changes between two positions. All of them must be in the file: the patches of the others
    /// may fit without those of one that a damaged file has lost.
    private static func actions(after low: Recording.Position, upTo high: Recording.Position) -> Range<Int> {
        // Before its first reducer, an action has changed nothing, and may be only in the journal.
        low.lastWhole + 1..<max(low.lastWhole, high.lastBegun) + 1
    }

    /// The changes of an action between two positions.
    private func changes(
        in seq: Int,
        after low: Recording.Position,
        upTo high: Recording.Position
    ) throws -> [(seq: Int, reducer: Int, patch: Patch)] {
        try actions.move(to: seq)
        guard let steps = try actions.steps() else {
            // Only the last of a run of actions without states has what they changed.
            if Recording.Position(seq: seq, reducer: 1) > high || recording.bounds.run(of: seq) != nil { return [] }
            throw recording.file.damaged("what its reducers did is missing", seq: seq)
        }
        return steps.compactMap { step in
            // Time travel has one step without a reducer.
            let place = Recording.Position(seq: seq, reducer: max(1, step.reducer))
            guard let patch = step.patch, low < place, place <= high else { return nil }
            return (seq, step.reducer, patch)
        }
    }

    private func change(_ seq: Int, _ reducer: Int, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            throw recording.patchFailure(error, seq: seq, reducer: reducer)
        }
    }
}
