import HindsightSQLite
import HindsightTree

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The output of a recorder: all that the recorder knows of the disk. One thread at a time.
final class RecordingFile {
    /// What an action did.
    struct Effect {
        var duration: Int64
        /// What each reducer did, as text.
        var steps: String
        /// The bytes of it that are operations.
        var operationBytes: Int
        /// By how many bytes the state's text grew.
        var growth: Int
        /// The whole state after it, where that is to be kept.
        var keyframe: String?

        init(_ steps: [TimedPatch], keyframe: String? = nil) {
            self.init(
                duration: steps.reduce(0) { $0 + ($1.duration ?? 0) },
                TimedPatches.write(steps),
                keyframe: keyframe
            )
        }

        init(duration: Int64, _ steps: TimedPatchText, keyframe: String?) {
            self.duration = duration
            (self.steps, operationBytes, growth) = (steps.text, steps.operationBytes, steps.growth)
            self.keyframe = keyframe
        }

        /// Takes what is written already.
        init(text: String, duration: Int64) {
            self.duration = duration
            steps = text
            (operationBytes, growth) = (0, 0)
        }
    }

    /// An action and what is known of it.
    struct Row {
        var action: DispatchedAction
        /// `nil` where it never finished.
        var duration: Int64?
        /// `nil` where the states after it are not known.
        var effect: Effect?
        /// Whether the states after it were left out, since the recorder was behind. An effect is then that of the whole run
        /// whose last action it is.
        var isSkipped = false
        init(action: DispatchedAction, effect: Effect?) {
            self.action = action
            self.effect = effect
            duration = effect?.duration
        }

        init(action: DispatchedAction, duration: Int64?) {
            self.action = action
            self.duration = duration
        }
    }

    let path: String
    let connection: Connection
    private let insertAction: Statement
    private let insertKeyframe: Statement
    private let adoptAction: Statement
    private var names: NameTable
    /// What hides parts of what is written here; `nil` where it was hidden before.
    private let redactors: Redactors?
    private var writtenFields = 0
    /// `nil` where nothing is said of it yet.
    private var writtenMet: Int?
    private var skipped = SkippedTable()

    /// The files as they were when the recording began.
    private var footing: Footing?
    /// Whether it says that it was closed.
    private var isComplete = false

    /// Whether something that was to be written could not be, and is in the journal alone.
    var isBroken = false

    /// Creates the file, its tables and views.
    ///
    /// - Throws: A ``RecordingError``: `exists` or `unwritable`.
    init(path: String, app: AppInfo, redactors: Redactors, _ options: RecorderOptions) throws {
        self.path = path
        self.redactors = redactors
        try NewFile.create(path, overwrite: options.overwrite)
        do {
            connection = try Connection(path, .readWrite)
            try Self.fill(connection, app, redactors, options.limit)
            try Self.writeAhead(connection, options)
            insertAction = try connection.prepare(Self.insertingAction)
            insertKeyframe = try connection.prepare(Self.insertingKeyframe)
            adoptAction = try connection.prepare(Self.adoptingAction)
            names = try NameTable(connection, limit: options.limit.nameCount)
        } catch {
            NewFile.remove(path)
            throw RecordingError(.unwritable, file: path, cause: error)
        }
    }

    /// Goes on with a file whose recorder is gone. The caller sees to it that nobody else writes it.
    init(goingOnWith connection: Connection) throws(SQLiteError) {
        path = connection.path
        self.connection = connection
        redactors = nil
        insertAction = try connection.prepare(Self.insertingAction)
        insertKeyframe = try connection.prepare(Self.insertingKeyframe)
        adoptAction = try connection.prepare(Self.adoptingAction)
        names = try NameTable(connection)
    }

