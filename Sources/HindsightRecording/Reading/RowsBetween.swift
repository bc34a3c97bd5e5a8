import HindsightFormat

/// Checks that the rows of all actions between two positions come, in order.
///
/// In a damaged file, SQLite may skip rows, and the patches of the others may still fit.
struct RowsBetween {
    private(set) var first: Int
    private(set) var last: Int
    /// Whether the last row may be missing, because that action's changes are not needed, and it may be only in the
    /// journal.
    private var lastIsOptional: Bool

    init(_ low: Recording.Position, _ high: Recording.Position) {
        first = low.reducer == nil ? low.seq + 1 : low.seq
        last = high.seq
        lastIsOptional = high.reducer == 0
    }

    /// Checks a row, going forward.
    mutating func passFirst(_ seq: Int, _ file: ReadableFile) throws {
        guard seq == first else { throw gap(at: first, found: seq, file) }
        first += 1
    }

    /// Checks a row, going backward.
    mutating func passLast(_ seq: Int, _ file: ReadableFile) throws {
        guard seq == last || lastIsOptional && seq == last - 1 else { throw gap(at: last, found: seq, file) }
        last = seq - 1
        lastIsOptional = false
    }

    /// Checks that all rows have come.
    func end(_ file: ReadableFile) throws {
        guard first > last || lastIsOptional && first == last else { throw gap(at: first, found: nil, file) }
    }

    private func gap(at seq: Int, found: Int?, _ file: ReadableFile) -> RecordingError {
        let isStray = found.map { !(first...max(first, last) ~= $0) } ?? false
        return isStray
            ? file.damaged("its actions are not in their order", seq: found) : file.damaged("it is missing", seq: seq)
    }
}
