import Foundation
import HindsightTree
import TestSupport
import Testing

@testable import HindsightReplay

/// Runs a shrinker on a predicate over lists in place of a process.
private func shrink(
    _ shrinker: LogShrinker,
    storing isStored: Bool = false,
    _ accepts: ([LogShrinker.Entry]) -> Int?
) throws -> (best: [LogShrinker.Entry], runs: Int) {
    var shrinker = shrinker
    var runs = 0
    while !shrinker.isDone {
        if isStored {
            // A child process gets it as JSON.
            shrinker = try JSONDecoder().decode(LogShrinker.self, from: JSONEncoder().encode(shrinker))
        }
        if shrinker.needsPayloads {
            shrinker.learn([:])
            continue
        }
        let candidate = try #require(shrinker.candidate)
        runs += 1
        if let count = accepts(candidate) { shrinker.accept(after: count) } else { shrinker.reject() }
    }
    return (shrinker.best, runs)
}

@Suite struct LogShrinkerTests {
    /// A condition over lists: all needed actions are there, in order, and for each taboo its antidote, if it is there.
    struct Rule {
        let needed: [Int]
        let taboos: [(poison: Int, antidote: Int)]

        init(_ random: inout Seeded, among count: Int, needing number: Int) {
            var seqs: Set<Int> = []
            while seqs.count < number { seqs.insert(1 + random.below(count)) }
            needed = seqs.sorted()
            taboos = (0..<random.below(4)).map { _ in (1 + random.below(count), 1 + random.below(count)) }
        }

        func holds(_ list: [LogShrinker.Entry]) -> Bool {
            let seqs = Set(list.map(\.seq))
            return needed.allSatisfy(seqs.contains)
                && taboos.allSatisfy { !seqs.contains($0.poison) || seqs.contains($0.antidote) }
        }

        /// The number of actions after which it is fulfilled first.
        func count(in list: [LogShrinker.Entry]) -> Int? {
            guard holds(list) else { return nil }
            return (1...list.count).first { holds(Array(list.prefix($0))) }
        }
    }

    @Test(arguments: Seeded.runs(60))
    func `What is left fulfils the condition, and without any single action it does not`(seed: Seeded) throws {
        var random = seed
        let count = 1 + random.below(200)
        let rule = Rule(&random, among: count, needing: min(count, 1 + random.below(5)))
        let groups = (0..<random.below(5)).map { _ in (1...count).filter { _ in random.once(in: 3) } }
        let (best, _) = try shrink(LogShrinker(of: Array(1...count), groups: groups), storing: random.once(in: 2)) {
            rule.count(in: $0)
        }
        #expect(rule.holds(best))
        for index in best.indices {
            var rest = best
            rest.remove(at: index)
            #expect(!rule.holds(rest), "\(best[index].seq) can go, \(seed)")
        }
        #expect(best.map(\.seq) == best.map(\.seq).sorted())
    }

    @Test(arguments: [1, 2, 3, 4])
    func `Ten thousand actions take at most four hundred attempts`(needed: Int) throws {
        for seed in 0..<20 {
            var random = Seeded(seed: UInt64(seed))
            var seqs: Set<Int> = [10_000]
            while seqs.count < needed { seqs.insert(1 + random.below(10_000)) }
            let (best, runs) = try shrink(LogShrinker(of: Array(1...10_000), groups: [])) { list in
                seqs.isSubset(of: list.map(\.seq)) ? list.count : nil
            }
            #expect(best.map(\.seq) == seqs.sorted())
            #expect(runs <= 400, "\(runs) attempts, \(seed)")
        }
    }

    @Test func `What is needed only for another action goes after that one`() throws {
        // 1 spoils it unless 2 follows.
        let shrinker = LogShrinker(of: [1, 2, 3], groups: [], changesPayloads: false)
        let (best, _) = try shrink(shrinker) { list in
            let seqs = list.map(\.seq)
            return seqs.contains(3) && (!seqs.contains(1) || seqs.contains(2)) ? list.count : nil
        }
        #expect(best.map(\.seq) == [3])
    }

    @Test func `A list ends where it has done it`() throws {
        var shrinker = LogShrinker(of: Array(1...9), groups: [], changesPayloads: false)
        shrinker.accept(after: 6)
        #expect(shrinker.best.map(\.seq) == Array(1...6))
        let (best, runs) = try shrink(LogShrinker(of: Array(1...1000), groups: [])) { list in
            list.firstIndex { $0.seq == 3 }.map { $0 + 1 }
        }
        #expect(best.map(\.seq) == [3] && runs < 12, "\(runs)")
    }

