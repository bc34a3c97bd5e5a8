import HindsightFormat
import HindsightSQLite

/// Reads the rows of a table by number, and continues after rows that cannot be read.
final class LenientTable {
    enum Step {
        /// ``LenientTable/row`` is at the row with this number.
        case row(Int)
        /// Rows with these numbers, if there are any, cannot be read.
        case unreadable(ClosedRange<Int>, SQLiteError)
        /// No row from this number on can be read.
        case lost(from: Int, SQLiteError)
        case end
    }

    let row: Statement
    private let probe: Statement
    private let single: Statement
    /// The remaining number of rows to try one by one after an unreadable one. After that, rows are tried at growing
    /// distances.
    private var patience = 20_000

    /// - Parameter table: A table whose key is the number `seq`, its first column.
    init(_ table: Schema.Table, _ connection: Connection) throws(SQLiteError) {
        row = try connection.prepare("\(table.selection()) WHERE seq > ? ORDER BY seq LIMIT 1")
        single = try connection.prepare("\(table.selection()) WHERE seq = ?")
        probe = try connection.prepare("SELECT seq FROM \(table.name) WHERE seq >= ? ORDER BY seq LIMIT 1")
    }

    /// Moves to the first row after a number. The values of the previous row become invalid.
    ///
    /// - Throws: An error of SQLite that has another cause than the file.
    func next(after last: Int) throws -> Step {
        row.reset()
        guard last < .max else { return .end }
        do {
            try row.bind(last, at: 1)
            guard try row.step() else { return .end }
            let seq = Int(try row.integer(0))
            guard seq > last else {
                throw SQLiteError(SQLiteError.Code.corrupt.rawValue, "its rows are in no order", path: "")
            }
            return .row(seq)
        } catch {
            guard let error = error as? SQLiteError, error.isOfTheFile else { throw error }
            row.reset()
            return try skip(after: last, error)
        }
    }

    /// Whether the last row that was requested by number is too large to be read.
    private(set) var isTooBig = false

    /// Reads a row by number, and passes it on; `nil` if it does not exist or cannot be read.
    func read<Value>(_ seq: Int, _ body: (borrowing Statement) throws -> Value?) throws -> Value? {
        defer { single.reset() }
        isTooBig = false
        do {
            try single.bind(seq, at: 1)
            guard try single.step() else { return nil }
            return try body(single)
        } catch let error as SQLiteError {
            guard error.isOfTheFile else { throw error }
            isTooBig = error.code == .tooBig
            return nil
        }
    }

    // MARK: Unreadable rows

    private func skip(after last: Int, _ error: SQLiteError) throws -> Step {
        // If the number can be read, only this row is unreadable.
        if case .some(let seq) = try firstNumber(from: last + 1) {
            guard let seq else { return .end }
            return .unreadable(seq...seq, error)
        }
        var bad = last + 1
        while patience > 0, bad < .max {
            patience -= 1
            if case .some(let seq) = try firstNumber(from: bad + 1) {
                return .unreadable(last + 1...(seq.map { $0 - 1 } ?? bad), error)
            }
            bad += 1
        }
        var leap = 1024
        while true {
            let (good, isTooFar) = bad.addingReportingOverflow(leap)
            guard !isTooFar, good <= Recording.Position.lastPossibleAction else { return .lost(from: last + 1, error) }
            if case .some(let seq) = try firstNumber(from: good) {
                return .unreadable(last + 1...(try firstReadable(after: bad, upTo: good) ?? seq ?? good) - 1, error)
            }
            bad = good
            leap *= 2
        }
    }

    /// The first number from which on reading works, between one for which it fails and one for which it works.
    private func firstReadable(after bad: Int, upTo good: Int) throws -> Int? {
        var (bad, good) = (bad, good)
        while good - bad > 1 {
            let middle = bad + (good - bad) / 2
            if case .some = try firstNumber(from: middle) { good = middle } else { bad = middle }
        }
        guard case .some(let seq) = try firstNumber(from: good) else { return nil }
        return seq
    }

    /// The first number that is not below `bound`: `nil` if it cannot be read, `.some(nil)` if there is none.
    private func firstNumber(from bound: Int) throws -> Int?? {
        defer { probe.reset() }
        do {
            try probe.bind(bound, at: 1)
            guard try probe.step() else { return .some(nil) }
            let seq = Int(try probe.integer(0))
            return seq >= bound ? .some(seq) : nil
        } catch {
            guard error.isOfTheFile else { throw error }
            return nil
        }
    }
}

extension SQLiteError {
    /// Whether the file is the cause, so that another part of it may be readable.
    var isOfTheFile: Bool { code != .busy && code != .noMemory }
}
