import Foundation
import TestSupport
import Testing

/// Follows rules from `invariants` to every command that takes them.
@Suite struct InvariantsCommandTests {
    private let workshop = Workshop()

    private static let counterTool = Workshop.built("CounterTool")

    private func add(_ amount: Int) -> String { #"{"add":{"amount":\#(amount)}}"# }

    private func record(_ amounts: [Int], to file: String) throws {
        let input = Data(amounts.map { add($0) + "\n" }.joined().utf8)
        try #require(try workshop.run(Self.counterTool, ["record", file], input: input).code == 0)
    }

    private func rules(_ name: String) throws -> [[String: Any]] {
        let data = try Data(contentsOf: workshop.url(name))
        let node = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        return try #require(node["rules"] as? [[String: Any]])
    }

    @Test func `A quote that makes one character with the mark after it is a quote in rules and expressions`() throws {
        let add = #"{"add":{"title":"x'\u0301 y","tags":["a'\u0301b"]}}"#
        try workshop.record("todo", [add, add, add], to: "t.hindsight")
        #expect(try workshop.hindsight("invariants", "t.hindsight", "--least", "1", "-o", "rules.json").code == 0)
        let conditions = try rules("rules.json").compactMap { $0["that"] as? String }
        #expect(conditions.contains { $0.unicodeScalars.contains("\u{301}") })
        let checked = try workshop.hindsight("invariants", "--check", "rules.json", "t.hindsight")
        #expect(checked.code == 0, "\(checked.text)\(checked.errors)")
        let found = try workshop.hindsight("find", "t.hindsight", "value('/counts/byTag/a''\u{301}b') = 2", "--count")
        #expect(found.text.hasPrefix("1\n"), "\(found.text)\(found.errors)")
    }

    @Test func `Rules of some recordings are checked in others, by each command`() throws {
        try record((0..<14).map { 1 + $0 % 4 }, to: "a.hindsight")
        try record((0..<14).map { 2 + $0 % 5 }, to: "b.hindsight")
        try record([3, 4, -2, 5, -90], to: "c.hindsight")
        let found = try workshop.hindsight("invariants", "a.hindsight", "b.hindsight", "-o", "rules.json")
        #expect(found.code == 0 && found.text.contains("held at 30 positions of 2 recordings"), "\(found.text)")
        #expect(found.text.contains("  28  /totals/sum never falls\n"), "\(found.text)")
        let written = try rules("rules.json")
        #expect(written.contains { $0["name"] as? String == "/totals/sum never falls" })
        let json = try workshop.hindsight("invariants", "a.hindsight", "b.hindsight", "--json").json()
        #expect((json["rules"] as? [[String: Any]])?.count == written.count && json["positions"] as? Int == 30)
        #expect(try workshop.hindsight("invariants", "a.hindsight", "-o", "rules.json").code == 2)

        let same = try workshop.hindsight("invariants", "--check", "rules.json", "a.hindsight")
        #expect(same.code == 0 && same.text.hasPrefix("holds  a.hindsight"))
        let broken = try workshop.hindsight("invariants", "--check", "rules.json", "a.hindsight", "c.hindsight")
        #expect(broken.code == 1 && broken.text.contains("broken  c.hindsight"), "\(broken.text)")
        #expect(broken.text.contains("/totals/sum never falls\n    not at 3 and at 1 more position"), "\(broken.text)")
        let answer = try workshop.hindsight("invariants", "--check", "rules.json", "c.hindsight", "--json").json()
        let verdicts = try #require(answer["rules"] as? [[String: Any]])
        let falls = try #require(verdicts.first { $0["rule"] as? String == "/totals/sum never falls" })
        #expect(falls["broken"] as? Int == 2 && falls["first"] as? String == "3" && falls["held"] as? Int == 3)

        let verified = try workshop.run(Self.counterTool, ["verify", "--rules", "rules.json", "a.hindsight"])
        #expect(verified.code == 0 && verified.text.contains("holds  a.hindsight"))
        let failed = try workshop.run(
            Self.counterTool,
            ["verify", "--rules", "rules.json", "a.hindsight", "c.hindsight", "--json"]
        )
        #expect(failed.code == 1)
        let line = try failed.json(line: 1)
        #expect(line["equal"] as? Bool == true)
        #expect((line["rules"] as? [[String: Any]])?.contains { $0["broken"] as? Int == 2 } == true)
        let jobs = try workshop.run(
            Self.counterTool,
            ["verify", "--rules", "rules.json", "--jobs", "2", "a.hindsight", "c.hindsight"]
        )
        #expect(jobs.code == 1 && jobs.text.contains("broken  c.hindsight"))

        let rule = "not rule('/totals/sum never falls')"
        let where_ = try workshop.hindsight("find", "c.hindsight", rule, "--rules", "rules.json", "--json").json()
        #expect(where_["position"] as? String == "3")
        let since = try workshop.hindsight("bisect", "c.hindsight", rule, "--rules", "rules.json", "--json").json()
        #expect(["3", "5"].contains(since["position"] as? String))
        let input = Data("break \(rule)\ncontinue\n".utf8)
        let stopped = try workshop.hindsight(
            ["debug", "c.hindsight", "--rules", "rules.json", "--goto", "start"],
            input: input
        )
        #expect(stopped.text.contains("\n3  add(amount: -2)"), "\(stopped.text)")
        let without = try workshop.run(
            Self.counterTool,
            ["whatif", "c.hindsight", "--when", rule, "--rules", "rules.json", "-o", "d.hindsight"]
        )
        #expect(without.code <= 1)
        #expect(try workshop.hindsight("invariants", "--check", "rules.json", "d.hindsight").text.contains("holds"))
    }

    @Test func `Bad input is told, and the other files are read`() throws {
        try record((0..<14).map { 1 + $0 % 4 }, to: "a.hindsight")
        try workshop.record("todo", Sessions.todo, to: "todo.hindsight")
        try workshop.write("no recording", to: "x.hindsight")
        let mixed = try workshop.hindsight("invariants", "a.hindsight", "todo.hindsight")
        #expect(mixed.code == 2 && mixed.errors.contains("todo.hindsight is a recording of todo"), "\(mixed.errors)")
        let one = try workshop.hindsight("invariants", "x.hindsight", "a.hindsight")
        #expect(one.code == 3 && one.text.contains("of 1 recording"), "\(one.text) \(one.errors)")
        #expect(try workshop.hindsight("invariants", "x.hindsight").code == 3)
        try workshop.write(#"{"rules": [{"name": "a", "that": "/nowhere > 1"}]}"#, to: "rules.json")
        let silent = try workshop.hindsight("invariants", "--check", "rules.json", "a.hindsight")
        #expect(silent.code == 6 && silent.text.hasPrefix("unknown  a.hindsight"), "\(silent.text)")
        try workshop.write(#"{"rules": [{"name": "a", "that": "/count >"}]}"#, to: "wrong.json")
        let wrong = try workshop.hindsight("invariants", "--check", "wrong.json", "a.hindsight")
        #expect(wrong.code == 2 && wrong.errors.contains("rule 'a'"), "\(wrong.errors)")
        #expect(try workshop.hindsight("invariants", "--check", "none.json", "a.hindsight").code == 2)
        #expect(try workshop.hindsight("invariants", "--check", "rules.json", "--least", "2", "a.hindsight").code == 2)
        let unnamed = try workshop.hindsight("find", "a.hindsight", "rule('a')")
        #expect(unnamed.code == 2 && unnamed.errors.contains("--rules"), "\(unnamed.errors)")
    }

    @Test func `Rules that cannot be written leave no file, and a folder that is missing is told first`() throws {
        try workshop.record("todo", Sessions.todo, to: "t.hindsight")
        // The size of a file is limited to 1024 bytes.
        let line = "ulimit -f 1; hindsight invariants t.hindsight --least 1 -o rules.json"
        let limited = try workshop.shell(line).expecting(code: 3)
        #expect(limited.errors.contains("rules.json cannot be written: File too large.\n"), "\(limited.errors)")
        #expect(!FileManager.default.fileExists(atPath: workshop.url("rules.json").path))
        try workshop.hindsight("invariants", "t.hindsight", "--least", "1", "-o", "rules.json").expecting(code: 0)
        #expect(try Data(contentsOf: workshop.url("rules.json")).count > 1024)
        try workshop.write("no recording", to: "x.hindsight")
        let missing = try workshop.hindsight("invariants", "x.hindsight", "-o", "none/rules.json").expecting(code: 3)
        #expect(missing.errors.contains("there is no folder") && !missing.errors.contains("x.hindsight"))
    }
}
