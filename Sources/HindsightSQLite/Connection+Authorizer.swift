import CSQLite

/// What a statement would do, as SQLite asks while it compiles it.
package enum SQLUse: Sendable, Hashable {
    /// Is a `SELECT`.
    case select
    /// Is a recursive `WITH`.
    case recursion
    /// Reads a column. An empty column stands for a table of which no column is read. `schema` is `main` or `temp`, and
    /// `view` is the view whose text reads it; `nil` if the statement itself does.
    case read(table: String, column: String, schema: String, view: String?)
    /// Calls a function.
    case function(String)
    /// Anything else: writing, attaching, a pragma.
    case other(Int32)
}

/// Decides which statements a connection compiles.
final class Authorizer {
    private let isAllowed: (SQLUse) -> Bool

    init(_ isAllowed: @escaping (SQLUse) -> Bool) { self.isAllowed = isAllowed }

    fileprivate func answer(_ code: Int32, _ first: String?, _ second: String?, _ schema: String?, _ view: String?)
        -> Int32
    {
        let use: SQLUse =
            switch code {
            case SQLITE_SELECT: .select
            case SQLITE_RECURSIVE: .recursion
            case SQLITE_READ: .read(table: first ?? "", column: second ?? "", schema: schema ?? "", view: view)
            case SQLITE_FUNCTION: .function((second ?? "").lowercased())
            default: .other(code)
            }
        return isAllowed(use) ? SQLITE_OK : SQLITE_DENY
    }
}

extension Connection {
    /// Declares the tables that are functions of JSON. SQLite otherwise does so when they are first used, and asks the
    /// authorizer whether that may change the schema.
    package func prepareTableFunctions() throws(SQLiteError) {
        try execute("SELECT 1 FROM json_each('[]'); SELECT 1 FROM json_tree('[]')")
    }

    /// Compiles only statements all of whose uses `isAllowed` accepts. Others throw `denied`.
    ///
    /// Sound: the connection keeps the object alive, SQLite calls it only in the connection's methods, and the texts are
    /// copied during the call.
    package func authorize(_ isAllowed: @escaping (SQLUse) -> Bool) {
        let authorizer = Authorizer(isAllowed)
        self.authorizer = authorizer
        sqlite3_set_authorizer(
            handle,
            { own, code, first, second, schema, view in
                guard let own else { return SQLITE_DENY }
                func text(_ bytes: UnsafePointer<CChar>?) -> String? { bytes.map { String(cString: $0) } }
                return Unmanaged<Authorizer>.fromOpaque(own).takeUnretainedValue()
                    .answer(code, text(first), text(second), text(schema), text(view))
            },
            Unmanaged.passUnretained(authorizer).toOpaque()
        )
    }
}
