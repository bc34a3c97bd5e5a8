/// Times as ISO 8601 text, to the millisecond below.
package enum TimeText {
    /// `2026-11-20T15:35:34.123+01:00`, or with `Z` where that is UTC.
    ///
    /// - Parameter showsMilliseconds: Whether to show the fraction of the second.
    package static func local(
        nanoseconds: Int64,
        _ clock: LocalClock,
        showsMilliseconds: Bool = true
    ) -> String {
        let (seconds, rest) = Int(nanoseconds).quotientAndRemainder(floor: 1_000_000_000)
        let offset = clock.offset(seconds)
        let (days, second) = (seconds + offset).quotientAndRemainder(floor: 86_400)
        let date = CivilDate(daysSince1970: days)
        let day = "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
        let time = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }.joined(separator: ":")
        let minutes = abs(offset) / 60
        let zone = "\(offset < 0 ? "-" : "+")\(padded(minutes / 60, 2)):\(padded(minutes % 60, 2))"
        let fraction = showsMilliseconds ? "." + padded(rest / 1_000_000, 3) : ""
        return "\(day)T\(time)\(fraction)\(offset == 0 ? "Z" : zone)"
    }

    /// `2026-11-20T15:35:34.123Z`
    package static func utc(nanoseconds: Int64) -> String { local(nanoseconds: nanoseconds, LocalClock { _ in 0 }) }

    /// A number with zeros in front, in at least `width` digits.
    package static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
