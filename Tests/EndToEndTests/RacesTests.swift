import Foundation
import TestSupport
import Testing

/// Holds what `races` says against recordings of the app's real store in the other order.
@Suite struct RacesTests {
    private let workshop = Workshop()

    private static let tool = Workshop.built("PlantedTool")

    private func run(_ words: [String], by tool: URL = Self.tool, input: [String] = []) throws -> Finished {
        try workshop.run(tool, words, input: Data(input.map { $0 + "\n" }.joined().utf8))
    }

    /// Records actions, and says in the recording which threads they came from, and when.
    private func record(
        _ lines: [String],
        by tool: URL = Self.tool,
        threads: [Int?],
        seconds: Double = 0.001,
        parents: [Int: Int] = [:]
    ) throws {
        try #require(try run(["record", "plain.hindsight", "--force"], by: tool, input: lines).code == 0)
        try #require(try workshop.hindsight("export", "plain.hindsight", "-o", "plain.jsonl", "--force").code == 0)
        let text = try String(contentsOf: workshop.url("plain.jsonl"), encoding: .utf8)
        var seq = 0
        let changed = text.split(separator: "\n").map { line -> String in
            guard line.hasPrefix("{\"action\"") else { return String(line) }
            var line = line.replacing(#/"thread":\{[^}]*\},/#, with: "")
            line = line.replacing(#/"at":\d{12,}/#) { _ in
                let thread = threads[seq].map { #""thread":{"number":\#($0)},"# } ?? ""
                let parent = parents[seq + 1].map { #""parent":\#($0 - seq - 1),"# } ?? ""
                return #"\#(parent)\#(thread)"at":\#(1_700_000_000_000_000_000 + Int64(Double(seq) * seconds * 1e9))"#
            }
            seq += 1
            return String(line)
        }
        try workshop.write(changed.joined(separator: "\n") + "\n", to: "a.jsonl")
    }

    private func add(_ amount: Int) -> String { #"{"add":{"amount":\#(amount)}}"# }
    private func write(_ text: String) -> String { #"{"write":{"text":"\#(text)"}}"# }

    private func state(after lines: [String]) throws -> String {
        try #require(try run(["record", "x.hindsight", "--force"], input: lines).code == 0)
        return try run(["jump", "x.hindsight", "end", "--json"]).text
    }

    @Test(arguments: Seeded.runs(3))
    func `The pairs are those whose other order leads to another state`(seed: Seeded) throws {
        var random = seed
        let lines = (0..<16).map { _ in
            switch random.below(4) {
            case 0: write(random.pick(["a", "b"]))
            case 1: #"{"set":{"key":\#(1 + random.below(2)),"weight":1}}"#
            case 2: #"{"append":{"parts":["c"]}}"#
            default: add(random.below(9))
            }
        }
        let threads = lines.map { _ in 1 + random.below(2) }
        try record(lines, threads: threads)
        let result = try run(["races", "a.jsonl", "--json"])
        let answer = try result.json()
        let races = try #require(answer["races"] as? [[String: Any]])
        let found = races.compactMap { ($0["first"] as? [String: Any])?["seq"] as? Int }
        var (expected, pairs): ([Int], Int) = ([], 0)
        for index in 0..<lines.count - 1 where threads[index] != threads[index + 1] {
            pairs += 1
            let before = Array(lines[..<index])
            let one = try state(after: before + [lines[index], lines[index + 1]])
            let other = try state(after: before + [lines[index + 1], lines[index]])
            if one != other { expected.append(index + 1) }
            guard one != other,
                let race = races.first(where: { ($0["first"] as? [String: Any])?["seq"] as? Int == index + 1 })
            else { continue }
            var swapped = lines
            swapped.swapAt(index, index + 1)
            let lasts = try state(after: lines) != state(after: swapped)
            #expect(race["lasts"] as? Bool == lasts, "\(index + 1) \(seed)")
        }
        #expect(found == expected, "\(seed)")
        #expect(answer["pairs"] as? Int == pairs && answer["tried"] as? Int == pairs)
        #expect(result.code == (expected.isEmpty ? 0 : 1))
    }

    @Test(arguments: Seeded.runs(1))
    func `Twenty planted races among a thousand pairs that commute are found, and no other`(seed: Seeded) throws {
        var random = seed
        var lines = (0..<980).map { add($0.isMultiple(of: 2) ? 1 : -1) }
        var planted: [Int] = []
        for (number, place) in (1..<980).shuffled(using: &random).prefix(20).sorted().enumerated() {
            let index = place + 2 * number
            lines.insert(contentsOf: [write("a\(number)"), write("b\(number)")], at: index)
            planted.append(index + 1)
        }
        try record(lines, threads: lines.indices.map { 1 + $0 % 2 })
        let answer = try run(["races", "a.jsonl", "--json"]).json()
        let races = try #require(answer["races"] as? [[String: Any]])
        #expect(races.compactMap { ($0["first"] as? [String: Any])?["seq"] as? Int } == planted, "\(seed)")
        #expect(answer["tried"] as? Int == 1019, "\(seed)")
    }

    @Test func `Only actions of different threads, near each other and independent, are pairs`() throws {
        let lines = [write("a"), write("b"), write("c"), write("d")]
        func text(_ words: String..., threads: [Int?], seconds: Double = 0.001, parents: [Int: Int] = [:]) throws
            -> String
        {
            try record(lines, threads: threads, seconds: seconds, parents: parents)
            let result = try run(["races", "a.jsonl"] + words)
            return "\(result.code) \(result.text)\(result.errors)"
        }
        #expect(try text(threads: [1, 1, 1, 1]).hasPrefix("0 no race  a.jsonl  all actions came from one thread"))
        #expect(try text(threads: [nil, nil, nil, nil]).hasPrefix("6 "))
        let far = try text(threads: [1, 2, 1, 1], seconds: 5)
        #expect(far.hasPrefix("0 no race") && far.contains("--within looks further"), "\(far)")
        #expect(
            try text("--within", "6", threads: [1, 2, 1, 1], seconds: 5).hasPrefix("1 races  a.jsonl  2 pairs lead")
        )
        #expect(try text(threads: [1, 2, 2, 2], parents: [2: 1]).hasPrefix("0 no race"))
        let found = try text(threads: [1, 2, 2, 2])
        #expect(found.contains("1  write(text: \"a\") from the main thread"), "\(found)")
        #expect(found.contains("2  write(text: \"b\") from thread 2, 1.0 ms later"), "\(found)")
        #expect(found.contains("if 2 comes first:") && found.contains("/text  \"b\" → \"a\""), "\(found)")
        #expect(found.contains("The end is the same."), "\(found)")
        #expect(try text("--ignore", "/text", threads: [1, 2, 1, 2]).hasPrefix("0 no race"))
    }

    @Test func `A pair that commutes leaves the state as it was for the next pair`() throws {
        let lines = [add(1), add(2), write("a"), write("b"), write("c")]
        try record(lines, threads: [1, 2, 2, 1, 1])
        let text = try run(["races", "a.jsonl"]).text
        #expect(
            text.contains("1 pair leads to another state in the other order") && text.contains("The end is the same."),
            "\(text)"
        )
    }

    @Test func `An order in which the app crashes is told, and the pairs after it are tried`() throws {
        let lines = [
            #"{"set":{"key":97,"weight":1}}"#, #"{"set":{"key":98,"weight":5}}"#, add(1), write("a"), write("b"),
        ]
        try record(lines, threads: [1, 2, 2, 2, 1])
        let result = try run(["races", "a.jsonl"]).expecting(code: 1)
        #expect(
            result.text.contains("2 pairs lead to another state in the other order"),
            "\(result.text)\(result.errors)"
        )
        #expect(result.text.contains("if 2 comes first, the reducers crash in action 2"))
        #expect(result.text.contains("/text  \"b\" → \"a\"") && result.text.contains("The end differs, too."))
    }

    @Test func `Reducers that give something else each time are told, and no pair is`() throws {
        let tool = Workshop.built("ImpureTool")
        let adds = [1, 2].map { #"{"add":{"id":\#($0),"text":"a"}}"# }
        try record([#"{"choose":{"names":["global"]}}"#] + adds, by: tool, threads: [1, 1, 2])
        let unsteady = try run(["races", "a.jsonl"], by: tool).expecting(code: 6)
        #expect(unsteady.text == "" && unsteady.errors.contains("something else at /results/global"), "\(unsteady)")
        #expect(unsteady.errors.contains("shake a.jsonl'") && unsteady.errors.contains("--ignore"), "\(unsteady)")
        let rest = try run(["races", "a.jsonl", "--ignore", "/results/global"], by: tool).expecting(code: 0)
        #expect(rest.text.contains("1 pair of actions of different threads lead to the same state"), "\(rest.text)")
    }
}
