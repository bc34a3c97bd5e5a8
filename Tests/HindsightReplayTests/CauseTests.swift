import HindsightRecorder
import HindsightStore
import HindsightTree
import Testing

@testable import HindsightReplay

@Suite("Causes")
struct CauseTests {
    /// 2026-03-14 09:26:53.5, in nanoseconds since 1970.
    private static let recordedAt: Int64 = 1_773_480_413_500_000_000

    @Test(
        "Two values show the kind of a divergence",
        arguments: [
            ("2026-03-14T09:26:53.5Z", "2026-03-15T00:00:00Z", .date),
            ("2026-03-14", "2026-03-15", .date),
            (1_773_480_413, 1_773_567_000, .date),
            (1_773_480_413_123, 1_773_567_000_456, .date),
            (1_773_480_413_123_456_789, 1_773_567_000_456_000_000, .date),
            (.number("795173213.25"), .number("795259800.5"), .date),
            ("5EED0000-0000-4000-8000-000000000001", "5eed0000-0000-4000-8000-00000000000f", .uuid),
            (["a", "b", "b"], ["b", "a", "b"], .unordered),
            ([["id": 1], ["id": 2]], [["id": 2], ["id": 1]], .unordered),
            ("milk, bread, tea", "tea, milk, bread", .unordered),
            (.number("0.1"), .number("0.10000000000000002"), .floatingPoint),
            (.number("1e+300"), .number("1.0000000000000002e+300"), .floatingPoint),
            (1, .number("0.9999999999999999"), .floatingPoint),
            (.number("0.1"), .number("0.2"), .other),
            (1, 2, .other),
            (9_007_199_254_740_993, 9_007_199_254_740_992, .other),
            (["a", "b"], ["b", "b"], .other),
            (["a"], ["a", "a"], .other),
            ("milk", "tea", .other),
            ("a b", "a  b", .other),
            ("2026-03-14", "soon", .other),
            ("2026-03-14x", "2026-03-15x", .other),
            ("é", "e\u{301}", .other),
            (true, false, .other),
            (.null, 1, .other),
        ] as [(Node, Node, Divergence.Cause)]
    )
    func looks(expected: Node, actual: Node, cause: Divergence.Cause) {
        #expect(
            Divergence.Cause(expected: expected, actual: actual, recordedAt: Self.recordedAt, isRepeatable: true)
                == cause
        )
    }

    @Test("Without another sign, a reducer that is not repeatable is the cause")
    func random() {
        #expect(Divergence.Cause(expected: 1, actual: 2, recordedAt: nil, isRepeatable: false) == .random)
        #expect(Divergence.Cause(expected: nil, actual: 2, recordedAt: nil, isRepeatable: false) == .random)
        #expect(Divergence.Cause(expected: nil, actual: 2, recordedAt: nil, isRepeatable: true) == .other)
        #expect(
            Divergence.Cause(expected: ["a", "b"], actual: ["b", "a"], recordedAt: nil, isRepeatable: false)
                == .unordered
        )
    }

    @Test("A cause's description claims only known facts", arguments: Divergence.Cause.allCases)
    func noVerdict(cause: Divergence.Cause) {
        #expect(!cause.sentence.contains("rules"))
    }

    struct Table: Codable, Sendable {
        var prices: [String: Int] = Dictionary(uniqueKeysWithValues: (0..<64).map { ("key \($0)", $0) })
        var first = ""
        var sum = 0
    }

    enum TableAction: Codable, Sendable {
        case look
    }

    private static func app(_ rule: @escaping @Sendable (inout Table) -> Void) -> ReplayableApp {
        ReplayableApp(
            "table",
            initial: Table(),
            reducer: Reducer<Table, TableAction>("look") { table, _ in rule(&table) }
        )
    }

    /// Verifies a recording of one rule with another until they differ, since an order may be equal by chance.
    private func cause(recordedBy rule: ReplayableApp, replayedBy other: ReplayableApp) throws -> Divergence.Cause? {
        let scratch = Scratch()
        for attempt in 0..<20 {
            let recording = try scratch.record(rule, [["look": [:]]], as: "r\(attempt)")
            if let divergence = try other.verify(recording).divergence { return divergence.cause }
        }
        return nil
    }

    @Test("Dependence on a dictionary's order is detected, even if it is equal in each run here")
    func order() throws {
        let first = Self.app { $0.first = $0.prices.keys.first ?? "" }
        #expect(try cause(recordedBy: first, replayedBy: first) == .unordered)
        let made = Self.app { table in
            let scores = Dictionary(uniqueKeysWithValues: (0..<64).map { ("name \($0)", $0) })
            table.sum = scores.values.first ?? 0
        }
        // The order of a dictionary that the reducer creates may change from run to run, like a random number.
        let causes: [Divergence.Cause?] = [.unordered, .random, nil]
        #expect(causes.contains(try cause(recordedBy: made, replayedBy: made)))
    }

    @Test("Independence of an order is not reported as dependence")
    func code() throws {
        let one = Self.app { $0.sum = $0.prices.values.reduce(0, +) }
        let other = Self.app { $0.sum = $0.prices.values.reduce(1, +) }
        #expect(try cause(recordedBy: one, replayedBy: other) == Divergence.Cause.other)
    }

    @Test("Every cause has advice in full sentences", arguments: Divergence.Cause.allCases)
    func sentences(cause: Divergence.Cause) {
        #expect(cause.sentence.hasSuffix("."))
        #expect(!cause.sentence.contains("\n"))
    }
}
