import Foundation
import HindsightSupport
import Testing

@Suite struct CivilDateTests {
    @Test func `each day has the date that Foundation gives it, and leads back`() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        // From 1600 on, where Foundation's calendar is the proleptic one, every month and leap rule.
        for day in stride(from: -135_140, to: 200_000, by: 13) {
            let date = CivilDate(daysSince1970: day)
            let parts = calendar.dateComponents(
                [.year, .month, .day],
                from: Date(timeIntervalSince1970: Double(day) * 86_400)
            )
            let expected = CivilDate(year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0)
            try #require(date == expected, "\(day)")
            try #require(date.daysSince1970 == day)
        }
    }

    @Test func `division rounds down`() {
        for (value, quotient, remainder) in [(7, 2, 1), (-7, -3, 2), (-6, -2, 0), (0, 0, 0), (-1, -1, 2)] {
            #expect(value.quotientAndRemainder(floor: 3) == (quotient, remainder))
        }
    }
}
