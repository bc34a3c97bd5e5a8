import HindsightRecording

/// Compares the stored texts of actions of two recordings without parsing them, apart from durations.
///
/// Equal texts mean equal values. Different texts may mean equal values, too.
struct StoredComparison {
    private let left: ActionCursor
    private let right: ActionCursor
    /// The last action that is in both files, and not only in a journal.
    let last: Int

    /// - Parameter columns: What to compare, beside whether the actions have finished.
    init(
        of left: Recording,
        and right: Recording,
        comparing columns: Set<ActionCursor.Column>
    ) throws(RecordingError) {
        self.columns = columns
        self.left = try ActionCursor(of: left, reading: columns.union([.duration, .at]))
        self.right = try ActionCursor(of: right, reading: columns.union([.duration, .at]))
        last = min(left.lastStored, right.lastStored)
    }

    private let columns: Set<ActionCursor.Column>

    /// The times of an action, in nanoseconds since 1970, if its texts are the same; `nil` if they are not.
    ///
    /// - Parameter seq: The number of the action, at most ``last``.
    func times(ofSame seq: Int) throws(RecordingError) -> (left: Int64, right: Int64)? {
        try left.move(to: seq)
        try right.move(to: seq)
        guard try (left.duration() == nil) == (right.duration() == nil) else { return nil }
        if columns.contains(.type) {
            guard try left.type().utf8.elementsEqual(right.type().utf8) else { return nil }
        }
        if columns.contains(.payload) {
            guard try Self.isSame(left.payload(), right.payload()) else { return nil }
        }
        if columns.contains(.steps) {
            let isSame = try left.withSteps { one in try right.withSteps { Self.isSameSteps(one, $0) } }
            // An action without changes on one side is left to the comparison of values.
            guard isSame == .some(.some(true)) else { return nil }
        }
        return (try left.at(), try right.at())
    }

    private static func isSame(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return one.utf8.elementsEqual(other.utf8)
    }

    /// Whether two texts in the form of `TimedPatches` are the same, apart from the durations.
    ///
    /// Durations are the only numbers outside of operations, so outside of the third and deeper brackets.
    static func isSameSteps(_ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
        // Sound: each index is checked against the count of its buffer.
        var (i, j, depth) = (0, 0, 0)
        var isString = false
        while i < one.count, j < other.count {
            let byte = one[i]
            if !isString, depth <= 2, byte.isDigit, other[j].isDigit {
                while i < one.count, one[i].isDigit { i += 1 }
                while j < other.count, other[j].isDigit { j += 1 }
                continue
            }
            guard byte == other[j] else { return false }
            i += 1
            j += 1
            switch byte {
            case UInt8(ascii: "\""): isString.toggle()
            case UInt8(ascii: "\\") where isString:
                // The escaped byte, which may be a quote.
                guard i < one.count, j < other.count, one[i] == other[j] else { return false }
                i += 1
                j += 1
            case UInt8(ascii: "["), UInt8(ascii: "{"): if !isString { depth += 1 }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): if !isString { depth -= 1 }
            default: break
            }
        }
        return i == one.count && j == other.count
    }
}
