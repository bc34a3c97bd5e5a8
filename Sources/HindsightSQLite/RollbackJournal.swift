import CSQLite
import HindsightSupport

/// The file `-journal` beside a database. SQLite rolls it back when a connection opens the database for writing.
///
/// It may name a super-journal, which belongs to a transaction over several databases. SQLite deletes the file of that
/// name afterwards, so a malicious journal could delete any file. Recorders write no such transactions.
/// <https://www.sqlite.org/fileformat2.html#the_rollback_journal>
enum RollbackJournal {
    private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

    /// Refuses a database whose journal names another file.
    static func check(of path: String) throws(SQLiteError) {
        guard namesAnotherFile(path + "-journal") else { return }
        let words = "its rollback journal would make SQLite delete another file, and is not one that a recorder wrote"
        throw SQLiteError(SQLITE_CORRUPT, words, path: path)
    }

    /// The magic number at the very end follows a name. A journal that cannot be read cannot be rolled back either.
    private static func namesAnotherFile(_ journal: String) -> Bool {
        let descriptor = open(journal, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { _ = close(descriptor) }
        let end = lseek(descriptor, 0, SEEK_END)
        guard end >= off_t(magic.count) else { return false }
        var bytes = [UInt8](repeating: 0, count: magic.count)
        let count = bytes.withUnsafeMutableBytes {
            pread(descriptor, $0.baseAddress, $0.count, end - off_t($0.count))
        }
        return count == magic.count && bytes == magic
    }
}
