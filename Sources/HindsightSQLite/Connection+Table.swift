import CSQLite

extension Connection {
    /// Whether SQLite takes a name for that of an ordinary table: no view, and no virtual table.
    ///
    /// SQLite itself is asked. What the table `sqlite_schema` says of an entry need not be what SQLite makes of it: the
    /// entry's SQL text decides alone, and where damage is tolerated the first of two entries of one name counts.
    ///
    /// - Parameter name: A name of ours.
    package func isOrdinaryTable(_ name: String) throws(SQLiteError) -> Bool {
        // Gives no view.
        let result = sqlite3_table_column_metadata(handle, "main", name, nil, nil, nil, nil, nil, nil)
        guard result == SQLITE_OK else { return false }
        let step = try prepare("EXPLAIN SELECT count(*) FROM \(name) NOT INDEXED")
        var isRead = false
        while try step.step() {
            switch try step.text(1) {
            case "OpenRead": isRead = true
            case "VOpen": return false
            default: break
            }
        }
        return isRead
    }

    /// Limits the memory that SQLite takes in this process, for all its users together.
    package static func limitMemory(toBytes bytes: Int64) {
        sqlite3_hard_heap_limit64(bytes)
    }
}
