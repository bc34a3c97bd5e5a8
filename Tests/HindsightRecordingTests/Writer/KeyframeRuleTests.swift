import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("The rule for keyframes") struct KeyframeRuleTests {
    /// The number of actions, each with `bytes` of changes, before the next keyframe is due.
    private func actions(of bytes: Int, growth: Int = 0, _ rule: inout KeyframeRule) -> Int {
        var count = 1
        while !rule.isDue(after: bytes, growth: growth, rowBytes: 1_000_000), count < 1000 { count += 1 }
        return count
    }

    @Test func `A keyframe is due if the changes exceed 1.25 times the state's bytes and a minimum`() {
        var rule = KeyframeRule(floor: 100)
        #expect(actions(of: 10, &rule) == 11)
        for (state, count) in [(0, 11), (50, 11), (80, 11), (81, 11), (87, 11), (88, 12), (1000, 126)] {
            rule.keep(state)
            #expect(rule.stateBytes == state)
            #expect(actions(of: 10, &rule) == count, "after a state of \(state) bytes")
        }
        // It stays due until a keyframe is kept.
        #expect(actions(of: 0, &rule) == 1)
    }

    @Test func `Growth and shrinkage of the state count`() {
        var rule = KeyframeRule(floor: 100)
        for (growth, count) in [(0, 63), (5, 167), (-5, 39), (-500, 11)] {
            rule.keep(500)
            #expect(actions(of: 10, growth: growth, &rule) == count, "growing by \(growth)")
            #expect(rule.stateBytes == max(0, 500 + growth * count))
        }
    }
}
