import Foundation
import Testing

/// Recordings with contents that no recorder writes lead to an error or an answer, and never to a trap or a hang.
@Suite(.enabled(if: Workshop.hasSQLiteShell, "needs the sqlite3 shell"))
struct HostileFileTests {
    private func workshop(_ sql: String) throws -> Workshop {
        let workshop = Workshop()
        try Supplies.todo.put(into: workshop)
        let result = try workshop.run(
            URL(filePath: "/bin/bash"),
            ["-c", #"sqlite3 t.hindsight "$0""#, sql]
        )
        try #require(result.code == 0, "\(result.errors)")
        return workshop
    }

    static let largest = Int64.max
    static let smallest = Int64.min
    static let edits = [
        "update recording set value = \(smallest) where key = 'created'",
        "update recording set value = \(largest) where key = 'closed'; update action set at = \(smallest)",
        "update action set at = \(largest); update recording set value = -1 where key = 'created'",
        "update action set duration = \(smallest); update action set steps = '[\(largest)]'",
        "delete from keyframe where seq > 0; update keyframe set seq = \(largest)",
        "delete from keyframe where seq > 0; update keyframe set seq = \(smallest)",
        "delete from keyframe where seq > 0; update keyframe set seq = -1",
        "update action set seq = \(largest) where seq = 8",
        "update action set seq = \(largest), duration = null where seq = 8",
        "insert into action(seq, type, at) values(\(largest - 1), 'x', 1)",
        "update action set seq = -seq",
        "delete from action where seq = 4",
        "delete from reducer",
        "update action set steps = '[[1,[\"e/filter\",\"a\",\"b\",\(largest)]]]'",
        "update action set steps = '[[1,[\"s/items\",[1],[1,2],\(largest)]]]'",
        "update action set steps = '[[1,[\"a' || replace(hex(zeroblob(100000)), '00', '/a') || '\",1]]]'",
        "delete from recording where key = 'closed'; "
            + "insert into recording values('recovered', 0), ('lost', '0-\(largest)')",
        "update action set parent = \(smallest) where seq = 3",
        "update action set parent = 0 where seq = 3; insert into note values(1, 3, 90, 'x', null, 1)",
        "update action set payload = replace(hex(zeroblob(100000)), '00', '[')",
    ]

    static let commands = [
        "info t.hindsight", "log t.hindsight", "log t.hindsight --json", "show t.hindsight 5", "show t.hindsight end",
        "jump t.hindsight end", "jump t.hindsight 50%", "diff t.hindsight 4 5", "verify t.hindsight",
        "replay t.hindsight", "jump t.hindsight end --replayed", "view t.hindsight -o -",
        "view t.hindsight -o - --from 2 --to 5 --path /items", "export t.hindsight -o - --format jsonl",
    ]

    @Test(arguments: edits)
    func `hostile numbers and patches never trap a command`(sql: String) throws {
        let workshop = try workshop(sql)
        for line in Self.commands {
            let result = try workshop.hindsight(line.split(separator: " ").map(String.init))
            #expect((0...4).contains(result.code), "\(line): \(result.code) \(result.errors.prefix(400))")
        }
    }

    @Test func `scrub writes a recording with extreme times, and blames no reducer`() throws {
        for time in [Self.smallest, Self.largest] {
            let workshop = try workshop("update recording set value = \(time) where key = 'created'")
            let result = try workshop.hindsight("scrub", "t.hindsight", "-o", "s.hindsight", "--force")
            #expect(result.code == 0, "\(time): \(result.errors)")
        }
    }

    @Test func `doctor names a range of lost actions that is none`() throws {
        let workshop = try workshop("insert into recording values('lost', '0-\(Self.largest)')")
        let result = try workshop.hindsight("doctor", "t.hindsight")
        #expect(result.text.contains("its lost actions are no range of actions"), "\(result.text)")
    }

    @Test(arguments: ["", "pragma encoding = 'UTF-16'; "], ["", " where seq = 8"])
    func `actions with huge numbers make no command run for longer`(encoding: String, which: String) throws {
        let workshop = try workshop("select 1")
        // The encoding can only be set in a new file.
        let copy = """
            sqlite3 t.hindsight .dump > dump.sql
            sqlite3 f.hindsight "pragma application_id = $(sqlite3 t.hindsight 'pragma application_id'); \(encoding)" \
                "pragma user_version = $(sqlite3 t.hindsight 'pragma user_version')" ".read dump.sql" \
                "update action set seq = seq + 1099511627776\(which)"
            """
        try #require(try workshop.shell(copy).code == 0)
        for line in ["info", "find seq=3", "whatif --when seq=3", "bisect seq=3", "log", "stats", "history /items"] {
            let words = line.split(separator: " ").map(String.init)
            let start = ContinuousClock.now
            let result = try workshop.hindsight([words[0], "f.hindsight"] + words.dropFirst())
            #expect(result.code == 3, "\(line): \(result)")
            #expect(ContinuousClock.now - start < .seconds(90), "\(line)")
        }
    }

    @Test func `a patch that does not fit is reported with its action and reducer before other output`() throws {
        let workshop = try workshop(
            #"update action set steps = '[[1,["d/gone",1]],1,1,1,1,1,1]' where seq = 3"#
        )
        let result = try workshop.hindsight("show", "t.hindsight", "3").expecting(code: 3)
        #expect(result.text == "")
        #expect(result.errors.contains("damaged at action 3, reducer"), "\(result.errors)")
    }

    @Test(arguments: ["[1,1,1,1,1,1,1,1,1,1,1,1]", #"[1,1,1,1,1,1,1,[1,["r/nextID",1,2]]]"#])
    func `verify reports a step that no reducer made`(steps: String) throws {
        let workshop = try workshop("update action set steps = '\(steps)' where seq = 3")
        let result = try workshop.hindsight("verify", "t.hindsight").expecting(code: 3)
        #expect(result.errors.contains("damaged at action 3"), "\(result.errors)")
    }

    @Test func `names that are too long are truncated`() throws {
        let workshop = try workshop(
            "update recording set value = hex(zeroblob(100000)) where key in ('app', 'version', 'platform');"
                + "update reducer set name = id || hex(zeroblob(100000)); update action set file = hex(zeroblob(100000))"
        )
        for line in ["info t.hindsight", "show t.hindsight 3", "verify t.hindsight"] {
            let result = try workshop.hindsight(line.split(separator: " ").map(String.init))
            #expect((result.text + result.errors).utf8.count < 10_000, "\(line)")
        }
    }

    @Test func `a recorder that had to stop differs from a process that ended`() throws {
        let workshop = try workshop(
            "delete from recording where key = 'closed'; insert into recording values('stopped', 'The disk is full.')"
        )
        #expect(try workshop.hindsight("info", "t.hindsight").text.contains("had to stop"))
        let info = try workshop.hindsight("info", "t.hindsight", "--json").json()
        #expect(info["ended"] as? String == "open")
        #expect(info["stopped"] as? String == "The disk is full.")
    }

    @Test func `a recorder that had to stop has not all before that if its journal is missing`() throws {
        let workshop = try workshop(
            "delete from recording where key = 'closed';"
                + "insert into recording values('stopped', 'The disk is full.'), ('lacksJournal', '1')"
        )
        let text = try workshop.hindsight("info", "t.hindsight").text
        #expect(text.contains("had to stop; its journal is missing or damaged: what came after action"), "\(text)")
        #expect(!text.contains("is here"), "\(text)")
    }

    @Test func `an unknown action type is reported in one sentence`() throws {
        let workshop = Workshop()
        try workshop.record("checkout", Sessions.checkout, to: "c.hindsight")
        _ = try workshop.shell(
            #"sqlite3 c.hindsight "update action set type = 'Gone', payload = '{\"Gone\":{}}'""#
        )
        let result = try workshop.hindsight("verify", "c.hindsight").expecting(code: 4)
        #expect(result.errors.contains("at action 1: this build has no action type of that name."), "\(result.errors)")
    }
}
