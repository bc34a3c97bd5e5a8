import Foundation
import Testing

/// The state inside the action in which a reducer crashed, after the reducers that ran before.
@Suite struct CrashedActionTests {
    /// A recording of a process that ended in action 3, reducer 2 of 3, after reducer 1 had changed the state.
    ///
    /// - Parameter isWritten: Whether the last action comes only when the states of those before it are in the file.
    private static func record(
        _ file: String = "c.hindsight",
        whenWritten isWritten: Bool = false,
        in workshop: Workshop
    ) throws {
        let lines = [3, 5, 7].map { #"{"add":{"amount":\#($0)}}"# }
        try workshop.write(lines.joined(separator: "\n"), to: "in.jsonl")
        try workshop.write(file, to: "name")
        // The stock tool cannot compute a state.
        let written = "hindsight jump \"$(cat name)\" 2 >/dev/null 2>&1"
        let wait = isWritten ? "for i in $(seq 2400); do \(written) && break; sleep 0.05; done; " : ""
        let input = "(head -n 2 in.jsonl; \(wait)tail -n 1 in.jsonl)"
        let record = "COUNTER=trapping CounterTool record --app counter"
        _ = try workshop.shell("\(input) | \(record) \"$(cat name)\" 2>/dev/null")
    }

    private static let supplies = Supplies { try Self.record(in: $0) }
    private let workshop = Workshop()

    init() throws { try Self.supplies.put(into: workshop) }

    /// The objects that a command with `--json` printed, one a line.
    private func lines(of result: Finished) throws -> [[String: Any]] {
        try (0..<result.text.split(separator: "\n").count).map { try result.json(line: $0) }
    }

    private static let inside = #"{"count":3,"totals":{"sum":8,"largest":5}}"#

    @Test(arguments: ["", "hindsight recover c.hindsight >/dev/null; "])
    func `the state before the reducer that crashed is available`(first: String) throws {
        _ = try workshop.shell(first)
        for variant in ["", "trapping", "leaving"] {
            for line in ["jump --json c.hindsight 3.1", "jump --json c.hindsight 3.1 --replayed"] {
                let result = try workshop.shell("COUNTER=\(variant) CounterTool \(line)")
                #expect(result.code == 0, "\(line) \(result.errors)")
                #expect(result.text == Self.inside + "\n", "\(line)")
            }
        }
        let crash = try workshop.shell("CounterTool jump --path /count c.hindsight crash")
        #expect(crash.text == "2\n", "\(crash.errors)")
        let diff = try workshop.shell("CounterTool diff c.hindsight crash 3.1")
        #expect(diff.code == 1 && diff.text.contains("~ /count  2 → 3"), "\(diff.text)\(diff.errors)")
        #expect(diff.text.contains("3.1 is computed by this build's reducers, not recorded"), "\(diff.text)")
    }

    @Test func `show prints what the reducers before it changed`() throws {
        let shown = try workshop.shell("COUNTER=trapping CounterTool show c.hindsight 3").expecting(code: 0)
        for words in [
            "≈ 3.1 count", "~ /count  2 → 3", "its process ended here, in reducer 2 of 3 (totals.sum)",
            "Not known: what its other reducers changed; the process ended in reducer 2 of 3 (totals.sum).",
            "'CounterTool jump c.hindsight 3.1'",
        ] {
            #expect(shown.text.contains(words), "\(words)\n\(shown.text)\(shown.errors)")
        }
        #expect(try workshop.shell("COUNTER=trapping CounterTool show c.hindsight crash").text == shown.text)
        let json = try workshop.shell("CounterTool show --json c.hindsight 3").json()
        #expect((json["steps"] as? [[String: Any]])?.count == 1)
        #expect(json["computed"] as? Bool == true && json["unknown"] is [String: Any])

        let log = try workshop.shell("CounterTool log --path /count c.hindsight").text
        #expect(log.contains("≈ /count") && log.contains("↑ its process ended here"), "\(log)")
        let other = try workshop.shell("CounterTool log --path /totals c.hindsight").text
        #expect(
            other.contains("Not known: whether action 3 changed /totals; the process ended in reducer 2"),
            "\(other)"
        )
    }

