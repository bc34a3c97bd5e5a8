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

    private let forward: Statement
    private let backward: Statement
    private let keyframe: Statement
    /// Whether ``state`` is valid. It is not after a move that failed halfway.
    private var isSound = false

    /// The number of actions whose changes cost about as much as reading a keyframe.
    private static let keyframeCost = 64

    /// Creates a cursor, and reads the state at `position`. Costs as much as ``Recording/state(at:)``.
    ///
    /// - Throws: A `RecordingError` with the code `positionOutOfRange`, `empty`, `damaged` or `unreadable`.
    public init(on recording: Recording, at position: Recording.Position) throws(RecordingError) {
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
            forward.reset()
            backward.reset()
            keyframe.reset()
        }
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
        try keyframe.bind(target.reducer == nil ? target.seq : target.seq - 1, at: 1)
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
        var rows = try bind(forward, position, target)
        while try forward.step() {
            try rows.passFirst(Int(try forward.integer(0)), recording.file)
            for (seq, step, patch) in try changes(in: forward, after: position, upTo: target) {
                if recording.bounds.doubtfulStates(at: Recording.Position(seq: seq, reducer: max(1, step))) != nil {
                    patch.applyLeniently(to: &state)
                } else {
                    try change(seq, step) { try patch.apply(to: &state) }
                }
            }
        }
        try rows.end(recording.file)
    }

    private func undo(downTo target: Recording.Position) throws {
        var rows = try bind(backward, target, position)
        while try backward.step() {
            try rows.passLast(Int(try backward.integer(0)), recording.file)
            for (seq, step, patch) in try changes(in: backward, after: target, upTo: position).reversed() {
                try change(seq, step) { try patch.undo(on: &state) }
            }
        }
        try rows.end(recording.file)
    }

    private func bind(_ row: borrowing Statement, _ low: Recording.Position, _ high: Recording.Position) throws
        -> RowsBetween
    {
        let rows = RowsBetween(low, high)
        try row.bind(rows.first, at: 1)
        try row.bind(rows.last, at: 2)
        return rows
    }

    /// The changes of an action between two positions.
    private func changes(
        in row: borrowing Statement,
        after low: Recording.Position,
        upTo high: Recording.Position
    ) throws -> [(seq: Int, reducer: Int, patch: Patch)] {
        let seq = Int(try row.integer(0))
        // Only the last of a run of actions without states has what they changed.
        if row.isNull(1), Recording.Position(seq: seq, reducer: 1) <= high, recording.bounds.run(of: seq) == nil {
            throw recording.file.damaged("what its reducers did is missing", seq: seq)
        }
        return try recording.file.steps(row, 1, seq: seq).compactMap { step in
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
            throw recording.file.damaged(
                "its patch does not fit the state: \(error)",
                seq: seq,
                reducer: reducer,
                cause: error
            )
        }
    }
}

/// Checks that the rows of all actions between two positions come, in order.
///
/// In a damaged file, SQLite may skip rows, and the patches of the others may still fit.
private struct RowsBetween {
    private(set) var first: Int
    private(set) var last: Int
    /// Whether the last row may be missing, because that action's changes are not needed, and it may be only in the
    /// journal.
    private var lastIsOptional: Bool

    init(_ low: Recording.Position, _ high: Recording.Position) {
        first = low.reducer == nil ? low.seq + 1 : low.seq
        last = high.seq
        lastIsOptional = high.reducer == 0
    }

    /// Checks a row, going forward.
    mutating func passFirst(_ seq: Int, _ file: ReadableFile) throws {
        guard seq == first else { throw gap(at: first, found: seq, file) }
        first += 1
    }

    /// Checks a row, going backward.
    mutating func passLast(_ seq: Int, _ file: ReadableFile) throws {
        guard seq == last || lastIsOptional && seq == last - 1 else { throw gap(at: last, found: seq, file) }
        last = seq - 1
        lastIsOptional = false
    }

    /// Checks that all rows have come.
    func end(_ file: ReadableFile) throws {
        guard first > last || lastIsOptional && first == last else { throw gap(at: first, found: nil, file) }
    }

    private func gap(at seq: Int, found: Int?, _ file: ReadableFile) -> RecordingError {
        let isStray = found.map { !(first...max(first, last) ~= $0) } ?? false
        return isStray
            ? file.damaged("its actions are not in their order", seq: found) : file.damaged("it is missing", seq: seq)
    }
}
