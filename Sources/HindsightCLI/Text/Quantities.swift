import HindsightSupport

/// Formats numbers, sizes, durations and dates for people.
enum Quantities {
    /// `1,204`
    static func grouped(_ number: some BinaryInteger) -> String {
        let digits = String(number.magnitude)
        var result = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { result += "," }
            result.append(digit)
        }
        return number < 0 ? "-" + result : result
    }

    /// `1 action`, `1,204 actions`
    static func counted(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
        "\(grouped(number)) \(number == 1 ? singular : plural ?? singular + "s")"
    }

    /// `3`, `3 to 5`
    static func range(_ range: ClosedRange<Int>) -> String {
        range.lowerBound == range.upperBound ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
    }

    /// `action 3`, `actions 3 to 5`
    static func actions(_ range: ClosedRange<Int>) -> String {
        (range.lowerBound == range.upperBound ? "action " : "actions ") + self.range(range)
    }

    /// `a, b and 1,204 more`
    ///
    /// - Parameter noun: What the others are, in the singular; empty to leave that out.
    static func list(_ words: [String], most: Int, _ noun: String = "") -> String {
        let shown = words.prefix(most).joined(separator: ", ")
        guard words.count > most else { return shown }
        let rest = words.count - most
        return shown + " and " + (noun.isEmpty ? "\(grouped(rest)) more" : counted(rest, "more " + noun))
    }

    /// `812 bytes`, `12.4 KB`: 1,024 bytes are a KB.
    static func bytes(_ count: Int) -> String {
        scaled(Double(count), 1024, ["KB", "MB", "GB", "TB"]) ?? counted(count, "byte")
    }

    /// `340 ns`, `1.2 µs`, `35 ms`, `2.1 s`
    static func duration(nanoseconds: Int64) -> String {
        if nanoseconds >= 120_000_000_000 { return elapsed(nanoseconds: nanoseconds, sign: "") }
        return scaled(Double(nanoseconds), 1000, ["µs", "ms", "s"]) ?? "\(nanoseconds) ns"
    }

    /// Two or more significant digits with a unit; `nil` below the first unit.
    private static func scaled(_ number: Double, _ step: Double, _ units: [String]) -> String? {
        guard number >= step else { return nil }
        var value = number
        var unit = ""
        // A value that rounds to the next unit has that unit.
        for next in units where value.rounded() >= step || unit.isEmpty {
            value /= step
            unit = next
        }
        let tenths = Int((value * 10).rounded())
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10) \(unit)" : "\(grouped(Int(value.rounded()))) \(unit)"
    }

    /// The nanoseconds between two times. The result is clamped, because times from a file may have any value.
    static func interval(from start: Int64, to end: Int64) -> Int64 {
        let (interval, isTooLong) = end.subtractingReportingOverflow(start)
        guard isTooLong else { return interval }
        return end < start ? .min : .max
    }

    /// `+00:01.234`, with hours if there are any.
    static func elapsed(nanoseconds: Int64, sign: String = "+") -> String {
        let milliseconds = Int(nanoseconds.magnitude / 1_000_000)
        let (seconds, fraction) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        let (minutes, second) = seconds.quotientAndRemainder(dividingBy: 60)
        let (hours, minute) = minutes.quotientAndRemainder(dividingBy: 60)
        let clock = "\(TimeText.padded(minute, 2)):\(TimeText.padded(second, 2)).\(TimeText.padded(fraction, 3))"
        return (nanoseconds < 0 ? "-" : sign) + (hours > 0 ? "\(hours):\(clock)" : clock)
    }

    /// `2026-11-20 15:35:34 UTC`
    static func date(nanoseconds: Int64) -> String {
        let text = TimeText.local(nanoseconds: nanoseconds, LocalClock { _ in 0 }, showsMilliseconds: false)
        return text.replacing("T", with: " ").replacing("Z", with: " UTC")
    }
}
