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

/// The table `note`: a row for each note.
///
/// A note has a name, which no other note has, or, if its text cannot be a name or another note has it, a text.
package enum NoteTable {
    /// The size of the longest name in bytes.
    package static let longestName = 200

    /// Why a text cannot be the name of a note, as a clause; `nil` if it can.
    package static func fault(ofName text: String) -> String? {
        if text.isEmpty { return "it is empty" }
        if text.utf8.count > longestName { return "it is longer than \(longestName) bytes" }
        return RecordingPosition.isReserved(text) ? "it is another position already" : nil
    }

    /// Adds a note of the running app. If its text can be a name and no other note has it, it is the name.
    ///
    /// - Parameter mayRenumber: Whether the note gets another id if a row has its own. Otherwise that is an error.
    package static func add(_ note: JournalNote, mayRenumber: Bool, to connection: Connection) throws(SQLiteError) {
        var isName = fault(ofName: note.text) == nil
        if isName { isName = try !has(name: note.text, connection) }
        func insert(_ id: Int?) throws(SQLiteError) {
            let insert = try connection.prepare(
                "INSERT INTO note(id, seq, reducer, name, text, at) VALUES (?, ?, ?, ?, ?, ?)"
            )
            try insert.bind(id, at: 1)
            try insert.bind(note.seq, at: 2)
            try insert.bind(note.reducer, at: 3)
            try insert.bind(isName ? note.text : nil, at: 4)
            try insert.bind(isName ? nil : note.text, at: 5)
            try insert.bind(note.at, at: 6)
            try insert.run()
        }
        do {
            try insert(note.id)
        } catch {
            guard error.code == .constraint, mayRenumber else { throw error }
            try insert(nil)
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
