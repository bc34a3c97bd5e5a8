import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("The rules of a limit, without a file") struct LimitRuleTests {
    @Test("A limit that is set later is checked like an initial one")
    func setLater() {
        var limit = RecordingLimit.none
        (limit.actions, limit.bytes, limit.age) = (0, 1000, .zero)
        #expect(limit == RecordingLimit(actions: 0, bytes: 1000, age: .zero))
        #expect(limit.bytes == RecordingLimit.fewestBytes)
    }

    @Test("Limits below the minimum count as the minimum")
    func least() {
        #expect(
            RecordingLimit(actions: 0, bytes: 5, age: .zero)
                == RecordingLimit(actions: 1, bytes: 1 << 20, age: .seconds(1))
        )
        #expect(RecordingLimit.none.isNone)
        #expect(!RecordingLimit.age(.seconds(3)).isNone)
        #expect(Duration.seconds(3600).nanoseconds == 3_600_000_000_000)
        #expect(Duration.seconds(1 << 60).nanoseconds == .max)
    }

    @Test("The shares of all files together stay within 1.25 times the limit", arguments: [1, 2, 3, 10, 50, 1000])
    func shares(megabytes: Int) {
        for states in [0, 1 << 10, 100 << 10, 1 << 20, 10 << 20, 300 << 20] {
            var budget = ByteBudget(megabytes << 20)
            budget.stateBytes = states
            let used = budget.maxUsed(journal: budget.journalBytes)
            // Two whole states and the changes between them, in half-empty pages.
            #expect(used >= 2 * states + 2 * max(states, budget.asked / 16), "\(megabytes) \(states)")
            let wal = budget.checkpointBytes + 4 * budget.transactionBytes + states
            #expect(used + wal + budget.journalBytes <= budget.limit / 4 * 5, "\(megabytes) \(states)")
            #expect(used <= budget.limit)
            #expect(budget.limit == max(megabytes << 20, 8 * states))
        }
    }

    /// Limits, each with the bytes of a transaction, of the `-wal` and of the journal.
    private static let besides: [(Int, Int, Int, Int)] = [
        (1, 32_768, 262_144, 65_536), (8_388_608, 262_144, 524_288, 524_288),
        (16_777_216, 524_288, 1_048_576, 1_048_576), (1_073_741_824, 2_097_152, 4_194_304, 1_048_576),
        // The ring of a journal consists of words.
        (5_000_000, 156_250, 312_500, 312_496),
    ]

    @Test("Each sidecar file has a share of the limit, between a minimum and a maximum", arguments: besides.indices)
    func beside(row: Int) {
        let (asked, transaction, checkpoint, journal) = Self.besides[row]
        let budget = ByteBudget(asked)
        #expect(budget.asked == max(1 << 20, asked))
        #expect(budget.transactionBytes == transaction)
        #expect(budget.checkpointBytes == checkpoint)
        #expect(budget.journalBytes == journal)
    }

    @Test func `the largest limit is one beyond every disk`() {
        var budget = ByteBudget(.max)
        budget.stateBytes = 1 << 30
        #expect(budget.maxUsed(journal: budget.journalBytes) > 1 << 59)
    }

    @Test("Whole states come often enough to trim at, but not more often than they are worth")
    func span() {
        nonisolated(unsafe) var time: Int64 = 0
        /// How many actions come before a whole state is due.
        func actions(_ limit: RecordingLimit, bytes: Int, stateBytes: Int, step: Int64 = 0) -> Int {
            time = 0
            var span = KeyframeSpan(limit) { time }
            var counts: [Int] = []
            for _ in 1...2 {
                var count = 1
                time += step
                while !span.isOver(after: bytes, stateBytes: stateBytes), count < 1_000_000 {
                    count += 1
                    time += step
                }
                counts.append(count)
                span.restart()
            }
            #expect(counts[0] == counts[1])
            return counts[0]
        }
        #expect(actions(.actions(800), bytes: 36, stateBytes: 0) == 100)
        #expect(actions(.actions(3), bytes: 36, stateBytes: 0) == 1)
        // Eight hundred bytes are an eighth of the state.
        #expect(actions(.actions(8), bytes: 36, stateBytes: 6400) == 8)
        #expect(actions(.bytes(16 << 20), bytes: 960, stateBytes: 0) == 1025)
        #expect(actions(.bytes(1 << 20), bytes: 960, stateBytes: 1 << 20) == 1025)
        #expect(actions(.age(.seconds(80)), bytes: 1, stateBytes: 1 << 30, step: 1_000_000_000) == 10)
        #expect(
            actions(RecordingLimit(actions: 80, age: .seconds(16)), bytes: 36, stateBytes: 0, step: 1_000_000_000) == 2
        )
    }

    @Test("The start moves from one whole state to another, and the required actions stay")
    func base() {
        var choice = TrimPoint(RecordingLimit(actions: 100, age: .nanoseconds(1_000_000_000)))
        #expect(!choice.canMove && choice.base == 0)
        for seq in stride(from: 0, through: 200, by: 40) { choice.keep(seq, at: Int64(seq) * 100_000_000) }
        #expect(!choice.isDue(last: 139, now: 4_000_000_000))
        #expect(choice.isDue(last: 140, now: 0))
        #expect(choice.isDue(last: 0, now: 5_000_000_000))
        choice.moveIfDue(last: 140, now: 0)
        #expect(choice.base == 40)
        choice.moveIfDue(last: 219, now: 0)
        #expect(choice.base == 80)
        choice.moveIfDue(last: 100_000, now: 0)
        #expect(choice.base == 200)
        #expect(!choice.canMove)
        choice.move()
        choice.moveIfDue(last: .max, now: .max)
        #expect(choice.base == 200)
    }

    @Test("Neighbouring whole states are dropped together, distant ones one by one")
    func strides() {
        var choice = TrimPoint(.bytes(1 << 20))
        var bases: [Int] = []
        for seq in [0, 100, 200, 300, 900, 2000] { choice.keep(seq, at: 0) }
        while choice.canMove {
            choice.move()
            bases.append(choice.base)
        }
        #expect(bases == [200, 300, 900, 2000])
        // Also of neighbours, half stay.
        var neighbours = TrimPoint(.bytes(1 << 20))
        for seq in 0...20 { neighbours.keep(seq, at: 0) }
        neighbours.move()
        #expect(neighbours.base == 10)
        for seq in 21...2000 { neighbours.keep(seq, at: 0) }
        neighbours.move()
        #expect(neighbours.base == 266)
        // Dropped whole states are also removed from a long list.
        for seq in 0..<10_000 { choice.keep(2001 + seq * 1000, at: 0) }
        while choice.canMove { choice.move() }
        #expect(choice.base == 2001 + 9_999_000)
    }
}
