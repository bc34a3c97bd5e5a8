import HindsightFormat
import HindsightSQLite
import HindsightTree

/// Reads strictly: throws the first fault as a `RecordingError` with the code `damaged`.
struct StrictPolicy: RowPolicy {
    let file: ReadableFile

    static var maxRows: Int { -1 }
    static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String? { String(decoding: bytes, as: UTF8.self) }
    func payload(_ bytes: UnsafeBufferPointer<UInt8>) throws(TreeError) -> Node? { try Node(jsonBytes: bytes) }
    static func isTooBig(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool { false }

    func take(_ part: FaultPart, at seq: Int?, _ what: String, _ error: (any Error)?) throws {
        switch error {
        case let error as RecordingError: throw error
        case let error as SQLiteError: throw RecordingError(error, reading: file.path, seq: seq)
        default: throw file.damaged(what, seq: seq, cause: error)
        }
    }
}

extension ReadableFile {
    /// Reads a row of the table `action`.
    func action(_ row: borrowing Statement, _ names: NameTexts) throws -> RecordedAction {
        var policy = StrictPolicy(file: self)
        return RecordedAction(try ActionRow(row, names, &policy))
    }

    /// Parses a column with a keyframe.
    func wholeState(_ row: borrowing Statement, _ column: Int32, seq: Int) throws -> Node {
        var policy = StrictPolicy(file: self)
        let state = try policy.json(row, column, "the keyframe", at: seq) { bytes throws(TreeError) in
            try Node(jsonBytes: bytes)
        }
        guard let state = state.value else { throw damaged("the keyframe is no text", seq: seq) }
        return state
    }
}

extension RecordedStep {
    /// The steps of an action, from the entries of its row.
    static func steps(_ entries: [TimedPatch]) -> [RecordedStep] {
        entries.enumerated().map { index, entry in
            RecordedStep(
                reducer: entry.duration == nil ? 0 : index + 1,
                durationInNanoseconds: entry.duration ?? 0,
                patch: entry.patch.isEmpty ? nil : entry.patch
            )
        }
    }
}

extension RecordedAction {
    /// - Parameter row: A row without faults, so that it has a type and a time.
    fileprivate init(_ row: ActionRow<Node>) {
        let fields = Fields(
            seq: row.seq,
            parent: row.parent,
            type: row.type ?? "",
            payload: row.payload.value,
            nanosecondsSinceEpoch: row.at ?? 0,
            durationInNanoseconds: row.duration,
            source: row.origin,
            problem: row.problem,
            thread: row.thread
        )
        self.init(fields)
    }
}
