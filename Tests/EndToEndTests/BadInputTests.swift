import Foundation
import Testing

/// Wrong files and arguments lead to one to three lines and an exit code, and never to a trap.
@Suite struct BadInputTests {
    private static let supplies = Supplies { workshop in
        try workshop.record("todo", Sessions.todo, to: "t.hindsight")
        try workshop.record("notepad", Sessions.notepad, to: "n.hindsight")
        try workshop.write("", to: "empty.hindsight")
        try workshop.write("Dear diary, today", to: "diary.hindsight")
        try workshop.write(Sessions.todo.joined(separator: "\n"), to: "in.jsonl")
        let whole = try Data(contentsOf: workshop.url("t.hindsight"))
        try whole.prefix(whole.count / 2).write(to: workshop.url("half.hindsight"))
        try whole.prefix(50).write(to: workshop.url("stub.hindsight"))
        try FileManager.default.createDirectory(at: workshop.url("folder"), withIntermediateDirectories: true)
    }

    private let workshop = Workshop()

    init() throws { try Self.supplies.put(into: workshop) }

    private func expect(
        _ result: Finished,
        _ code: Int32,
        _ words: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(result.code == code, "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.text == "", sourceLocation: sourceLocation)
        let lines = result.errors.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect((1...3).contains(lines.count), "\(result.errors)", sourceLocation: sourceLocation)
        for word in words {
            #expect(
                result.errors.localizedCaseInsensitiveContains(word),
                "no \(word) in: \(result.errors)",
                sourceLocation: sourceLocation
            )
        }
    }

    static let usage: [(String, [String])] = [
        ("", ["command is missing", "--help"]),
        ("vreify t.hindsight", ["no command", "Did you mean verify"]),
        ("--jsno", ["no option --jsno"]),
        ("log", ["FILE is missing", "hindsight log --help"]),
        ("log t.hindsight --limt 3", ["Did you mean --limit"]),
        ("log t.hindsight --limit many", ["--limit", "many", "a number"]),
        ("log t.hindsight --limit", ["--limit", "needs a value"]),
        ("log t.hindsight --type togle", ["togle", "Did you mean toggle"]),
        ("log t.hindsight --type toggle.id", ["toggle.id", "Did you mean toggle"]),
        ("log t.hindsight --path /itmes", ["no /itmes in this recording", "Did you mean /items"]),
        ("log t.hindsight --path /itmes/*/title", ["no /itmes/*/title", "Did you mean /items/*/title"]),
        ("log t.hindsight --path /title", ["no /title", "Did you mean /items/*/title"]),
        ("log t.hindsight --path /items/999/nowhere --json", ["no /items/999/nowhere"]),
        ("tail t.hindsight --path /fliter", ["no /fliter", "Did you mean /filter"]),
        ("jump t.hindsight end --path /**/titel", ["nothing at /**/titel", "Did you mean /items/*/title"]),
        ("diff t.hindsight 3 4 --path /itmes/*", ["nothing at /itmes/*", "Did you mean /items/*"]),
        ("diff t.hindsight 3 4 --path /items/* --format json-patch", ["json-patch", "*"]),
        ("info t.hindsight --color sometimes", ["--color", "auto, always or never"]),
        ("info t.hindsight n.hindsight", ["unexpected argument"]),
        ("jump t.hindsight", ["P is missing"]),
        ("jump t.hindsight 9", ["position", "9"]),
        ("jump t.hindsight 3.99", ["position", "3.99"]),
        ("jump t.hindsight -- -1", ["-1"]),
        ("jump t.hindsight 99999999999999999999", ["position"]),
        ("jump t.hindsight soon", ["soon", "position"]),
        ("jump t.hindsight end --path items", ["--path", "items"]),
        ("jump t.hindsight end --path /itmes", ["/itmes", "Did you mean /items"]),
        ("jump t.hindsight end --path /items/7", ["/items/7", "1 element"]),
        ("jump t.hindsight end --raw", ["--raw", "an object"]),
        ("jump t.hindsight end --raw --json", ["--raw and --json"]),
        ("diff t.hindsight 3", ["names no position"]),
        ("diff t.hindsight 3 4 --json --format json-patch", ["--json", "--format"]),
        ("diff t.hindsight 3 4 --format xml", ["--format", "xml", "json-patch"]),
        ("diff t.hindsight 3 4 --path /nothing", ["/nothing"]),
        ("record out.hindsight", ["--app NAME is missing", "several apps: todo, checkout, notepad"]),
        ("record --app notpad out.hindsight", ["notpad", "Did you mean notepad"]),
        ("record --app todo t.hindsight", ["exists", "--force"]),
        ("record --app todo --force folder", ["\"folder\" is a directory", "Leave --force out"]),
        ("record --app todo --force --input in.jsonl in.jsonl", ["in.jsonl", "the input itself"]),
    ]

