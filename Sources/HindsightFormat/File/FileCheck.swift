import HindsightSQLite
import HindsightSupport

/// Checks the file as a whole: its format, its length and its tables.
struct FileCheck {
    /// What is wrong, if damage is tolerated; each as a clause. Otherwise, the first fault is thrown.
    private(set) var faults: [String] = []
    private let connection: Connection
    private let toleratesDamage: Bool
    private var path: String { connection.path }

    init(_ connection: Connection, toleratesDamage: Bool) {
        self.connection = connection
        self.toleratesDamage = toleratesDamage
    }

    private mutating func take(_ fault: String) throws {
        guard toleratesDamage else { throw Reports(path: path).damaged(fault) }
        faults.append(fault)
    }

    /// Returns the format.
    mutating func format() throws -> Int {
        let isMarked = try connection.integer("PRAGMA application_id") == Int64(Schema.applicationID)
        if !isMarked {
            let tables = [Schema.recording, Schema.reducer, Schema.action, Schema.keyframe]
            guard toleratesDamage, try tables.allSatisfy({ try connection.fault(ofReading: $0) == nil }) else {
                throw RecordingError(.notARecording, file: path, reason: "it is another SQLite database")
            }
            try take("its head does not say that it is a recording")
        }
        let version = Int(try connection.integer("PRAGMA user_version") ?? 0)
        if version > Schema.version, isMarked {
            var error = RecordingError(.newerFormat, file: path)
            error.version = version
            throw error
        }
        if version < 1 { try take("there is no format \(version)") }
        return version
    }

    /// Checks the length of a file without a `-wal`, which would have the missing pages.
    mutating func length(of place: String) throws {
        guard FileSystem.size(of: place + "-wal") == 0 else { return }
        let page = try connection.integer("PRAGMA page_size") ?? 0
        let pages = Self.pagesInHead(of: place)
        let size = FileSystem.size(of: place)
        if page > 0, size % page != 0 || size < pages * page {
            try take("it is truncated: \(size) bytes of \(max(pages * page, size))")
        }
    }

    /// The number of pages according to the database's header; 0 if that cannot be read.
    private static func pagesInHead(of place: String) -> Int64 {
        let descriptor = open(place, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return 0 }
        defer { _ = close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4)
        guard bytes.withUnsafeMutableBytes({ pread(descriptor, $0.baseAddress, 4, 28) }) == 4 else { return 0 }
        return bytes.reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Returns the names of the readable ones among the tables that every recording has.
    mutating func tables() throws -> Set<String> {
        var readable: Set<String> = []
        for table in Schema.needed {
            do {
                if let fault = try connection.fault(ofReading: table) {
                    try take(fault.description)
                } else {
                    readable.insert(table.name)
                }
            } catch let error as SQLiteError {
                guard toleratesDamage else { throw error }
                try take("its table \(table.name) cannot be read: \(error)")
            }
        }
        return readable
    }
}
