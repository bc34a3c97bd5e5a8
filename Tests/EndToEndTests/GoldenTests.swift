import Foundation
import Testing

/// Recordings in the repository. They stay readable, and damaged ones are reported as such.
@Suite struct GoldenTests {
    private let workshop = Workshop()

    private static let fixtures = Workshop.package.appending(path: "Fixtures")

    @Test(arguments: ["todo", "checkout", "notepad"])
    func `a recording replays unchanged`(app: String) throws {
        let file = Self.fixtures.appending(path: "\(app).hindsight").path
        let before = try Data(contentsOf: URL(filePath: file))
        let result = try workshop.hindsight("verify", file, "--json").expecting(code: 0)
        #expect(try result.json()["equal"] as? Bool == true)
        #expect(try workshop.hindsight("info", file, "--json").json()["format"] as? Int == 1)

        // The same session recorded today has equal actions.
        try workshop.hindsight(
            "record",
            "--app",
            app,
            "--input",
            Self.fixtures.appending(path: "\(app).jsonl").path,
            "now.hindsight"
        ).expecting(code: 0)
        #expect(try workshop.hindsight("diff", "\(file):end", "now.hindsight:end").code == 0)
        #expect(try Data(contentsOf: URL(filePath: file)) == before, "reading changed the file")
    }

    @Test func `a partial recording names its left-out states, and the rest replays unchanged`() throws {
        let file = Self.fixtures.appending(path: "partial.hindsight").path
        let before = try Data(contentsOf: URL(filePath: file))
        let info = try workshop.hindsight("info", file).text
        for words in ["the states of 5 actions", "the first 36 actions", "the last 30 actions", "/**/title"] {
            #expect(info.contains(words), "\(info)")
        }
        let verified = try workshop.hindsight("verify", file).expecting(code: 0)
        #expect(verified.text.contains("computed 5 actions without recorded states (45 to 49)"), "\(verified.text)")
        #expect(try workshop.hindsight("doctor", file).code == 0)
        #expect(try workshop.hindsight("jump", file, "47", "--recorded").code == 2)
        let between = try workshop.hindsight("jump", file, "47").expecting(code: 0)
        #expect(between.errors.contains("from placeholders for redacted values"), "\(between.errors)")
        let computed = try workshop.hindsight("jump", file, "49", "--replayed", "--json")
        #expect(try computed.text == workshop.hindsight("jump", file, "49", "--json").text)
        #expect(try Data(contentsOf: URL(filePath: file)) == before, "reading changed the file")
    }

    @Test func `a recording with doubtful states names them, and the rest replays unchanged`() throws {
        let file = Self.fixtures.appending(path: "doubtful.hindsight").path
        let before = try Data(contentsOf: URL(filePath: file))
        let words = "the states in actions 36 to 45: /filter changed, but the recorder saw no change"
        #expect(try workshop.hindsight("info", file).text.contains("doubtful  " + words))
        let log = try workshop.hindsight("log", file, "--from", "35", "--to", "46").text
        let lines = log.split(separator: "\n")
        #expect(lines.filter { $0.contains("  ? ") }.count == 10 && lines.last?.contains(words) == true, "\(log)")
        for (position, isDoubtful) in [("35", false), ("36.1", true), ("44", true), ("45.1", true), ("45", false)] {
            let jump = try workshop.hindsight("jump", file, position, "--path", "/filter").expecting(code: 0)
            #expect(jump.errors.contains("is doubtful") == isDoubtful, "\(position): \(jump.errors)")
        }
        #expect(try workshop.hindsight("jump", file, "44", "--path", "/filter").text == "\"done\"\n")
        #expect(try workshop.hindsight("jump", file, "45", "--path", "/filter").text == "\"all\"\n")
        #expect(try workshop.hindsight("show", file, "40").text.contains(words))
        let verified = try workshop.hindsight("verify", file).expecting(code: 0)
        #expect(verified.text.contains("10 actions with doubtful states (36 to 45)"), "\(verified.text)")
        let part = try workshop.hindsight("replay", file, "--to", "40")
        let uncompared = "doubtful 5 actions with doubtful states (36 to 40): run, but not compared"
        #expect(part.code == 0 && part.text.contains(uncompared), "\(part.text)")
        #expect(try !workshop.hindsight("replay", file, "--to", "35").text.contains("with doubtful states"))
        let doctor = try workshop.hindsight("doctor", file)
        #expect(doctor.code == 0 && doctor.text.contains("36 to 45: the recorder marked"), "\(doctor.text)")
        #expect(try workshop.hindsight("doctor", file, "--salvage", "saved.hindsight").code == 0)
        #expect(try workshop.hindsight("info", "saved.hindsight").text.contains(words))
        #expect(try Data(contentsOf: URL(filePath: file)) == before, "reading changed the file")
    }