    @Test func `wrong arguments exit with 2`() throws {
        for (line, words) in Self.usage {
            expect(try workshop.hindsight(line.split(separator: " ").map(String.init)), 2, words)
        }
        expect(try workshop.hindsight("info", ""), 2, ["FILE is empty", "shell"])
        #expect(try Data(contentsOf: workshop.url("in.jsonl")).count > 100)
    }

    @Test func `record does not replace a file that is not regular`() throws {
        let result = try workshop.shell(
            "mkfifo pipe && { hindsight record --app todo --force pipe; code=$?; [ -p pipe ] && exit $code; }"
        )
        expect(result, 3, ["pipe", "not a regular file"])
    }

    static let files: [(String, [String])] = [
        ("info missing.hindsight", ["no file", "missing.hindsight"]),
        ("info empty.hindsight", ["empty.hindsight", "empty"]),
        ("info diary.hindsight", ["diary.hindsight", "not a recording"]),
        ("info folder", ["folder"]),
        ("log half.hindsight", ["half.hindsight", "damaged"]),
        ("verify half.hindsight", ["half.hindsight", "damaged"]),
        ("jump stub.hindsight end", ["stub.hindsight"]),
        ("diff t.hindsight:1 missing.hindsight:2", ["missing.hindsight"]),
        ("record --app todo --input missing.jsonl out.hindsight", ["missing.jsonl"]),
        ("record --app todo --input folder out.hindsight", ["folder"]),
        ("record --app todo nowhere/out.hindsight", ["nowhere/out.hindsight"]),
    ]

    @Test func `unreadable and damaged files exit with 3`() throws {
        for (line, words) in Self.files {
            expect(try workshop.hindsight(line.split(separator: " ").map(String.init)), 3, words)
        }
        #expect(!FileManager.default.fileExists(atPath: workshop.url("out.hindsight").path))
    }

    @Test(.enabled(if: Workshop.hasSQLiteShell, "needs the sqlite3 shell"))
    func `an error about a newer format names its number`() throws {
        _ = try workshop.shell("sqlite3 t.hindsight 'pragma user_version = 99'")
        expect(try workshop.hindsight("info", "t.hindsight"), 3, ["99", "Update"])
    }

    @Test(.enabled(if: Workshop.hasSQLiteShell, "needs the sqlite3 shell"))
    func `replaying a recording of another app fails with advice to use that app's tool`() throws {
        _ = try workshop.shell(
            "sqlite3 t.hindsight \"update recording set value = 'mystery' where key like 'app%' and value like '%todo%'\""
        )
        let words = ["mystery", "HindsightTool.run"]
        expect(try workshop.hindsight("replay", "t.hindsight"), 4, words)
        expect(try workshop.hindsight("jump", "t.hindsight", "2", "--replayed"), 4, words)
        expect(try workshop.hindsight("verify", "t.hindsight"), 4, words)
        #expect(try workshop.hindsight("log", "t.hindsight").code == 0)
        #expect(try workshop.hindsight("jump", "t.hindsight", "end").code == 0)
    }

