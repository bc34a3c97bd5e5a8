import HindsightSQLite
import HindsightTree

/// Reads a row of the table `action`.
enum ActionRow {
    static let selection = "SELECT seq, parent, type, payload, at, duration, origin, problem FROM action"

    static func read(_ row: borrowing Statement, _ file: ReadableFile) throws -> ActionRecord {
        let seq = Int(try row.integer(0))
        return try file.reading(seq: seq) {
            ActionRecord(
                seq: seq,
                parent: try row.optionalInteger(1).map { Int($0) },
                type: try row.text(2),
                // Spelled out: a bare `nil` would be a node.
                payload: row.isNull(3) ? Node?.none : try file.node(row, 3, "its payload", seq: seq),
                at: try row.integer(4),
                duration: try row.optionalInteger(5),
                origin: try row.optionalText(6),
                problem: try row.optionalText(7)
            )
        }
    }
}

/// Reads a row of the table `step`.
enum StepRow {
    static let selection = "SELECT seq, reducer, duration, patch FROM step"

    static func read(_ row: borrowing Statement, _ file: ReadableFile) throws -> (seq: Int, step: StepRecord) {
        let seq = Int(try row.integer(0))
        return try file.reading(seq: seq) {
            let reducer = Int(try row.integer(1))
            return (
                seq,
                StepRecord(
                    reducer: reducer,
                    duration: try row.integer(2),
                    patch: row.isNull(3) ? nil : try file.patch(row, 3, seq: seq, reducer: reducer)
                )
            )
        }
    }
}

extension ReadableFile {
    /// Reads a column of JSON text, uncopied.
    func node(_ row: borrowing Statement, _ column: Int32, _ what: String, seq: Int) throws -> Node {
        do {
            guard let node = try row.withText(column, { try Node(jsonBytes: $0) }) else {
                throw damaged("\(what) is no text", seq: seq)
            }
            return node
        } catch let error as TreeError {
            throw damaged("\(what) is not the JSON that it should be: \(error)", seq: seq, cause: error)
        }
    }

    /// Reads a column that holds a patch.
    func patch(_ row: borrowing Statement, _ column: Int32, seq: Int, reducer: Int) throws -> Patch {
        let node = try node(row, column, "the patch of reducer \(reducer)", seq: seq)
        do {
            return try Patch(node: node)
        } catch {
            throw damaged("its patch is none: \(error)", seq: seq, reducer: reducer, cause: error)
        }
    }
}
