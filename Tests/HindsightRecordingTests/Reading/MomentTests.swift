import Foundation
import HindsightSQLite
import HindsightSupport
import TestSupport
import Testing

@testable import HindsightFormat
@testable import HindsightRecording

@Suite struct MomentTests {
    private let scratch = Scratch()

    private static let second: Int64 = 1_000_000_000
    /// 2026-11-20T14:03:20Z
    private static let start: Int64 = 1_795_183_400 * second

    /// A recording whose actions have given times.
    private func recording(
        _ times: [Int64],
        in scratch: Scratch,
        created: Int64 = start,
        closed: Int64? = nil,
        isClosed: Bool = true,
        offset: @escaping @Sendable (Int) -> Int = { _ in 0 }
    ) throws -> Recording {
        let file = scratch.file("\(UUID().uuidString).hindsight")
        let (recorder, store) = try shop(at: file)
        for _ in times { store.dispatch(.nothing) }
        try recorder.close()
        let connection = try Connection(file.path, .readWrite)
        for (index, time) in times.enumerated() {
            try connection.execute("UPDATE action SET at = \(time) WHERE seq = \(index + 1)")
        }
        let end = closed ?? max(created, times.last ?? created)
        try connection.execute("UPDATE recording SET value = \(created) WHERE key = 'created'")
        try connection.execute("UPDATE recording SET value = \(end) WHERE key = 'closed'")
        if !isClosed { try connection.execute("DELETE FROM recording WHERE key = 'closed'") }
        let recording = try Recording(at: file)
        recording.localClock = LocalClock(offset: offset)
        return recording
    }

    private func sixActions(in scratch: Scratch) throws -> Recording {
        let times: [Int64] = [0, 1_000_400_000, 1_000_900_000, 2_500_000_000, 12_500_000_000, 12_500_600_000]
        return try recording(
            times.map { Self.start + $0 },
            in: scratch,
            created: Self.start - 100_000_000,
            closed: Self.start + 20 * Self.second
        )
    }

    private func refusal(_ recording: Recording, _ text: String) -> RecordingError? {
        do {
            let position = try recording.position(text)
            Issue.record("\(text) is \(position)")
            return nil
        } catch {
            return error
        }
    }

