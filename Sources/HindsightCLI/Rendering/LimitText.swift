import HindsightFormat
import HindsightRecording

/// Describes a recording's limit, and the actions that it dropped.
struct LimitText {
    let recording: Recording

    /// `50 MB, 1 h`; `nil` if there is none.
    var limit: String? {
        let limit = recording.limit
        let parts = [
            limit.actions.map { Quantities.counted($0, "action") }, limit.bytes.map { Quantities.bytes($0) },
            limit.age.map(Self.words),
        ].compactMap { $0 }
        return parts.isEmpty ? nil : "the last " + parts.joined(separator: ", ")
    }

    /// The dropped actions; `nil` if none were dropped.
    var dropped: String? {
        guard recording.droppedCount > 0 else { return nil }
        let count = "the first \(Quantities.counted(recording.droppedCount, "action"))"
        let since = recording.keptSinceNanoseconds.map { ", up to \(Quantities.date(nanoseconds: $0))" } ?? ""
        return count + since
    }

    /// `90 s`, `5 min`, `1 h`, `2 d`: the largest unit that gives a whole number.
    private static func words(_ age: Duration) -> String {
        let seconds = Int(clamping: age.components.seconds)
        for (name, size) in [("d", 86_400), ("h", 3_600), ("min", 60)] where seconds > 0 && seconds.isMultiple(of: size)
        {
            return "\(Quantities.grouped(seconds / size)) \(name)"
        }
        return "\(Quantities.grouped(seconds)) s"
    }

    // MARK: Reading

    /// Reads `100000`, `50MB`, `1h`, or several with commas between them; `nil` if it is anything else.
    static func read(_ text: String) -> RecordingLimit? {
        var limit = RecordingLimit.none
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let digits = part.prefix { "0123456789".contains($0) }
            guard let number = Int(digits), number > 0 else { return nil }
            let unit = part.dropFirst(digits.count).lowercased()
            let (count, isTooBig) = number.multipliedReportingOverflow(by: bytes[unit] ?? seconds[unit] ?? 1)
            if isTooBig { return nil }
            if unit.isEmpty, limit.actions == nil {
                limit.actions = count
            } else if bytes[unit] != nil, limit.bytes == nil {
                limit.bytes = count
            } else if seconds[unit] != nil, limit.age == nil {
                limit.age = .seconds(count)
            } else {
                return nil
            }
        }
        // Raises a limit below the minimum to the minimum.
        return RecordingLimit(actions: limit.actions, bytes: limit.bytes, age: limit.age)
    }

    /// As sizes are printed: 1,024 bytes are a KB.
    private static let bytes = ["kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30]
    private static let seconds = ["s": 1, "min": 60, "m": 60, "h": 3_600, "d": 86_400]
}
