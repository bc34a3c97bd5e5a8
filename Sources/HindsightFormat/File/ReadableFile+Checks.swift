import HindsightSQLite
import HindsightSupport

/// Checks of the file as a whole. A fault is thrown, or, if damage is tolerated, added to `faults` as a clause.
extension ReadableFile {
    private static func take(_ fault: String, _ faults: inout [String]?, _ path: String) throws {
        if faults == nil { throw RecordingError(.damaged, file: path, reason: fault) }
        faults?.append(fault)
    }

    /// Checks the format, and returns it.
    static func checkFormat(_ connection: Connection, _ faults: inout [String]?) throws -> Int {
        let path = connection.path
        let isMarked = try connection.integer("PRAGMA application_id") == Int64(Schema.applicationID)
        if !isMarked {
            let tables = [Schema.recording, Schema.reducer, Schema.action, Schema.keyframe]
            guard faults != nil, try tables.allSatisfy({ try connection.fault(ofReading: $0) == nil }) else {
                throw RecordingError(.notARecording, file: path, reason: "it is another SQLite database")
            }
            try take("its head does not say that it is a recording", &faults, path)
        }
        let version = Int(try connection.integer("PRAGMA user_version") ?? 0)
        if version > Schema.version, isMarked {
            throw RecordingError(.newerFormat, file: path, version: version)
        }
        if version < 1 { try take("there is no format \(version)", &faults, path) }
        return version
    }

    /// Checks the tables, and returns the names of the readable ones.
    static func checkTables(_ connection: Connection, _ faults: inout [String]?) throws -> Set<String> {
        var readable: Set<String> = []
        for table in Schema.tables {
            do {
                if let fault = try connection.fault(ofReading: table) {
                    try take(fault.description, &faults, connection.path)
                } else {
                    readable.insert(table.name)
                }
            } catch let error as SQLiteError {
                if faults == nil { throw error }
                faults?.append("its table \(table.name) cannot be read: \(error)")
            }
        }
        return readable
    }

    /// Checks the length of a file without a `-wal`, which would have the missing pages.
    static func checkLength(_ connection: Connection, of place: String, _ faults: inout [String]?) throws {
        guard FileSystem.size(of: place + "-wal") == 0 else { return }
        let page = try connection.integer("PRAGMA page_size") ?? 0
        // According to the database's header; 0 if that cannot be read.
        let pages = (bytes(4, at: 28, of: place) ?? []).reduce(0 as Int64) { $0 << 8 | Int64($1) }
        let size = FileSystem.size(of: place)
        if page > 0, size % page != 0 || size < pages * page {
            try take("it is truncated: \(size) bytes of \(max(pages * page, size))", &faults, connection.path)
        }
    }
}
