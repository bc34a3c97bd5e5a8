import HindsightFormat
import HindsightSQLite
import HindsightSupport
import HindsightTree

/// The output of a recorder: all that the recorder knows of the disk. One thread at a time.
final class RecordingFile {
    let path: String
    let connection: Connection
    private let rows: RowWriter
    /// What hides parts of what is written here.
    private let redactors: Redactors
    private var writtenFields = 0
    /// `nil` where nothing is said of it yet.
    private var writtenMet: Int?

    /// The files as they were when the recording began.
    private var tamperCheck: FileTamperCheck?
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
            rows = try RowWriter(connection, nameCount: options.limit.nameCount)
        } catch {
            NewFile.remove(path)
            throw RecordingError(.unwritable, file: path, cause: error)
        }
    }

    private static func fill(
        _ connection: Connection,
        _ app: AppInfo,
        _ redactors: Redactors,
        _ limit: RecordingLimit
    ) throws(SQLiteError) {
        if !limit.isNone { try TrimmableTables.prepare(connection) }
        // Nothing can be lost yet, so nothing is waited for.
        try connection.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
        try connection.transaction { () throws(SQLiteError) in
            for sql in Schema.creation {
                try connection.execute(sql)
            }
            if !limit.isNone || !redactors.redaction.isEmpty {
                try Schema.raise(to: Schema.partialVersion, connection)
            }
            var facts = [("app", app.name), ("version", app.version), ("platform", OperatingSystem.description)]
            if !redactors.redaction.isEmpty { facts.append((Redaction.Key.patterns, redactors.patterns)) }
            let insert = try connection.prepare("INSERT INTO recording(key, value) VALUES (?, ?)")
            for (key, value) in facts {
                try insert.bind(key, at: 1)
                try insert.bind(value, at: 2)
                try insert.run()
            }
            for (key, value) in [("created", SystemClock.wall)] + limit.facts {
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
        if !limit.isNone { try TrimmableTables.configure(connection, limit.bytes.map(ByteBudget.init)) }
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
            try rows.keep(state, at: 0)
            try noteFields()
        }
        try connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        tamperCheck = FileTamperCheck(of: path)
    }

    /// Commits actions, all or none.
    func write(_ actions: [PendingAction]) throws(SQLiteError) {
        do {
            try rows.write { () throws(SQLiteError) in
                for action in actions { try insert(action) }
                try noteFields()
            }
        } catch {
            (writtenFields, writtenMet) = (0, nil)
            throw error
        }
    }

    private func insert(_ pending: PendingAction) throws(SQLiteError) {
        let changes = pending.outcome.changes
        try rows.insert(
            pending.action,
            duration: pending.duration,
            steps: changes?.steps,
            keyframe: changes?.keyframe,
            isSkipped: pending.outcome.isSkipped
        )
    }

    /// Writes what changed across a run of actions without states: see ``RowWriter/bridge(to:steps:keyframe:)``.
    func bridge(to seq: Int, _ changes: ActionChanges) throws(SQLiteError) {
        try rows.bridge(to: seq, steps: changes.steps, keyframe: changes.keyframe)
    }

    /// Writes the whole state after an action: see ``RowWriter/keepWhole(_:at:doubtful:)``.
    func keepWhole(_ state: String, at seq: Int, doubtful: [DoubtfulStates] = []) throws(SQLiteError) {
        try rows.keepWhole(state, at: seq, doubtful: doubtful)
    }

    /// Writes that states are doubtful.
    func markDoubtful(_ states: DoubtfulStates) throws(SQLiteError) { try rows.markDoubtful(states) }

    /// Writes of how many actions the states were not audited.
    func noteUnaudited(_ actions: Int) throws(SQLiteError) {
        if actions > 0 { try replace("unaudited", "\(actions)") }
    }

    /// Writes at which places fields were met that hide themselves, and which patterns have met something, where there are
    /// more than before.
    private func noteFields() throws(SQLiteError) {
        let (fields, met) = (redactors.fieldCount, redactors.matchCount)
        if fields > writtenFields {
            try replace(Redaction.Key.fields, redactors.fields)
            try Schema.raise(to: Schema.partialVersion, connection)
            writtenFields = fields
        }
        if !redactors.redaction.isEmpty, writtenMet.map({ met > $0 }) ?? true {
            try replace(Redaction.Key.met, redactors.met)
            writtenMet = met
        }
    }

    private func replace(_ key: String, _ value: String) throws(SQLiteError) {
        let replace = try connection.prepare("INSERT OR REPLACE INTO recording(key, value) VALUES (?, ?)")
        try replace.bind(key, at: 1)
        try replace.bind(value, at: 2)
        try replace.run()
    }

    // MARK: Ending

    /// Looks whether the files are where they were.
    ///
    /// Costs a few calls of the system.
    ///
    /// - Throws: A ``RecordingError``: `stopped` where one was deleted, moved away, replaced or truncated.
    func checkPlace() throws {
        guard let tamperCheck else { return }
        try tamperCheck.check()
        // Where the `-wal` was folded in by somebody else, this has nothing to do. Where it was truncated it fails, while
        // it still can: written on, it would have zeros where pages were.
        if tamperCheck.hasShorterLog { try connection.execute("PRAGMA wal_checkpoint(PASSIVE)") }
    }

    /// Takes the files as they are after a write for what they are to be before the next.
    ///
    /// Costs a few calls of the system.
    func noteLengths(mayShrink: Bool) { tamperCheck?.noteLengths(mayShrink: mayShrink) }

    /// What lies behind a failure: that one of the files was meddled with, or the failure itself.
    func cause(of failure: any Error) -> any Error {
        do {
            try tamperCheck?.check()
            return failure
        } catch {
            return error
        }
    }

    /// Writes that the recording is complete, and leaves the file alone with nothing beside it.
    func close() throws {
        try checkPlace()
        try connection.execute("INSERT INTO recording(key, value) VALUES ('closed', \(SystemClock.wall))")
        isComplete = true
        try settle(tamperCheck?.isIntact != false)
    }

    /// Writes that the recorder had to stop, as well as that can still be written.
    ///
    /// - Parameter mark: Marks the journal as that of a recorder that had to stop.
    func abandon(because reason: String, _ journal: Journal, marking mark: () -> Void) {
        do {
            if isComplete { return journal.remove() }
            // Written in place: this works on a full disk too.
            mark()
            if tamperCheck?.isCut == true { return }
            let insert = try connection.prepare("INSERT INTO recording(key, value) VALUES ('stopped', ?)")
            try insert.bind(reason, at: 1)
            try insert.run()
            // Before one of the files that it looks at is gone.
            let isIntact = tamperCheck?.isIntact != false
            // What is in the journal alone stays there.
            if !isBroken { journal.remove() }
            try settle(isIntact)
        } catch {
            // The failure that made the recorder stop is the one to tell; it is being told.
        }
    }

    /// Folds the `-wal` into the file and removes it.
    ///
    /// Waits for other connections until ``Connection/closingTime`` is over, all steps together. Then the `-wal` stays: it is part of
    /// the recording, every reader reads it, and ``Recording/recover(_:)`` folds it in.
    ///
    /// - Parameter isIntact: Whether the files are still where they were.
    private func settle(_ isIntact: Bool) throws(SQLiteError) {
        let end = ContinuousClock.now + Connection.closingTime
        connection.waitForLocks(until: end)
        repeat {
            do {
                // A reader's open transaction does not make this fail; it leaves pages in the `-wal`.
                try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                // SQLite removes it by its name, which may be another's by now.
                if isIntact { try connection.execute("PRAGMA journal_mode = DELETE") }
                return
            } catch {
                if error.code != .busy { throw error }
                usleep(5_000)
            }
        } while ContinuousClock.now < end
    }
}
