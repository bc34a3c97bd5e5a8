import HindsightSQLite

/// Texts that many actions have, each written once: the output's side of the table `name`.
struct NameTable: ~Copyable {
    /// Beyond this many, and beyond this many bytes, a text is written where it stands: so the table stays small
    /// whatever the app calls its actions.
    private let limit: Int
    private static let longest = 256

    private var ids: [String: Int] = [:]
    private let insert: Statement

    init(_ connection: Connection, limit: Int) throws(SQLiteError) {
        self.limit = limit
        insert = try connection.prepare("INSERT INTO name(id, text) VALUES (?, ?)")
    }

    /// Binds a text as an id, writing it into the table where it is new, or as it is.
    mutating func bind(_ text: String, to statement: borrowing Statement, at index: Int32) throws(SQLiteError) {
        if let id = ids[text] {
            try statement.bind(id, at: index)
        } else if ids.count < limit, text.utf8.count <= Self.longest {
            let id = ids.count + 1
            try insert.bind(id, at: 1)
            try insert.bind(text, at: 2)
            try insert.run()
            ids[text] = id
            try statement.bind(id, at: index)
        } else {
            try statement.bind(text, at: index)
        }
    }

    /// How many texts are in the table.
    var count: Int { ids.count }

    /// Forgets texts beyond a number of them: their transaction was rolled back.
    mutating func forget(after count: Int) {
        ids = ids.filter { $0.value <= count }
    }
}

/// The reader's side of the table `name`.
final class Names {
    private let select: Statement
    private var texts: [Int64: String] = [:]

    init(_ connection: Connection) throws(SQLiteError) {
        select = try connection.prepare("SELECT text FROM name WHERE id = ?")
    }

    /// The text that a column has or refers to.
    func text(_ row: borrowing Statement, _ column: Int32, of file: ReadableFile) throws -> String {
        guard row.isInteger(column) else { return try row.text(column) }
        let id = try row.integer(column)
        if let text = texts[id] { return text }
        defer { select.reset() }
        try select.bind(id, at: 1)
        guard try select.step() else { throw file.damaged("there is no name \(id)") }
        let text = try select.text(0)
        texts[id] = text
        return text
    }
}
