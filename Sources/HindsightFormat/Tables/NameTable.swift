import HindsightSQLite
import HindsightTree

/// Writes the table `name`, which has texts that many actions share.
package struct NameTable: ~Copyable {
    /// Beyond this number of texts, or this size, a text is written inline. The table stays small whatever names the
    /// app uses.
    private let limit: Int
    private static let longest = 256

    private var ids: [ScalarKey: Int]
    private var lastID: Int
    private let insert: Statement

    package init(_ connection: Connection, limit: Int = 4096) throws(SQLiteError) {
        self.limit = limit
        // A recovered file already has names.
        let known = try connection.prepare(
            "SELECT id, text FROM name WHERE typeof(text) = 'text' AND length(text) <= \(Self.longest) LIMIT \(limit)"
        )
        var ids: [ScalarKey: Int] = [:]
        while try known.step() { ids[ScalarKey(try known.text(1))] = Int(try known.integer(0)) }
        let last = try connection.integer("SELECT max(id) FROM name") ?? 0
        insert = try connection.prepare("INSERT INTO name(id, text) VALUES (?, ?)")
        self.ids = ids
        lastID = Int(last)
    }

    /// Binds the id of a text, and adds a new text to the table. Binds the text itself if the table is full.
    package mutating func bind(_ text: String, to statement: borrowing Statement, at index: Int32) throws(SQLiteError) {
        if let id = ids[ScalarKey(text)] {
            try statement.bind(id, at: index)
        } else if ids.count < limit, lastID < .max, text.utf8.count <= Self.longest {
            let id = lastID + 1
            try insert.bind(id, at: 1)
            try insert.bind(text, at: 2)
            try insert.run()
            ids[ScalarKey(text)] = id
            lastID = id
            try statement.bind(id, at: index)
        } else {
            try statement.bind(text, at: index)
        }
    }

    /// The largest id in the table.
    package var last: Int { lastID }

    /// Removes ids above one, because their transaction was rolled back.
    package mutating func forget(after id: Int) {
        ids = ids.filter { $0.value <= id }
        lastID = id
    }
}
