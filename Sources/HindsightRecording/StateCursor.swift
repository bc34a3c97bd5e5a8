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
        let between = """
            \(StepRow.selection) WHERE patch IS NOT NULL AND (seq, reducer) > (?, ?) AND (seq, reducer) <= (?, ?)
            """
        do {
            forward = try connection.prepare("\(between) ORDER BY seq, reducer")
            backward = try connection.prepare("\(between) ORDER BY seq DESC, reducer DESC")
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
        try recording.file.reading {
            defer {
                forward.reset()
                backward.reset()
                keyframe.reset()
            }
            let distance = wasSound ? abs(target.seq - position.seq) : .max
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
        position = target
        isSound = true
    }

    // MARK: Steps

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
        try bind(forward, after: position, upTo: target)
        while try forward.step() { try change(by: forward) { try $0.apply(to: &$1) } }
    }

    private func undo(downTo target: Position) throws {
        try bind(backward, after: target, upTo: position)
        while try backward.step() { try change(by: backward) { try $0.undo(on: &$1) } }
    }

    private func bind(_ row: borrowing Statement, after low: Position, upTo high: Position) throws {
        try row.bind(low.seq, at: 1)
        try row.bind(low.reducer ?? .max, at: 2)
        try row.bind(high.seq, at: 3)
        try row.bind(high.reducer ?? .max, at: 4)
    }

    private func change(by row: borrowing Statement, _ how: (Patch, inout Node) throws -> Void) throws {
        let (seq, step) = try StepRow.read(row, recording.file)
        guard let patch = step.patch else { return }
        do {
            try how(patch, &state)
        } catch {
            throw recording.file.damaged(
                "its patch does not fit the state: \(error)",
                seq: seq,
                reducer: step.reducer,
                cause: error
            )
        }
    }
}
