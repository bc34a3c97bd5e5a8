import HindsightFormat
import HindsightSQLite
import HindsightTree

/// Parses a row of the table `action`.
enum ActionRow {
    static let selection = "SELECT seq, parent, type, payload, at, duration, file, line, problem FROM action"
    static let selectionWithSteps =
        "SELECT seq, parent, type, payload, at, duration, file, line, problem, steps FROM action"
    private static let steps: Int32 = 9

    static func read(_ row: borrowing Statement, _ file: ReadableFile) throws -> RecordedAction {
        let seq = Int(try row.integer(0))
        return try file.reading(seq: seq) {
            RecordedAction(
                seq: seq,
                parent: try row.optionalInteger(1).map { Int($0) },
                type: try file.names.text(row, 2, of: file),
                // Explicit, because a bare `nil` would be a node.
                payload: row.isNull(3) ? Node?.none : try file.node(row, 3, "its payload", seq: seq),
                nanosecondsSinceEpoch: try row.integer(4),
                durationInNanoseconds: try row.optionalInteger(5),
                origin: row.isNull(6) ? nil : "\(try file.names.text(row, 6, of: file)):\(try row.integer(7))",
                problem: try row.optionalText(8)
            )
        }
    }

    /// Parses the steps of a row.
    static func readSteps(_ row: borrowing Statement, _ file: ReadableFile) throws -> [RecordedStep] {
        try file.steps(row, steps, seq: Int(try row.integer(0)))
    }
}

extension ReadableFile {
    /// Reads a column of JSON text without copying it.
    func node(_ row: borrowing Statement, _ column: Int32, _ what: String, seq: Int) throws -> Node {
        try json(row, column, what, seq: seq) { try Node(jsonBytes: $0) }
    }

    /// Parses a column of steps; empty if it is null.
    func steps(_ row: borrowing Statement, _ column: Int32, seq: Int) throws -> [RecordedStep] {
        if row.isNull(column) { return [] }
        let entries = try json(row, column, "what its reducers did", seq: seq) { try TimedPatches.read($0) }
        return entries.enumerated().map { index, entry in
            RecordedStep(
                reducer: entry.duration == nil ? 0 : index + 1,
                durationInNanoseconds: entry.duration ?? 0,
                patch: entry.patch.isEmpty ? nil : entry.patch
            )
        }
    }

    private func json<Value>(
        _ row: borrowing Statement,
        _ column: Int32,
        _ what: String,
        seq: Int,
        _ read: (UnsafeBufferPointer<UInt8>) throws -> Value
    ) throws -> Value {
        do {
            guard let value = try row.withText(column, read) else { throw damaged("\(what) is no text", seq: seq) }
            return value
        } catch let error as TreeError {
            throw damaged("\(what) is not what it should be: \(error)", seq: seq, cause: error)
        }
    }
}
