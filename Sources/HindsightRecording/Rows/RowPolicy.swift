import HindsightFormat
import HindsightSQLite
import HindsightTree

/// Decides what happens at a fault, a value that no recorder writes: a strict reader throws the first, and a lenient
/// reader notes each and goes on.
///
/// The code that reads a table is the same for both. A policy costs nothing while a row is sound.
protocol RowPolicy {
    /// The form in which the reader needs payloads.
    associatedtype Payload

    /// The largest number of rows to read of a table that has few; -1 for all.
    static var maxRows: Int { get }
    /// Decodes text; `nil` if the reader does not accept it.
    static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String?
    /// Parses a payload; `nil` if it is no text.
    func payload(_ bytes: UnsafeBufferPointer<UInt8>) throws(TreeError) -> Payload?
    /// Whether JSON text would take too much memory.
    static func isTooBig(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool

    /// Throws a fault, or notes it.
    ///
    /// - Parameters:
    ///   - seq: The number of the action.
    ///   - what: What is wrong, as a clause.
    ///   - error: The cause; or what a strict reader throws, if its words differ.
    mutating func take(_ part: FaultPart, at seq: Int?, _ what: String, _ error: (any Error)?) throws
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
    // MARK: Tables

    /// Reads a table with `body`. An error of SQLite is a fault that ends it.
    ///
    /// - Returns: Whether there was no such error.
    @discardableResult
    mutating func read(_ part: FaultPart, _ noun: String, _ body: (inout Self) throws -> Void) throws -> Bool {
        do {
            try body(&self)
            return true
        } catch let error as SQLiteError {
            try take(part, at: nil, "\(noun) cannot be read: \(error)", error)
            return false
        }
    }

    // MARK: Columns

    // Each returns `nil` for a value that is damaged; `noun` names it in the words of the fault.

    mutating func number(_ row: borrowing Statement, _ column: Int32, _ noun: String, at seq: Int) throws -> Int64? {
        do {
            return try row.integer(column)
        } catch {
            try take(.action, at: seq, "\(noun) is no number", error)
            return nil
        }
    }

    mutating func text(
        _ row: borrowing Statement,
        _ column: Int32,
        _ noun: String,
        at seq: Int? = nil,
        in part: FaultPart = .action
    ) throws -> String? {
        if let text = row.withText(column, Self.text), let text { return text }
        let what = "\(noun) is \(row.isNull(column) ? "missing" : "no text")"
        try take(part, at: seq, what, row.mismatch(column, "text"))
        return nil
    }

    /// Parses JSON text, without copying it.
    mutating func json<Value>(
        _ row: borrowing Statement,
        _ column: Int32,
        _ noun: String,
        at seq: Int,
        in part: FaultPart = .action,
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
            try take(part, at: seq, "\(noun) is not what it should be: \(error)", error)
            return .damaged
        }
        try take(isTooBig ? .limit : part, at: seq, "\(noun) \(isTooBig ? tooBig : "is no text")", nil)
        return isTooBig ? .tooBig : .damaged
    }

    /// Parses a column of steps.
    mutating func steps(_ row: borrowing Statement, _ column: Int32, at seq: Int) throws -> JSONColumn<[TimedPatch]> {
        let tooBig = "is too big to be examined"
        return try json(row, column, "what its reducers did", at: seq, in: .steps, ifTooBig: tooBig) {
            bytes throws(TreeError) in try TimedPatches.read(bytes)
        }
    }
}
