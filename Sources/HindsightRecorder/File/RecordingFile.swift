import HindsightFormat
import HindsightSQLite
import HindsightSupport
import HindsightTree

/// A recorder's access to the disk, except for the journal. One thread at a time.
final class RecordingFile {
    let path: String
    let connection: Connection
    let rows: RowWriter
    /// Redacts what is written here.
    private let redactors: Redactors
    private let durability: Durability
    /// Whether the initial state is in the `-wal` only.
    private var mustSettle = false
    private var writtenFields = 0
    /// `nil` before the first write.
    private var writtenMet: Int?

    /// The files as they were when the recording began.
    private var tamperCheck: FileTamperCheck?
    /// Whether the recording is marked as closed.
    private var isComplete = false

    /// Whether a write failed, so that its actions are only in the journal.
    var isBroken = false

    /// Creates the file, its tables and views.
    ///
    /// - Parameter described: The types because of which the states are descriptions: see ``Metadata/Key/described``.
    /// - Throws: A `RecordingError` with the code `exists` or `unwritable`.
    init(
        path: String,
        id: String,
        app: AppInfo,
        redactors: Redactors,
        described: [String],
        _ options: RecorderOptions
    ) throws {
        self.path = path
        self.redactors = redactors
        durability = options.durability
        try NewFile.create(path, overwrite: options.overwrite)
        do {
            connection = try Connection(path, .readWrite)
            try Self.fill(connection, id, app, redactors, described, options.limit)
            try Self.writeAhead(connection, options)
            rows = try RowWriter(connection, nameCount: options.limit.nameCount)
        } catch {
            NewFile.remove(path)
            throw RecordingError(.unwritable, file: path, cause: error)
        }
    }

    private static func fill(
        _ connection: Connection,
        _ id: String,
        _ app: AppInfo,
        _ redactors: Redactors,
        _ described: [String],
        _ limit: RecordingLimit
    ) throws(SQLiteError) {
        if !limit.isNone { try TrimmableTables.prepare(connection) }
        // The file has no data to lose yet, so no sync is needed.
        try connection.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
        try connection.transaction { () throws(SQLiteError) in
            for sql in Schema.creation {
                try connection.execute(sql)
            }
            var facts: [String: Metadata.Value] = [
                Metadata.Key.app: .text(app.name), Metadata.Key.version: .text(app.version),
                Metadata.Key.platform: .text(OperatingSystem.description), Metadata.Key.id: .text(id),
                Metadata.Key.created: .number(SystemClock.wall),
            ]
            for (key, value) in limit.facts { facts[key] = .number(value) }
            if !redactors.redaction.isEmpty { facts[Redaction.Key.patterns] = .text(redactors.patterns) }
            if !described.isEmpty { facts[Metadata.Key.described] = .text(DescriptionText.list(described)) }
            // Readers take no others.
            let schema = min(max(AppInfo.firstSchema, app.schema), Int(Int32.max))
            if schema != AppInfo.firstSchema { facts[Metadata.Key.schema] = .number(Int64(schema)) }
            if !app.installation.isEmpty { facts[Metadata.Key.installation] = .text(app.installation) }
            try Metadata.write(facts, to: connection)
        }
    }

