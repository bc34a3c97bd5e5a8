import CSQLite
import HindsightSupport

/// The lock that SQLite's readers hold on a database, for a connection that opens the file without locks.
///
/// While it is held, no other connection removes the `-wal`, or writes with exclusive access. A file in rollback mode
/// needs no lock: it is complete, and a recorder never writes to it.
/// <https://www.sqlite.org/fileformat2.html#lock_byte_page>
struct ReadLock: ~Copyable {
    private let descriptor: Int32

    /// The bytes that SQLite's readers lock. No database stores content there.
    private static let bytes = (start: off_t(0x4000_0002), count: off_t(510))
    /// The offset of the read version in a database's header; 2 means WAL.
    private static let readVersionOffset = off_t(19)

    /// Takes the lock.
    ///
    /// If the file cannot be opened, or its file system has no locks, nothing is locked, and the connection reports the
    /// error.
    ///
    /// - Throws: `busy` if another connection has exclusive access.
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
        if fcntl(descriptor, RangeLock.command, &lock) == -1, errno == EAGAIN || errno == EACCES {
            _ = close(descriptor)
            throw SQLiteError(SQLITE_BUSY, "database is locked", path: path)
        }
        return descriptor
    }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }
}