    private static let insertingAction = """
        INSERT INTO action(seq, parent, type, payload, at, file, line, problem, duration, steps)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    private static let insertingKeyframe = "INSERT INTO keyframe(seq, state) VALUES (?, ?)"
    private static let adoptingAction = "UPDATE action SET parent = ? WHERE seq = ?"

    private static func fill(
        _ connection: Connection,
        _ app: AppInfo,
        _ redactors: Redactors,
        _ limit: RecordingLimit
    ) throws(SQLiteError) {
        if !limit.isNone { try TrimmableFile.prepare(connection) }
        // Nothing can be lost yet, so nothing is waited for.
        try connection.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
        try connection.transaction { () throws(SQLiteError) in
            for sql in Schema.creation {
                try connection.execute(sql)
            }
            if !limit.isNone || !redactors.redaction.isEmpty {
                try Schema.raise(to: Schema.partialVersion, connection)
            }
            var facts = [("app", app.name), ("version", app.version), ("platform", Platform.description)]
            if !redactors.redaction.isEmpty { facts.append((Redactors.patternsKey, redactors.patterns)) }
            let insert = try connection.prepare("INSERT INTO recording(key, value) VALUES (?, ?)")
            for (key, value) in facts {
                try insert.bind(key, at: 1)
                try insert.bind(value, at: 2)
                try insert.run()
            }
            for (key, value) in [("created", Clock.wall)] + limit.facts {
                try insert.bind(key, at: 1)
                try insert.bind(value, at: 2)
                try insert.run()
            }
        }
    }

    /// From here on a crash of the process loses nothing, and one of the machine leaves the file sound, or loses nothing
    /// either.
    private static func writeAhead(_ connection: Connection, _ options: RecorderOptions) throws(SQLiteError) {
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        if options.durability == .power {
            // On a Mac a disk may otherwise say that it has kept what is in its own memory alone.
            try connection.execute("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
        }
        guard try connection.text("PRAGMA journal_mode") == "wal" else {
            throw SQLiteError(
                SQLiteError.Code.generic.rawValue,
                "its file system does not let SQLite write ahead (WAL)",
                path: connection.path
            )
        }
        let limit = options.limit
        if !limit.isNone { try TrimmableFile.configure(connection, limit.bytes.map(ByteBudget.init)) }
    }

    // MARK: Recording

    /// Writes what comes before the first action, and sees to it that even a copy of the bare file has it.
    func begin(reducers: [String], state: String) throws {
        try connection.transaction { () throws(SQLiteError) in
            let insert = try connection.prepare("INSERT INTO reducer(id, name) VALUES (?, ?)")
            for (index, name) in reducers.enumerated() {
                try insert.bind(index + 1, at: 1)
                try insert.bind(name, at: 2)
                try insert.run()
            }
            try keep(state, at: 0)
            try noteFields()
        }
        try connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        footing = Footing(of: path)
    }

    /// Commits actions, all or none, and what `more` writes with them.
    func write(_ rows: [Row], and more: () throws(SQLiteError) -> Void = {}) throws(SQLiteError) {
        let known = names.last
        do {
            try connection.transaction { () throws(SQLiteError) in
                // By index: a row that is taken out is copied.
                for index in rows.indices { try insert(rows[index]) }
                try noteFields()
                try more()
            }
        } catch {
            (writtenFields, writtenMet) = (0, nil)
            names.forget(after: known)
            throw error
        }
    }

    /// Writes what changed across a run of actions whose states were left out, the last of which is given: see
    /// ``SkippedTable``. The state behind it may come as a whole too.
    func bridge(to seq: Int, _ effect: Effect) throws(SQLiteError) {
        try connection.transaction { () throws(SQLiteError) in
            try skipped.bridge(to: seq, effect.steps, connection)
            if let keyframe = effect.keyframe { try keep(keyframe, at: seq) }
        }
    }

    /// Writes the whole state after an action, in place of what may stand there.
    ///
    /// - Parameter doubtful: Ranges of states before it that turned out to be doubtful.
    func keepWhole(_ state: String, at seq: Int, doubtful: [DoubtfulStates] = []) throws(SQLiteError) {
        try connection.transaction { () throws(SQLiteError) in
            try connection.execute("DELETE FROM keyframe WHERE seq = \(seq)")
            try keep(state, at: seq)
            for states in doubtful { try DoubtfulTable.add(states, to: connection) }
        }
    }

    /// Writes that states are doubtful.
    func markDoubtful(_ states: DoubtfulStates) throws(SQLiteError) {
        try connection.transaction { () throws(SQLiteError) in try DoubtfulTable.add(states, to: connection) }
    }

    /// Writes of how many actions the states were not audited.
    func noteUnaudited(_ actions: Int) throws(SQLiteError) {
        if actions > 0 { try replace("unaudited", "\(actions)") }
    }

    /// Writes at which places fields were met that hide themselves, and which patterns have met something, where there are
    /// more than before.
    private func noteFields() throws(SQLiteError) {
        guard let redactors else { return }
        let (fields, met) = (redactors.fieldCount, redactors.matchCount)
        if fields > writtenFields {
            try replace(Redactors.fieldsKey, redactors.fields)
            try Schema.raise(to: Schema.partialVersion, connection)
            writtenFields = fields
        }
        if !redactors.redaction.isEmpty, writtenMet.map({ met > $0 }) ?? true {
            try replace(Redactors.metKey, redactors.met)
            writtenMet = met
        }
    }

    private func replace(_ key: String, _ value: String) throws(SQLiteError) {
        let replace = try connection.prepare("INSERT OR REPLACE INTO recording(key, value) VALUES (?, ?)")
        try replace.bind(key, at: 1)
        try replace.bind(value, at: 2)
        try replace.run()
    }

    private func insert(_ row: Row) throws(SQLiteError) {
        try insertAction.bind(row.action.seq, at: 1)
        try insertAction.bind(row.action.parent, at: 2)
        try names.bind(row.action.type, to: insertAction, at: 3)
        try insertAction.bind(row.action.payload, at: 4)
        try insertAction.bind(row.action.at, at: 5)
        if let origin = row.action.origin {
            try names.bind(origin.file, to: insertAction, at: 6)
            try insertAction.bind(origin.line, at: 7)
        } else {
            try insertAction.bindNull(at: 6)
            try insertAction.bindNull(at: 7)
        }
        try insertAction.bind(row.action.problem, at: 8)
        try insertAction.bind(row.duration.map { Int($0) }, at: 9)
        try insertAction.bind(row.effect?.steps, at: 10)
        try insertAction.run()
        if row.isSkipped { try skipped.add(row.action.seq, isBridged: row.effect != nil, to: connection) }
        for child in row.action.adopted {
            try adoptAction.bind(row.action.seq, at: 1)
            try adoptAction.bind(child, at: 2)
            try adoptAction.run()
        }
        if let keyframe = row.effect?.keyframe { try keep(keyframe, at: row.action.seq) }
    }

    private func keep(_ state: String, at seq: Int) throws(SQLiteError) {
        try insertKeyframe.bind(seq, at: 1)
        try insertKeyframe.bind(state, at: 2)
        try insertKeyframe.run()
    }

    // MARK: Ending

    /// Looks whether the files are where they were.
    ///
    /// Costs a few calls of the system.
    ///
    /// - Throws: A ``RecordingError``: `stopped` where one was deleted, moved away, replaced or truncated.
    func checkPlace() throws {
        guard let footing else { return }
        try footing.check()
        // Where the `-wal` was folded in by somebody else, this has nothing to do. Where it was truncated it fails, while
        // it still can: written on, it would have zeros where pages were.
        if footing.hasShorterLog { try connection.execute("PRAGMA wal_checkpoint(PASSIVE)") }
    }

    /// Takes the files as they are after a write for what they are to be before the next.
    ///
    /// Costs a few calls of the system.
    func noteLengths(mayShrink: Bool) { footing?.noteLengths(mayShrink: mayShrink) }

    /// What lies behind a failure: that one of the files was meddled with, or the failure itself.
    func cause(of failure: any Error) -> any Error {
        do {
            try footing?.check()
            return failure
        } catch {
            return error
        }
    }

    /// Writes that the recording is complete, and leaves the file alone with nothing beside it.
    func close() throws {
        try checkPlace()
        try connection.execute("INSERT INTO recording(key, value) VALUES ('closed', \(Clock.wall))")
        isComplete = true
        try settle(footing?.isFirm != false)
    }

    /// Writes that the recorder had to stop, as well as that can still be written.
    ///
    /// - Parameter mark: Marks the journal as that of a recorder that had to stop.
    func abandon(because reason: String, _ journal: Journal, marking mark: () -> Void) {
        do {
            if isComplete { return journal.remove() }
            // Written in place: this works on a full disk too.
            mark()
            if footing?.isCut == true { return }
            let insert = try connection.prepare("INSERT INTO recording(key, value) VALUES ('stopped', ?)")
            try insert.bind(reason, at: 1)
            try insert.run()
            // Before one of the files that it looks at is gone.
            let isFirm = footing?.isFirm != false
            // What is in the journal alone stays there.
            if !isBroken { journal.remove() }
            try settle(isFirm)
        } catch {
            // The failure that made the recorder stop is the one to tell; it is being told.
        }
    }

    /// Folds the `-wal` into the file and removes it.
    ///
    /// Waits for other connections until ``closingTime`` is over, all steps together. Then the `-wal` stays: it is part of
    /// the recording, every reader reads it, and ``Recording/recover(_:)`` folds it in.
    ///
    /// - Parameter isFirm: Whether the files are still where they were.
    private func settle(_ isFirm: Bool) throws(SQLiteError) {
        let end = ContinuousClock.now + Self.closingTime
        connection.waitForLocks(until: end)
        repeat {
            do {
                // A reader's open transaction does not make this fail; it leaves pages in the `-wal`.
                try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                // SQLite removes it by its name, which may be another's by now.
                if isFirm { try connection.execute("PRAGMA journal_mode = DELETE") }
                return
            } catch {
                if error.code != .busy { throw error }
                usleep(5_000)
            }
        } while ContinuousClock.now < end
    }

    /// How long closing waits for those who are reading.
    static let closingTime = Duration.milliseconds(400)
}
