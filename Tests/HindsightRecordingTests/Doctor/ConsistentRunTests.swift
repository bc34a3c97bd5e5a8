import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("The verdict on consistent runs") struct ConsistentRunTests {
    struct Case: CustomTestStringConvertible {
        var chains: [(low: Int, high: Int, anchors: [Int])]
        var misfits: [Int] = []
        var stuck: [Int] = []
        var pieces: [ClosedRange<Int>]
        var doubtful: [ClosedRange<Int>] = []
        var refuted: [Int] = []
        var testDescription: String
    }

    static let cases = [
        Case(chains: [(0, 9, [0, 5])], pieces: [0...9], testDescription: "one run"),
        Case(
            chains: [(0, 4, [0]), (6, 9, [8])],
            pieces: [0...4, 6...9],
            testDescription: "an action in between is lost, and its position with it"
        ),
        Case(
            chains: [(0, 4, [0]), (5, 9, [8])],
            pieces: [0...4, 5...9],
            testDescription: "an action does not lead from one run to the other"
        ),
        Case(
            chains: [(0, 6, [0]), (4, 9, [8])],
            pieces: [0...3, 7...9],
            doubtful: [4...6],
            testDescription: "an action's change is wrong, which shows only at the next change of the same path"
        ),
        Case(
            chains: [(0, 9, [0, 8]), (3, 6, [5])],
            pieces: [0...9],
            refuted: [5],
            testDescription: "one of several whole states is wrong"
        ),
        Case(
            chains: [(0, 9, [0]), (3, 6, [4, 5])],
            pieces: [0...2, 7...9],
            doubtful: [3...6],
            testDescription: "two whole states contradict the rest"
        ),
        Case(
            chains: [(0, 9, [0]), (3, 9, [5])],
            pieces: [0...2],
            doubtful: [3...9],
            testDescription: "nothing decides up to the end"
        ),
        Case(
            chains: [(0, 5, [0]), (0, 9, [8])],
            pieces: [6...9],
            doubtful: [0...5],
            testDescription: "nothing decides from the beginning"
        ),
        Case(
            chains: [(0, 6, [0, 3])],
            misfits: [6],
            pieces: [0...3],
            doubtful: [4...6],
            testDescription: "a change does not fit, and no state after it is known"
        ),
        Case(
            chains: [(0, 6, [0, 3]), (5, 9, [9])],
            misfits: [6],
            pieces: [0...4, 7...9],
            doubtful: [5...6],
            testDescription: "a change does not fit, and a later state leads back towards it"
        ),
        Case(
            chains: [(4, 9, [6])],
            stuck: [4],
            pieces: [6...9],
            doubtful: [4...5],
            testDescription: "a change cannot be undone, and no state before it is known"
        ),
        Case(
            chains: [(0, 3, [0]), (0, 9, [8]), (2, 5, [4])],
            pieces: [4...9],
            doubtful: [0...3],
            refuted: [4],
            testDescription: "a run lies inside a doubtful one"
        ),
    ]

    @Test("Runs divide the positions into sound pieces and doubtful ranges", arguments: cases)
    func share(example: Case) {
        let chains = example.chains.map { low, high, anchors in
            var chain = ConsistentRun(low: low, high: high, anchors: anchors, isStuck: example.stuck.contains(low))
            if example.misfits.contains(high) {
                chain.patchFailure = ConsistentRun.PatchFailure(seq: high + 1, reducer: 1, what: "")
            }
            return chain
        }
        for order in [chains, chains.reversed()] {
            let verdict = ConsistencyVerdict(of: order)
            #expect(verdict.pieces.map(\.positions) == example.pieces)
            #expect(verdict.doubtful == example.doubtful)
            #expect(verdict.refuted.flatMap(\.anchors) == example.refuted)
        }
    }
}
