import HindsightFormat
import HindsightSQLite

/// Reads a table by its number row after row, and goes on behind what cannot be read.
final class LenientTable {
    enum Step {
        /// ``LenientTable/row`` stands on the row with this number.
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
    /// How many rows may yet be tried one by one behind what cannot be read; from then on it goes by leaps.
    private var patience = 20_000

    /// - Parameters:
    ///   - columns: What is read of each row; the number comes first.
    ///   - key: The column that is the rows' number.
    init(
        _ connection: Connection,
        _ table: String,
        key: String,
        columns: some Sequence<String>
    ) throws(SQLiteError) {
        let selection = "SELECT \(([key] + columns).joined(separator: ", ")) FROM \(table)"
        row = try connection.prepare("\(selection) WHERE \(key) > ? ORDER BY \(key) LIMIT 1")
        single = try connection.prepare("\(selection) WHERE \(key) = ?")
        probe = try connection.prepare("SELECT \(key) FROM \(table) WHERE \(key) >= ? ORDER BY \(key) LIMIT 1")
    }

    /// Goes to the first row behind a number. What was read of the last row is gone then.
    ///
    /// - Throws: Where SQLite fails for another reason than the file.
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

    /// Whether the row that was last asked for by its number is too big to be read.
    private(set) var isTooBig = false

    /// Reads a row by its number, and hands it over; `nil` where it cannot be read or is not there.
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

    // MARK: What cannot be read

    private func skip(after last: Int, _ error: SQLiteError) throws -> Step {
        // Where the number can be read, it is this row alone that cannot.
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
            guard !isTooFar, good <= Position.lastPossibleAction else { return .lost(from: last + 1, error) }
            if case .some(let seq) = try firstNumber(from: good) {
                return .unreadable(last + 1...(try firstReadable(after: bad, upTo: good) ?? seq ?? good) - 1, error)
            }
            bad = good
            leap *= 2
        }
    }

    /// The first number from which on reading works, between one from which it does not and one from which it does.
    private func firstReadable(after bad: Int, upTo good: Int) throws -> Int? {
        var (bad, good) = (bad, good)
        while good - bad > 1 {
            let middle = bad + (good - bad) / 2
            if case .some = try firstNumber(from: middle) { good = middle } else { bad = middle }
        }
        guard case .some(let seq) = try firstNumber(from: good) else { return nil }
        return seq
    }

    /// The first number that is not below `bound`: `nil` where it cannot be read, `.some(nil)` where there is none.
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
    /// Whether it is the file's fault, so that another part of it may be readable.
    var isOfTheFile: Bool { code != .busy && code != .noMemory }
}
