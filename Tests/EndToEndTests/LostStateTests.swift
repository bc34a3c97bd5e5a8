import Foundation
import Testing

/// Commands on a recording whose process ended before its last states were written: their messages, and the states that
/// they compute.
@Suite(.enabled(if: Workshop.hasSQLiteShell)) struct LostStateTests {
    /// Has the states up to action 3 of 8.
    private static let supplies = Supplies { workshop in
        try workshop.record("todo", Sessions.todo, to: "whole.hindsight")
        let loss = """
            UPDATE recording SET key = 'recovered', value = 0 WHERE key = 'closed';
            DELETE FROM keyframe WHERE seq > 0;
            UPDATE action SET steps = NULL WHERE seq > 3
            """
        let result = try workshop.shell("cp whole.hindsight t.hindsight; sqlite3 t.hindsight \"\(loss)\"")
        try #require(result.code == 0, "\(result.errors)")
    }

    private let workshop = Workshop()

    init() throws { try Self.supplies.put(into: workshop) }

    @Test func `replay runs all actions, and reports the ones that it could not compare`() throws {
        let replay = try workshop.hindsight("replay", "t.hindsight").expecting(code: 0)
        let whole = try workshop.hindsight("replay", "whole.hindsight").text.split(separator: "\n")
        func columns(_ lines: [Substring]) -> [[Substring]] {
            lines.prefix(8).map { $0.split(separator: " ").dropLast(2) }
        }
        #expect(columns(replay.text.split(separator: "\n")) == columns(whole))
        #expect(replay.text.contains("equal  t.hindsight  3 actions"), "\(replay.text)")
        #expect(
            replay.text.contains("computed actions 4 to 8, whose states were not recorded, so"),
            "\(replay.text)"
        )
        let some = try workshop.hindsight("replay", "--to", "5", "--json", "t.hindsight")
        #expect(some.text.split(separator: "\n").count == 6, "\(some.text)")
    }

    @Test func `replay of a part does not mention later actions`() throws {
        for (last, words, unknown) in [
            (2, nil, nil), (4, "action 4, whose", [4, 4]), (5, "actions 4 to 5, whose", [4, 5]),
        ]
            as [(Int, String?, [Int]?)]
        {
            let text = try workshop.hindsight("replay", "--to", "\(last)", "t.hindsight")
            #expect(text.code == 0 && text.text.contains("equal  t.hindsight"), "\(text.text)\(text.errors)")
            #expect(text.text.contains("computed") == (words != nil), "\(last): \(text.text)")
            if let words { #expect(text.text.contains("computed \(words) states were not recorded"), "\(text.text)") }
            let json = try workshop.hindsight("replay", "--to", "\(last)", "--json", "t.hindsight")
            #expect(try json.json(line: last)["unknown"] as? [Int] == unknown, "\(json.text)")
        }
    }

    @Test func `an error about a position lists the recorded and computed ones`() throws {
        let own = try workshop.hindsight("jump", "t.hindsight", "99").expecting(code: 2)
        #expect(own.errors.contains("Recorded positions: 0 to 3. This tool computes: 4 to 8."), "\(own.errors)")
        let recorded = try workshop.hindsight("jump", "t.hindsight", "99", "--recorded")
        #expect(recorded.errors.contains("Valid positions: 0 to 3, start, end."), "\(recorded.errors)")
        // An action exists even if the state after it does not.
        for line in [["show", "t.hindsight", "99"], ["log", "t.hindsight", "--from", "99"]] {
            let refused = try workshop.hindsight(line)
            #expect(
                refused.code == 2 && refused.errors.contains("Valid positions: 0 to 8, start, end."),
                "\(refused.errors)"
            )
        }
        _ = try workshop.shell("sqlite3 t.hindsight 'UPDATE action SET steps = NULL'")
        let none = try workshop.hindsight("jump", "t.hindsight", "1", "--recorded")
        #expect(none.errors.contains("Valid positions: 0, start, end."), "\(none.errors)")
    }

    @Test func `info counts the known changes, and the actions that they belong to`() throws {
        let whole = try workshop.hindsight("info", "whole.hindsight", "--json").json()
        #expect(whole["changesOf"] as? Int == 8)
        let info = try workshop.hindsight("info", "t.hindsight").text
        let words = "steps changed something (in 3 of 8 actions; the changes of the others were not recorded)"
        #expect(info.contains(words))
        let some = try workshop.hindsight("info", "t.hindsight", "--json").json()
        #expect(some["changesOf"] as? Int == 3)
        #expect(try #require(some["changes"] as? Int) < #require(whole["changes"] as? Int))
        _ = try workshop.shell("sqlite3 t.hindsight 'UPDATE action SET steps = NULL'")
        #expect(try workshop.hindsight("info", "t.hindsight").text.contains("changes   not known\n"))
        let none = try workshop.hindsight("info", "t.hindsight", "--json").json()
        #expect(none["changes"] is NSNull && none["changesOf"] as? Int == 0)
    }

    @Test func `verify does not call a recording equal that has no actions and lacks its journal`() throws {
        let workshop = Workshop()
        try workshop.record("todo", [], to: "o.hindsight")
        let closed = try workshop.hindsight("verify", "o.hindsight")
        #expect(closed.code == 6 && closed.text.contains("because the recording has no actions"), "\(closed.text)")
        _ = try workshop.shell("sqlite3 o.hindsight \"DELETE FROM recording WHERE key = 'closed'\"")
        let loss = "its journal is missing or damaged: what came after action 0 is not known"
        let text = try workshop.hindsight("verify", "o.hindsight").expecting(code: 6)
        #expect(text.text.hasPrefix("unknown  o.hindsight  0 actions"), "\(text.text)")
        #expect(text.text.contains("\(loss); there was nothing to compare"), "\(text.text)")
        #expect(text.errors.contains("o.hindsight: \(loss). If"), "\(text.errors)")
        #expect(try workshop.hindsight("info", "o.hindsight").text.contains(loss))
        let json = try workshop.hindsight("verify", "--json", "o.hindsight").json()
        #expect(json["equal"] is NSNull)
        let recovered = try workshop.hindsight("recover", "o.hindsight")
        #expect(
            recovered.errors.split(separator: "\n").count == 1 && recovered.errors.contains(loss),
            "\(recovered.errors)"
        )
    }

    @Test func `a recording of which only the journal is left is saved by doctor, and no command sends elsewhere`()
        throws
    {
        let workshop = Workshop()
        let made = try workshop.shell(
            TailTests.prelude + """
                records; feeds 1 2
                # A reader would keep the writer from moving the initial state into the file.
                kept() { sqlite3 'file:c.hindsight?immutable=1' 'SELECT count(*) FROM keyframe' 2>/dev/null | grep -q 1; }
                awaits c.hindsight-ahead '"amount":2'; for i in $(seq 2400); do kept && break; sleep 0.05; done
                kill -9 $recorder; wait $recorder 2>/dev/null; rm c.hindsight-wal
                """
        )
        #expect(made.code == 0, "\(made.errors)")
        let remedy = "'hindsight doctor c.hindsight --salvage OUT'"
        for command in [
            "CounterTool whatif c.hindsight -o w.hindsight", "hindsight cut c.hindsight 0 1 -o w.hindsight",
            "hindsight note c.hindsight 0 begin",
        ] {
            let refused = try workshop.shell("\(command) >&2")
            let words = refused.errors.replacing("CounterTool", with: "hindsight")
            #expect(refused.code == 3 && words.contains("its -wal is missing"), "\(refused.errors)")
            #expect(words.contains(remedy) && !words.contains("'hindsight recover"), "\(refused.errors)")
        }
        let examined = try workshop.hindsight("doctor", "c.hindsight", "--salvage", "s.hindsight")
        #expect(examined.text.contains("\(remedy) saves what is whole of them"), "\(examined.text)")
        let computed = try workshop.shell("CounterTool whatif s.hindsight -o w.hindsight; CounterTool log w.hindsight")
        #expect(computed.text.contains("amount: 2"), "\(computed.text)\(computed.errors)")
        _ = try workshop.shell("sqlite3 c.hindsight 'DELETE FROM keyframe'")
        let lost = try workshop.hindsight("doctor", "c.hindsight", "--salvage", "s2.hindsight")
        #expect(lost.text.contains("no state before them is whole") && !lost.text.contains("saves"), "\(lost.text)")
        #expect(lost.errors.contains("no state in it can be reconstructed"), "\(lost.errors)")
        _ = try workshop.shell("mv c.hindsight elsewhere")
        let gone = try workshop.hindsight("info", "c.hindsight")
        #expect(gone.code == 3 && gone.errors.contains("There is no file c.hindsight."), "\(gone.errors)")
        #expect(gone.errors.contains("Copy the recording itself beside them."), "\(gone.errors)")
    }

    @Test func `jump computes the end, and says so`() throws {
        let whole = try workshop.hindsight("jump", "whole.hindsight", "end")
        #expect(whole.errors.isEmpty)
        for line in [["jump", "t.hindsight", "end"], ["jump", "t.hindsight", "8"]] {
            let result = try workshop.hindsight(line)
            #expect(result.text == whole.text)
            let words = "8 of t.hindsight is computed by this build's reducers, not recorded"
            #expect(result.errors.contains(words), "\(line) \(result.errors)")
        }
        let diff = try workshop.hindsight("diff", "t.hindsight:end", "whole.hindsight:end")
        #expect(diff.code == 0 && diff.text.contains("end is computed"), "\(diff.text)\(diff.errors)")
        let replayed = try workshop.hindsight("jump", "t.hindsight", "end", "--replayed")
        #expect(replayed.errors.isEmpty)
        #expect(replayed.text == whole.text)
        #expect(try workshop.hindsight("show", "t.hindsight", "end").text.hasPrefix("Action 8 of 8"))
    }

    @Test func `jump --recorded says that its end is not the last, and how to compute that`() throws {
        for line in [["jump", "t.hindsight", "end"], ["diff", "t.hindsight", "start", "end"]] {
            let result = try workshop.hindsight(line + ["--recorded"])
            #expect(result.errors.contains("has the states up to action 3 of 8"), "\(line) \(result.errors)")
            #expect(result.errors.contains("Leave out --recorded to compute it."), "\(line) \(result.errors)")
        }
        let unknown = try workshop.hindsight("jump", "t.hindsight", "5", "--recorded").expecting(code: 2)
        #expect(unknown.errors.contains("Valid positions: 0 to 3, start, end."), "\(unknown.errors)")
        #expect(unknown.errors.contains("Leave out --recorded to compute it."), "\(unknown.errors)")
        #expect(try workshop.hindsight("jump", "t.hindsight", "5", "--recorded", "--replayed").code == 2)
    }

    @Test func `blame says how to compute the states that were lost, and the command makes a recording that has them`()
        throws
    {
        let lossy = try workshop.hindsight("blame", "t.hindsight")
        let hint = "To compute it: hindsight whatif t.hindsight -o computed.hindsight"
        #expect(lossy.errors.contains("has the states up to action 3 of 8"), "\(lossy.errors)")
        #expect(
            lossy.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(hint),
            "\(lossy.errors)"
        )
        let made = try workshop.hindsight("whatif", "t.hindsight", "-o", "computed.hindsight")
        #expect(made.code == 0, "\(made.errors)")
        let (computed, whole) = (
            try workshop.hindsight("blame", "computed.hindsight"), try workshop.hindsight("blame", "whole.hindsight")
        )
        #expect(computed.errors.isEmpty, "\(computed.errors)")
        #expect(computed.text.contains("at position 8"), "\(computed.text)")
        #expect(
            computed.text.replacing("computed.hindsight", with: "whole.hindsight") == whole.text,
            "\(computed.text)\n\(whole.text)"
        )
    }
}
