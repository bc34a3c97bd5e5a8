import HindsightFormat
import HindsightSQLite
import HindsightTree

/// A state out of a recording that can be moved through its time.
///
/// Moving costs what changed in between, or, where that is nearer, the way from a whole state in the file.
package final class StateCursor {
    /// Where the cursor stands.
    package private(set) var position: Position
    /// The state at ``position``.
    package private(set) var state: Node

    private let recording: Recording
    private let forward: Statement
    private let backward: Statement
    private let keyframe: Statement
    /// Whether ``state`` is right. It is not once a move has failed halfway.
    private var isSound = false

    /// Reading a whole state is taken for as dear as the changes of this many actions.
    private static let keyframeCost = 64

    /// Creates a cursor and reads the state at `position`.
    ///
    /// - Throws: A ``RecordingError``: `positionOutOfRange`, `empty`, `damaged` or `unreadable`.
    package init(on recording: Recording, at position: Position) throws {
        self.recording = recording
        self.position = position
        state = .null
        let connection = recording.file.connection
        let between = "SELECT seq, steps FROM action WHERE seq BETWEEN ? AND ? ORDER BY seq"
        do {
            forward = try connection.prepare(between)
            backward = try connection.prepare("\(between) DESC")
            keyframe = try connection.prepare(
                "SELECT seq, state FROM keyframe WHERE seq <= ? ORDER BY seq DESC LIMIT 1"
            )
        } catch {
            throw Reports(path: recording.url.path).failure(error)
        }
        try move(to: position)
    }

    /// Moves to another position.
    ///
    /// - Throws: A ``RecordingError``: `positionOutOfRange`, and the cursor stays where it was; `damaged` or
    ///   `unreadable`, and the next move starts from a whole state.
    package func move(to target: Position) throws {
        try recording.check(target)
        let wasSound = isSound
        isSound = false
        let body = { try self.walk(to: target, wasSound: wasSound) }
        try recording.file.reading {
            // Beside a recorder all must be of one moment.
            try recording.isLive ? recording.file.connection.snapshot(body) : body()
        }
        position = target
        isSound = true
    }

    // MARK: Steps

    private func walk(to target: Position, wasSound: Bool) throws {
        defer {
            forward.reset()
            backward.reset()
            keyframe.reset()
        }
        let start = Position(seq: try recording.presentStart())
        guard target >= start else {
            isSound = wasSound
            throw recording.goneMeanwhile(target.description, start.seq)
        }
        // Nothing leads on from what was dropped meanwhile, nor across states that were left out.
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

    private func seekKeyframe(before target: Position) throws -> Int {
        // A whole state is that after all of an action's reducers.
        try keyframe.bind(target.reducer == nil ? target.seq : target.seq - 1, at: 1)
        guard try keyframe.step() else {
            throw recording.file.damaged("there is no whole state at or before \(target)")
        }
        return Int(try keyframe.integer(0))
    }

    private func load(_ seq: Int) throws {
        state = try recording.file.node(keyframe, 1, "the whole state", seq: seq)
        position = Position(seq: seq)
    }

    private func apply(upTo target: Position) throws {
        var rows = try bind(forward, position, target)
        while try forward.step() {
            try rows.passFirst(Int(try forward.integer(0)), recording.file)
            for (seq, step, patch) in try changes(in: forward, after: position, upTo: target) {
                if recording.bounds.doubt(at: Position(seq: seq, reducer: max(1, step))) != nil {
                    patch.applyLeniently(to: &state)
                } else {
                    try change(seq, step) { try patch.apply(to: &state) }
                }
            }
        }
        try rows.end(recording.file)
    }

    private func undo(downTo target: Position) throws {
        var rows = try bind(backward, target, position)
        while try backward.step() {
            try rows.passLast(Int(try backward.integer(0)), recording.file)
            for (seq, step, patch) in try changes(in: backward, after: target, upTo: position).reversed() {
                try change(seq, step) { try patch.undo(on: &state) }
            }
        }
        try rows.end(recording.file)
    }

    private func bind(_ row: borrowing Statement, _ low: Position, _ high: Position) throws -> RowsBetween {
        let rows = RowsBetween(low, high)
        try row.bind(rows.first, at: 1)
        try row.bind(rows.last, at: 2)
        return rows
    }

    /// What changed in the action of a row between two positions.
    private func changes(
        in row: borrowing Statement,
        after low: Position,
        upTo high: Position
    ) throws -> [(seq: Int, reducer: Int, patch: Patch)] {
        let seq = Int(try row.integer(0))
        // Only the last of a run of actions without states has what they changed.
        if row.isNull(1), Position(seq: seq, reducer: 1) <= high, recording.bounds.run(of: seq) == nil {
            throw recording.file.damaged("what its reducers did is missing", seq: seq)
        }
        return try recording.file.steps(row, 1, seq: seq).compactMap { step in
            // Time travel, which is no reducer's, comes at once.
            let place = Position(seq: seq, reducer: max(1, step.reducer))
            guard let patch = step.patch, low < place, place <= high else { return nil }
            return (seq, step.reducer, patch)
        }
    }

    private func change(_ seq: Int, _ reducer: Int, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            throw recording.file.damaged(
                "its patch does not fit the state: \(error)",
                seq: seq,
                reducer: reducer,
                cause: error
            )
        }
    }
}
