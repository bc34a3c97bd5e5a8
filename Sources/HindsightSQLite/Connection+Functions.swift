import CSQLite

/// A function in Swift that SQL calls.
package final class SQLFunction {
    package typealias Body = (borrowing SQLArguments) throws -> SQLValue

    fileprivate let body: Body

    fileprivate init(_ body: @escaping Body) { self.body = body }
}

/// The arguments of a call of a function. Valid during the call.
package struct SQLArguments: ~Copyable {
    fileprivate let count: Int
    fileprivate let values: UnsafeMutablePointer<OpaquePointer?>?

    /// The integer at an index; `nil` if the argument is no integer.
    package func integer(_ index: Int) -> Int64? {
        let value = self[raw: index]
        return sqlite3_value_type(value) == SQLITE_INTEGER ? sqlite3_value_int64(value) : nil
    }

    /// A copy of the value at an index.
    package subscript(_ index: Int) -> SQLValue {
        let value = self[raw: index]
        let mark = sqlite3_value_subtype(value)
        let copy = SQLValue(value)
        guard mark != 0, case .text(let text) = copy else { return copy }
        return .marked(text, UInt8(truncatingIfNeeded: mark))
    }

    /// Sound: SQLite passes as many arguments as `count` says, and they are valid during the call.
    private subscript(raw index: Int) -> OpaquePointer? {
        precondition(index >= 0 && index < count, "the function has \(count) arguments")
        return values?[index]
    }
}

extension Connection {
    /// Defines a function. It may only be called by statements of the program, not by the schema of a file.
    ///
    /// Its result may differ from call to call, so SQLite calls it wherever an expression needs it.
    ///
    /// Sound: SQLite keeps the retained object until the function is replaced or the connection is closed, and then calls
    /// the last closure, which releases it. Arguments are read during the call, and results are copied by SQLite.
    package func define(_ name: String, arguments: Int, _ body: @escaping SQLFunction.Body) throws(SQLiteError) {
        let result = sqlite3_create_function_v2(
            handle,
            name,
            Int32(arguments),
            SQLITE_UTF8 | SQLITE_DIRECTONLY | hindsight_subtype_flags,
            Unmanaged.passRetained(SQLFunction(body)).toOpaque(),
            { context, count, values in
                guard let context, let own = sqlite3_user_data(context) else { return }
                let function = Unmanaged<SQLFunction>.fromOpaque(own).takeUnretainedValue()
                do {
                    set(try function.body(SQLArguments(count: Int(count), values: values)), in: context)
                } catch {
                    sqlite3_result_error(context, "the function failed", -1)
                }
            },
            nil,
            nil,
            { own in
                if let own { Unmanaged<SQLFunction>.fromOpaque(own).release() }
            }
        )
        guard result == SQLITE_OK else { throw SQLiteError(of: handle, result: result, path: path) }
    }
}

/// Sets the result of a call. Sound: SQLite copies the bytes before it returns.
private func set(_ value: SQLValue, in context: OpaquePointer) {
    switch value {
    case .null: sqlite3_result_null(context)
    case .integer(let value): sqlite3_result_int64(context, value)
    case .real(let value): sqlite3_result_double(context, value)
    case .text(let text): setText(text, in: context)
    case .marked(let text, let mark):
        setText(text, in: context)
        sqlite3_result_subtype(context, UInt32(mark))
    case .blob(let bytes):
        bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return sqlite3_result_zeroblob(context, 0) }
            hindsight_result_blob(context, start, UInt64(bytes.count))
        }
    }
}

private func setText(_ text: String, in context: OpaquePointer) {
    var text = text
    text.withUTF8 { bytes in
        guard let start = bytes.baseAddress else { return hindsight_result_text(context, "", 0) }
        start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
            hindsight_result_text(context, $0, UInt64(bytes.count))
        }
    }
}
