import HindsightSQLite

/// The reason why a table cannot be used.
///
/// All code that opens a file checks its tables in the same way. A table can be read if it is an ordinary table that
/// has the columns, none of them computed, and is keyed by the right one. Other tables, views and indexes are ignored,
/// so users may add their own. A table can be written only if its schema is the original one, because SQLite would run
/// whatever was added to it.
package enum SchemaFault: Error, Equatable {
    case noTable(String)
    case noColumn(String, table: String)
    /// The table exists with another schema. The clause describes it.
    case foreign(String)

    package var description: String {
        switch self {
        case .noTable(let table): "it has no table \(table)"
        case .noColumn(let column, let table): "its table \(table) has no column \(column)"
        case .foreign(let what): what
        }
    }
}

extension Connection {
    /// Checks whether a table can be read; `nil` if it can.
    ///
    /// Costs a read of the schema, and a few if the table is not as a recorder makes it.
    package func fault(ofReading table: Schema.Table) throws(SQLiteError) -> SchemaFault? {
        let entry = try prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ? AND rootpage > 0")
        try entry.bind(table.name, at: 1)
        guard try entry.step() else { return .noTable(table.name) }
        // The schema then has no other table or view of this name: SQLite would not load it, unless damage is tolerated.
        if !toleratesDamage, table.isOriginal(try entry.optionalText(0)) { return nil }
        // Checked before the columns, because the columns of a view may take long to compute.
        guard try isOrdinaryTable(table.name) else { return .noTable(table.name) }

        var missing = Set(table.columns)
        let column = try prepare("SELECT name, hidden, dflt_value IS NOT NULL, pk FROM pragma_table_xinfo(?)")
        try column.bind(table.name, at: 1)
        var keys: [String] = []
        while try column.step() {
            let name = try column.text(0)
            if try column.integer(3) > 0 { keys.append(name) }
            guard missing.remove(name) != nil else { continue }
            if try column.integer(1) != 0 {
                return .foreign("the column \(name) of its table \(table.name) is computed")
            }
            if try column.integer(2) != 0 {
                return .foreign("the column \(name) of its table \(table.name) has a default")
            }
        }
        if let name = missing.min() { return .noColumn(name, table: table.name) }
        if let key = table.key, keys != [key] { return .foreign("the key of its table \(table.name) is not \(key)") }
        return nil
    }

    /// Checks whether a table can be read and written; `nil` if it can.
    package func fault(ofWriting table: Schema.Table) throws(SQLiteError) -> SchemaFault? {
        let entry = try prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?")
        try entry.bind(table.name, at: 1)
        guard try entry.step() else { return .noTable(table.name) }
        guard table.isOriginal(try entry.text(0)) else {
            return .foreign("its table \(table.name) is not as a recorder makes it")
        }
        let index = try prepare("SELECT name FROM pragma_index_list(?) WHERE origin = 'c'")
        try index.bind(table.name, at: 1)
        if try index.step() { return .foreign("its table \(table.name) has the index \(try index.text(0))") }
        let trigger = try prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE"
        )
        try trigger.bind(table.name, at: 1)
        if try trigger.step() { return .foreign("its table \(table.name) has the trigger \(try trigger.text(0))") }
        return nil
    }
}

extension Schema.Table {
    /// Whether a definition is the one that a recorder writes.
    fileprivate func isOriginal(_ definition: String?) -> Bool {
        guard let definition else { return false }
        if definition == sql { return true }
        // A table that was renamed and renamed back has a quoted name.
        let start = "CREATE TABLE \(name)"
        return sql.hasPrefix(start) && definition == "CREATE TABLE \"\(name)\"" + sql.dropFirst(start.count)
    }
}