    @Test func `history, blame and find have what the reducers before it changed, and mark it`() throws {
        let workshop = Workshop()
        try Self.record(whenWritten: true, in: workshop)
        for follow in ["", "--follow"] {
            let history = try workshop.shell("CounterTool history c.hindsight /count --at 3.1 \(follow)")
            #expect(history.code == 0, "\(history.errors)")
            #expect(history.text.contains("changed 3 times, last at ≈ 3.1, in count,"), "\(history.text)")
            #expect(history.text.contains("2 → 3"), "\(history.text)")
            #expect(history.errors.contains("3.1 of c.hindsight is computed by"), "\(history.errors)")
        }
        let changes = try lines(of: workshop.shell("CounterTool history c.hindsight /count --at 3.1 --json"))
        #expect(changes.map { $0["computed"] as? Bool } == [nil, nil, true], "\(changes)")
        #expect(changes.last?["old"] as? Int == 2 && changes.last?["new"] as? Int == 3, "\(changes)")
        let last = try workshop.shell("CounterTool history c.hindsight /count --at 3.1 --limit 1").text
        #expect(last.contains("2 → 3") && last.contains("earlier"), "\(last)")
        let whole = try workshop.shell("CounterTool history c.hindsight /count")
        #expect(whole.text.contains("changed 3 times, last at ≈ 3.1, in count,"), "\(whole.text)")
        #expect(whole.errors.contains("3.1 of c.hindsight is computed by"), "\(whole.errors)")
        let other = try workshop.shell("CounterTool history c.hindsight /totals")
        #expect(!other.text.contains("≈") && !other.errors.contains("computed"), "\(other.text)\(other.errors)")
        let recorded = try workshop.shell("CounterTool history c.hindsight /count --at 3.0").text
        #expect(recorded.contains("changed 2 times, last at 2.1"), "\(recorded)")

        let blame = try workshop.shell("CounterTool blame c.hindsight /count --at 3.1")
        #expect(blame.text.contains("became 3 at ≈ 3.1, in count,"), "\(blame.text)\(blame.errors)")
        let blamed = try workshop.shell("CounterTool blame c.hindsight /count --at 3.1 --json").json()
        #expect(blamed["computed"] as? Bool == true && blamed["position"] as? String == "3.1", "\(blamed)")

        let found = try workshop.shell("CounterTool find c.hindsight '/count = 3' --by reducer").expecting(code: 0)
        #expect(found.text.contains("/count = 3 is true at ≈ 3.1, in count,"), "\(found.text)")
        #expect(found.text.contains("≈ computed by this build's reducers, not recorded"), "\(found.text)")
        #expect(found.text.contains("It is not known at 1 position (3)"), "\(found.text)")
        let line = "CounterTool find c.hindsight --json --by reducer 'changed(/count)'"
        let stretches = try lines(of: workshop.shell(line))
        #expect(stretches.map { $0["position"] as? String } == ["1.1", "2.1", "3.1", nil], "\(stretches)")
        #expect(stretches.map { $0["computed"] as? Bool } == [nil, nil, true, nil], "\(stretches)")
        let action = try workshop.shell("CounterTool find c.hindsight --json --by reducer 'seq = 3'").json()
        #expect(action["position"] as? String == "3.1" && action["to"] as? String == "3", "\(action)")
        #expect(action["count"] as? Int == 2 && action["computed"] as? Bool == true, "\(action)")
        // The state after the action is not known, whoever reads it.
        let actions = try lines(of: workshop.shell("CounterTool find c.hindsight --json '/count = 3'"))
        #expect(actions.count == 1 && actions[0]["unknown"] as? Int == 1, "\(actions)")
        let stock = try workshop.hindsight("find", "c.hindsight", "/count = 3", "--by", "reducer", "--json").json()
        #expect(stock["unknown"] as? Int == 1 && stock["true"] as? Int == 0, "\(stock)")
    }

    @Test func `the stock tool names the tool that computes the state`() throws {
        let jump = try workshop.hindsight("jump", "c.hindsight", "3.1")
        #expect(jump.code == 2 && jump.errors.contains("The tool of the app \"counter\" computes it"), "\(jump.errors)")
        let shown = try workshop.hindsight("show", "c.hindsight", "3").text
        #expect(shown.contains("Not known: what its reducers changed; the process ended in reducer 2 of 3"), "\(shown)")
        #expect(shown.contains("The tool of the app \"counter\" computes it"), "\(shown)")
        let log = try workshop.hindsight("log", "--path", "/count", "c.hindsight").text
        #expect(log.contains("changed /count; the process ended in reducer 2 of 3"), "\(log)")
    }

    @Test(arguments: ["3.2", "3.3", "3"])
    func `a position after the crash has no state, and the suggested command works`(position: String) throws {
        let read = try workshop.shell("CounterTool jump c.hindsight \(position)")
        #expect(read.code == 2 && read.text.isEmpty)
        #expect(read.errors.contains("'CounterTool jump c.hindsight 3.1'"), "\(read.errors)")
        let replayed = try workshop.shell("CounterTool jump c.hindsight \(position) --replayed")
        #expect(replayed.code == 2 && replayed.text.isEmpty)
        #expect(replayed.errors.contains("Go to 3.1 at most."), "\(replayed.errors)")
        #expect(!replayed.errors.contains("ask for"), "\(replayed.errors)")
    }

    @Test(arguments: ["c.hindsight", "my $(crash) of today.hindsight", "it's.hindsight"])
    func `the report names the state before the reducer, and its commands work when pasted`(file: String) throws {
        let workshop = Workshop()
        try Self.record(file, in: workshop)
        let report = try workshop.shell("COUNTER=trapping CounterTool replay \"$(cat name)\"").expecting(code: 5)
        // A name with quotes is in typographic quotes.
        let commands = report.errors.matches(of: /“(CounterTool [^”]*)”|'(CounterTool [^']*)'/).compactMap {
            ($0.output.1 ?? $0.output.2).map(String.init)
        }
        #expect(commands.count == 2, "\(report.errors)")
        for command in commands {
            let pasted = try workshop.shell("export COUNTER=trapping; \(command)")
            #expect(pasted.code == 0, "\(command) \(pasted.errors)")
            let words = command.contains(" jump ") ? "\"count\": 3" : "≈ 3.1 count"
            #expect(pasted.text.contains(words), "\(command) \(pasted.text)")
        }
    }

    @Test func `if the first action crashes, replaying begins at the start`() throws {
        let workshop = Workshop()
        try workshop.write(#"{"add":{"amount":7}}"#, to: "in.jsonl")
        _ = try workshop.shell(
            "COUNTER=trapping CounterTool record --app counter --input in.jsonl c.hindsight 2>/dev/null"
        )
        let inside = try workshop.shell("CounterTool jump --json c.hindsight 1.1")
        #expect(inside.text == #"{"count":1,"totals":{"sum":0,"largest":0}}"# + "\n", "\(inside.errors)")
        #expect(try workshop.shell("CounterTool jump --path /count c.hindsight 1.0").text == "0\n")
    }
}
