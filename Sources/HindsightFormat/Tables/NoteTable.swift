import HindsightSQLite

/// A note of the running app, as the journal has it.
package struct JournalNote: Equatable, Sendable {
    /// The number of the note, from 1, which is its id in the table.
    package var id: Int
    package var seq: Int
    /// The number of reducers that had run; `nil` if no action was being reduced.
    package var reducer: Int?
    package var text: String
    /// In nanoseconds since 1970.
    package var at: Int64
    /// Whether its text is its name. Not in the journal: a reader finds out which names the file has.
    package var isName = false

    package init(id: Int, seq: Int, reducer: Int?, text: String, at: Int64) {
        (self.id, self.seq, self.reducer, self.text, self.at) = (id, seq, reducer, text, at)
    }
}

/// A row of the table `note`, without its id.
package struct NoteRow {
    package var seq: Int
    package var reducer: Int?
    package var name: String?
    package var text: String?
    package var at: Int64

    package init(seq: Int, reducer: Int? = nil, name: String? = nil, text: String? = nil, at: Int64) {
        (self.seq, self.reducer, self.name, self.text, self.at) = (seq, reducer, name, text, at)
    }

    package init(_ note: JournalNote) {
        self.init(seq: note.seq, reducer: note.reducer, at: note.at)
        (name, text) = note.isName ? (note.text, nil) : (nil, note.text)
    }

    /// The query of all notes.
    package static let all = "SELECT seq, reducer, name, text, at FROM note"
    /// The query of all notes from a position on, in their order.
    package static let selection = "\(all) WHERE seq >= ? ORDER BY seq, id"

    /// Reads a row of ``selection``.
    package init(_ row: borrowing Statement) throws(SQLiteError) {
        seq = Int(try row.integer(0))
        reducer = try row.optionalInteger(1).map { Int($0) }
        name = try row.optionalText(2)
        text = try row.optionalText(3)
        at = try row.integer(4)
    }

    /// - Parameter id: Its number in the table; `nil` for the next one.
    package func insert(_ id: Int? = nil, into connection: Connection) throws(SQLiteError) {
        let insert = try connection.prepare(
            "INSERT INTO note(id, seq, reducer, name, text, at) VALUES (?, ?, ?, ?, ?, ?)"
        )
        try insert.bind(id, at: 1)
        try insert.bind(seq, at: 2)
        try insert.bind(reducer, at: 3)
        try insert.bind(name, at: 4)
        try insert.bind(text, at: 5)
        try insert.bind(at, at: 6)
        try insert.run()
    }
}

/// The table `note`: a row for each note.
///
/// A note has a name, which no other note has, or, if its text cannot be a name or another note has it, a text.
package enum NoteTable {
    /// The size of the longest name in bytes.
    package static let maxNameLength = 200

    /// Why a text cannot be the name of a note, as a clause; `nil` if it can.
    package static func fault(ofName text: String) -> String? {
        if text.isEmpty { return "it is empty" }
        if text.utf8.count > maxNameLength { return "it is longer than \(maxNameLength) bytes" }
        return RecordingPosition.isReserved(text) ? "it is another position already" : nil
    }

    /// Adds a note of the running app. If its text can be a name and no other note has it, it is the name.
    ///
    /// - Parameter mayRenumber: Whether the note gets another id if a row has its own. Otherwise that is an error.
    package static func add(_ note: JournalNote, mayRenumber: Bool, to connection: Connection) throws(SQLiteError) {
        var note = note
        if fault(ofName: note.text) == nil { note.isName = try !has(name: note.text, connection) }
        let row = NoteRow(note)
        do {
            try row.insert(note.id, into: connection)
        } catch {
            guard error.code == .constraint, mayRenumber else { throw error }
            try row.insert(into: connection)
        }
    }

    package static func has(name: String, _ connection: Connection) throws(SQLiteError) -> Bool {
        let row = try connection.prepare("SELECT 1 FROM note WHERE name = ?")
        try row.bind(name, at: 1)
        return try row.step()
    }
}

extension RecordingPosition {
    /// Whether a text is a position of any recording, whatever its notes are.
    package static func isReserved(_ text: String) -> Bool {
        if ["start", "end", "crash"].contains(text) || MomentText(text) != nil { return true }
        // Also a number that is too large.
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isNumber = parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } }
        return isNumber || text.hasSuffix("%") && text.utf8.dropLast().allSatisfy { "0123456789.".utf8.contains($0) }
    }
}
