import Foundation
import Testing

/// An app's own tool, whose reducers differ from the recorded ones.
@Suite struct ChangedReducerTests {
    private static let actions = [3, 7, 5].map { #"{"add":{"amount":\#($0)}}"# } + [#"{"reset":{}}"#]

    private static let record = "record --force --app counter --input in.jsonl c.hindsight 2>/dev/null"
    private static let supplies = Supplies { workshop in
        try workshop.write(Self.actions.joined(separator: "\n"), to: "in.jsonl")
        _ = try workshop.shell("CounterTool \(Self.record)")
    }

    private let workshop = Workshop()

    init() throws { try Self.supplies.put(into: workshop) }

    private func counter(_ line: String, as variant: String = "") throws -> Finished {
        try workshop.shell("COUNTER=\(variant) CounterTool \(line)")
    }

    @Test func `verify names the action, reducer and path of a changed result`() throws {
        #expect(try counter("verify c.hindsight").code == 0)
        let result = try counter("verify c.hindsight --json", as: "doubling").expecting(code: 1)
        let object = try result.json()
        #expect(object["equal"] as? Bool == false)
        let divergence = try #require(object["divergence"] as? [String: Any])
        #expect(divergence["seq"] as? Int == 2)
        #expect(divergence["reducer"] as? Int == 2)
        #expect(divergence["name"] as? String == "totals.sum")
        #expect(divergence["path"] as? String == "/totals/sum")
        #expect(divergence["expected"] as? Int == 10)
        #expect(divergence["got"] as? Int == 17)
        let text = try counter("verify c.hindsight", as: "doubling").text
        for words in ["diverged  c.hindsight  at action 2 of 4", "add(amount: 7)", "2 of 3  totals.sum", "/totals/sum"]
        {
            #expect(text.contains(words), "\(text)")
        }
        #expect(try counter("replay c.hindsight", as: "doubling").code == 1)
    }

    @Test(arguments: ["replay c.hindsight", "verify c.hindsight", "jump c.hindsight end --replayed"])
    func `a command reports a reducer that crashes, and does not crash itself`(line: String) throws {
        let result = try counter(line, as: "trapping").expecting(code: 5)
        #expect(result.errors.contains("in action 2, reducer 2 of 3 (totals.sum): add(amount: 7)"), "\(result.errors)")
    }

    @Test(arguments: ["replay c.hindsight", "verify c.hindsight", "jump c.hindsight end --replayed"])
    func `a command reports a reducer that exits, and does not succeed`(line: String) throws {
        let result = try counter(line, as: "leaving").expecting(code: 5)
        for words in ["ended the process in action 2, reducer 2 of 3 (totals.sum)", "It called exit(0)"] {
            #expect(result.errors.contains(words), "\(result.errors)")
        }
    }

    @Test func `whatif names the action of the recording in which a reducer crashes`() throws {
        let fine = try counter("whatif c.hindsight --skip 2", as: "trapping")
        #expect([0, 1].contains(fine.code), "\(fine.errors)")
        let result = try counter("whatif c.hindsight --skip 1 -o out.hindsight", as: "trapping").expecting(code: 5)
        for words in [
            "in action 1, reducer 2 of 3 (totals.sum): add(amount: 7)",
            "Action 1 of the changed log is action 2 of the recording. --skip 2 leaves it out.",
        ] {
            #expect(result.errors.contains(words), "\(result.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: workshop.url("out.hindsight").path))
        let inserted = try counter(#"whatif c.hindsight --insert 'end={"add":{"amount":7}}' --skip 2"#, as: "trapping")
        #expect(inserted.code == 5 && inserted.errors.contains("one that --insert adds"), "\(inserted.errors)")
    }

    @Test func `whatif asks whether the recorded process would have ended`() throws {
        _ = try counter(Self.record, as: "leaving")
        let again = try counter("whatif c.hindsight --skip 1", as: "leaving").expecting(code: 5)
        #expect(again.text.contains("the recorded process ended in action 2; it now runs in the changed log"))
        let edited = try counter(#"whatif c.hindsight --edit 'crash={"add":{"amount":8}}'"#, as: "leaving")
        #expect(edited.code == 0, "\(edited.text)\(edited.errors)")
        #expect(edited.errors.contains("ran through: no crash"), "\(edited.errors)")
        // The answer comes before the crash, also as JSON.
        let object = try counter("whatif c.hindsight --skip 1 --json", as: "leaving").expecting(code: 5)
        #expect(try object.json(line: 0)["kept"] as? Int == 0, "\(object.text)")
        // What runs last is not the action in which the process ended.
        let other = try counter(
            #"whatif c.hindsight --skip crash --insert '2={"add":{"amount":8}}'"#,
            as: "leaving"
        )
        #expect(other.code == 0 && !other.errors.contains("ran through"), "\(other.text)\(other.errors)")
        #expect(!other.text.contains("it now runs"), "\(other.text)")
    }

    @Test func `replay reports that a reducer ended the process again as in the recording`() throws {
        _ = try counter(Self.record, as: "leaving")
        let again = try counter("replay c.hindsight --json", as: "leaving").expecting(code: 5)
        #expect(again.errors.contains("ended the process again where the recorded process ended"), "\(again.errors)")
        let last = again.text.split(separator: "\n").count - 1
        let crash = try #require(try again.json(line: last)["crash"] as? [String: Any])
        #expect(crash["exit"] as? Int == 0 && crash["signal"] is NSNull && crash["reducer"] as? Int == 2)
    }

    @Test(arguments: [
        "replay --json c.hindsight", "verify --json c.hindsight", "jump --json c.hindsight end --replayed",
    ])
    func `a reducer's output does not mix with the command's answer`(line: String) throws {
        let result = try counter(line, as: "talking").expecting(code: 0)
        for index in result.text.split(separator: "\n").indices.enumerated().map(\.offset) {
            _ = try result.json(line: index)
        }
        #expect(result.text == (try counter(line).text))
        #expect(result.errors.contains(#"\u001b[31mreduced 7"#), "\(result.errors)")
        let record = try counter("record --json --app counter --force --input in.jsonl d.hindsight", as: "talking")
        #expect(try record.json()["actions"] as? Int == 4)
        #expect(record.errors.contains("reduced 7"))
    }

    @Test func `verify continues with the next file after a reducer crashes`() throws {
        try workshop.write(#"{"add":{"amount":1}}"#, to: "fine.jsonl")
        _ = try counter("record --app counter --input fine.jsonl fine.hindsight")
        let files = "fine.hindsight c.hindsight missing.hindsight fine.hindsight c.hindsight"
        let text = try counter("verify \(files)", as: "trapping").expecting(code: 5)
        #expect(text.text.split(separator: "\n").count == 2, "\(text.text)")
        // A slow machine also says how long a replay runs.
        let crashes = text.errors.split(separator: "error: ").filter { $0.contains("crashed") }
        #expect(crashes.count { $0.contains("reducer 2 of 3") } == 2, "\(text.errors)")

        let json = try counter("verify --json \(files)", as: "trapping")
        let names = try (0..<5).map { try json.json(line: $0)["file"] as? String }
        #expect(names == files.split(separator: " ").map(String.init))
        #expect(try (0..<5).map { try json.json(line: $0)["equal"] as? Bool } == [true, false, false, true, false])
        #expect((try json.json(line: 1)["error"] as? String)?.contains("reducer 2 of 3 (totals.sum)") == true)
    }

    @Test func `a recorded crash can be inspected and reproduced`() throws {
        _ = try counter(Self.record, as: "trapping")
        let info = try counter("info c.hindsight --json").json()
        #expect(info["ended"] as? String == "crashed")
        let crash = try #require(info["crash"] as? [String: Any])
        #expect(crash["seq"] as? Int == 2)
        #expect(crash["reducer"] as? Int == 2)
        #expect(crash["name"] as? String == "totals.sum")
        let show = try counter("show c.hindsight crash").text
        #expect(
            show.contains("never finished") && show.contains("its process ended here, in reducer 2 of 3 (totals.sum)")
        )
        let shown = try counter("show --json c.hindsight crash").json()["crash"] as? [String: Any]
        #expect(shown?["name"] as? String == "totals.sum")
        #expect(try counter("show --json c.hindsight 1").json()["crash"] is NSNull)
        #expect(try counter("jump c.hindsight crash --path /count").text == "1\n")

        let again = try counter("replay c.hindsight", as: "trapping").expecting(code: 5)
        #expect(again.errors.contains("in action 2, reducer 2 of 3 (totals.sum)"), "\(again.errors)")
        let fixed = try counter("replay c.hindsight").expecting(code: 0)
        #expect(fixed.errors.contains("ran through this time"))
    }

    @Test func `the stock tool reads a recording without its reducers`() throws {
        #expect(try workshop.hindsight("log", "c.hindsight").code == 0)
        #expect(try workshop.hindsight("verify", "c.hindsight").code == 4)
    }
}
