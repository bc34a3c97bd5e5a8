import HindsightFormat
import HindsightSQLite
import HindsightTree

/// A value in a table that no recorder writes there.
struct RowFault {
    /// What the value belongs to. The raw values are those of the parts of a finding.
    enum Part: String {
        case file, head, reducer, name, action, steps, limit
    }

    let part: Part
    /// The number of the action.
    let seq: Int?
    /// What is wrong, as a clause.
    let what: String
    /// The error of SQLite or of parsing the value; or what a strict reader throws, if its words differ from ``what``.
    let error: (any Error)?

    init(_ part: Part, at seq: Int? = nil, _ what: String, _ error: (any Error)? = nil) {
        self.part = part
        self.seq = seq
        self.what = what
        self.error = error
    }
}

/// Decides what happens at a fault: a strict reader throws the first, and a lenient reader notes each and goes on.
///
/// The code that reads a table is the same for both. A policy costs nothing while a row is sound.
protocol RowPolicy {
    /// The form in which the reader needs payloads.
    associatedtype Payload

    /// The largest number of rows to read of a table that has few; -1 for all.
    static var mostRows: Int { get }
    /// Decodes text; `nil` if the reader does not accept it.
    static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String?
    /// Parses a payload; `nil` if it is no text.
    static func payload(_ bytes: UnsafeBufferPointer<UInt8>) throws(TreeError) -> Payload?
    /// Whether JSON text would take too much memory.
    static func isTooBig(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool

    /// Throws the fault, or notes it.
    mutating func take(_ fault: RowFault) throws
}

/// Throws the first fault as a `RecordingError` with the code `damaged`.
struct StrictPolicy: RowPolicy {
    private let file: ReadableFile

    init(_ file: ReadableFile) { self.file = file }

    static var mostRows: Int { -1 }
    static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String? { String(decoding: bytes, as: UTF8.self) }
    static func payload(_ bytes: UnsafeBufferPointer<UInt8>) throws(TreeError) -> Node? { try Node(jsonBytes: bytes) }
    static func isTooBig(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool { false }

    func take(_ fault: RowFault) throws {
        switch fault.error {
        case let error as RecordingError: throw error
        case let error as SQLiteError: throw Reports(path: file.path).failure(error, seq: fault.seq)
        case let error: throw file.damaged(fault.what, seq: fault.seq, cause: error)
        }
    }
}

/// A column of JSON text.
enum JSONColumn<Value> {
    case null
    case value(Value)
    case damaged
    /// The value would take too much memory.
    case tooBig

    var value: Value? { if case .value(let value) = self { value } else { nil } }
}

extension RowPolicy {
    /// Reads a table with `body`. An error of SQLite is a fault that ends it.
    ///
    /// - Returns: Whether there was no such error.
    @discardableResult
    mutating func read(
        _ part: RowFault.Part,
        _ noun: String,
        _ body: (inout Self) throws -> Void
    ) throws -> Bool {
        do {
            try body(&self)
            return true
        } catch let error as SQLiteError {
            try take(RowFault(part, "\(noun) cannot be read: \(error)", error))
            return false
        }
    }

    /// Whether an optional table exists and can be read. Another table of its name is a fault.
    mutating func has(_ table: Schema.Table, in file: ReadableFile) throws -> Bool {
        var isReadable = false
        try read(.file, "its table \(table.name)") { policy in
            switch try file.connection.fault(ofReading: table) {
            case nil: isReadable = true
            case .noTable?: break
            case let fault?: try policy.take(RowFault(.file, fault.description))
            }
        }
        return isReadable
    }

    /// Reads a whole number; `nil` if it is damaged.
    mutating func number(_ row: borrowing Statement, _ column: Int32, _ noun: String, at seq: Int) throws -> Int64? {
        do {
            return try row.integer(column)
        } catch {
            try take(RowFault(.action, at: seq, "\(noun) is no number", error))
            return nil
        }
    }

    /// Reads a whole number; `nil` if it is null or damaged.
    mutating func optionalNumber(
        _ row: borrowing Statement,
        _ column: Int32,
        _ noun: String,
        at seq: Int
    ) throws -> Int64? {
        row.isNull(column) ? nil : try number(row, column, noun, at: seq)
    }

    /// Reads text; `nil` if it is damaged.
    mutating func text(
        _ row: borrowing Statement,
        _ column: Int32,
        _ noun: String,
        at seq: Int? = nil,
        in part: RowFault.Part = .action
    ) throws -> String? {
        if let text = row.withText(column, Self.text), let text { return text }
        let what = "\(noun) is \(row.isNull(column) ? "missing" : "no text")"
        try take(RowFault(part, at: seq, what, row.mismatch(column, "text")))
        return nil
    }

    /// Reads text, or the text of the table `name` to which the column refers; `nil` if it is damaged.
    ///
    /// - Parameters:
    ///   - names: `nil` if the table cannot be read.
    ///   - use: What the text is used for, if it is in the table.
    mutating func name(
        _ row: borrowing Statement,
        _ column: Int32,
        _ noun: String,
        of use: String,
        at seq: Int,
        _ names: NameTexts?
    ) throws -> String? {
        guard row.isInteger(column) else { return try text(row, column, noun, at: seq) }
        let id = try row.integer(column)
        var failure: (any Error)?
        do {
            if let text = try names?.text(id, Self.self) { return text }
        } catch {
            failure = error
        }
        try take(RowFault(.name, at: seq, "name \(id), \(use), is missing", failure))
        return nil
    }

    /// Parses JSON text, without copying it.
    mutating func json<Value>(
        _ row: borrowing Statement,
        _ column: Int32,
        _ noun: String,
        at seq: Int,
        in part: RowFault.Part = .action,
        ifTooBig tooBig: String = "is too big",
        _ parse: (UnsafeBufferPointer<UInt8>) throws(TreeError) -> Value?
    ) throws -> JSONColumn<Value> {
        if row.isNull(column) { return .null }
        var isTooBig = false
        do {
            let value = try row.withText(column) { bytes in
                isTooBig = Self.isTooBig(bytes)
                return isTooBig ? nil : try parse(bytes)
            }
            if let value, let value { return .value(value) }
        } catch {
            try take(RowFault(part, at: seq, "\(noun) is not what it should be: \(error)", error))
            return .damaged
        }
        try take(
            isTooBig ? RowFault(.limit, at: seq, "\(noun) \(tooBig)") : RowFault(part, at: seq, "\(noun) is no text")
        )
        return isTooBig ? .tooBig : .damaged
    }
}
