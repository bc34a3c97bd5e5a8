import CSQLite
import HindsightSupport

/// The lock that SQLite's readers hold on a database, for a connection that opens the file without locks.
///
/// While it is held no other connection removes the `-wal`, and none that asks for the whole file writes to it. A file in
/// rollback mode needs none: it is complete, and whoever writes to it is not ours.
/// <https://www.sqlite.org/fileformat2.html#lock_byte_page>
struct ReadLock: ~Copyable {
    private let descriptor: Int32

    /// SQLite's readers lock these bytes, which no database has content in.
    private static let bytes = (start: off_t(0x4000_0002), count: off_t(510))
    /// Where a database's head says how it is read: 2 for WAL.
    private static let readVersionOffset = off_t(19)

    /// Takes the lock.
    ///
    /// - Throws: `busy` where another connection has the file to itself. Where the file cannot be opened, or its file system
    ///   has no locks, nothing is locked: the connection itself tells what is wrong.
    init(_ path: String) throws(SQLiteError) {
        descriptor = try Self.lock(path)
    }

    private static func lock(_ path: String) throws(SQLiteError) -> Int32 {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var version: UInt8 = 0
        guard descriptor >= 0, pread(descriptor, &version, 1, readVersionOffset) == 1, version > 1 else {
            return descriptor
        }
        var lock = flock()
        lock.l_type = Int16(F_RDLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = bytes.start
        lock.l_len = bytes.count
        if fcntl(descriptor, command, &lock) == -1, errno == EAGAIN || errno == EACCES {
            _ = close(descriptor)
            throw SQLiteError(SQLITE_BUSY, "database is locked", path: path)
        }
        return descriptor
    }

    /// On Linux the lock belongs to the open file. Elsewhere it belongs to the process, which loses it when it closes any
    /// descriptor of the file.
    private static var command: Int32 {
        #if os(Linux)
            37  // F_OFD_SETLK, which glibc shows to GNU sources only.
        #else
            F_SETLK
        #endif
    }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }
}
