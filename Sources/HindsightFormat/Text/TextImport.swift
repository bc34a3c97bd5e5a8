import HindsightSQLite
import HindsightStore
import HindsightTree

/// Builds a private database from a recording in text, so that everything that reads recordings reads it.
///
/// Applies all changes, and so finds the line whose changes do not fit. Costs a pass over the file. Holds a line and a
/// state in memory; SQLite moves what exceeds its cache to a temporary file without a name.
package struct TextImport {
    private let path: String
    private let lines: TextLines
    private let tables: NewTables
    private let header: TextHeader
    private let labels: ReducerLabels

    private var seq: Int
    private var state: Node
    private var knowledge = Knowledge.known
    /// The present run of skipped actions.
    private var skipped: ClosedRange<Int>?
    private var doubtful: DoubtfulStates?
    /// Whether the line of the last dropped action may still come.
    private var mayBeDropped: Bool
    private var isEnded = false

    /// What is known of the present state.
    private enum Knowledge {
        case known
        /// It is not until a change of the whole run, or a whole state.
        case skipped
        /// The process ended before the states were written.
        case lost
    }

    /// The least number of bytes of changes between two whole states.
    private static let keyframeFloor = 1 << 16

    /// Reads a file into a new database.
    ///
    /// - Parameter output: An empty file for the database; `nil` for a private one, which is only read.
    /// - Throws: A ``RecordingError`` with the code `newerFormat`, or `damaged` and the line; `SQLiteError`;
    ///   `SystemError`.
    @discardableResult
    package static func database(of path: String, into output: String? = nil) throws -> Connection {
        let lines: TextLines
        do { lines = try TextLines(path: path) } catch { throw RecordingError(.unreadable, file: path, cause: error) }
        do {
            var run = try TextImport(path, lines, output)
            try run.readLines()
            try run.tables.finish(run.header.facts)
            try run.tables.connection.execute("PRAGMA query_only = ON")
            return run.tables.connection
        } catch let fault as TextFault {
            let (line, reducer) = (max(1, lines.number), fault.reducer)
            throw RecordingError(.damaged, file: path, line: line, reducer: reducer, reason: fault.reason)
        } catch let error as RecordingError {
            var error = error
            if error.code != .newerFormat { error.line = error.line ?? lines.number }
            throw error
        }
    }

    private init(_ path: String, _ lines: TextLines, _ output: String?) throws {
        (self.path, self.lines) = (path, lines)
        guard let line = try Self.next(lines), case .object(let members) = try Self.node(of: line, lines) else {
            throw TextFault("the line that says what the recording is, is missing")
        }
        guard members.first?.key == "hindsight", case .string("recording")? = members.first?.value else {
            throw TextFault("it does not begin with \(TextForm.beginning)")
        }
        header = try TextHeader(members, path: path)
        labels = ReducerLabels(header.reducers)
        let connection = try output.map { try Connection($0, .readWrite) } ?? Connection(path, .temporary)
        tables = try NewTables(connection, keyframeFloor: Self.keyframeFloor)
        try tables.begin(reducers: header.reducers, header.state?.json, at: header.start)
        seq = header.start
        mayBeDropped = seq > 0
        state = header.state ?? .null
        if header.state == nil { knowledge = .lost }
    }

    // MARK: Lines

    /// Returns the next line that is not blank.
    private static func next(_ lines: TextLines) throws -> ArraySlice<UInt8>? {
        while let line = try lines.next() {
            if TextForm.isConflictMarker(line) { throw TextFault(RecordingError.isInConflict) }
            if !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { return line }
        }
        return nil
    }

    private static func node(of line: ArraySlice<UInt8>, _ lines: TextLines) throws -> Node {
        do {
            return try Node(jsonBytes: line)
        } catch {
            if !lines.isEnded { throw TextFault(RecordingError.isCut) }
            throw TextFault("it cannot be read: \(error)")
        }
    }

    private mutating func readLines() throws {
        while let line = try Self.next(lines) {
            guard case .object(let members) = try Self.node(of: line, lines), let first = members.first else {
                throw TextFault("it is no JSON object with members")
            }
            if isEnded { throw TextFault("it stands after the line \(TextForm.end)") }
            switch first.key {
            case "action": try add(try TextAction(members, labels))
            case "state" where members.count == 1: try add(state: first.value)
            case "note": try addNote(members)
            case "end" where members.count == 1: isEnded = true
            default: throw TextFault("it begins with \(Node.string(first.key).json), as no line of a recording does")
            }
        }
        guard isEnded else { throw TextFault(RecordingError.lacksEnd) }
        try endRun()
        try endDoubt()
    }

    // MARK: Actions

    private mutating func add(_ action: TextAction) throws {
        if action.isDropped {
            guard mayBeDropped else {
                throw TextFault("only the first action of a recording with a \"start\" is dropped")
            }
        } else {
            guard seq < RecordingPosition.lastPossibleAction else { throw TextFault("its number is too large") }
            seq += 1
        }
        mayBeDropped = false
        let (parent, overflows) = seq.addingReportingOverflow(action.parent ?? 0)
        guard !overflows else { throw TextFault("its \"parent\" is too far away") }
        if let offset = action.parent, offset == 0 || parent < 1 {
            throw TextFault(offset == 0 ? "its \"parent\" is itself" : "its \"parent\" comes before the first action")
        }
        if !action.isDropped { try note(action) }
        let steps = try steps(of: action)
        let dispatched = DispatchedAction(
            seq: seq,
            parent: action.parent == nil ? nil : parent,
            type: action.type,
            payload: action.payload?.json,
            at: action.at,
            origin: try action.origin.map(Self.origin),
            problem: action.problem,
            thread: ThreadChange(action.thread)
        )
        guard let steps, !action.isDropped else {
            return try tables.insert(dispatched, duration: action.duration, steps: steps?.text)
        }
        let whole = doubtful == nil ? state : nil
        try tables.append(dispatched, duration: action.duration, steps: steps, leadingTo: whole)
    }

    /// Notes whether the action is skipped, and whether the state after it is doubtful.
    private mutating func note(_ action: TextAction) throws {
        if action.isSkipped {
            guard knowledge != .lost else { throw TextFault("the states before this skipped action are missing") }
            skipped = (skipped?.lowerBound ?? seq)...seq
            knowledge = .skipped
        } else {
            try endRun()
        }
        guard let text = action.doubtful, let path = NodePath(text) else { return try endDoubt() }
        if doubtful?.path != path { try endDoubt() }
        doubtful = DoubtfulStates(actions: (doubtful?.actions.lowerBound ?? seq)...seq, path: path)
    }

    /// Applies what the action did.
    ///
    /// - Returns: The text for the column `steps`; `nil` if the state after the action is not known.
    private mutating func steps(of action: TextAction) throws -> TimedPatchText? {
        switch action.effect {
        case .unknown:
            // The process may also have ended before the states after a run of skipped actions were written.
            if !action.isSkipped, !action.isDropped { knowledge = .lost }
            return nil
        case .whole(let patch):
            var entry = TimedPatch(duration: nil, patch: patch)
            if !action.isDropped { entry.patch = try apply(patch, reducer: nil, endsRun: action.isSkipped) }
            return TimedPatches.write([entry])
        case .steps(let times, let changes):
            var entries = times.map { TimedPatch(duration: $0, patch: Patch()) }
            for change in changes { entries[change.reducer - 1].patch = change.patch }
            if !action.isDropped {
                for index in entries.indices {
                    entries[index].patch = try apply(entries[index].patch, reducer: index + 1, endsRun: false)
                }
            }
            return TimedPatches.write(entries)
        }
    }

    /// Applies a change to the present state.
    ///
    /// - Returns: The change with an index in place of each `-`, so that the elements can be followed.
    private mutating func apply(_ patch: Patch, reducer: Int?, endsRun: Bool) throws -> Patch {
        guard knowledge == .known || endsRun else {
            throw TextFault("the state before it is missing")
        }
        var (indexed, run) = (Patch(), PatchRun())
        for operation in patch.operations {
            let operation = operation.indexed(in: state)
            indexed.operations.append(operation)
            guard doubtful == nil else {
                Patch([operation]).applyLeniently(to: &state)
                continue
            }
            do {
                try run.apply(operation, to: &state)
            } catch {
                throw TextFault("its changes do not fit the state before it: \(error)", reducer: reducer)
            }
        }
        if endsRun {
            knowledge = .known
            try endRun()
        }
        return indexed
    }

    private static func origin(_ text: String) throws -> Origin {
        if text == Origin.unknown.description { return .unknown }
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")), let line = Int(text[text.index(after: colon)...])
        else { throw TextFault("its \"origin\" is no file and line, such as App.swift:12") }
        return Origin(file: String(text[..<colon]), line: line)
    }

    // MARK: Other lines

    /// Takes the whole state after the last action, which ends a run of skipped actions or of doubtful states.
    private mutating func add(state whole: Node) throws {
        guard seq > header.start, knowledge != .lost else { throw TextFault("no action before it lacks its state") }
        if knowledge == .known, doubtful == nil, !whole.json.hasSameScalars(as: state.json) {
            throw TextFault("it is not the state to which the changes before it lead")
        }
        state = whole
        knowledge = .known
        try endRun()
        try endDoubt()
        try tables.keep(state.json, at: seq)
    }

    private mutating func endRun() throws {
        guard let run = skipped else { return }
        skipped = nil
        try tables.add(skipped: run)
    }

    private mutating func endDoubt() throws {
        guard let states = doubtful else { return }
        doubtful = nil
        try tables.add(states)
    }

    private func addNote(_ members: [Node.Member]) throws {
        let note = try NoteRow(members, after: seq)
        guard note.reducer ?? 0 <= header.reducers.count else {
            throw TextFault("there is no reducer \(note.reducer ?? 0)")
        }
        do {
            try tables.add(note)
        } catch {
            guard error.code == .constraint else { throw error }
            throw TextFault("another note has its name")
        }
    }
}
