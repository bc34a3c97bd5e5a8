import HindsightSQLite
import HindsightSupport

/// An opened file that is a recording. Changes nothing on disk.
package final class ReadableFile {
    package let path: String
    /// The path without links: sidecar files stand beside this one.
    package let place: String
    package let connection: Connection
    package let formatVersion: Int
    /// Whether the file is a recording in text, which ``connection`` has as a private database. Nothing stands beside it.
    package let isText: Bool
    /// What is wrong with the file as a whole, if it was opened all the same; each as a clause.
    package let faults: [String]
    /// The journal when the file was opened, or last inspected again.
    package private(set) var journal: JournalInspection
    private let readableTables: Set<String>

    /// Opens the file.
    ///
    /// - Parameter maxTextLength: Opens a damaged file too, as far as possible, and limits texts to this size in bytes.
    ///   `nil` refuses a damaged file.
    /// - Throws: A ``RecordingError``: `notFound`, `unreadable`, `empty`, `notARecording`, `newerFormat` or `damaged`.
    package init(path: String, toleratingDamage maxTextLength: Int? = nil) throws(RecordingError) {
        self.path = path
        try Self.checkFile(path)
        place = FileSystem.place(of: path)
        do {
            (connection, journal, isText) = try Self.openFile(path, place, toleratingDamage: maxTextLength)
            var faults: [String]? = maxTextLength == nil ? nil : []
            formatVersion = try Self.checkFormat(connection, &faults)
            if faults != nil, !journal.isLive, !isText { try Self.checkLength(connection, of: place, &faults) }
            readableTables = try Self.checkTables(connection, &faults)
            self.faults = faults ?? []
        } catch {
            throw RecordingError(error, reading: path)
        }
        if usesIndex { Self.note(place, isOpen: true) }
    }

    deinit { if usesIndex { Self.note(place, isOpen: false) } }

    /// Whether the connection has the `-shm` open.
    private var usesIndex: Bool { connection.access == .readShared }

    /// The size of the file, with what its `-wal` has.
    package var bytes: Int64 { FileSystem.size(of: place) + FileSystem.size(of: place + "-wal") }

    /// Inspects the journal again. Must come before reading what was recorded since: if the recorder is gone, later
    /// reads are final.
    package func inspectJournal() throws(RecordingError) {
        if !isText { journal = try JournalInspection.of(place) }
    }

    /// The files beside this one that belong to it, as suffixes of its name.
    package var sidecarSuffixes: [String] { isText ? [] : SidecarFiles.existing(beside: place) }

    /// Whether a table can be read. If not, ``faults`` says why.
    package func has(_ table: Schema.Table) -> Bool { readableTables.contains(table.name) }

    /// Reads the facts that every recording has.
    package func facts() throws(RecordingError) -> Facts {
        try reading {
            var metadata = Metadata()
            try metadata.read(from: connection)
            return try metadata.facts(of: path)
        }
    }

    // MARK: Failures

    /// Runs `body`, and converts SQLite's errors to errors of this module.
    package func reading<Result: ~Copyable>(seq: Int? = nil, _ body: () throws -> Result) throws(RecordingError)
        -> Result
    {
        do {
            return try body()
        } catch {
            throw RecordingError(error, reading: path, seq: seq)
        }
    }

    package func damaged(_ reason: String, seq: Int? = nil, reducer: Int? = nil, cause: (any Error)? = nil)
        -> RecordingError
    {
        RecordingError(.damaged, file: path, seq: seq, reducer: reducer, reason: reason, cause: cause)
    }
}

extension Connection {
    /// How long closing or recovering a recording waits for its readers.
    package static let closingTime = Duration.milliseconds(400)
}
