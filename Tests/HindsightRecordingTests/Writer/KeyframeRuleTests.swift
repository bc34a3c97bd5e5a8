import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("When a whole state is kept") struct KeyframeRuleTests {
    /// How many actions with so many bytes of changes come before the state after one is due.
    private func actions(of bytes: Int, growth: Int = 0, _ rule: inout KeyframeRule) -> Int {
        var count = 1
        while !rule.isDue(after: bytes, growth: growth, rowBytes: 1_000_000), count < 1000 { count += 1 }
        return count
    }

    @Test func `If what has changed takes a quarter more bytes than the state, and more than a least number`() {
        var rule = KeyframeRule(floor: 100)
        #expect(actions(of: 10, &rule) == 11)
        for (state, count) in [(0, 11), (50, 11), (80, 11), (81, 11), (87, 11), (88, 12), (1000, 126)] {
            rule.keep(state)
            #expect(rule.stateBytes == state)
            #expect(actions(of: 10, &rule) == count, "after a state of \(state) bytes")
        }
        // It stays due until one is kept.
        #expect(actions(of: 0, &rule) == 1)
    }

    @Test func `What the state has grown or shrunk by since counts`() {
        var rule = KeyframeRule(floor: 100)
        for (growth, count) in [(0, 63), (5, 167), (-5, 39), (-500, 11)] {
            rule.keep(500)
            #expect(actions(of: 10, growth: growth, &rule) == count, "growing by \(growth)")
            #expect(rule.stateBytes == max(0, 500 + growth * count))
        }
    }
}
