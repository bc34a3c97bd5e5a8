import Foundation
import TestSupport
import Testing

/// Holds what `shake` says against what the reducers of the test app are known to depend on.
@Suite struct ShakeTests {
    private let workshop = Workshop()

    private static let tool = Workshop.built("ImpureTool")

    /// What each reducer of the app depends on if the recording chooses it.
    private static let conditions: [String: [String]] = [
        "clock": ["clock", "running clock"], "duration": ["running clock"], "formatter": ["time zone"],
        "uuid": ["random numbers"], "random": ["random numbers"], "set": ["hash seed"], "dictionary": ["hash seed"],
        "locale": ["locale"], "environment": ["environment"], "global": ["second run", "two threads"],
        "captured": ["second run", "two threads"], "file": ["files"], "address": ["another process"],
        "thread": ["two threads"],
    ]

    private func record(choosing names: [String], count: Int = 40, _ workshop: Workshop) throws {
        var lines = [#"{"choose":{"names":[\#(names.map { "\"\($0)\"" }.joined(separator: ","))]}}"#]
        for index in 1...count {
            // A state that grows with each action would take the time.
            lines.append(#"{"add":{"id":\#(index % 50),"text":"text \#(index % 17)"}}"#)
            if index.isMultiple(of: 7) { lines.append(#"{"rename":{"id":3,"text":"other \#(index)"}}"#) }
        }
        let input = Data(lines.map { $0 + "\n" }.joined().utf8)
        try #require(try workshop.run(Self.tool, ["record", "a.hindsight", "--force"], input: input).code == 0)
        try workshop.write("dark", to: "setting.txt")
    }

    private func shake(_ workshop: Workshop, _ words: String...) throws -> Finished {
        let command = ["IMPURE_FLAG=on", Self.tool.path, "shake", "a.hindsight"] + words
        return try workshop.run(URL(filePath: "/usr/bin/env"), command)
    }

    #if os(Linux)
        @Test(arguments: Seeded.runs(2))
        func `It names each impure reducer with its condition, and no other one`(seed: Seeded) throws {
            var random = seed
            let workshop = Workshop()
            let chosen = Self.conditions.keys.sorted().filter { _ in random.below(2) == 0 }
            try record(choosing: chosen, workshop)
            let result = try shake(workshop, "--json")
            #expect(result.code == (chosen.isEmpty ? 0 : 1), "\(seed) \(result.errors)")
            let findings = try #require(try result.json()["findings"] as? [[String: Any]])
            let found = findings.map { $0["reducer"] as? String ?? "" }
            #expect(found.sorted() == chosen, "\(seed)")
            for finding in findings {
                let name = try #require(finding["reducer"] as? String)
                #expect(finding["path"] as? String == "/results/\(name)", "\(seed)")
                #expect(finding["conditions"] as? [String] == Self.conditions[name], "\(seed) \(name)")
            }
        }

        @Test func `A run with many differences ends early, and the answer says so`() throws {
            let workshop = Workshop()
            try record(choosing: ["clock"], count: 510, workshop)
            let text = try shake(workshop, "--budget", "600").text
            #expect(text.contains("and 499 more times") && text.contains("a run ends after 500 differences"), "\(text)")
        }

        @Test func `A reader sees the reducer, the place, both values and what to do`() throws {
            let workshop = Workshop()
            try record(choosing: ["formatter"], count: 3, workshop)
            let result = try shake(workshop)
            #expect(result.text.hasPrefix("depends  a.hindsight  1 reducer depends on more than state and action\n"))
            #expect(result.text.contains("  formatter  /results/formatter  time zone\n"), "\(result.text)")
            #expect(
                result.text.contains(
                    #"    action 2 add: "2023-11-14 22:13" → "2023-11-15 11:58", and 2 more times"#
                ),
                "\(result.text)"
            )
            #expect(result.text.contains("give the calendar or formatter a fixed one"), "\(result.text)")
        }
    #endif

    @Test func `Reducers that need state and action alone are steady`() throws {
        try record(choosing: [], count: 10, workshop)
        let result = try shake(workshop).expecting(code: 0)
        #expect(result.text.hasPrefix("steady  a.hindsight  12 actions do the same under"), "\(result.text)")
    }

    @Test func `A condition that ends the process is told, and the others are tried`() throws {
        try record(choosing: ["trap", "global"], count: 4, workshop)
        let result = try shake(workshop).expecting(code: 1)
        #expect(
            result.text.contains("  time zone  the reducers end the process in action 2, reducer trap\n")
                && result.text.contains("no other zone was thought of"),
            "\(result.text)\(result.errors)"
        )
        #expect(result.text.contains("  global  /results/global  second run, two threads\n"), "\(result.text)")
    }

    @Test func `An action in which the process did not end is not told as a crash`() throws {
        let tool = Workshop.built("PlantedTool")
        let input = Data(#"{"set":{"key":98,"weight":2}}"#.utf8)
        try #require(try workshop.run(tool, ["record", "a.hindsight"], input: input).code != 0)
        try workshop.hindsight("recover", "a.hindsight")
        try workshop.hindsight("export", "a.hindsight", "-o", "a.jsonl")
        let crash = try workshop.run(tool, ["shake", "a.jsonl"]).expecting(code: 0).text
        #expect(crash.contains("crash    in action 1 the reducers end the process on one thread"), "\(crash)")
        #expect(try workshop.run(tool, ["shake", "a.jsonl", "--json"]).json()["comesBack"] as? Bool == true)
        let text = try String(contentsOf: workshop.url("a.jsonl"), encoding: .utf8)
        let died = #""died":"1.2""#
        try #require(text.contains(died))
        // The recorder stopped, and the process went on.
        try workshop.write(text.replacing(died, with: #""stopped":"the disk is full""#), to: "b.jsonl")
        let stopped = try workshop.run(tool, ["shake", "b.jsonl"]).expecting(code: 6).text
        #expect(!stopped.contains("crash") && stopped.contains("it has no action that could run"), "\(stopped)")
    }

    @Test func `If no action can run, the answer says why`() throws {
        let tool = Workshop.built("PlantedTool")
        let input = Data(#"{"add":{"amount":4}}"#.utf8)
        try #require(try workshop.run(tool, ["record", "a.hindsight"], input: input).code == 0)
        try workshop.hindsight("export", "a.hindsight", "-o", "a.jsonl")
        let text = try String(contentsOf: workshop.url("a.jsonl"), encoding: .utf8)
        try #require(text.contains(#"{"amount":4}"#))
        try workshop.write(text.replacing(#"{"amount":4}"#, with: #"{"amount":"much"}"#), to: "b.jsonl")
        let result = try workshop.run(tool, ["shake", "b.jsonl"]).expecting(code: 6)
        #expect(result.text.contains("it has no action that could run"), "\(result)")
        #expect(result.text.contains("not run  action 1 add does not decode: at /add/amount"), "\(result)")
    }

    @Test func `The samples are steady, and what was not tried is not said to be`() throws {
        let fixture = Workshop.package.appending(path: "Fixtures/checkout.hindsight").path
        #expect(try workshop.hindsight("shake", fixture).code == 0)
        let brief = try workshop.hindsight("shake", fixture, "--budget", "0.01")
        #expect(brief.code == 6 && brief.text.hasPrefix("not known  "), "\(brief.text)")
        let empty = try workshop.run(Self.tool, ["record", "empty.hindsight"], input: Data())
        try #require(empty.code == 0, "\(empty.errors)")
        let none = try workshop.run(Self.tool, ["shake", "empty.hindsight"])
        #expect(none.code == 6 && none.text.contains("it has no action that could run"), "\(none.text)")
        try FileManager.default.copyItem(at: workshop.url("empty.hindsight"), to: workshop.url("other.hindsight"))
        let folder = try workshop.run(Self.tool, ["shake", ".", "--json"])
        #expect(folder.code == 6 && folder.text.split(separator: "\n").count == 2, "\(folder.text)")
        let several = try workshop.hindsight("shake", fixture, "missing.hindsight", "--json")
        #expect(several.code == 3 && several.text.split(separator: "\n").count == 1, "\(several.text)")
    }
}
