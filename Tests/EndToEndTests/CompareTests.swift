import Foundation
import TestSupport
import Testing

/// Compares builds of the counter app, whose reducers an environment variable changes.
@Suite struct CompareTests {
    private let workshop = Workshop()

    private static let tool = Workshop.built("CounterTool")

    private func makeBuild(_ name: String, _ variant: String?) throws {
        let setting = variant.map { "COUNTER='\($0)' " } ?? ""
        try workshop.write("#!/bin/sh\n\(setting)exec '\(Self.tool.path)' \"$@\"\n", to: name)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: workshop.url(name).path)
    }

    private func record(_ amounts: [Int?], to name: String) throws {
        let lines = amounts.map { $0.map { #"{"add":{"amount":\#($0)}}"# } ?? #"{"reset":{}}"# }
        let input = Data(lines.map { $0 + "\n" }.joined().utf8)
        try #require(try workshop.run(Self.tool, ["record", name, "--force"], input: input).code == 0)
    }

    private func compare(_ words: String...) throws -> Finished {
        try workshop.run(Self.tool, ["compare", "./old", "./new"] + words)
    }

    @Test(arguments: Seeded.runs(3))
    func `The kinds of difference are those of a replay by both builds`(seed: Seeded) throws {
        var random = seed
        try makeBuild("old", nil)
        try makeBuild("new", "changed")
        var (adds, resets, addFiles, resetFiles, equal): (Int, Int, Set<Int>, Set<Int>, Int) = (0, 0, [], [], 0)
        for file in 0..<4 {
            let amounts: [Int?] = (0..<random.below(30)).map { _ in
                random.below(9) == 0 ? nil : [1, 2, 3, 5, 7][random.below(5)]
            }
            try record(amounts, to: "\(file).hindsight")
            let (sevens, zeros) = (amounts.count { $0 == 7 }, amounts.count { $0 == nil })
            adds += sevens
            resets += zeros
            if sevens > 0 { addFiles.insert(file) }
            if zeros > 0 { resetFiles.insert(file) }
            if sevens + zeros == 0 { equal += 1 }
        }
        let files = (0..<4).map { "\($0).hindsight" }
        let result = try workshop.run(Self.tool, ["compare", "./old", "./new", "--json"] + files)
        let answer = try result.json()
        let kinds = try #require(answer["kinds"] as? [[String: Any]])
        var expected: [[String]] = []
        if adds > 0 { expected.append(["add", "/totals/sum", "totals.sum", "\(adds)", "\(addFiles.count)"]) }
        if resets > 0 { expected.append(["reset", "/count", "count", "\(resets)", "\(resetFiles.count)"]) }
        let found = kinds.map { kind in
            ["type", "path", "reducer", "actions", "files"].map { "\(kind[$0] ?? "")" }
        }
        #expect(found.sorted { $0[0] < $1[0] } == expected, "\(seed) \(result.errors)")
        #expect(answer["same"] as? Int == equal && (answer["failed"] as? [Any])?.isEmpty == true, "\(seed)")
        let actions = try #require(answer["actions"] as? Int)
        #expect(result.code == (!expected.isEmpty ? 1 : actions == 0 ? 6 : 0), "\(seed)")
    }

    @Test func `A reader sees the action, the place, the reducer and both values, and a pull request a table`() throws {
        try makeBuild("old", nil)
        try makeBuild("new", "doubling")
        try record([1, 7, 2, 7], to: "a.hindsight")
        try record([1, 2], to: "b.hindsight")
        let text = try compare("a.hindsight", "b.hindsight").text
        #expect(
            text.hasPrefix(
                """
                differ  both builds do the same in 1 of 2 recordings
                  add  /totals/sum  by totals.sum  2 actions in 1 recording
                    a.hindsight 2: 8 → 15
                    CounterTool cut a.hindsight 1 2 -o example.hindsight
                  time     
                """
            ),
            "\(text)"
        )
        let table = try compare("a.hindsight", "b.hindsight", "--markdown").text
        #expect(table.hasPrefix("**Both builds do the same in 1 of 2 recordings**\n\n| action |"), "\(table)")
        let row = "| `add` | `/totals/sum` | `totals.sum` | 2 actions in 1 recording | `a.hindsight 2` | `8` | `15` |"
        #expect(table.contains(row), "\(table)")
        // Of a directory, all recordings count.
        let all = try compare(".").expecting(code: 1).text
        #expect(all.hasPrefix("differ  both builds do the same in 1 of 2 recordings\n"), "\(all)")
        let same = try compare("b.hindsight")
        #expect(same.code == 0 && same.text.hasPrefix("same  both builds do the same in 1 recording\n"), "\(same.text)")
    }

    @Test func `A name stays within its code in Markdown, whatever it has`() throws {
        try makeBuild("old", nil)
        try makeBuild("new", "resetting to 1")
        // The mark combines with the backtick: both are one character.
        let name = "a`\u{301} @team.hindsight"
        try record([3, nil], to: name)
        let table = try compare(name, "--markdown").text
        #expect(Array(table.utf8).firstRange(of: Array("`` \(name) 2 ``".utf8)) != nil, "\(table)")
    }

    @Test func `All places that an action changes otherwise are told`() throws {
        try makeBuild("old", nil)
        try makeBuild("new", "resetting to 1")
        try record([3, 3, nil, 4], to: "a.hindsight")
        let text = try compare("a.hindsight").text
        #expect(text.contains("  reset  /count  by count  1 action in 1 recording\n"), "\(text)")
        #expect(text.contains("  reset  /totals/sum  by totals.sum  1 action in 1 recording\n"), "\(text)")
        #expect(!text.contains("  add  "), "\(text)")
    }

    @Test func `What only one build can read or survive is told, and the recordings after it are compared`() throws {
        try makeBuild("old", "trapping")
        try makeBuild("new", nil)
        try record([1, 7, 2], to: "a.hindsight")
        try record([1, 2], to: "b.hindsight")
        try workshop.write("no recording", to: "c.hindsight")
        let result = try compare("a.hindsight", "c.hindsight", "b.hindsight").expecting(code: 1)
        #expect(result.text.hasPrefix("differ  both builds do the same in 1 of 3 recordings\n"), "\(result.text)")
        #expect(
            result.text.contains(
                "  a.hindsight  only the old build fails: its reducers end the process in action 2, reducer 2"
            ),
            "\(result.text)"
        )
        #expect(result.text.contains("  c.hindsight  both builds fail: "), "\(result.text)")
        let other = try workshop.run(Self.tool, ["compare", "/bin/true", "./new", "b.hindsight"])
        #expect(other.code == 2 && other.errors.contains("/bin/true has run no recording"), "\(other.errors)")
        // A crash that both builds have is no difference, and what nobody can read is no success.
        let alike = try workshop.run(Self.tool, ["compare", "./old", "./old", "a.hindsight", "b.hindsight", "--json"])
        let answer = try alike.json()
        #expect(alike.code == 0 && answer["same"] as? Int == 2 && answer["actions"] as? Int == 3, "\(alike.text)")
        #expect(try compare("missing.hindsight", "b.hindsight").code == 3)
        // A build that cannot read a file is the only one that fails.
        let app = Workshop.built("PlantedTool").path
        let apart = try workshop.run(Self.tool, ["compare", app, "./new", "b.hindsight"])
        #expect(apart.code == 1 && apart.text.contains("only the old build fails: "), "\(apart.text)")
        let none = try workshop.run(Self.tool, ["compare", "b.hindsight", "./new", "b.hindsight"])
        #expect(none.code == 2 && none.errors.contains("b.hindsight is no executable"), "\(none.errors)")
    }

    @Test func `A crash that follows from a difference is one that only its build has`() throws {
        try makeBuild("old", nil)
        try makeBuild("new", "doubling up to 20")
        try record([7, 7, 2], to: "a.hindsight")
        let crash = "its reducers end the process in action 3, reducer 2 (on the states that this build leads to)"
        let text = try compare("a.hindsight").expecting(code: 1).text
        #expect(text.contains("  a.hindsight  only the new build fails: \(crash): "), "\(text)")
        // On the states of the old build, both crash. The new one does not lead to them.
        try makeBuild("old", "doubling up to 20")
        try makeBuild("new", "up to 20")
        let mended = try compare("a.hindsight").expecting(code: 1).text
        let place = "its reducers end the process in action 3, reducer 2: "
        #expect(mended.contains("  a.hindsight  only the old build fails: \(place)"), "\(mended)")
        // On the states of an old build that does not crash, the new one does. It does not lead to them either.
        try makeBuild("old", "doubling")
        let other = try compare("a.hindsight").expecting(code: 1).text
        let trap = "in action 3, reducer 2 (on the states of the other build, and not on its own): "
        #expect(
            other.contains("  a.hindsight  only the new build fails: its reducers end the process \(trap)"),
            "\(other)"
        )
        let answer = try workshop.run(Self.tool, ["compare", "./old", "./new", "a.hindsight", "--json"]).json()
        #expect(answer["actions"] as? Int == 2)
        // Both crash on their own states.
        try makeBuild("old", "doubling up to 20")
        try record([7, 7, 7, 2], to: "b.hindsight")
        let later = try compare("b.hindsight").expecting(code: 1).text
        let new = "the new one: its reducers end the process in action 4, reducer 2 (on the states that"
        #expect(later.contains("the old build fails: \(place)") && later.contains(new), "\(later)")
    }
}
