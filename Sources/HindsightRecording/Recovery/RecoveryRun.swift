import Foundation
import HindsightFormat
import HindsightSQLite
import HindsightSupport

/// One run of a recovery.
///
/// The order of the steps lets the process end between any two of them, and the next run continue:
///
/// 1. Take the journal's lock.
/// 2. Open the database, so that SQLite reads its `-wal`.
/// 3. Write the journal's actions, and where the process ended, in one transaction that is on the disk when it returns.
/// 4. Checkpoint and remove the `-wal`.
/// 5. Remove the journal. Until then, a journal whose actions are in the file adds nothing.
///
/// Others may read meanwhile. The journal's lock is shared, so that the recovery does not look like a recorder. A
/// reader either has SQLite's locks, or keeps the recovery from getting exclusive access (see
/// `ReadableFile.accessMode(of:isLive:)`). All steps together wait for readers for half a second at most.
struct RecoveryRun {
    let path: String
    private let place: String
    private let deadline = ContinuousClock.now + Connection.closingTime

    init(path: String) {
        self.path = path
        place = FileSystem.place(of: path)
    }

    func run() throws -> Recovery {
        // Another recovery may have ended before this one got the lock.
        for _ in 0..<10 {
            if let recovery = try attempt() { return recovery }
        }
        throw RecordingError(.inUse, file: path)
    }

    /// - Returns: `nil` if the journal has changed meanwhile.
    private func attempt() throws -> Recovery? {
        let (journal, bounds, isText) = try look()
        if journal.isLive { throw RecordingError(.live, file: path) }
        let companions = SidecarFiles.existing(beside: place)
        var recovery = Recovery(ending: bounds.ending)
        // A recording in text has no journal.
        guard !isText, !companions.isEmpty || !bounds.standsAlone else {
            recovery.isNeeded = false
            return recovery
        }
        let snapshot = journal.snapshot ?? .empty
        try refuseTrouble(bounds)
        try refuseGap(bounds)
        try refuseHalfLog(bounds)
        let lock = try takeLock()
        do {
            try refuseUnread(bounds, lock)
            guard try fold(snapshot, bounds, lock) else {
                lock.removeIfEmpty()
                return nil
            }
        } catch {
            lock.removeIfEmpty()
            throw error as? RecordingError ?? RecordingError(.unwritable, file: path, cause: error)
        }
        lock.remove()
        if let first = bounds.journalOnly.actions.first, let last = bounds.journalOnly.actions.last {
            recovery.actions = first.seq...last.seq
        }
        let left = SidecarFiles.existing(beside: place)
        recovery.removed = companions.filter { !left.contains($0) }.map { FileSystem.name(of: place + $0) }
        recovery.left = left.map { FileSystem.name(of: place + $0) }
        return recovery
    }

    /// Reads the journal and the bounds of the recording. Closes its connection before it returns: closed later, it
    /// would release the locks of the writing connection.
    private func look() throws -> (JournalInspection, RecordingBounds, isText: Bool) {
        let recording = try Recording(at: URL(filePath: path))
        return (recording.file.journal, recording.bounds, recording.isText)
    }

    // MARK: What must not be removed

    // A journal is removed only if each of its records is in the file then, and each action that its mark counts. A
    // `-wal` is removed only if SQLite has read all of it, or the journal says that nothing is missing.

    /// What is wrong with a journal hides what it has.
    private func refuseTrouble(_ bounds: RecordingBounds) throws(RecordingError) {
        let journal = JournalFile.path(for: path)
        switch bounds.journal.snapshot?.trouble {
        case nil:
            return
        case .newer(let version):
            throw RecordingError(.newerFormat, file: journal, version: version)
        case .foreign?:
            let reason = bounds.journal.snapshot?.trouble?.clause
            throw RecordingError(.foreignJournal, file: journal, reason: reason)
        case .damaged(let reason):
            throw damaged(journal, reason)
        }
    }

    /// Actions that the journal's mark counts are in no file, or the journal does not continue where the file ends.
    private func refuseGap(_ bounds: RecordingBounds) throws(RecordingError) {
        guard bounds.closed == nil, let snapshot = bounds.journal.snapshot else { return }
        let missing = snapshot.missing(after: bounds.lastAction)
        guard let actions = missing ?? snapshot.lost(after: bounds.lastAction) else { return }
        let log = place + "-wal"
        // A recorder always has one: if it is gone, its actions were left behind with it.
        guard missing != nil || !WriteAheadLog.isThereAndWhole(beside: place) else {
            throw damaged(JournalFile.path(for: path), "its records of \(actions.asActions) cannot be read")
        }
        let reason = "\(FileSystem.name(of: log)) \(SidecarFiles.faultOfLog(beside: place))"
        throw RecordingError(.journalGap, file: path, actions: actions, reason: reason)
    }

    /// Without a journal, only the `-wal` itself shows that it is whole.
    private func refuseHalfLog(_ bounds: RecordingBounds) throws(RecordingError) {
        guard bounds.lacksJournal, !WriteAheadLog.isWhole(at: place + "-wal") else { return }
        throw damaged(path + "-wal", "it ends within a transaction, and no journal says what is missing")
    }

    /// Records behind damage are whole, and no reader takes them.
    private func refuseUnread(_ bounds: RecordingBounds, _ lock: borrowing JournalFile) throws(RecordingError) {
        let start = bounds.journal.snapshot?.end ?? 0
        let records = JournalSnapshot.everyRecord(in: lock.descriptor, notesFrom: start)
        guard let action = records.actions.last?.action.seq, action > bounds.lastAction else {
            if records.notes.isEmpty { return }
            throw damaged(JournalFile.path(for: path), "it has notes after damaged records")
        }
        throw damaged(JournalFile.path(for: path), "it has actions after damaged records, up to action \(action)")
    }

