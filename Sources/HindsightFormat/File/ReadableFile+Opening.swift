import HindsightSQLite
import HindsightSupport

/// The way in which a file is opened beside whatever else uses it.
extension ReadableFile {
    /// Checks the file without opening it. Closing a second descriptor would release the locks of a recorder in this
    /// process.
    package static func checkFile(_ path: String) throws(RecordingError) {
        var present = stat()
        guard stat(path, &present) == 0 else {
            let error = SystemError.last
            guard error.number == ENOENT || error.number == ENOTDIR else {
                throw RecordingError(.unreadable, file: path, cause: error)
            }
            let left = SidecarFiles.existing(beside: path).map { FileSystem.name(of: path + $0) }
            let remedy = "Files of it are here: \(left.joined(separator: ", ")). Copy the recording itself beside them."
            throw RecordingError(.notFound, file: path, remedy: left.isEmpty ? nil : remedy)
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
        // SQLite treats a file of one byte as empty, and deletes the sidecar files of an empty file, even if it opens
        // it read-only.
        if present.st_size == 1 { throw noDatabase(path) }
    }

    /// How to open the file: beside a recorder or alone, with or without a `-wal`.
    ///
    /// If both of SQLite's files are there, the file is opened with SQLite's locks even if it is not being recorded,
    /// because a recovery or another tool may checkpoint the `-wal` at any moment.
    ///
    /// - Parameter hasIndex: Whether a connection of the caller has the `-shm` open.
    package static func accessMode(of place: String, isLive: Bool, hasIndex: Bool = false) -> Connection.Access {
        if isLive { return .readShared }
        // A `-wal` that is no longer than its header has no pages.
        guard FileSystem.size(of: place + "-wal") > WriteAheadLog.head else { return .readImmutable }
        return isFile(place + "-shm") && (hasIndex || isIndexed(place)) ? .readShared : .readAbandoned
    }

    /// Whether the index in the `-shm` belongs to the `-wal`. If a process ends after it began a new `-wal` and before
    /// its first commit, it leaves the index of the old one. SQLite cannot rebuild the index read-only, and retries for
    /// ten seconds.
    ///
    /// Both files have the salts of the `-wal`'s header, eight bytes in the same byte order: the `-wal` at byte 16, the
    /// `-shm` at byte 32 (https://www.sqlite.org/walformat.html). The first connection that opens the `-shm` truncates
    /// it and builds it again: so if another process holds SQLite's lock on it, the index will soon belong.
    private static func isIndexed(_ place: String) -> Bool {
        openPlaces.withLock { places in
            // Closing the `-shm` would release the locks of another connection of this process, which has found it sound.
            if places[place] != nil { return true }
            let index = open(place + "-shm", O_RDONLY | O_CLOEXEC)
            guard index >= 0 else { return false }
            defer { _ = close(index) }
            if isLocked(index) { return true }
            // With another checksum of the header, SQLite retries for ten seconds, too.
            guard let head = bytes(WriteAheadLog.head, at: 0, of: place + "-wal"), WriteAheadLog.isSound(head: head)
            else { return false }
            return WriteAheadLog.bytes(8, at: 32, of: index).map { $0.elementsEqual(head[16..<24]) } ?? false
        }
    }

    /// Whether another process has an index open: it locks byte 128 as long as it does.
    private static func isLocked(_ index: Int32) -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 128
        lock.l_len = 1
        return fcntl(index, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }

    /// The files whose `-shm` this process has open, and how often.
    private static let openPlaces = Locked<[String: Int]>([:])

    /// Whether this process has the `-shm` of a file open. Then closing any other descriptor of its files would drop locks.
    package static func isOpen(_ path: String) -> Bool {
        let place = FileSystem.place(of: path)
        return openPlaces.withLock { $0[place] != nil }
    }

    static func note(_ place: String, isOpen: Bool) {
        openPlaces.withLock { places in
            let count = places[place, default: 0] + (isOpen ? 1 : -1)
            places[place] = count > 0 ? count : nil
        }
    }

    static func bytes(_ count: Int, at offset: Int, of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        return WriteAheadLog.bytes(count, at: offset, of: descriptor)
    }

    private static func isFile(_ path: String) -> Bool {
        var present = stat()
        return lstat(path, &present) == 0 && present.st_mode & S_IFMT == S_IFREG && access(path, R_OK) == 0
    }

    /// Opens a database, or reads a recording in text into one.
    static func openFile(_ path: String, _ place: String, toleratingDamage maxTextLength: Int?) throws
        -> (Connection, JournalInspection, isText: Bool)
    {
        do {
            let (connection, journal) = try connect(path, place, toleratingDamage: maxTextLength)
            return (connection, journal, false)
        } catch let error as RecordingError where error.code == .notARecording {
            switch TextForm.kind(of: path) {
            case .recording: return (try TextImport.database(of: path), .absent, true)
            case .actions: throw RecordingError(.notARecording, file: path, reason: RecordingError.isListOfActions)
            case .database, .other: throw error
            }
        }
    }

    /// Opens a connection in the way that fits the files.
    ///
    /// - Parameter maxTextLength: The longest text in bytes to read of a damaged file, which may also have lost its end;
    ///   `nil` for a file that must be sound.
    static func connect(_ path: String, _ place: String, toleratingDamage maxTextLength: Int?) throws
        -> (Connection, JournalInspection)
    {
        var attempt = 0
        var disregardsIndex = false
        let end = ContinuousClock.now + .seconds(10)
        while true {
            // The recorder must come first: if it is gone, later reads are final.
            let journal = try JournalInspection.of(place)
            // Asked again: reading the journal takes long enough for a whole recovery.
            let isLive = try JournalInspection.isLive(place)
            var access = accessMode(of: place, isLive: isLive)
            if access == .readShared, disregardsIndex, !isLive { access = .readAbandoned }
            do {
                let connection = try Connection(path, access)
                // The holder of a recorder's lock may be writing, so the file may have any size.
                if !isLive {
                    connection.limitWork(forFileOf: FileSystem.size(of: place) + FileSystem.size(of: place + "-wal"))
                }
                if let maxTextLength { try connection.tolerateDamage(maxTextLength: Int32(maxTextLength)) }
                // The first statement opens the sidecar files.
                _ = try connection.integer("PRAGMA application_id")
                // From here on the way to open it cannot change. Before, it may have.
                let present = try JournalInspection.isLive(place)
                let isUnchanged = accessMode(of: place, isLive: present, hasIndex: access == .readShared) == access
                guard disregardsIndex || isUnchanged else { throw Changed() }
                if maxTextLength != nil { return (connection, journal) }
                // SQLite reads zeros for the missing part of the last page. If there is a `-wal`, it has the page.
                guard case .readImmutable = access else { return (connection, journal) }
                let isWhole =
                    try connection.integer("PRAGMA page_size").map { FileSystem.size(of: path) % $0 == 0 } ?? true
                guard isWhole else { throw RecordingError(.damaged, file: path, reason: "it is truncated") }
                return (connection, journal)
            } catch let error as SQLiteError where error.code == .lockProtocol && !disregardsIndex {
                // A process that ended while it restarted the `-wal` leaves a `-shm` that does not match. SQLite
                // without write permission waits some seconds for a writer, and then fails in this way.
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

    /// The sidecar files changed while the file was opened.
    private struct Changed: Error, CustomStringConvertible {
        var description: String { "other processes open and close it all the time" }
    }

    /// Whether a failure may be temporary: a recorder, a recovery or another tool is starting or ending, and its files
    /// appear and disappear.
    private static func isPassing(_ error: SQLiteError) -> Bool {
        error.code == .cannotOpen || error.code == .busy || error.isShortRead
    }

    private static func openingFailure(_ error: SQLiteError, _ path: String) -> RecordingError {
        error.code == .notADatabase ? noDatabase(path) : RecordingError(error, reading: path)
    }

    private static func noDatabase(_ path: String) -> RecordingError {
        RecordingError(.notARecording, file: path, reason: "it is no SQLite database, or its head is lost")
    }
}
