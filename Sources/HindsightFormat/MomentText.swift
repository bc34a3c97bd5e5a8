import HindsightSupport

/// A moment as text: a time of day, a date and time, or a distance from the start or the end of a recording.
///
/// | text | moment |
/// |---|---|
/// | `14:03:22.5`, `14:03` | that time of day, in local time |
/// | `2026-11-20T14:03:22` | that date and time, in local time |
/// | `14:03:22Z`, `2026-11-20T14:03:22+01:00` | the same in a time zone |
/// | `+00:12.5`, `+1:00:00`, `+12.5s` | that long after the start |
/// | `-5s`, `-250ms`, `-2m`, `-1h` | that long before the end |
///
/// A time without a fraction of a second stands for the whole second, as `info` shows times. One with up to three digits
/// stands for a whole millisecond, as `log` shows times. More digits, and a distance from the end, are exact.
package struct MomentText: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// A time of day, in nanoseconds. The zone is in seconds east of UTC; `nil` is local time.
        case clock(Int64, zone: Int?)
        /// A date, in days since 1970, and a time of day.
        case date(days: Int, Int64, zone: Int?)
        case afterStart(Int64)
        case beforeEnd(Int64)
    }

    package var kind: Kind
    /// How long the moment lasts, in nanoseconds: a second, a millisecond, or 1 if it is exact.
    package var length: Int64

    /// - Returns: `nil` for any other text.
    package init?(_ text: String) {
        var scanner = Scanner(rest: Array(text.utf8)[...])
        switch scanner.rest.first {
        case UInt8(ascii: "+"):
            scanner.rest.removeFirst()
            var other = scanner
            guard let (time, digits) = scanner.elapsed() ?? other.quantity() else { return nil }
            (kind, length) = (.afterStart(time), Self.length(digits))
        case UInt8(ascii: "-"):
            scanner.rest.removeFirst()
            guard let (time, _) = scanner.quantity() else { return nil }
            // The end has all digits.
            (kind, length) = (.beforeEnd(time), 1)
        default:
            let days = scanner.date()
            guard let (time, digits) = scanner.clock(), let zone = scanner.zone(), scanner.rest.isEmpty else {
                return nil
            }
            length = Self.length(digits)
            kind = days.map { .date(days: $0, time, zone: zone) } ?? .clock(time, zone: zone)
        }
    }

    /// How long a time with so many digits of a second lasts.
    private static func length(_ digits: Int) -> Int64 { digits == 0 ? 1_000_000_000 : digits > 3 ? 1 : 1_000_000 }
}

/// Reads the parts of a moment. A part that is not there leaves the text as it is.
private struct Scanner {
    var rest: ArraySlice<UInt8>

    private static let second: Int64 = 1_000_000_000

    private mutating func take(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    /// Takes digits: as many as there are, but at most some number. Fails if there are fewer than the least number.
    private mutating func number(_ counts: ClosedRange<Int>) -> (value: Int64, count: Int)? {
        let digits = rest.prefix(counts.upperBound).prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        guard counts.contains(digits.count) else { return nil }
        rest = rest.dropFirst(digits.count)
        return (digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }, digits.count)
    }

    /// Takes a point and digits: nanoseconds of a second, and the number of digits. Without a point, there are none.
    private mutating func fraction() -> (Int64, digits: Int)? {
        guard take(".") else { return (0, 0) }
        guard let (value, count) = number(1...9) else { return nil }
        return ((count..<9).reduce(value) { value, _ in value * 10 }, count)
    }

    /// `2026-11-20T`, or with a space: days since 1970.
    mutating func date() -> Int? {
        var other = self
        guard let year = other.number(4...4)?.value, other.take("-"), let month = other.number(2...2)?.value,
            other.take("-"), let day = other.number(2...2)?.value, other.take("T") || other.take(" ")
        else { return nil }
        let date = CivilDate(year: Int(year), month: Int(month), day: Int(day))
        let days = date.daysSince1970
        guard 1...12 ~= month, CivilDate(daysSince1970: days) == date else { return nil }
        self = other
        return days
    }

    /// `14:03:22.5` or `14:03`: nanoseconds of the day, and the digits of the fraction.
    mutating func clock() -> (Int64, digits: Int)? {
        guard let hour = number(1...2)?.value, hour < 24, take(":"), let minute = number(2...2)?.value, minute < 60
        else { return nil }
        let minutes = (hour * 60 + minute) * 60 * Self.second
        guard take(":") else { return (minutes, 0) }
        guard let second = number(2...2)?.value, second < 60, let (part, digits) = fraction() else { return nil }
        return (minutes + second * Self.second + part, digits)
    }

    /// `Z`, ` UTC`, `+01:00`, `+0100` or `-05`: seconds east of UTC. `.some(nil)` if there is none.
    mutating func zone() -> Int?? {
        if rest.isEmpty { return .some(nil) }
        if take("Z") || take(" UTC") { return 0 }
        let sign: Int = rest.first == UInt8(ascii: "-") ? -1 : 1
        guard take("+") || take("-"), let hours = number(2...2)?.value, hours < 24 else { return nil }
        guard !rest.isEmpty else { return sign * Int(hours) * 3600 }
        _ = take(":")
        guard let minutes = number(2...2)?.value, minutes < 60 else { return nil }
        return sign * Int(hours * 60 + minutes) * 60
    }

    /// `00:12.5` or `1:00:12.5`, as logs show it: nanoseconds, and the digits of the fraction.
    mutating func elapsed() -> (Int64, digits: Int)? {
        guard let first = number(1...5)?.value, take(":"), let next = number(2...2)?.value, next < 60
        else { return nil }
        var seconds = first * 60 + next
        if take(":") {
            guard let last = number(2...2)?.value, last < 60 else { return nil }
            seconds = seconds * 60 + last
        }
        guard let (part, digits) = fraction(), rest.isEmpty else { return nil }
        return (seconds * Self.second + part, digits)
    }

    /// `12.5s`, `250ms`, `2m` or `1h`: nanoseconds, and the digits of the fraction.
    mutating func quantity() -> (Int64, digits: Int)? {
        guard let value = number(1...7)?.value, let (part, digits) = fraction() else { return nil }
        let units: [(String, Int64)] = [("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000)]
        for (name, unit) in units + [("h", 3_600_000_000_000)] where rest.elementsEqual(name.utf8) {
            rest = []
            guard value <= Int64.max / unit - 1 else { return nil }
            let (high, low) = part.multipliedFullWidth(by: unit)
            let time = value * unit + Self.second.dividingFullWidth((high, low)).quotient
            return (time, name == "ms" ? digits + 3 : digits)
        }
        return nil
    }
}
