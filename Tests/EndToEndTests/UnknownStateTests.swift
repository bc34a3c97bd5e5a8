import Foundation
import Testing

/// The message of each reading command about states that were not recorded: with the app's own tool, which computes
/// them, and with the stock tool, which has no reducers of that app. No command is silent.
@Suite(.enabled(if: Workshop.hasSQLiteShell)) struct UnknownStateTests {
    /// Recordings of eight actions that lack some states.
    enum Loss: String, CaseIterable, Sendable {
        /// The process was killed before it had written the states after action 3.
        case killed
        /// The recorder was behind and left out the states after actions 4 to 6.
        case skipped
        /// The same as killed, with a part of the states redacted.
        case redacted

        var damage: String {
            switch self {
            case .killed, .redacted:
                """
                DELETE FROM recording WHERE key = 'closed'; DELETE FROM keyframe WHERE seq > 0;
                UPDATE action SET steps = NULL WHERE seq > 3
                """
            case .skipped:
                """
                INSERT INTO run VALUES ('skipped', 4, 6, NULL); UPDATE action SET steps = NULL WHERE seq BETWEEN 4 AND 6
                """
            }
        }

        var unknown: String { self == .skipped ? "actions 4 to 6" : "actions 4 to 8" }

        var cause: String {
            self == .skipped ? "the recorder was behind and left it out" : "the process ended before it was written"
        }
    }

    private static let supplies = Dictionary(
        uniqueKeysWithValues: Loss.allCases.map { loss in (loss, Supplies { try Self.record(loss, in: $0) }) }
    )

    private func workshop(_ loss: Loss) throws -> Workshop {
        let workshop = Workshop()
        try #require(Self.supplies[loss]).put(into: workshop)
        return workshop
    }

    /// Makes `whole.hindsight`, and `c.hindsight`, which has lost states.
    private static func record(_ loss: Loss, in workshop: Workshop) throws {
        let lines = (1...7).map { #"{"add":{"amount":\#($0 * 10)}}"# } + [#"{"add":{"amount":7}}"#]
        try workshop.write(lines.joined(separator: "\n"), to: "in.jsonl")
        let redaction = loss == .redacted ? "--redact /totals/largest" : ""
        let keyframe =
            loss == .skipped
            ? """
            state=$(CounterTool jump --json whole.hindsight 6)
            sqlite3 c.hindsight "INSERT OR REPLACE INTO keyframe(seq, state) VALUES (6, '$state')"
            """ : ""
        let result = try workshop.shell(
            """
            set -e
            CounterTool record --app counter \(redaction) --input in.jsonl whole.hindsight
            cp whole.hindsight c.hindsight
            \(keyframe)
            sqlite3 c.hindsight "\(loss.damage)"
            """
        )
        try #require(result.code == 0, "\(result.text)\(result.errors)")
    }

    /// A command, and the messages of the two tools on either stream, with an exit code.
    struct Row: Sendable {
        let command: String
        var ownCode: Int32 = 0
        let own: [String]
        var stockCode: Int32 = 0
        let stock: [String]
    }

    private static let rows = [
        Row(
            command: "log c.hindsight",
            own: ["≈ /count", "≈ computed by this build's reducers, not recorded"],
            stock: ["Not known: what UNKNOWN changed; CAUSE.", "The tool of the app \"counter\" computes it"]
        ),
        Row(
            command: "log --path /count c.hindsight",
            own: ["≈ /count", "≈ computed by this build's reducers, not recorded"],
            stock: ["Not known: whether UNKNOWN changed /count; CAUSE."]
        ),
        Row(
            command: "log --path /count --from 5 --to 5 c.hindsight",
            own: ["≈ /count"],
            stock: ["Not known: whether action 5 changed /count; CAUSE."]
        ),
        Row(
            command: "log --type add --path /count c.hindsight",
            own: ["≈ /count"],
            stock: ["Not known: whether UNKNOWN changed /count; CAUSE."]
        ),
        Row(
            command: "tail -n 5 c.hindsight",
            own: ["≈ /count"],
            stock: ["Not known: what UNKNOWN changed; CAUSE."]
        ),
        Row(
            command: "tail --path /count c.hindsight",
            own: ["≈ /count"],
            stock: ["Not known: whether UNKNOWN changed /count; CAUSE."]
        ),
        Row(
            command: "tail -f --path /count c.hindsight",
            own: ["≈ /count"],
            stock: ["Not known: whether UNKNOWN changed /count; CAUSE."]
        ),
        Row(
            command: "show c.hindsight 5",
            own: ["≈ 5.1 count", "~ /count  4 → 5", "≈ computed by this build's reducers, not recorded"],
            stock: ["Not known: what its reducers changed; CAUSE.", "The tool of the app \"counter\" computes it"]
        ),
        Row(
            command: "jump --path /count c.hindsight 5",
            own: ["5\n", "5 of c.hindsight is computed by this build's reducers, not recorded"],
            stockCode: 2,
            stock: ["“5”", "The tool of the app \"counter\" computes it"]
        ),
        Row(
            command: "diff c.hindsight 2 5",
            ownCode: 1,
            own: ["~ /count  2 → 5", "5 is computed by this build's reducers, not recorded"],
            stockCode: 2,
            stock: ["“5”", "The tool of the app \"counter\" computes it"]
        ),
        Row(
            command: "diff --format json-patch c.hindsight:2 whole.hindsight:2",
            own: ["[]"],
            stock: ["[]"]
        ),
    ]

    @Test(arguments: Loss.allCases)
    func `each command reports states that were not recorded`(loss: Loss) throws {
        let workshop = try workshop(loss)
        for row in Self.rows { try check(row, loss, in: workshop) }
    }

    private func check(_ row: Row, _ loss: Loss, in workshop: Workshop) throws {
        func expect(_ result: Finished, _ code: Int32, _ words: [String]) {
            let said = result.text + result.errors
            #expect(result.code == code, "\(row.command)\n\(said)")
            for word in words {
                let word = word.replacing("UNKNOWN", with: loss.unknown).replacing("CAUSE", with: loss.cause)
                #expect(said.contains(word), "\(row.command): \(word)\n\(said)")
            }
        }
        let own = try workshop.shell("CounterTool \(row.command)")
        expect(own, row.ownCode, row.own)
        #expect(!own.text.contains("Not known"), "\(own.text)")
        if loss == .redacted, own.text.contains("≈") {
            #expect(own.text.contains("from placeholders for redacted values"), "\(own.text)")
        }
        expect(try workshop.shell("hindsight \(row.command)"), row.stockCode, row.stock)
        let refused = row.stock.filter { !$0.contains("The tool of the app") }
        let recorded = try workshop.shell("CounterTool \(row.command) --recorded")
        expect(recorded, row.stockCode, refused)
        #expect(!(recorded.text + recorded.errors).contains("computed by"), "\(recorded.text)\(recorded.errors)")
    }

    @Test(arguments: Loss.allCases)
    func `computed states equal the original ones`(loss: Loss) throws {
        let workshop = try workshop(loss)
        let log = try workshop.shell("CounterTool log --json c.hindsight")
        let whole = try workshop.shell("CounterTool log --json whole.hindsight")
        #expect(!whole.text.contains("computed"))
        for line in 0..<8 {
            let changed = try log.json(line: line)["changed"] as? [String]
            #expect(try changed == whole.json(line: line)["changed"] as? [String], "\(log.text)")
        }
        for position in ["4", "5.1", "5.0", "6", "6.3", "8", "end", "100%"] {
            let computed = try workshop.shell("CounterTool jump c.hindsight \(position)")
            #expect(computed.code == 0, "\(position) \(computed.errors)")
            let expected = try workshop.shell("CounterTool jump whole.hindsight \(position)").text
            // A redacted value has a placeholder, and the reducers may compute another value from it.
            if loss != .redacted { #expect(computed.text == expected, "\(position)") }
        }
        #expect(try workshop.shell("CounterTool diff c.hindsight:3 whole.hindsight:3").code == 0)
    }

    @Test func `JSON output has members and lines for unknown states`() throws {
        let workshop = try workshop(.killed)
        let own = try workshop.shell("CounterTool log --json c.hindsight")
        #expect(own.text.split(separator: "\n").count == 8, "\(own.text)")
        #expect(try own.json(line: 2)["computed"] == nil)
        #expect(try own.json(line: 3)["computed"] as? Bool == true)
        #expect(try own.json(line: 3)["changed"] as? [String] == ["/count", "/totals/sum", "/totals/largest"])

        let stock = try workshop.hindsight("log", "--json", "--path", "/count", "c.hindsight")
        #expect(stock.text.split(separator: "\n").count == 4, "\(stock.text)")
        let unknown = try stock.json(line: 3)
        #expect(unknown["event"] as? String == "unknown")
        #expect(unknown["actions"] as? [[Int]] == [[4, 8]])
        #expect(unknown["cause"] as? String == "the process ended before it was written")
        #expect((unknown["remedy"] as? String)?.isEmpty == false)

        let shown = try workshop.shell("CounterTool show --json c.hindsight 5").json()
        #expect(shown["computed"] as? Bool == true && shown["unknown"] is NSNull)
        let steps = try #require(shown["steps"] as? [[String: Any]])
        #expect(steps.count == 3 && steps.allSatisfy { $0["duration"] is NSNull })
        let blind = try workshop.hindsight("show", "--json", "c.hindsight", "5").json()
        #expect(blind["computed"] as? Bool == false && blind["steps"] is NSNull)
        #expect((blind["unknown"] as? [String: String])?["cause"] == "the process ended before it was written")

        let diff = try workshop.shell("CounterTool diff --json c.hindsight 3 4").json()
        #expect((diff["from"] as? [String: Any])?["computed"] as? Bool == false)
        #expect((diff["to"] as? [String: Any])?["computed"] as? Bool == true)
    }

    @Test func `a reducer that ends the computation is reported, and earlier states are available`() throws {
        let workshop = try workshop(.killed)
        for (variant, deed) in [("trapping", "crashed"), ("leaving", "ended the process")] {
            let log = try workshop.shell("COUNTER=\(variant) CounterTool log c.hindsight").expecting(code: 0)
            #expect(log.text.split(separator: "\n").filter { $0.contains("≈ /count") }.count == 4, "\(log.text)")
            let words = "The app \(deed) in action 8, reducer 2 of 3 (totals.sum) during the computation"
            #expect(log.text.contains("Not known: what action 8 changed"), "\(log.text)")
            #expect(log.text.contains(words), "\(log.text)")
            #expect(log.text.contains("'CounterTool jump c.hindsight 8.1'"), "\(log.text)")
            let jump = try workshop.shell("COUNTER=\(variant) CounterTool jump c.hindsight 8")
            #expect(jump.code == 5 && jump.text.isEmpty, "\(jump.text)")
            #expect(jump.errors.contains(words), "\(jump.errors)")
            let before = try workshop.shell("COUNTER=\(variant) CounterTool jump --path /count c.hindsight 8.1")
            #expect(before.text == "8\n", "\(before.errors)")
        }
        #expect(try workshop.shell("COUNTER=trapping CounterTool log c.hindsight").text.contains("Fatal error: seven"))
    }

    @Test(arguments: Loss.allCases)
    func `a path is only reported as missing if all states are known`(loss: Loss) throws {
        let workshop = try workshop(loss)
        let own = try workshop.shell("CounterTool log --path /cuont c.hindsight")
        #expect(own.code == 2 && own.errors.contains("There is no /cuont in this recording."), "\(own.errors)")
        let stock = try workshop.hindsight("log", "--path", "/cuont", "c.hindsight")
        #expect(stock.code == 0 && stock.text.contains("Not known: whether \(loss.unknown) changed /cuont"))
        #expect(stock.errors.contains("No state that is known has /cuont"), "\(stock.errors)")
        let last = loss == .skipped ? "8" : "5"
        let diff = try workshop.shell("CounterTool diff c.hindsight 1 \(last) --path /cuont").expecting(code: 2)
        #expect(diff.errors.contains("Whether it was there in between was not recorded."), "\(diff.errors)")
        let known = try workshop.shell("CounterTool diff c.hindsight 1 3 --path /cuont")
        #expect(known.code == 2 && !known.errors.contains("in between"), "\(known.errors)")
        let range = try workshop.hindsight("log", "--path", "/count", "--from", "5", "--to", "5", "c.hindsight")
        #expect(range.errors.contains("No action from 5 to 5 is known to change /count"), "\(range.errors)")
    }

    @Test func `a reducer that does not return is stopped at the timeout`() throws {
        let workshop = try workshop(.killed)
        let log = try workshop.shell("COUNTER=stuck CounterTool log c.hindsight").expecting(code: 0)
        #expect(log.text.contains("did not return within 5 s in action 8, reducer 2 of 3 (totals.sum)"), "\(log.text)")
        #expect(log.text.split(separator: "\n").filter { $0.contains("≈ /count") }.count == 4, "\(log.text)")
        let jump = try workshop.shell("COUNTER=stuck CounterTool jump c.hindsight 8")
        #expect(jump.code == 5 && jump.text.isEmpty, "\(jump.text)")
        #expect(jump.errors.contains("did not return within 5 s in action 8, reducer 2 of 3"), "\(jump.errors)")
        #expect(jump.errors.contains("Recorded positions: 0 to 3."), "\(jump.errors)")
        let help = try workshop.shell("CounterTool jump --help").text.split(whereSeparator: \.isWhitespace)
        #expect(help.joined(separator: " ").contains("runs longer than 5 seconds"))
    }

    /// A copy of the process that a reducer forks does not answer, and the tool does not wait for it.
    @Test(arguments: ["forking", "forking for long"])
    func `a reducer that forks does not change computed states`(variant: String) throws {
        let workshop = try workshop(.killed)
        let clock = ContinuousClock()
        let time = try clock.measure {
            for line in ["log --json c.hindsight", "jump c.hindsight 8", "show --json c.hindsight 8"] {
                let forked = try workshop.shell("COUNTER='\(variant)' CounterTool \(line)")
                let plain = try workshop.shell("CounterTool \(line)")
                #expect(forked.code == 0 && forked.errors == plain.errors, "\(line): \(forked.errors)")
                #expect(forked.text == plain.text, "\(line)")
            }
        }
        // The copies sleep for 300 s.
        #expect(time < .seconds(200))
    }

    @Test func `replay that ends among actions without states reports that it did not compare them`() throws {
        let workshop = try workshop(.skipped)
        let rows: [(last: Int, skipped: [[Int]], words: String)] = [
            (3, [], ""),
            (5, [[4, 5]], "2 actions without recorded states (4 to 5): run, but not compared"),
            (7, [[4, 6]], "3 actions without recorded states (4 to 6): run, and the state after them compared"),
        ]
        for (last, skipped, words) in rows {
            let text = try workshop.shell("CounterTool replay --to \(last) c.hindsight").text
            #expect(words.isEmpty ? !text.contains("without recorded states") : text.contains(words), "\(text)")
            let json = try workshop.shell("CounterTool replay --to \(last) --json c.hindsight")
            #expect(try json.json(line: last)["skipped"] as? [[Int]] == skipped, "\(json.text)")
        }
    }

    @Test func `a percentage counts all positions that can be computed`() throws {
        let workshop = try workshop(.killed)
        #expect(try workshop.shell("CounterTool jump --path /count c.hindsight 50%").text == "4\n")
        let stock = try workshop.hindsight("jump", "--path", "/count", "c.hindsight", "end")
        #expect(stock.text == "3\n")
        #expect(stock.errors.contains("has the states up to action 3 of 8: end refers to these"), "\(stock.errors)")
    }

    @Test func `after a kill inside a burst, each action's change is recorded, computed or reported as unknown`() throws
    {
        let workshop = Workshop()
        let lines = (1...3000).map { #"{"add":{"amount":\#($0 * 10)}}"# } + [#"{"add":{"amount":7}}"#]
        try workshop.write(lines.joined(separator: "\n"), to: "in.jsonl")
        _ = try workshop.shell(
            "COUNTER=killed CounterTool record --app counter --input in.jsonl c.hindsight 2>/dev/null"
        )
        let own = try workshop.shell("CounterTool log --path /count --json c.hindsight")
        let rows = own.text.split(separator: "\n").filter { $0.hasPrefix(#"{"seq""#) }
        // The last action is unfinished. The change of its first reducer is computed.
        #expect(rows.count == 3001, "\(own.errors)")
        #expect(try workshop.shell("CounterTool jump --path /count c.hindsight 3000").text == "3000\n")

        let stock = try workshop.hindsight("log", "--path", "/count", "--json", "c.hindsight")
        let answers = stock.text.split(separator: "\n")
        let known = answers.filter { $0.hasPrefix(#"{"seq""#) }.count
        var unknown = 0
        for index in answers.indices where !answers[index].hasPrefix(#"{"seq""#) {
            for run in try #require(try stock.json(line: index)["actions"] as? [[Int]]) {
                unknown += run[1] - run[0] + 1
            }
        }
        #expect(known + unknown == 3001, "\(known) \(unknown)")
    }

    @Test func `a state that is not written yet is reported as such`() throws {
        let result = try Workshop().shell(
            TailTests.prelude + """
                records; feeds 1
                for i in $(seq 2400); do hindsight jump c.hindsight 1 >/dev/null 2>&1 && break; sleep 0.05; done
                feeds_unwritten 2
                for tool in hindsight CounterTool; do
                    echo "== $tool"; $tool log c.hindsight --path /count 3>&-
                    $tool log c.hindsight 3>&- | tail -n 2; $tool tail c.hindsight --path /count 3>&- | tail -n 1
                    $tool show c.hindsight 2 3>&- | tail -n 2; $tool jump c.hindsight 2 2>&1 3>&-; echo "code $?"
                done
                kill -9 $recorder; wait $recorder 2>/dev/null; exec 3>&-
                """
        )
        let tools = result.text.components(separatedBy: "== ").dropFirst()
        #expect(tools.count == 2, "\(result.text)\(result.errors)")
        for said in tools {
            for words in [
                "Not known: whether action 2 changed /count; it is being recorded now. Ask again in a moment.",
                "not yet", "Not known: what action 2 changed; it is being recorded now.",
                "Not known: what its reducers changed; it is being recorded now.", "are being written right now",
                "code 2",
            ] {
                #expect(said.contains(words), "\(words)\n\(result.text)\(result.errors)")
            }
        }
    }
}
