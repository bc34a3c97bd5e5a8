import HindsightSQLite

/// The reader's side of the table `name`.
package final class Names {
    /// No recorder writes longer ones, in bytes; every action may refer to it, and each shows it.
    package static let longest = 4096

    private let select: Statement
    private var texts: [Int64: String] = [:]

    package init(_ connection: Connection) throws(SQLiteError) {
        select = try connection.prepare("SELECT text FROM name WHERE id = ?")
    }

    /// The text that a column has or refers to.
    package func text(_ row: borrowing Statement, _ column: Int32, of file: ReadableFile) throws -> String {
        row.isInteger(column) ? try text(try row.integer(column), of: file) : try row.text(column)
    }

    /// The text that has a number.
    package func text(_ id: Int64, of file: ReadableFile) throws -> String {
        if let text = texts[id] { return text }
        defer { select.reset() }
        try select.bind(id, at: 1)
        guard try select.step() else { throw file.damaged("there is no name \(id)") }
        let text = try select.text(0)
        guard text.utf8.count <= Self.longest else { throw file.damaged("name \(id) is longer than names are") }
        texts[id] = text
        return text
    }
}