    private func damaged(_ file: String, _ reason: String) -> RecordingError {
        let remedy =
            "Nothing was changed. Use a whole copy of it, or save what is readable: "
            + "`hindsight doctor FILE --salvage OUT`."
        return RecordingError(.damaged, file: file, reason: reason, remedy: remedy)
    }

    private func takeLock() throws(RecordingError) -> JournalFile {
        do {
            return try JournalFile(for: place, .shared)
        } catch {
            var error = error
            if error.code == .inUse { error = RecordingError(.live) }
            error.file = path
            throw error
        }
    }

    /// - Returns: Whether the bounds that were read without the lock were still valid. If not, nothing was changed.
    private func fold(_ snapshot: JournalSnapshot, _ bounds: RecordingBounds, _ lock: borrowing JournalFile) throws
        -> Bool
    {
        do {
            // Without both of SQLite's files, readers use no locks, so exclusive access is needed.
            let isAlone = ReadableFile.accessMode(of: place, isLive: false) != .readShared
            let connection = try Connection(place, .readWrite)
            connection.waitForLocks(until: deadline)
            connection.limitWork(forFileOf: FileSystem.size(of: place) + FileSystem.size(of: place + "-wal"))
            do {
                if isAlone { try connection.execute("PRAGMA locking_mode = EXCLUSIVE") }
                try connection.execute("PRAGMA synchronous = FULL")
                try checkSchema(connection, hasNotes: !bounds.journalNotes.isEmpty)
                let stored = try connection.integer("SELECT max(seq) FROM action") ?? 0
                guard stored == 0 || Int(stored) == bounds.lastStored, lock.isInPlace,
                    JournalSnapshot(reading: lock.descriptor) == snapshot
                else { return false }
                try write(snapshot, bounds, connection)
            } catch let error as SQLiteError {
                switch error.code {
                // Another recovery was faster.
                case .constraint: return false
                // A reader of this process has opened SQLite's shared memory read-only.
                case .readOnly where FileManager.default.isWritableFile(atPath: place), .busy:
                    throw RecordingError(.beingRead, file: path, reason: "nothing was changed")
                default: throw error
                }
            }
            guard try settle(connection) else { return true }
        }
        SidecarFiles.removeEmptyRemains(of: place)
        return true
    }

    /// Throws if SQLite would run code that was added to the tables.
    private func checkSchema(_ connection: Connection, hasNotes: Bool) throws {
        for table in Schema.recovered + (hasNotes ? [Schema.note] : []) {
            guard let fault = try connection.fault(ofWriting: table) else { continue }
            throw RecordingError(.foreignSchema, file: path, reason: fault.description)
        }
    }

    private func write(_ snapshot: JournalSnapshot, _ bounds: RecordingBounds, _ connection: Connection)
        throws(SQLiteError)
    {
        let actions = snapshot.actions(after: bounds.lastStored)
        var facts = bounds.endingFacts
        if bounds.closed == nil { facts[Metadata.Key.recovered] = .number(Int64(actions.count)) }
        let output = try RowWriter(connection)
        try output.transaction { () throws(SQLiteError) in
            for (action, duration) in actions {
                try output.insert(action.withoutBadPayload, duration: duration)
            }
            for note in bounds.journalNotes { try NoteTable.add(note, mayRenumber: false, to: connection) }
            // Written by a recovery that had no journal; now there may be one.
            try connection.execute("DELETE FROM recording WHERE key = '\(Metadata.Key.lacksJournal)'")
            try Metadata.write(facts, replacing: false, to: connection)
        }
    }

    /// Checkpoints and removes the `-wal`.
    ///
    /// - Returns: `false` if others have the file open until the deadline. An empty `-wal` then stays, which is
    ///   harmless.
    /// - Throws: `beingRead` if a reader is in a transaction, so that the `-wal` is still needed.
    private func settle(_ connection: Connection) throws -> Bool {
        repeat {
            do {
                try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                if try connection.text("PRAGMA journal_mode = DELETE") == "delete" { return true }
            } catch {
                guard error.code == .busy else { throw error }
            }
            usleep(5_000)
        } while ContinuousClock.now < deadline
        guard FileSystem.size(of: place + "-wal") > 0 else { return false }
        throw RecordingError(.beingRead, file: path, reason: "the file does not stand alone yet; its -wal has the rest")
    }
}

extension RecordingBounds {
    /// Whether the file alone is complete.
    fileprivate var standsAlone: Bool { closed != nil || isRecovered }

    /// How the process ended, as rows of the table `recording`: what a reader of the journal knows without it.
    var endingFacts: [String: Metadata.Value] {
        var died: Recording.Position?
        if case .crashed(let seq, let reducer) = ending { died = Recording.Position(seq: seq, reducer: reducer) }
        let facts: [String: String?] = [
            Metadata.Key.stopped: stopped,
            Metadata.Key.died: died?.description,
            Metadata.Key.signal: crashSignal?.node.json,
            Metadata.Key.exited: exited ? "1" : nil,
            Metadata.Key.during: lastActivity?.node.json,
            Metadata.Key.lacksJournal: lacksJournal ? "1" : nil,
            Metadata.Key.lost: lost.map { "\($0.lowerBound)-\($0.upperBound)" },
        ]
        return facts.compactMapValues { $0.map(Metadata.Value.text) }
    }
}
