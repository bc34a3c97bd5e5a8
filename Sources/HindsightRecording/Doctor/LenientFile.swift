import HindsightFormat
import HindsightSQLite
import HindsightSupport

/// A recording that may be damaged in any way, opened as far as possible. Changes nothing on disk.
final class LenientFile {
    let path: String
    let place: String
    let connection: Connection
    /// What is wrong with the file as a whole.
    private(set) var findings: [Finding] = []

    /// - Throws: A `RecordingError` if there is no file, or if it is not a recording.
    init(path: String) throws {
        self.path = path
        try ReadableFile.checkFile(path)
        place = FileSystem.place(of: path)
        do {
            connection = try ReadableFile.connect(path, place, toleratingDamage: MemoryEstimate.longestText)
        } catch let error as SQLiteError {
            throw Reports(path: path).failure(error)
        }
        try checkHead()
    }

    private func checkHead() throws {
        let id = try? connection.integer("PRAGMA application_id")
        if id != Int64(Schema.applicationID) {
            let tables = [Schema.recording, Schema.reducer, Schema.action, Schema.keyframe]
            guard try tables.allSatisfy({ try connection.fault(ofReading: $0) == nil }) else {
                throw RecordingError(.notARecording, file: path, reason: "it is another SQLite database")
            }
            findings.append(Finding(.file, "its head does not say that it is a recording"))
        }
        let version = Int((try? connection.integer("PRAGMA user_version")) ?? 0)
        if version > Schema.version, id == Int64(Schema.applicationID) {
            var error = RecordingError(.newerFormat, file: path)
            error.version = version
            throw error
        }
        if version < 1 { findings.append(Finding(.file, "there is no format \(version)")) }
        try checkLength()
    }

    private func checkLength() throws {
        guard try !JournalInspection.isLive(place), FileSystem.size(of: place + "-wal") == 0 else { return }
        let page = (try? connection.integer("PRAGMA page_size")) ?? 0
        let pages = (try? Self.pagesInHead(of: place)) ?? 0
        let size = FileSystem.size(of: place)
        if page > 0, size % page != 0 || size < pages * page {
            findings.append(Finding(.file, "it is truncated: \(size) bytes of \(max(pages * page, size))"))
        }
    }

    /// The number of pages according to the database's header.
    private static func pagesInHead(of place: String) throws -> Int64 {
        let descriptor = open(place, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError.last }
        defer { _ = close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4)
        guard bytes.withUnsafeMutableBytes({ pread(descriptor, $0.baseAddress, 4, 28) }) == 4 else { return 0 }
        return bytes.reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Opens a table; `nil` if it cannot be read, which is a finding.
    func table(_ table: Schema.Table, _ findings: inout Findings) -> LenientTable? {
        guard has(table, &findings), let key = table.key else { return nil }
        do {
            return try LenientTable(connection, table.name, key: key, columns: table.columns.dropFirst())
        } catch {
            findings.add(Finding(.file, "its table \(table.name) cannot be read: \(error)"))
            return nil
        }
    }

    /// Whether a table exists and can be read. If it cannot be read, that is a finding.
    func has(_ table: Schema.Table, isNeeded: Bool = true, _ findings: inout Findings) -> Bool {
        do {
            let fault = try connection.fault(ofReading: table)
            if let fault, isNeeded || fault != .noTable(table.name) { findings.add(Finding(.file, fault.description)) }
            return fault == nil
        } catch {
            findings.add(Finding(.file, "its table \(table.name) cannot be read: \(error)"))
            return false
        }
    }
}
