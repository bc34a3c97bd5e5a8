import HindsightRecorder
import HindsightStore
import HindsightTree
import TestSupport
import Testing

@testable import HindsightReplay

/// Compares verifications of random sessions with a comparison of whole states after each action and reducer.
@Suite struct ContinuationPropertyTests {
    struct Board: Codable, Sendable {
        var slots = [0, 0, 0, 0]
        var names: [String: Int] = [:]
        var notes: [Int] = []
        var sum = 0
        var text: String?
    }

    enum BoardAction: Codable, Sendable {
        case change(seed: Int)
    }

    typealias Change = @Sendable (inout Board, Int) -> Void

    /// Three reducers. One in some actions does something else if `isChanged`.
    static func changes(isChanged: Bool) -> [Change] {
        @Sendable func draws(_ seed: Int, _ salt: UInt64) -> (Seeded, isOdd: Bool) {
            var random = Seeded(seed: UInt64(seed) &* 31 &+ salt)
            let isOdd = random.once(in: 6)
            return (random, isOdd && isChanged)
        }
        return [
            { board, seed in
                var (random, isOdd) = draws(seed, 1)
                let (slot, value) = (random.below(4), random.below(5))
                board.slots[slot] = isOdd ? value + 1 : value
                if random.once(in: 3) { board.text = isOdd ? nil : "text \(value)" }
            },
            { board, seed in
                var (random, isOdd) = draws(seed, 2)
                let name = ["a", "b", "c d", "7"][random.below(4)]
                if random.once(in: 3) != isOdd { board.names[name] = nil } else { board.names[name] = random.below(3) }
            },
            { board, seed in
                var (random, isOdd) = draws(seed, 3)
                board.sum = board.slots.reduce(0, +) + board.names.count
                if random.once(in: 4) { board.notes.append(random.below(9)) }
                if isOdd { board.notes.append(random.below(9)) }
                if random.once(in: 12) { board.notes = [] }
            },
        ]
    }

    static func app(_ changes: [Change]) -> ReplayableApp {
        let reducers = changes.enumerated().map { index, change in
            Reducer<Board, BoardAction>("r\(index)") { board, action in
                guard case .change(let seed) = action else { return }
                change(&board, seed)
            }
        }
        return ReplayableApp("board", initial: Board(), reducer: .combine(reducers))
    }

    // MARK: The oracle

    /// The places at which two whole states differ.
    static func differences(_ left: Node?, _ right: Node?, _ path: String = "") -> Set<String> {
        switch (left, right) {
        case (.object(let one)?, .object(let other)?):
            let keys = Set((one + other).map(\.key))
            return keys.reduce(into: []) { found, key in
                found.formUnion(differences(left?[key], right?[key], "\(path)/\(key)"))
            }
        case (.array(let one)?, .array(let other)?) where one.count == other.count:
            return one.indices.reduce(into: []) { $0.formUnion(differences(one[$1], other[$1], "\(path)/\($1)")) }
        default:
            return left == right ? [] : [path]
        }
    }

    static func hasNew(_ places: Set<String>, since known: Set<String>) -> Bool {
        places.contains { place in !known.contains { place == $0 || place.hasPrefix($0 + "/") } }
    }

    struct Expected: Equatable {
        var seqs: [Int] = []
        var agreements: [Int] = []
    }

    static func expected(_ seeds: [Int], _ options: VerificationOptions) throws -> Expected {
        let (old, new) = (changes(isChanged: false), changes(isChanged: true))
        var (left, right) = (Board(), Board())
        var known: Set<String> = []
        var expected = Expected()
        for (index, seed) in seeds.enumerated() {
            let wasDiffering = !known.isEmpty
            var isDivergence = false
            for reducer in old.indices {
                old[reducer](&left, seed)
                new[reducer](&right, seed)
                if options.level == .states, reducer < old.count - 1 { continue }
                let places = try differences(NodeEncoder().encode(left), NodeEncoder().encode(right))
                if hasNew(places, since: known) { isDivergence = true }
                known = places
            }
            if isDivergence { expected.seqs.append(index + 1) }
            if options.afterDivergence == .isolated {
                (right, known) = (left, [])
            } else if wasDiffering, known.isEmpty {
                expected.agreements.append(index + 1)
            }
        }
        return expected
    }

    private let scratch = Scratch()

    @Test(arguments: Seeded.runs(30))
    func `The diverging actions are those whose whole states differ`(random: Seeded) throws {
        var random = random
        let seeds = (0..<60).map { _ in random.below(1 << 20) }
        let session = seeds.map { seed -> Node in ["change": ["seed": .int(seed)]] }
        let recording = try scratch.record(Self.app(Self.changes(isChanged: false)), session)
        let today = Self.app(Self.changes(isChanged: true))
        for level in VerificationOptions.Level.allCases {
            for continuation in [VerificationOptions.Continuation.isolated, .chained] {
                let options = VerificationOptions(level: level, afterDivergence: continuation)
                let expected = try Self.expected(seeds, options)
                let result = try today.verify(recording, options: options)
                let found = Expected(seqs: result.divergences.map(\.seq), agreements: result.agreements)
                #expect(found == expected, "\(level) \(continuation) \(random)")
                #expect(result.classes.flatMap(\.seqs).sorted() == expected.seqs)
                #expect(result.classes.map(\.count).reduce(0, +) == result.divergenceCount)
                try check(result, options, seeds)
            }
        }
    }

    /// The difference at the end leads from the recorded state to the replayed one.
    private func check(_ result: VerificationResult, _ options: VerificationOptions, _ seeds: [Int]) throws {
        guard options.afterDivergence == .chained else { return #expect(result.finalDifference == nil) }
        func last(_ changes: [Change]) throws -> Node {
            var board = Board()
            for seed in seeds { for change in changes { change(&board, seed) } }
            return try NodeEncoder().encode(board)
        }
        var state = try last(Self.changes(isChanged: false))
        try result.finalDifference?.apply(to: &state)
        #expect(try state.isEquivalent(to: last(Self.changes(isChanged: true))))
    }
}
