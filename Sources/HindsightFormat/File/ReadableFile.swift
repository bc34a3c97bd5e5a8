import HindsightSQLite
import HindsightSupport
import HindsightTree

/// A recording's file, opened and found to be one. Changes nothing on disk.
package final class ReadableFile {
    package let path: String
    /// Where the file is, no link: what stands beside it stands beside this.
    package let place: String
    package let connection: Connection
    package let formatVersion: Int
    package let names: Names

    /// Opens the file.
    ///
    /// - Throws: A ``RecordingError``: `notFound`, `unreadable`, `empty`, `notARecording`, `newerFormat` or `damaged`.
    package init(path: String) throws {
        self.path = path
        try Self.checkFile(path)
        let reports = Reports(path: path)
        place = FileSystem.place(of: path)
        connection = try Self.connect(path, place)
        formatVersion = try Self.checkFormat(connection, reports)
        do {
            try Self.checkTables(connection)
            names = try Names(connection)
        } catch let error as SQLiteError {
            throw reports.failure(error)
        }
        Self.note(place, isOpen: true)
    }

    // MARK: Opening

    /// Looks at the file without opening it: closing a second descriptor would take away the locks that a recorder of
    /// this same process has on it.
    package static func checkFile(_ path: String) throws(RecordingError) {
        var present = stat()
        guard stat(path, &present) == 0 else {
            let error = SystemError.last
            let isMissing = error.number == ENOENT || error.number == ENOTDIR
            throw RecordingError(isMissing ? .notFound : .unreadable, file: path, cause: isMissing ? nil : error)
        }
        switch present.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw RecordingError(.unreadable, file: path, reason: "it is a directory")
        default: throw RecordingError(.unreadable, file: path, reason: "it is no regular file")
        }
        guard access(path, R_OK) == 0 else {
            throw RecordingError(.unreadable, file: path, cause: SystemError.last)
        }
        if present.st_size == 0 { throw RecordingError(.empty, file: path) }
        // SQLite takes a file of one byte for an empty one, and deletes what stands beside an empty one, even where it is
        // only to read.
        if present.st_size == 1 { throw noDatabase(path) }
    }

    /// How a file is to be opened: beside a recorder, or alone, with or without a `-wal`.
    ///
    /// A file that nobody writes is opened with SQLite's locks too where both of SQLite's files stand beside it: a recovery,
    /// or anybody who opens it with another tool, may fold the `-wal` in at any moment.
    package static func accessMode(of place: String) throws -> Connection.Access {
        if try JournalInspection.isLive(place) { return .readShared }
        // One that is no longer than its head has nothing in it.
        guard FileSystem.size(of: place + "-wal") > Self.logHead else { return .readImmutable }
        return isFile(place + "-shm") && isIndexed(place) ? .readShared : .readAbandoned
    }

    /// Whether the index in the `-shm` is that of the `-wal`. A process that ends after it has begun a new `-wal`, and before
    /// its first commit, leaves the index of the one before: SQLite cannot make a new one where it may only read, and
    /// tries for ten seconds.
    ///
    /// Both have the salts of the `-wal`'s header, eight bytes, as they stand there: the `-wal` from byte 16 on, the `-shm`
    /// from byte 32 on (https://www.sqlite.org/walformat.html).
    private static func isIndexed(_ place: String) -> Bool {
        openPlaces.withLock { places in
            // Closing the `-shm` would take away the locks that another connection of this process has there; and that one
            // has found it sound.
            if places[place] != nil { return true }
            guard let salts = bytes(8, at: 16, of: place + "-wal") else { return false }
            return bytes(8, at: 32, of: place + "-shm") == salts
        }
    }

    /// The files that this process has open, and how often.
    private static let openPlaces = Locked<[String: Int]>([:])

    private static func note(_ place: String, isOpen: Bool) {
        openPlaces.withLock { places in
            let count = places[place, default: 0] + (isOpen ? 1 : -1)
            places[place] = count > 0 ? count : nil
        }
    }

    deinit { Self.note(place, isOpen: false) }

    private static func bytes(_ count: Int, at offset: off_t, of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        var bytes = Array(repeating: 0 as UInt8, count: count)
        return pread(descriptor, &bytes, count, offset) == count ? bytes : nil
    }

    /// Bytes of a `-wal` before its first page.
    private static let logHead: Int64 = 32

    private static func isFile(_ path: String) -> Bool {
        var present = stat()
        return lstat(path, &present) == 0 && present.st_mode & S_IFMT == S_IFREG && access(path, R_OK) == 0
    }

    /// Connects in the way that fits.
    ///
    /// - Parameter longestText: The bytes of the longest text that is read of a damaged file, which is then opened even if it
    ///   has lost its end; `nil` for a file that must be sound.
    package static func connect(_ path: String, _ place: String, toleratingDamage longestText: Int? = nil) throws
        -> Connection
    {
        var attempt = 0
        var disregardsIndex = false
        let end = ContinuousClock.now + .seconds(10)
        while true {
            var access = try accessMode(of: place)
            if access == .readShared, disregardsIndex, try !JournalInspection.isLive(place) { access = .readAbandoned }
            do {
                let connection = try Connection(path, access)
                // Who holds a recorder's lock is at work here, and the file may grow to any size.
                if try !JournalInspection.isLive(place) {
                    connection.limitWork(forFileOf: FileSystem.size(of: place) + FileSystem.size(of: place + "-wal"))
                }
                if let longestText { try connection.tolerateDamage(longestText: Int32(longestText)) }
                // The first statement opens what stands beside the file.
                _ = try connection.integer("PRAGMA application_id")
                // From here on nobody changes in which way it is to be opened. Until here it may have happened.
                guard try disregardsIndex || accessMode(of: place) == access else { throw Changed() }
                if longestText != nil { return connection }
                // SQLite would read zeros for what is missing of the last page; where there is a `-wal`, that has it.
                guard case .readImmutable = access else { return connection }
                let isWhole =
                    try connection.integer("PRAGMA page_size").map { FileSystem.size(of: path) % $0 == 0 } ?? true
                guard isWhole else { throw Reports(path: path).damaged("it is truncated") }
                return connection
            } catch let error as SQLiteError where error.code == .lockProtocol && !disregardsIndex {
                // A process that ended while it began the `-wal` anew leaves a `-shm` that is not that one's. Who may not
                // write it waits for the one who does, for seconds, and then fails so.
                disregardsIndex = true
            } catch let error as SQLiteError {
                guard isPassing(error), attempt < 100, ContinuousClock.now < end else {
                    throw openingFailure(error, path)
                }
            } catch let error as Changed {
                guard attempt < 100 else { throw RecordingError(.unreadable, file: path, cause: error) }
            }
            attempt += 1
            usleep(5_000)
        }
    }

    /// Others have changed a file's surroundings while it was opened.
    private struct Changed: Error, CustomStringConvertible {
        package var description: String { "other processes open and close it all the time" }
    }

    /// Whether a failure may be over in a moment: a recorder, a recovery or another tool is just starting or ending, and
    /// its files come and go.
    private static func isPassing(_ error: SQLiteError) -> Bool {
        error.code == .cannotOpen || error.code == .busy || error.isShortRead
    }

    private static func openingFailure(_ error: SQLiteError, _ path: String) -> RecordingError {
        error.code == .notADatabase ? noDatabase(path) : Reports(path: path).failure(error)
    }

    private static func noDatabase(_ path: String) -> RecordingError {
        RecordingError(.notARecording, file: path, reason: "it is no SQLite database, or its head is lost")
    }

    private static func checkFormat(_ connection: Connection, _ reports: Reports) throws(RecordingError) -> Int {
        do {
            guard try connection.integer("PRAGMA application_id") == Int64(Schema.applicationID) else {
                throw RecordingError(.notARecording, file: reports.path, reason: "it is another SQLite database")
            }
            let version = Int(try connection.integer("PRAGMA user_version") ?? 0)
            if version > Schema.version {
                var error = RecordingError(.newerFormat, file: reports.path)
                error.version = version
                throw error
            }
            guard version >= 1 else { throw reports.damaged("there is no format \(version)") }
            return version
        } catch let error as RecordingError {
            throw error
        } catch let error as SQLiteError {
            throw reports.failure(error)
        } catch {
            throw reports.damaged("\(error)")
        }
    }

    /// Looks at all tables that every recording has.
    private static func checkTables(_ connection: Connection) throws {
        for table in Schema.needed {
            if let fault = try connection.fault(ofReading: table) {
                throw Reports(path: connection.path).damaged(fault.description)
            }
        }
    }

    /// Whether there is a table that not every recording has.
    ///
    /// - Throws: ``RecordingError``: `damaged` where it is not as it should be.
    package func hasTable(_ table: Schema.Table) throws -> Bool {
        switch try connection.fault(ofReading: table) {
        case nil: return true
        case .noTable?: return false
        case let fault?: throw damaged(fault.description)
        }
    }

    // MARK: Failures

    /// Runs `body`, and makes what SQLite reports an error of this module.
    package func reading<Result: ~Copyable>(seq: Int? = nil, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw Reports(path: path).failure(error, seq: seq)
        }
    }

    package func damaged(_ reason: String, seq: Int? = nil, reducer: Int? = nil, cause: (any Error)? = nil)
        -> RecordingError
    {
        Reports(path: path).damaged(reason, seq: seq, reducer: reducer, cause: cause)
    }
}

/// Makes errors about one file.
package struct Reports {
    package let path: String

    package init(path: String) {
        self.path = path
    }

    package func damaged(_ reason: String, seq: Int? = nil, reducer: Int? = nil, cause: (any Error)? = nil)
        -> RecordingError
    {
        var error = RecordingError(.damaged, file: path, reason: reason, cause: cause)
        error.seq = seq
        error.reducer = reducer
        return error
    }

    package func failure(_ error: SQLiteError, seq: Int? = nil) -> RecordingError {
        switch error.code {
        case .interrupted:
            damaged("its pages lead in circles", seq: seq, cause: error)
        case .corrupt, .notADatabase, .mismatch, .tooBig, .generic:
            damaged(error.message, seq: seq, cause: error)
        default:
            RecordingError(.unreadable, file: path, cause: error)
        }
    }
}

extension Connection {
    /// How long closing or recovering a recording waits for those who are reading it.
    package static let closingTime = Duration.milliseconds(400)
}
