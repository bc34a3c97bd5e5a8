import Foundation
import HindsightTree
import TestSupport
import Testing

@testable import HindsightCLI

/// Shards and reports of `verify`.
@Suite struct CorpusTests {
    private static func items(_ count: Int, _ random: inout Seeded) -> [Shard.Item] {
        (0..<count).map { index in
            var hash = ContentHash()
            hash.add(Data("\(random.next())".utf8))
            return Shard.Item(name: "\(index)", size: 1 << random.below(22), hash: hash)
        }
    }

    @Test(arguments: Seeded.runs(30))
    func `shards are balanced, and do not depend on the order`(run: Seeded) {
        var random = run
        let items = Self.items(1 + random.below(300), &random)
        let count = 1 + random.below(9)
        let assigned = Shard.assignments(of: items, to: count)
        #expect(assigned.count == items.count && assigned.allSatisfy { 0..<count ~= $0 }, "\(run)")
        let order = items.indices.shuffled(using: &random)
        #expect(Shard.assignments(of: order.map { items[$0] }, to: count) == order.map { assigned[$0] }, "\(run)")
        var loads = [Int](repeating: 0, count: count)
        for (item, shard) in zip(items, assigned) { loads[shard] += item.size + (1 << 14) }
        let all = loads.reduce(0, +)
        let largest = (items.map(\.size).max() ?? 0) + (1 << 14)
        #expect((loads.max() ?? 0) <= all / count * 11 / 10 + largest, "\(run): \(loads)")
    }

    @Test(arguments: Seeded.runs(10))
    func `a recording that is added moves few others`(run: Seeded) {
        var random = run
        let items = Self.items(400, &random)
        let before = Shard.assignments(of: Array(items.dropLast()), to: 4)
        let after = Shard.assignments(of: items, to: 4)
        let moved = zip(before, after).count { $0 != $1 }
        // Numbers that follow from the place in a list would move three of four.
        #expect(moved <= 150, "\(run): \(moved) of 399 moved")
    }

    @Test(arguments: ["0/3", "4/3", "1", "1/", "/2", "a/b", "1/0", "1/2/3", "-1/2", "1/100000"])
    func `a shard that does not exist is refused`(text: String) {
        #expect(Shard(text) == nil)
    }

    @Test func `a recording that a directory has under several names counts once`() throws {
        let scratch = Scratch()
        let folder = scratch.directory
        let file = folder.appending(path: "b/a.hindsight").path
        try FileManager.default.createDirectory(atPath: folder.path + "/b", withIntermediateDirectories: true)
        try Data([1]).write(to: URL(filePath: file))
        // Two links to the file.
        for (name, target) in [("c.hindsight", "b/a.hindsight"), ("d.hindsight", "b/a.hindsight")] {
            let link = folder.appending(path: name).path
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        }
        let found = try Tool.recordings(below: [folder.path, folder.path + "/d.hindsight", file])
        #expect(found == [file])
        #expect(try Tool.recordings(below: [folder.path + "/d.hindsight", file]).count == 1)
    }

    @Test func `the hash of a file is that of its content`() throws {
        let scratch = Scratch()
        func hashes(_ bytes: [UInt8], _ name: String) throws -> (whole: ContentHash, ends: ContentHash) {
            let path = scratch.file(name).path
            try Data(bytes).write(to: URL(filePath: path))
            var whole = ContentHash()
            let isRead = whole.addFile(path)
            #expect(isRead)
            return (whole, ContentHash.ofEnds(path).hash)
        }
        var seen: Set<ContentHash> = []
        // Each change of one byte, at each place of a word, and each length.
        for length in [0, 1, 7, 8, 9, 16, 31] {
            let bytes = (0..<length).map { UInt8($0) }
            #expect(try hashes(bytes, "a") == hashes(bytes, "b"))
            let isNew = seen.insert(try hashes(bytes, "a").whole).inserted
            #expect(isNew, "\(length) bytes")
            for index in 0..<length {
                var changed = bytes
                changed[index] ^= 1
                let isNew = seen.insert(try hashes(changed, "a").whole).inserted
                #expect(isNew, "byte \(index) of \(length)")
                #expect(try hashes(changed, "a").ends != hashes(bytes, "b").ends)
            }
        }
        var missing = ContentHash()
        let reads = [missing.addFile(scratch.directory.path), missing.addFile(scratch.directory.path + "/none")]
        #expect(reads == [false, false])
    }

