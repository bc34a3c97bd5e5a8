import CSQLite

extension Connection {
    /// Whether a name is that of an ordinary table: not a view, and not a virtual table.
    ///
    /// The other columns of `sqlite_schema` may contradict an entry's SQL text, which alone counts, and if damage is
    /// tolerated, the first of two entries with the same name counts. Therefore this asks SQLite itself.
    ///
    /// - Parameter name: A trusted name. It is not escaped.
    package func isOrdinaryTable(_ name: String) throws(SQLiteError) -> Bool {
        // Fails for a view.
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

    /// Limits the memory of SQLite in this process, for all connections together. Up to 64 MB of what is freed stay with
    /// the process.
    package static func limitMemory(toBytes bytes: Int64) {
        // Else a program that copies a long text for each of many rows spends most of its time in fetching memory.
        hindsight_keep_freed(64 << 20)
        sqlite3_hard_heap_limit64(bytes)
    }
}
