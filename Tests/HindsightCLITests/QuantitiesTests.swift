import Testing

@testable import HindsightCLI

@Suite struct QuantitiesTests {
    @Test(arguments: [
        (0, "0"), (999, "999"), (1204, "1,204"), (-1_234_567, "-1,234,567"), (.min, "-9,223,372,036,854,775,808"),
    ])
    func `numbers are grouped`(number: Int, text: String) {
        #expect(Quantities.grouped(number) == text)
    }

    @Test(arguments: [
        (0, "0 bytes"), (1, "1 byte"), (1023, "1,023 bytes"), (1024, "1.0 KB"), (12_700, "12 KB"),
        (5_500_000, "5.2 MB"), (3_000_000_000, "2.8 GB"), (1_048_000, "1,023 KB"), (1_048_570, "1.0 MB"),
    ])
    func `sizes are rounded`(count: Int, text: String) {
        #expect(Quantities.bytes(count) == text)
    }

    @Test(
        arguments: [
            (0, "0 ns"), (999, "999 ns"), (1200, "1.2 µs"), (35_000_000, "35 ms"), (2_100_000_000, "2.1 s"),
            (3_723_004_000_000, "1:02:03.004"), (999_400, "999 µs"), (999_950, "1.0 ms"),
        ] as [(Int64, String)]
    )
    func `durations are rounded`(nanoseconds: Int64, text: String) {
        #expect(Quantities.duration(nanoseconds: nanoseconds) == text)
    }

    @Test(
        arguments: [
            (0, "+00:00.000"), (1_234_999_999, "+00:01.234"), (3_600_000_000_000, "+1:00:00.000"),
            (-1_000_000, "-00:00.001"),
        ] as [(Int64, String)]
    )
    func `time since the start is shown as a clock`(nanoseconds: Int64, text: String) {
        #expect(Quantities.elapsed(nanoseconds: nanoseconds) == text)
    }

    @Test func `an interval is clamped to the greatest and smallest number`() {
        #expect(Quantities.interval(from: 3, to: 10) == 7)
        #expect(Quantities.interval(from: .min, to: 1) == .max)
        #expect(Quantities.interval(from: .max, to: -2) == .min)
    }

    @Test(
        arguments: [
            (0, "1970-01-01 00:00:00 UTC"),
            (-1, "1969-12-31 23:59:59 UTC"),
            (951_782_400_000_000_000, "2000-02-29 00:00:00 UTC"),
            (1_795_102_534_000_000_000, "2026-11-19 15:35:34 UTC"),
            (.max, "2262-04-11 23:47:16 UTC"),
            (.min, "1677-09-21 00:12:43 UTC"),
        ] as [(Int64, String)]
    )
    func `dates are in UTC`(nanoseconds: Int64, text: String) {
        #expect(Quantities.date(nanoseconds: nanoseconds) == text)
    }
}

@Suite struct ColumnsTests {
    @Test(arguments: [("", 0), ("abc", 3), ("é", 1), ("漢字", 4), ("👍🏽", 2), ("☕️", 2), ("e\u{301}", 1)])
    func `columns are counted as terminals do`(text: String, columns: Int) {
        #expect(text.columns == columns)
    }

    @Test(arguments: [
        ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("漢字漢", 6, "漢字漢"), ("漢字漢", 5, "漢字…"), ("漢字漢", 4, "漢…"), ("abc", 1, "…"),
    ])
    func `text is clipped at a column`(text: String, width: Int, result: String) {
        #expect(text.clipped(to: width) == result)
    }
}
