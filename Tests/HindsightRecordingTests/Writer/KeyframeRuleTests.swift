import Testing

@testable import HindsightRecording

@Suite("When a whole state is kept") struct KeyframeRuleTests {
    @Test func `Where what has changed since the last takes more bytes than that did, and more than a least number`() {
        var rule = KeyframeRule(floor: 100)
        /// How many actions with so many bytes of changes come before the state after one is due.
        func actions(of bytes: Int) -> Int {
            var count = 1
            while !rule.isDue(after: bytes, rowBytes: 1_000_000), count < 1000 { count += 1 }
            return count
        }
        #expect(actions(of: 10) == 11)
        for (state, count) in [(0, 11), (50, 11), (100, 11), (101, 11), (109, 11), (110, 12), (1000, 101)] {
            rule.keep(state)
            #expect(rule.stateBytes == state)
            #expect(actions(of: 10) == count, "after a state of \(state) bytes")
        }
        // It stays due until one is kept.
        #expect(actions(of: 0) == 1)
    }
}