    @Test(arguments: [(1, 0), (1, 5), (2, 1000), (7, 3), (16, 2000)])
    func `the children take each file once, in order, the last ones one by one`(jobs: Int, count: Int) {
        let files = (0..<count).map { "/nowhere/\($0)" }
        var queue = VerificationQueue(files, jobs: jobs, Arguments(syntax: VerifyCommand.syntax))
        var units: [[Int]] = []
        while let unit = queue.next() { units.append(unit.files) }
        #expect(units.flatMap { $0 } == Array(files.indices))
        #expect(units.allSatisfy { 1...200 ~= $0.count } && (units.last?.count ?? 1) == 1)
        if count >= 20 * jobs { #expect(units.count >= 3 * jobs) }
    }

    private static func outcome(_ file: String, _ code: ExitCode, _ text: String, _ result: Node?)
        -> VerificationOutcome
    {
        VerificationOutcome(file: file, code: code, seconds: 0.25, printed: text, result: result)
    }

    private static let hostile = "<a href=\"x\">&amp; ]]> \u{0}\u{8}\u{1B}[31m\u{FFFE} é \u{1F600} 'q'"

    private static let outcomes = [
        outcome("equal.hindsight", .fine, "equal", ["app": "shop", "equal": true]),
        outcome(
            hostile,
            .difference,
            "\u{1B}[1;31mdiverged\u{1B}[0m  \(hostile)\nsecond line",
            [
                "app": .string(hostile), "equal": false,
                "divergence": ["seq": 5, "type": "set", "name": .string(hostile), "path": "/values/a"],
            ]
        ),
        outcome("none.hindsight", .nothingCompared, "unknown", ["app": "shop", "equal": .null]),
        outcome("bad.hindsight", .badFile, "error: no", ["equal": false, "error": "no such file", "crash": .null]),
    ]

    @Test func `a line of a JSON report has the verdict, the plain text and the result`() {
        #expect(Self.outcomes.map(\.verdict) == [.equal, .diverged, .unknown, .failed])
        #expect(
            Self.outcomes[0].json == [
                "file": "equal.hindsight", "verdict": "equal", "exit": 0, "seconds": .number("0.250"), "text": "equal",
                "result": ["app": "shop", "equal": true],
            ]
        )
        // Without colours.
        let plain = Self.hostile.replacing("\u{1B}[31m", with: "")
        #expect(Self.outcomes[1].json["text"] == .string("diverged  \(plain)\nsecond line"))
    }

    @Test func `a rule that does not hold is a difference, and its name is told`() {
        let rules: Node = [
            ["rule": "paid", "broken": 2, "first": "3.1"], ["rule": "held", "broken": 0, "first": .null],
        ]
        for equal: Node in [true, .null] {
            let result: Node = ["equal": equal, "rules": rules, "divergence": .null]
            let outcome = Self.outcome("a", .difference, "broken", result)
            #expect(outcome.verdict == .diverged)
            #expect(outcome.message == "rule paid fails at 3.1")
        }
    }

    @Test(.enabled(if: Python.has("xml.etree")))
    func `Python reads the JUnit report, with the same texts`() throws {
        let script = """
            import sys, json, xml.etree.ElementTree as E
            root = E.parse(sys.argv[1]).getroot()
            cases = []
            for suite in root:
                for case in suite:
                    children = [[c.tag, c.get('message'), c.text] for c in case]
                    cases.append([suite.get('name'), case.get('classname'), case.get('name'), case.get('time'), children])
            print(json.dumps([{k: root.get(k) for k in ('tests', 'failures', 'errors', 'skipped')}, cases]))
            """
        let read = try Node(json: try Python.run(script, input: JUnitReport.text(Self.outcomes)))
        #expect(read[0] == ["tests": "4", "failures": "1", "errors": "1", "skipped": "1"])
        let cases = try #require(read[1])
        #expect(cases[0] == ["shop", "shop", "equal.hindsight", "0.250", []])
        #expect(
            cases[1] == ["shop", "shop", "none.hindsight", "0.250", [["skipped", "nothing could be compared", .null]]]
        )
        let shown = "<a href=\"x\">&amp; ]]> \u{FFFD}\u{FFFD}\u{FFFD}[31m\u{FFFD} é \u{1F600} 'q'"
        #expect(cases[2]?[0] == .string(shown) && cases[2]?[2] == .string(shown))
        #expect(
            cases[2]?[4]?[0]?[1] == .string("diverged at action 5 (set), reducer \(shown), path /values/a")
        )
        #expect(cases[3]?[0] == "recordings" && cases[3]?[4]?[0] == ["error", "no such file", "error: no"])
    }
}
