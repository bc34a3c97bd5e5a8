import HindsightSQLite

/// Reads the table `name`.
package final class Names {
    /// The limit of a text in bytes. Every action may refer to a text, and each reference expands it.
    package static let longest = 4096

    private let select: Statement
    private var texts: [Int64: String] = [:]

    package init(_ connection: Connection) throws(SQLiteError) {
        select = try connection.prepare("SELECT text FROM name WHERE id = ?")
    }

    /// Returns the text in a column, or the text that its id refers to.
    package func text(_ row: borrowing Statement, _ column: Int32, of file: ReadableFile) throws -> String {
        row.isInteger(column) ? try text(try row.integer(column), of: file) : try row.text(column)
    }

    /// Returns the text with an id.
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