    @Test(.enabled(if: Workshop.hasSQLiteShell, "needs the sqlite3 shell"))
    func `a payload that no longer decodes is reported with its field`() throws {
        _ = try workshop.shell(
            #"sqlite3 t.hindsight "update action set payload = '{\"toggle\":{\"id\":\"x\"}}' where seq = 3""#
        )
        let words = ["t.hindsight", "toggle", "action 3", "/toggle/id"]
        expect(try workshop.hindsight("verify", "t.hindsight"), 4, words)
        expect(try workshop.hindsight("jump", "t.hindsight", "5", "--replayed"), 4, words)
        #expect(try workshop.hindsight("log", "t.hindsight").code == 0)
    }

    @Test(.enabled(if: Workshop.hasSQLiteShell, "needs the sqlite3 shell"))
    func `an unknown action is reported with its file and a similar one`() throws {
        _ = try workshop.shell(
            #"sqlite3 t.hindsight "update action set payload = '{\"togle\":{\"id\":1}}' where seq = 3; update action set type = 'togle' where seq = 3""#
        )
        for line in ["verify t.hindsight", "jump t.hindsight 5 --replayed"] {
            let result = try workshop.hindsight(line.split(separator: " ").map(String.init))
            expect(
                result,
                4,
                ["t.hindsight", "togle", "action 3", "no action type of that name", "Did you mean toggle"]
            )
            #expect(!result.errors.contains("number of keys"), "\(result.errors)")
        }
    }

    @Test func `a suggested command works when pasted`() throws {
        let workshop = Workshop()
        let name = "it's a $HOME; of *.hindsight"
        try workshop.record("todo", Sessions.todo, to: name)
        let error = try workshop.hindsight("replay", name, "--to", "3.1").errors
        let command = try #require(error.split(separator: "“").last?.split(separator: "”").first, "\(error)")
        let result = try workshop.shell(String(command))
        #expect(result.code == 0, "\(command): \(result.errors)")
        #expect(try result.text == workshop.hindsight("jump", name, "3.1").text)
    }

    @Test func `an unreadable file is named`() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: workshop.url("t.hindsight").path)
        if getuid() == 0 { return }
        expect(try workshop.hindsight("info", "t.hindsight"), 3, ["t.hindsight"])
    }

    @Test(.enabled(if: Workshop.succeeds("touch $'/tmp/\\xff' && rm $'/tmp/\\xff'")))
    func `a name that is not valid UTF-8 is refused, and never taken for another`() throws {
        let workshop = Workshop()
        try workshop.record("todo", Sessions.todo, to: "t.hindsight")
        for line in ["info", "log", "verify", "doctor", "record --app todo --input /dev/null"] {
            let result = try workshop.shell(
                "cp t.hindsight $'b\\xffd.hindsight'; hindsight \(line) $'b\\xffd.hindsight'"
            )
            #expect(result.code == 2, "\(line)")
            #expect(result.errors.contains(#"$'b\xffd.hindsight' is not valid UTF-8"#), "\(result.errors)")
            #expect(result.errors.contains(#"mv $'b\xffd.hindsight' NAME"#), "\(result.errors)")
        }
        #expect(try workshop.shell("ls | grep -c $'\\xef\\xbf\\xbd'").text == "0\n")
        // A directory does not skip it silently.
        let result = try workshop.shell("mkdir runs; mv $'b\\xffd.hindsight' t.hindsight runs; hindsight verify runs")
        #expect(result.code == 3)
        #expect(result.text.contains("equal  runs/t.hindsight"), "\(result.text)")
        #expect(result.errors.contains("is not valid UTF-8"), "\(result.errors)")
        #expect(try workshop.shell("hindsight info runs").text.contains("b\u{FFFD}d.hindsight"))
    }
}