    @Test func `A number is found as by a binary search`() throws {
        var (shrinker, runs) = (LogShrinker(of: [1], groups: []), 0)
        while !shrinker.isDone {
            if shrinker.needsPayloads { shrinker.learn([1: #"{"add":{"amount":1000000000}}"#]) }
            let list = try #require(shrinker.candidate)
            runs += 1
            let text = list.first.map { $0.payload ?? #"{"add":{"amount":1000000000}}"# } ?? "null"
            if case .int(let amount)? = try Node(json: text)["add"]?["amount"], amount > 700_000_000 {
                shrinker.accept()
            } else {
                shrinker.reject()
            }
        }
        #expect(shrinker.best.first?.payload == #"{"add":{"amount":700000001}}"#)
        #expect(runs < 1000, "\(runs)")
    }

    @Test func `A list that does not do it is not shrunk`() throws {
        var shrinker = LogShrinker(of: [1, 2, 3], groups: [])
        shrinker.reject()
        #expect(shrinker.isDone && shrinker.best.count == 3)
    }

    @Test func `Nothing at all may be enough`() throws {
        let (best, _) = try shrink(LogShrinker(of: [1, 2, 3], groups: [])) { $0.count }
        #expect(best.isEmpty)
    }

    @Test func `Payloads become simpler, and then fewer actions may be enough`() throws {
        let payloads = [1: #"{"set":{"to":1000,"note":"abc"}}"#, 2: #"{"guard":{"below":1000}}"#]
        var shrinker = LogShrinker(of: [1, 2], groups: [])
        func number(_ entry: LogShrinker.Entry?, _ key: String) -> Int? {
            guard let entry, let node = try? Node(json: entry.payload ?? payloads[entry.seq] ?? ""),
                case .object(let members) = node, let member = members.first, case .int(let value)? = member.value[key]
            else { return nil }
            return value
        }
        while !shrinker.isDone {
            if shrinker.needsPayloads { shrinker.learn(payloads) }
            let list = try #require(shrinker.candidate)
            // Large values need the second action.
            let value = number(list.first { $0.seq == 1 }, "to")
            let isGuarded = list.contains { $0.seq == 2 && number($0, "below") != nil }
            if let value, value >= 7, value < 10 || isGuarded { shrinker.accept() } else { shrinker.reject() }
        }
        #expect(shrinker.best == [LogShrinker.Entry(seq: 1, payload: #"{"set":{"to":7}}"#)])
    }
}

@Suite struct NodeSimplifyingTests {
    /// A measure that each step makes smaller.
    private func size(_ node: Node) -> Double {
        switch node {
        case .null: 0
        case .bool(let value): value ? 1 : 0
        // A fraction weighs more than an integer that is as large.
        case .int(let value): 1 + Double(value.magnitude)
        case .number(let text): 3 + (Double(text)?.magnitude ?? 0)
        case .string(let text): 1 + Double(text.unicodeScalars.count)
        case .data(let bytes): 1 + Double(bytes.count)
        case .array(let elements): 1 + elements.reduce(0) { $0 + 1 + size($1) }
        case .object(let members): 1 + members.reduce(0) { $0 + 1 + size($1.value) }
        }
    }

    private func all(_ node: Node) -> [Node] {
        var found: [Node] = []
        while let next = node.simplified(found.count) { found.append(next) }
        return found
    }

    @Test(arguments: Seeded.runs(40))
    func `Each value is smaller than the one before`(seed: Seeded) {
        var random = seed
        var node = Self.node(&random, depth: 3)
        var steps = 0
        while true {
            let simpler = all(node)
            for one in simpler { #expect(size(one) < size(node), "\(node.json) → \(one.json), \(seed)") }
            guard !simpler.isEmpty, steps < 1000 else { break }
            node = simpler[random.below(simpler.count)]
            steps += 1
        }
        #expect(steps < 1000)
    }

    @Test func `Numbers come nearer to 0, texts get shorter, members go`() throws {
        #expect(all(.int(10)).map(\.json) == ["0", "1", "5", "8", "9"])
        #expect(all(.int(-1)).map(\.json) == ["0"])
        #expect(all(.int(.min)).first?.json == "0")
        #expect(all(.string("añ🙂")).map(\.json) == [#""""#, #""a""#, #""ñ🙂""#, #""ñ🙂""#, #""a🙂""#, #""añ""#])
        #expect(
            all(try Node(json: #"{"a":true,"b":[]}"#)).map(\.json) == [
                #"{"b":[]}"#, #"{"a":true}"#, #"{"a":false,"b":[]}"#,
            ]
        )
        #expect(all(.number("2.50")).map(\.json) == ["0", "2"])
        #expect(all(.null).isEmpty && all(.int(0)).isEmpty && all(.string("")).isEmpty && all(.array([])).isEmpty)
    }

    private static func node(_ random: inout Seeded, depth: Int) -> Node {
        switch random.below(depth > 0 ? 8 : 6) {
        case 0: return .null
        case 1: return .bool(random.once(in: 2))
        case 2: return .int(random.below(2000) - 1000)
        case 3: return .number("\(random.below(100)).25")
        case 4: return .string(String(repeating: "é", count: random.below(20)))
        case 5: return .data([UInt8](repeating: 1, count: random.below(9)))
        case 6: return .array((0..<random.below(5)).map { _ in node(&random, depth: depth - 1) })
        default:
            return .object(
                (0..<random.below(4)).map { Node.Member("k\($0)", node(&random, depth: depth - 1)) }
            )
        }
    }
}