    /// From here on, a crash of the process loses nothing. A crash of the machine leaves the file sound, or, with
    /// `Durability.power`, loses nothing either.
    private static func writeAhead(_ connection: Connection, _ options: RecorderOptions) throws(SQLiteError) {
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        if options.durability == .power {
            // On macOS, `fsync` alone does not flush the disk's cache.
            try connection.execute("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
        }
        guard try connection.text("PRAGMA journal_mode") == "wal" else {
            throw SQLiteError(
                SQLiteError.Code.generic.rawValue,
                "its file system does not support SQLite's write-ahead log (WAL)",
                path: connection.path
            )
        }
        let limit = options.limit
        if !limit.isNone { try TrimmableTables.configure(connection, limit.bytes.map(ByteBudget.init)) }
    }

    // MARK: Recording

    /// Writes the initial state. The app waits for this, so it does not wait for the disk: the `-wal` survives the
    /// process without a sync.
    ///
    /// - Parameter computed: That states are computed, if they are.
    func begin(reducers: [String], state: String, _ computed: ComputedStates? = nil) throws {
        if durability == .process { try connection.execute("PRAGMA synchronous = OFF") }
        try connection.transaction { () throws(SQLiteError) in
            try rows.insert(reducers: reducers)
            try rows.keep(state, at: 0)
            if let computed { try note(computed) }
            try noteFields()
        }
        if durability == .process { try connection.execute("PRAGMA synchronous = NORMAL") }
        tamperCheck = FileTamperCheck(of: path)
        mustSettle = true
        if durability == .power { try settleBeginning() }
    }

    /// Moves the initial state from the `-wal` into the file, so that a copy of the file alone has it, and waits for
    /// the disk.
    func settleBeginning() throws(SQLiteError) {
        if !mustSettle { return }
        mustSettle = false
        try connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    }

    /// Commits actions and notes, all or none.
    func write(_ actions: [PendingAction], _ notes: [JournalNote] = []) throws(SQLiteError) {
        do {
            try rows.transaction { () throws(SQLiteError) in
                for action in actions { try insert(action) }
                for note in notes { try NoteTable.add(note, mayRenumber: true, to: connection) }
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

    /// Writes the number of actions whose states were not audited.
    func noteUnaudited(_ actions: Int) throws(SQLiteError) {
        if actions > 0 { try replace(Metadata.Key.unaudited, "\(actions)") }
    }

    /// Writes how far states were computed.
    func note(_ computed: ComputedStates) throws(SQLiteError) { try replace(Metadata.Key.computed, computed.text) }

    /// Writes the places of `Redacted` fields, and the patterns that have matched, if there are new ones.
    private func noteFields() throws(SQLiteError) {
        let (fields, met) = (redactors.fieldCount, redactors.matchCount)
        if fields > writtenFields {
            try replace(Redaction.Key.fields, redactors.fields)
            writtenFields = fields
        }
        if !redactors.redaction.isEmpty, writtenMet.map({ met > $0 }) ?? true {
            try replace(Redaction.Key.met, redactors.met)
            writtenMet = met
        }
    }

    private func replace(_ key: String, _ value: String) throws(SQLiteError) {
        try Metadata.write([key: .text(value)], to: connection)
    }

    // MARK: Ending

    /// Checks that the files are at their paths, and complete. Costs a few system calls.
    ///
    /// - Throws: A `RecordingError` with the code `stopped` if a file was deleted, moved, replaced or truncated.
    func checkPlace() throws {
        guard let tamperCheck else { return }
        try tamperCheck.check()
        // If another process has checkpointed the `-wal`, this does nothing. If the `-wal` was truncated, it fails
        // while it still can: after further writes, the `-wal` would have zeros in place of pages.
        if tamperCheck.hasShorterLog { try connection.execute("PRAGMA wal_checkpoint(PASSIVE)") }
    }

    /// Notes the state of the files after a write. Costs a few system calls.
    func noteLengths(mayShrink: Bool) { tamperCheck?.noteLengths(mayShrink: mayShrink) }

    /// The reason of a failure: that a file was changed, or the failure itself.
    func cause(of failure: any Error) -> any Error {
        do {
            try tamperCheck?.check()
            return failure
        } catch {
            return error
        }
    }

    /// Marks the recording as complete, and removes the files beside it.
    func close() throws {
        try checkPlace()
        let row = "('\(Metadata.Key.closed)', \(SystemClock.wall))"
        try connection.execute("INSERT INTO recording(key, value) VALUES \(row)")
        isComplete = true
        try settle(tamperCheck?.isIntact != false)
    }

    /// Writes that the recorder had to stop, if that is still possible.
    ///
    /// - Parameter mark: Marks the journal of a recorder that had to stop.
    func abandon(because reason: String, _ journal: Journal, marking mark: () -> Void) {
        do {
            if isComplete { return journal.remove() }
            // Overwrites a word in place, which works even on a full disk.
            mark()
            if tamperCheck?.isCut == true { return }
            try replace(Metadata.Key.stopped, reason)
            // Must come before the removal of a file that it checks.
            let isIntact = tamperCheck?.isIntact != false
            // Actions that are only in the journal stay there.
            if !isBroken { journal.remove() }
            try settle(isIntact)
        } catch {
            // The error that stopped the recorder is already being reported.
        }
    }

    /// Checkpoints and removes the `-wal`.
    ///
    /// Waits for other connections until ``Connection/closingTime`` has passed for all steps together. Then the `-wal`
    /// stays. It belongs to the recording: every reader reads it, and `Recording.recover(at:)` merges it.
    ///
    /// - Parameter isIntact: Whether the files are still at their paths.
    private func settle(_ isIntact: Bool) throws(SQLiteError) {
        let end = ContinuousClock.now + Connection.closingTime
        connection.waitForLocks(until: end)
        repeat {
            do {
                // A reader's open transaction is no error here, but leaves pages in the `-wal`.
                try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                // SQLite removes the file by its name, which may now be another file's.
                if isIntact { try connection.execute("PRAGMA journal_mode = DELETE") }
                return
            } catch {
                if error.code != .busy { throw error }
                usleep(5_000)
            }
        } while ContinuousClock.now < end
    }
}
