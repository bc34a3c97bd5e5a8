import HindsightFormat
import HindsightSQLite
import HindsightStore
import HindsightSupport
import HindsightTree

/// Copies a part of a recording into a database, with numbers from 1.
final class CutRun {
    private let recording: Recording
    /// The position of the first state, and the last action.
    private let first: Int
    private let last: Int
    private let connection: Connection
    private let output: RowWriter
    private let selectSteps: Statement
    private let selectKeyframe: Statement
    /// Goes through the part to find damage.
    private let cursor: StateCursor
    /// The actions that a keyframe follows.
    private let wholeStates: Set<Int>

    private typealias Row = (action: DispatchedAction, duration: Int64?, steps: String?, keyframe: String?)

    /// The largest number of rows, and of bytes, in a batch.
    private static let batch = (rows: 500, bytes: 8 << 20)

    /// - Parameter path: An empty file.
    init(of recording: Recording, from first: Int, to last: Int, into path: String) throws {
        (self.recording, self.first, self.last) = (recording, first, last)
        connection = try Connection(path, .readWrite)
        try connection.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
        for sql in Schema.creation { try connection.execute(sql) }
        output = try RowWriter(connection)
        selectSteps = try recording.file.connection.prepare("SELECT steps FROM action WHERE seq = ?")
        selectKeyframe = try recording.file.connection.prepare("SELECT seq, state FROM keyframe WHERE seq = ?")
        cursor = try StateCursor(on: recording, at: Recording.Position(seq: first))
        wholeStates = Set(try recording.wholeStates())
    }

    func run(_ progress: (Int) throws -> Void) throws -> CutOrigin {
        let state = cursor.state.json
        try connection.transaction { () throws(SQLiteError) in
            try NewRecording.writeReducers(recording.reducers, connection)
            try output.keep(state, at: 0)
        }
        try writeActions(progress)
        try writeRanges()
        try writeNotes()
        // The data must be on the disk before the file has its name.
        try connection.execute("PRAGMA synchronous = FULL")
        let part = try RecordingPart(of: recording, first...last)
        var metadata = Metadata()
        try recording.file.reading { try metadata.read(from: recording.file.connection) }
        let facts = try part.facts(metadata.values)
        try connection.transaction { () throws(SQLiteError) in try Metadata.write(facts, to: connection) }
        return part.origin
    }

    // MARK: Actions

    private func writeActions(_ progress: (Int) throws -> Void) throws {
        guard first < last else { return }
        var entries = try recording.entries(in: first + 1...last, withSteps: false)
        var rows: [Row] = []
        var bytes = 0
        func flush() throws(SQLiteError) {
            let batch = rows
            (rows, bytes) = ([], 0)
            try output.transaction { () throws(SQLiteError) in
                for row in batch {
                    try output.insert(row.action, duration: row.duration, steps: row.steps, keyframe: row.keyframe)
                }
            }
        }
        while let (action, _) = try entries.next() {
            let keyframe = try keyframe(after: action.seq)
            let row = (dispatched(action), action.durationInNanoseconds, try steps(of: action.seq), keyframe?.text)
            try check(action.seq, keyframe?.state)
            bytes += [row.0.payload, row.2, row.3].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
            rows.append(row)
            if rows.count >= Self.batch.rows || bytes >= Self.batch.bytes { try flush() }
            try progress(action.seq)
        }
        try flush()
    }

    /// The text of the steps, which the part has unchanged.
    private func steps(of seq: Int) throws(RecordingError) -> String? {
        try recording.file.reading(seq: seq) {
            defer { selectSteps.reset() }
            try selectSteps.bind(seq, at: 1)
            return try selectSteps.step() ? selectSteps.optionalText(0) : nil
        }
    }

    /// The keyframe after an action.
    private func keyframe(after seq: Int) throws(RecordingError) -> (state: Node, text: String)? {
        guard wholeStates.contains(seq) else { return nil }
        return try recording.file.reading(seq: seq) {
            defer { selectKeyframe.reset() }
            try selectKeyframe.bind(seq, at: 1)
            guard try selectKeyframe.step() else { return nil }
            return (try recording.file.wholeState(selectKeyframe, 1, seq: seq), try selectKeyframe.text(1))
        }
    }

    /// Applies the changes of an action, so that damage is not copied.
    private func check(_ seq: Int, _ keyframe: Node?) throws(RecordingError) {
        let position = Recording.Position(seq: seq)
        guard recording.absence(at: position) == nil, recording.doubtfulStates(at: position) == nil else { return }
        try cursor.move(to: position)
        guard let keyframe, keyframe != cursor.state else { return }
        throw recording.file.damaged("the keyframe differs from the state to which the changes lead", seq: seq)
    }

    private func dispatched(_ action: RecordedAction) -> DispatchedAction {
        var problem = action.problem
        if action.isTravel, first > 0, let text = problem { problem = text + " (Numbered as before the cut.)" }
        return DispatchedAction(
            seq: action.seq - first,
            parent: action.parent.flatMap(number),
            type: action.type,
            payload: action.payload?.json,
            at: action.nanosecondsSinceEpoch,
            origin: action.source,
            problem: problem,
            thread: ThreadChange(action.thread)
        )
    }

    /// The number of an action in the part; `nil` if the part does not have it.
    private func number(of seq: Int) -> Int? {
        first + 1...max(first + 1, last) ~= seq && seq <= last ? seq - first : nil
    }

    // MARK: Other tables

    /// Writes the runs without states, and the doubtful states.
    private func writeRanges() throws {
        func part(_ range: ClosedRange<Int>) -> ClosedRange<Int>? {
            let (low, high) = (max(range.lowerBound, first + 1), min(range.upperBound, last))
            return low <= high ? low - first...high - first : nil
        }
        for run in recording.skipped.compactMap(part) {
            try RunTable.add(skipped: run, to: connection)
        }
        for states in recording.doubtful {
            guard let actions = part(states.actions) else { continue }
            try RunTable.add(DoubtfulStates(actions: actions, path: states.path), to: connection)
        }
    }

    private func writeNotes() throws {
        let row = try recording.file.reading { try recording.file.connection.prepare(TextNote.selection) }
        try row.bind(first, at: 1)
        while var note = try recording.file.reading({ try row.step() ? TextNote(row) : nil }) {
            // A note within the action before the first state has no place.
            guard note.seq <= last, note.seq > first || note.reducer == nil else { continue }
            note.seq -= first
            try note.insert(into: connection)
        }
    }
}