    @Test func `a text is a moment, or none`() {
        let (second, minute) = (Self.second, 60 * Self.second)
        let good: [(String, MomentText.Kind, length: Int64)] = [
            ("14:03:22", .clock(14 * 60 * minute + 3 * minute + 22 * second, zone: nil), second),
            ("14:03", .clock(14 * 60 * minute + 3 * minute, zone: nil), second),
            ("00:00:00.1234", .clock(123_400_000, zone: nil), 1),
            ("00:00:01Z", .clock(second, zone: 0), second),
            ("00:00:01-05:30", .clock(second, zone: -19_800), second),
            ("1970-01-02T00:00:00.5", .date(days: 1, second / 2, zone: nil), second / 1000),
            ("1970-01-02 00:00:01 UTC", .date(days: 1, second, zone: 0), second),
            ("1969-12-31T23:00+0100", .date(days: -1, 23 * 60 * minute, zone: 3600), second),
            ("+00:12.5", .afterStart(12 * second + second / 2), second / 1000),
            ("+1:00:12.500", .afterStart(60 * minute + 12 * second + second / 2), second / 1000),
            ("+90:00", .afterStart(90 * minute), second), ("+12s", .afterStart(12 * second), second),
            ("+250ms", .afterStart(second / 4), second / 1000),
            ("+12.5s", .afterStart(12 * second + second / 2), second / 1000),
            ("+0.000000001s", .afterStart(1), 1),
            ("-5s", .beforeEnd(5 * second), 1), ("-250ms", .beforeEnd(second / 4), 1),
            ("-1.5m", .beforeEnd(90 * second), 1), ("-2h", .beforeEnd(120 * minute), 1),
        ]
        for (text, kind, length) in good {
            let moment = MomentText(text)
            #expect(moment?.kind == kind && moment?.length == length, "\(text)")
        }
        let bad = [
            "", "+", "-", "-5", "-00:05", "5s", "12", "12.5", "24:00:00", "12:60", "12:00:60", "1:2:3", "12:00:00.",
            "12:00:00.1234567890", "2026-13-01T00:00", "2026-02-29T00:00", "2026-11-20", "2026-11-20T", "12:00x",
            "12:00+", "12:00+1", "12:00+24:00", "+5", "+5x", "+1:60:00", "-5 s", "-s", "-.5s", "１２:00", "-99999999h",
            "--app", "-o",
        ]
        for text in bad { #expect(MomentText(text) == nil, "\(text)") }
    }

    @Test func `the position is the last action at or before the moment`() throws {
        let recording = try sixActions(in: scratch)
        let good: [(String, Int)] = [
            ("14:03:19", 0), ("2026-11-20 14:03:19 UTC", 0), ("14:03:19.95", 0), ("14:03:20", 1),
            ("14:03:20.999", 1), ("14:03:21", 3), ("14:03:21.0004", 2),
            ("14:03:21.0003", 1), ("14:03:21.0009", 3), ("2026-11-20T14:03:22.5", 4),
            ("2026-11-20T15:03:22.5+01:00", 4),
            ("2026-11-20 14:03:22 UTC", 4), ("14:03:22Z", 4), ("14:03:22.000", 3), ("14:03:32.499", 4),
            ("14:03:32.5", 6), ("14:03:40", 6),
            ("+00:00", 1), ("+00:00.000", 0), ("+00:00.099", 0), ("+00:00.1", 1), ("+00:12.599", 4), ("+00:12.6", 6),
            ("+12.6s", 6),
            ("+12.6000s", 5), ("-0s", 6), ("-1ms", 6), ("-7.4995s", 5), ("-7.5s", 5),
            ("-7.501s", 4), ("-10s", 4), ("-18.9995s", 2), ("-19s", 1), ("-20s", 1), ("-20.1s", 0), ("-21s", 0),
            ("-9h", 0),
        ]
        for (text, seq) in good { #expect(try recording.position(text) == Recording.Position(seq: seq), "\(text)") }
        for text in ["14:03:18", "14:03:41", "15:00:00", "2026-11-21T14:03:22", "+01:00", "+100000m"] {
            let error = refusal(recording, text)
            #expect(error?.code == .positionOutOfRange, "\(text)")
            let span = "2026-11-20T14:03:19.900Z to 2026-11-20T14:03:40.000Z"
            #expect(error?.description.contains(span) == true, "\(text): \(String(describing: error))")
        }
    }

    @Test func `a range has all positions of its first moment and of its last one`() throws {
        let recording = try sixActions(in: scratch)
        let good: [(String, first: Int, last: Int)] = [
            // The recording begins within this second.
            ("14:03:19", 0, 0), ("14:03:19.95", 1, 0), ("14:03:20", 1, 1), ("14:03:21", 2, 3), ("14:03:21.0003", 2, 1),
            ("14:03:21.000", 2, 3), ("14:03:21.001", 4, 3), ("14:03:32", 5, 6), ("14:03:32.5", 5, 6),
            // No action has this time: the range begins after it.
            ("14:03:25", 5, 4), ("-9s", 5, 4), ("+00:00", 0, 1), ("-1h", 0, 0), ("14:03:40", 6, 6), ("3", 3, 3),
            ("end", 6, 6),
        ]
        for (text, first, last) in good {
            let range = try recording.positions(from: text, to: text)
            #expect(range.first?.seq == first && range.last?.seq == last, "\(text): \(range)")
        }
        let open = try recording.positions(from: nil, to: nil)
        #expect(open.first == nil && open.last == nil)
        expectError(.positionOutOfRange) { try recording.positions(from: "14:03:41", to: nil) }
    }

    @Test func `the end is when the recording was closed, as info shows, or its last action`() throws {
        let times = [0, 1, 2].map { Self.start + $0 * Self.second }
        let closed = try recording(times, in: scratch, closed: Self.start + 10 * Self.second)
        for (text, seq) in [("-8s", 3), ("-8.5s", 2), ("-9s", 2), ("-10s", 1)] {
            #expect(try closed.position(text).seq == seq, "\(text)")
            // The distance from the start and that from the end are the span together.
            let fromStart = "+\(10 - (Double(text.dropFirst().dropLast()) ?? 0))s"
            #expect(try closed.position(fromStart).seq == seq, "\(text) and \(fromStart)")
        }
        // Nothing is before the start.
        #expect(try closed.position("-11s").seq == 0)
        let open = try recording(times, in: scratch, isClosed: false)
        for (text, seq) in [("-0s", 3), ("-0.5s", 2), ("-1s", 2), ("-2s", 1)] {
            #expect(try open.position(text).seq == seq, "\(text)")
        }
    }

    @Test func `any moment finds the action that a scan finds`() throws {
        for var seeded in Seeded.runs(3, from: 7) {
            let scratch = Scratch()
            var time = Self.start
            let times = (0..<200).map { _ in
                time += seeded.once(in: 4) ? 0 : Int64(seeded.below(3_000_000))
                return time
            }
            let recording = try recording(times, in: scratch)
            for _ in 0..<100 {
                let moment = Self.start + Int64(seeded.below(Int(time - Self.start) + 1))
                let since = moment - Self.start
                let digits = String(Self.second + since % Self.second).dropFirst()
                let exact = "+\(since / Self.second).\(digits)s"
                #expect(try recording.position(exact).seq == times.count { $0 <= moment }, "\(seeded): \(exact)")
                let shown = "+\(since / Self.second).\(digits.prefix(3))s"
                let whole = times.count { ($0 - Self.start) / 1_000_000 <= since / 1_000_000 }
                #expect(try recording.position(shown).seq == whole, "\(seeded): \(shown)")
            }
        }
    }

    @Test func `a time of day that came twice lists both`() throws {
        let hour = 3600 * Self.second
        let recording = try recording([0, 12 * hour, 23 * hour, 25 * hour].map { Self.start + $0 }, in: scratch)
        #expect(try recording.position("02:03:20").seq == 2)
        #expect(try recording.position("13:30").seq == 3)
        let error = refusal(recording, "14:30:00.5")
        #expect(error?.code == .ambiguousPosition)
        #expect(error?.allowed == ["2026-11-20T14:30:00.500Z", "2026-11-21T14:30:00.500Z"])
        for (choice, seq) in zip(error?.allowed ?? [], [1, 3]) { #expect(try recording.position(choice).seq == seq) }
    }

    @Test func `local time follows clocks that are set back and forward`() throws {
        let hour = 3600 * Self.second
        let change = Self.start / Self.second + 3600
        let times = [0, hour / 2, 3 * hour / 2, 2 * hour].map { Self.start + $0 }
        // 16:03:20 local time; an hour later clocks go from 17:03:20 back to 16:03:20.
        let back = try recording(times, in: scratch) { $0 < change ? 7200 : 3600 }
        let error = refusal(back, "16:33:20")
        #expect(error?.code == .ambiguousPosition)
        #expect(error?.allowed == ["2026-11-20T16:33:20+02:00", "2026-11-20T16:33:20+01:00"])
        for (choice, seq) in zip(error?.allowed ?? [], [2, 3]) { #expect(try back.position(choice).seq == seq) }
        #expect(refusal(back, "2026-11-20T16:33:20")?.code == .ambiguousPosition)
        #expect(try back.position("17:03:20").seq == 4)
        // 15:03:20 local time; an hour later clocks go from 16:03:20 forward to 17:03:20.
        let forward = try recording(times, in: scratch) { $0 < change ? 3600 : 7200 }
        #expect(try forward.position("15:33:20").seq == 2)
        #expect(try forward.position("17:33:20").seq == 3)
        let skipped = refusal(forward, "2026-11-20T16:33:20")
        #expect(skipped?.reason?.contains("set forward") == true, "\(String(describing: skipped))")
        #expect(refusal(forward, "16:33:20")?.code == .positionOutOfRange)
    }

    @Test func `a clock that was set back while recording makes a moment, and the beginning of a range, ambiguous`()
        throws
    {
        // Times in seconds, and what a scan finds for some of them.
        let cases: [(times: [Int64], moment: Int64, positions: [String], beginnings: [String])] = [
            ([10, 11, 12, 10, 11, 12, 13], 11, ["2", "5"], ["2", "5"]),
            ([10, 11, 12, 10, 11, 12, 13], 13, ["7"], ["7"]),
            ([10, 20, 30, 15, 25, 35], 22, ["2", "4"], ["3", "5"]),
            ([10, 20, 30, 15, 25, 35], 12, ["1"], ["2"]), ([10, 20, 30, 5], 15, ["1", "4"], ["2"]),
            // Six seconds after the start, before the first action; and once more.
            ([100, 110, 5, 6, 7], 6, ["0", "4"], ["1", "4"]),
        ]
        for (times, moment, positions, beginnings) in cases {
            let recording = try recording(
                times.map { Self.start + $0 * Self.second },
                in: scratch,
                closed: Self.start + 200 * Self.second
            )
            let text = "+\(moment)s"
            do {
                let first = try recording.positions(from: text, to: nil).first
                #expect(first.map { [$0.description] } == beginnings, "\(times) at \(moment)")
            } catch {
                #expect(error.code == .ambiguousPosition && error.allowed == beginnings, "\(times) at \(moment)")
            }
            guard positions.count > 1 else {
                #expect(try recording.position(text).description == positions[0], "\(times) at \(moment)")
                continue
            }
            let error = refusal(recording, text)
            #expect(error?.code == .ambiguousPosition, "\(times) at \(moment)")
            #expect(error?.allowed == positions, "\(times) at \(moment)")
        }
    }

    @Test func `a recording without actions has its start`() throws {
        let recording = try recording([], in: scratch, closed: Self.start + Self.second)
        for text in ["14:03:20", "14:03:21", "+00:00.5", "-0s"] {
            #expect(try recording.position(text).seq == 0, "\(text)")
        }
        #expect(refusal(recording, "14:03:19")?.code == .positionOutOfRange)
    }
}