    @Test func `a recording with a bridged run continues across left-out states, and the rest replays unchanged`()
        throws
    {
        let file = Self.fixtures.appending(path: "bridged.hindsight").path
        let before = try Data(contentsOf: URL(filePath: file))
        #expect(try workshop.hindsight("info", file).text.contains("the states of 5 actions"))
        // The changes of a whole run are no step.
        let log = try workshop.hindsight("log", file, "--json", "--recorded").text.split(separator: "\n")
        let known = log.filter { $0.hasPrefix(#"{"seq""#) && !$0.contains(#""changed":null"#) }.count
        #expect(try workshop.hindsight("info", file, "--json").json()["changesOf"] as? Int == known)
        let verified = try workshop.hindsight("verify", file).expecting(code: 0)
        #expect(verified.text.contains("computed 5 actions without recorded states (45 to 49)"), "\(verified.text)")
        #expect(try workshop.hindsight("doctor", file).code == 0)
        #expect(try workshop.hindsight("jump", file, "47", "--recorded").code == 2)
        for position in ["44", "49", "50.1", "end"] {
            let recorded = try workshop.hindsight("jump", file, position, "--recorded", "--json")
            let replayed = try workshop.hindsight("jump", file, position, "--replayed", "--json")
            #expect(recorded.code == 0 && recorded.text == replayed.text, "\(position)")
        }
        // The changes of the run are not those of its last action.
        let shown = try workshop.hindsight("show", file, "49", "--recorded")
        #expect(shown.text.contains("the recorder was behind and left it out"), "\(shown.text)")
        #expect(try workshop.hindsight("doctor", file, "--salvage", "saved.hindsight").code == 0)
        #expect(try Data(contentsOf: URL(filePath: file)) == before, "reading changed the file")
    }

    @Test func `a recording with threads says where its actions came from`() throws {
        let file = Self.fixtures.appending(path: "threads.hindsight").path
        let before = try Data(contentsOf: URL(filePath: file))
        for (position, words) in [
            ("19", "on       the main thread"), ("30", "on       thread 2 “sync”"),
            ("31", "on       thread 3, in the task “import tasks”"),
        ] {
            #expect(try workshop.hindsight("show", file, position).text.contains(words), "\(position)")
        }
        // The thread of action 20 is not known.
        #expect(try !workshop.hindsight("show", file, "20").text.contains("\n  on "))
        let found = try workshop.hindsight("find", file, "task is not null", "--json")
        #expect(found.text.contains(#""position":"31","to":"40","count":10"#), "\(found.text)")
        #expect(try workshop.hindsight("doctor", file).code == 0)
        #expect(try workshop.hindsight("verify", file).code == 0)
        try workshop.hindsight("export", file, "-o", "text.jsonl").expecting(code: 0)
        try workshop.hindsight("import", "text.jsonl", "-o", "again.hindsight").expecting(code: 0)
        let sql = "SELECT seq, thread, task FROM history"
        if Workshop.hasSQLiteShell {
            let rows = try [file, "again.hindsight"].map { try workshop.shell("sqlite3 '\($0)' '\(sql)'").text }
            #expect(rows[0] == rows[1] && rows[1].contains("\n20||\n21|2|\n"), "\(rows)")
        }
        #expect(try Data(contentsOf: URL(filePath: file)) == before, "reading changed the file")
    }

    @Test(arguments: ["todo", "checkout", "notepad", "partial", "doubtful", "bridged", "threads"])
    func `doctor finds nothing foreign in a recording`(name: String) throws {
        let result = try Workshop().hindsight("doctor", Self.fixtures.appending(path: "\(name).hindsight").path)
        #expect(result.code == 0)
        #expect(!result.text.contains("which no recorder made"), "\(result.text)")
    }

    static let damaged: [(name: String, command: String, code: Int32, words: String)] = [
        ("empty", "info", 3, "is empty"),
        ("diary", "info", 3, "not a recording"),
        ("truncated", "info", 3, "damaged"),
        ("other-database", "info", 3, "another SQLite database"),
        ("newer-format", "info", 3, "format 99"),
        ("missing-table", "info", 3, "no table keyframe"),
        ("overwritten-page", "info", 3, "damaged"),
        ("bad-keyframe", "jump end", 3, "at the initial state"),
        ("bad-steps", "jump end", 3, "at action 5"),
        ("bad-steps", "log", 3, "at action 5"),
        ("patch-that-does-not-fit", "jump end", 3, "/nowhere"),
        ("patch-that-does-not-fit", "verify", 3, "action 2, reducer 4"),
        ("undecodable-action", "verify", 4, "action 3, /add/title: expected a string, found 7"),
        ("undecodable-action", "log", 0, ""),
        ("other-app", "verify", 4, "nobody"),
        ("other-app", "jump end", 0, ""),
    ]

    @Test(arguments: damaged)
    func `a damaged recording is reported with its damage`(
        fixture: (name: String, command: String, code: Int32, words: String)
    ) throws {
        let file = Self.fixtures.appending(path: "damaged/\(fixture.name).hindsight").path
        let words = fixture.command.split(separator: " ").map(String.init)
        let result = try Workshop().hindsight([words[0], file] + words.dropFirst())
        #expect(result.code == fixture.code, "\(result.errors)")
        #expect(fixture.words.isEmpty || result.errors.contains(fixture.words), "\(result.errors)")
        #expect(result.errors.split(separator: "\n").count <= 3)
    }

    @Test(arguments: ["info", "log", "show 1", "jump end", "diff start end", "replay", "verify"])
    func `terminal escapes in a recording are escaped`(command: String) throws {
        let words = command.split(separator: " ").map(String.init)
        let file = Self.fixtures.appending(path: "escapes.hindsight").path
        let result = try Workshop().hindsight([words[0], file] + words.dropFirst())
        let shown = result.text + result.errors
        for scalar in shown.unicodeScalars where scalar != "\n" {
            #expect(scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) && scalar.value != 0x202E)
        }
        #expect(!["log", "show 1", "jump end"].contains(command) || shown.contains("\\u001b"))
    }
}
