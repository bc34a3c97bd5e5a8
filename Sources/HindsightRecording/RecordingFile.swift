import HindsightSQLite
import HindsightStore
import HindsightTree

/// The output of a recorder: all that the recorder knows of the disk. One thread at a time.
final class RecordingFile {
    /// An action before its reducers run.
    struct Action {
        var seq: Int
        var parent: Int?
        var type: String
        var payload: String?
        var at: Int64
        var origin: Origin?
        var problem: String?
    }

    /// What an action did.
    struct Effect {
        var duration: Int64
        /// What each reducer did, as text.
        var steps: String
        /// The bytes of it that are operations.
        var operationBytes: Int
        /// Earlier actions that this one is the parent of.
        var adopted: [Int] = []
        /// The whole state after it, where that is to be kept.
        var keyframe: String?

        init(_ steps: [TimedPatch]) {
            duration = steps.reduce(0) { $0 + ($1.duration ?? 0) }
            (self.steps, operationBytes) = TimedPatches.write(steps)
        }
    }

    let path: String
    private let ahead: AheadFile
    private let connection: Connection
    private let insertAction: Statement
    private let insertKeyframe: Statement
    private let finishAction: Statement
    private let adoptAction: Statement
    private var names: NameTable

    /// Bytes of operations since the last whole state, and the bytes of that.
    private(set) var operationBytes = 0
    private(set) var keyframeBytes = 0

    /// Creates the file, its tables and views.
    ///
    /// - Throws: A ``RecordingError``: `exists`, `unwritable` or `inUse`.
    init(path: String, app: AppInfo, overwrite: Bool) throws {
        self.path = path
        try NewFile.check(path, overwrite: overwrite)
        ahead = try AheadFile.take(for: path)
        do {
            try NewFile.create(path, overwrite: overwrite)
        } catch {
            ahead.remove()
            throw error
        }
        do {
            connection = try Connection(path, .readWrite)
            try Self.fill(connection, app)
            insertAction = try connection.prepare(
                """
                INSERT INTO action(seq, parent, type, payload, at, file, line, problem) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
            )
            insertKeyframe = try connection.prepare("INSERT INTO keyframe(seq, state) VALUES (?, ?)")
            finishAction = try connection.prepare("UPDATE action SET duration = ?, steps = ? WHERE seq = ?")
            adoptAction = try connection.prepare("UPDATE action SET parent = ? WHERE seq = ?")
            names = try NameTable(connection)
        } catch {
            NewFile.remove(path)
            ahead.remove()
            throw RecordingError(.unwritable, file: path, cause: error)
        }
    }

    private static func fill(_ connection: Connection, _ app: AppInfo) throws(SQLiteError) {
        // Nothing can be lost yet, so nothing is waited for; from then on a crash of the process loses nothing, and one
        // of the machine leaves the file sound.
        try connection.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
        try connection.transaction { () throws(SQLiteError) in
            for sql in Schema.creation {
                try connection.execute(sql)
            }
            let facts = [("app", app.name), ("version", app.version), ("platform", Platform.description)]
            let insert = try connection.prepare("INSERT INTO recording(key, value) VALUES (?, ?)")
            for (key, value) in facts {
                try insert.bind(key, at: 1)
                try insert.bind(value, at: 2)
                try insert.run()
            }
            try insert.bind("created", at: 1)
            try insert.bind(Clock.wall, at: 2)
            try insert.run()
        }
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        guard try connection.text("PRAGMA journal_mode") == "wal" else {
            throw SQLiteError(
                SQLiteError.Code.generic.rawValue,
                "its file system does not let SQLite write ahead (WAL)",
                path: connection.path
            )
        }
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
        }
        try connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    }

    /// Commits an action before its reducers run.
    func write(_ action: Action) throws(SQLiteError) {
        try insertAction.bind(action.seq, at: 1)
        try insertAction.bind(action.parent, at: 2)
        try names.bind(action.type, to: insertAction, at: 3)
        try insertAction.bind(action.payload, at: 4)
        try insertAction.bind(action.at, at: 5)
        if let origin = action.origin {
            try names.bind(origin.file, to: insertAction, at: 6)
            try insertAction.bind(origin.line, at: 7)
        } else {
            try insertAction.bindNull(at: 6)
            try insertAction.bindNull(at: 7)
        }
        try insertAction.bind(action.problem, at: 8)
        try insertAction.run()
    }

    /// Says which reducer runs next.
    func write(_ mark: AheadMark) throws {
        try ahead.write(mark)
    }

    /// Commits what an action did that was written before.
    func finish(seq: Int, _ effect: Effect) throws {
        try connection.transaction { () throws(SQLiteError) in try add(effect, to: seq) }
    }

    /// Commits an action together with what it did.
    func write(_ action: Action, _ effect: Effect) throws {
        try connection.transaction { () throws(SQLiteError) in
            try write(action)
            try add(effect, to: action.seq)
        }
    }

    private func add(_ effect: Effect, to seq: Int) throws(SQLiteError) {
        operationBytes += effect.operationBytes
        for child in effect.adopted {
            try adoptAction.bind(seq, at: 1)
            try adoptAction.bind(child, at: 2)
            try adoptAction.run()
        }
        try finishAction.bind(effect.duration, at: 1)
        try finishAction.bind(effect.steps, at: 2)
        try finishAction.bind(seq, at: 3)
        try finishAction.run()
        if let keyframe = effect.keyframe { try keep(keyframe, at: seq) }
    }

    private func keep(_ state: String, at seq: Int) throws(SQLiteError) {
        try insertKeyframe.bind(seq, at: 1)
        try insertKeyframe.bind(state, at: 2)
        try insertKeyframe.run()
        operationBytes = 0
        keyframeBytes = state.utf8.count
    }

    // MARK: Ending

    /// Writes that the recording is complete, and leaves the file alone with nothing beside it.
    func close() throws {
        try connection.execute("INSERT INTO recording(key, value) VALUES ('closed', \(Clock.wall))")
        try settle()
        ahead.remove()
    }

    /// Writes that the recorder had to stop, as well as that can still be written.
    func abandon(because reason: String) {
        do {
            // Written in place: this works on a full disk too.
            try ahead.write(AheadMark(phase: .stopped, seq: 0, reducer: 0))
            let insert = try connection.prepare("INSERT INTO recording(key, value) VALUES ('stopped', ?)")
            try insert.bind(reason, at: 1)
            try insert.run()
            ahead.remove()
            try settle()
        } catch {
            // The failure that made the recorder stop is the one to tell; it is being told.
        }
    }

    /// Folds the `-wal` into the file and removes it. While somebody reads the recording it stays, and does no harm.
    private func settle() throws(SQLiteError) {
        do {
            try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            try connection.execute("PRAGMA journal_mode = DELETE")
        } catch {
            if error.code != .busy { throw error }
        }
    }
}
