import Foundation
import HindsightDebugger
import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightTree
import Testing

@testable import HindsightCLI

@Suite struct DebugTests {
    private let scratch = Scratch()
    private static let checkout = Fixtures.recording("checkout")

    private func session(_ harness: ToolHarness = ToolHarness()) throws -> DebugSession {
        DebugSession(on: try Recording(at: Self.checkout), harness.tool())
    }

    @Test(arguments: [
        ("step", DebugWord.step), ("s", .step), ("st", .step), ("n", .step), ("b", .break), ("ba", .back),
        ("rs", .back),
        ("si", .stepi), ("c", .continue), ("rc", .rcontinue), ("rco", .rcontinue), ("g", .goto), ("p", .print),
        ("bt", .where), ("w", .where), ("wa", .watch), ("l", .list), ("d", .diff), ("del", .delete), ("why", .why),
        ("br", .break), ("brea", .break), ("breakp", .breakpoints), ("r", .run), ("u", .undo), ("q", .quit),
        ("exit", .quit), ("fi", .finish), ("until", .until), ("advance", .until), ("disp", .display), ("info", .info),
        ("so", .source), ("se", .search), ("comm", .commands), ("ig", .ignore), ("ch", .checkout), ("no", .note),
        ("e", .edit), ("i", .insert), ("dis", .disable),
        ("?", .help),
    ])
    func `short forms and first letters name commands`(word: String, expected: DebugWord) {
        #expect(DebugWord(word) == expected)
    }

    @Test(arguments: ["", "steq", "Step", "x", "stepss"]) func `other words name no command`(word: String) {
        #expect(DebugWord(word) == nil)
    }

    @Test func `each short form of the help means its command`() {
        for word in DebugWord.allCases {
            #expect(DebugWord(word.rawValue) == word)
            if let short = word.short { #expect(DebugWord(short) == word) }
            #expect(word.help.hasSuffix("."))
        }
    }

    @Test func `the prompt has the position, the reducer and the part of the way`() throws {
        let session = try session()
        #expect(session.prompt == "0/66 0% > ")
        try session.execute("goto 33")
        #expect(session.prompt == "33/66 50% > ")
        try session.execute("goto 14.6")
        #expect(session.prompt == "14/66 shipping 6/9 21% > ")
        try session.execute("goto 15.0")
        #expect(session.prompt == "15.0/66 22% > ")
    }

    private static let completions: [(line: String, word: String, expected: [String])] = [
        ("", "rc", ["rcontinue"]), ("", "st", ["step", "stepi"]), ("help ", "dif", ["diff"]),
        ("print ", "/cart/tot", ["/cart/totals"]), ("why ", "/shipping/me", ["/shipping/method"]),
        ("b ", "cra", ["crash"]), ("break ", "StartO", ["StartOver"]), ("break reducer ", "ship", ["shipping"]),
        ("break StartOver if ", "/shipping/me", ["/shipping/method"]), ("goto ", "en", ["end"]), ("step ", "1", []),
        ("nonsense ", "/cart", []), ("break a ", "b", []),
        ("print ", "shipping.me", ["shipping.method"]), ("display ", "cart.li", ["cart.lines"]),
        ("watch ", "coup", ["coupons"]), ("print ", "cart.lines.x", []), ("info ", "br", ["breakpoints", "branches"]),
        ("until ", "StartO", ["StartOver"]),
    ]

    @Test(arguments: completions)
    func `Tab completes commands, paths, names, types, reducers and positions`(
        line: String,
        word: String,
        expected: [String]
    ) throws {
        let session = try session()
        try session.execute("goto 14")
        #expect(session.completions(of: word, after: line).words == expected)
    }

    @Test func `a script of commands prints the same as a pipe`() throws {
        let commands = "watch /shipping/method\ncontinue\nprint /shipping/method\n"
        let harness = ToolHarness(input: commands).running(["debug", Self.checkout.path])
        #expect(harness.text.contains("14.6  shipping  ChooseShipping(method: \"express\")"), "\(harness.text)")
        #expect(harness.text.contains("1  watch /shipping/method: nothing → \"express\""), "\(harness.text)")
        #expect(harness.text.contains("/shipping/method  \"express\""), "\(harness.text)")
    }

    @Test func `print shows the whole state, and a watch how values differ that look the same`() throws {
        let whole = ToolHarness(input: "print\n").running(["debug", Self.checkout.path])
        #expect(whole.text.hasPrefix("(whole)"), "\(whole.text)")
        let harness = ToolHarness(input: "goto 6.3\nwatch /cart\ncontinue\n").running(["debug", Self.checkout.path])
        let watched = "\n1  watch /cart: … /totals/goods: 55.7 → … /totals/goods: 120.69\n"
        #expect(harness.text.contains(watched), "\(harness.text)")
    }

    /// Runs commands on the checkout, and returns what they print.
    private func answers(to commands: [String]) -> String {
        let harness = ToolHarness(input: commands.map { $0 + "\n" }.joined()).running(["debug", Self.checkout.path])
        return harness.text
    }

    /// The positions of the stops.
    private func stops(_ text: String) -> [String] {
        text.split(separator: "\n").filter { $0.contains("checkout.jsonl:") }.map { String($0.prefix { $0 != " " }) }
    }

    private static let runs: [(commands: [String], stops: [String])] = [
        // Breakpoints at positions.
        (["break 5", "break 5.3", "break 50%", "c", "c", "c", "rc"], ["5.3", "5", "33", "5"]),
        (["break 5 if /nothing = 1", "break 6.2 if seq = 6", "c"], ["6.2"]),
        // The column `reducer`, and not a reducer of the name `= …`.
        (["break reducer = 'cart.totals' and changed(/cart)", "c", "c", "c", "c"], ["1.7", "2.7", "3.7", "6.7"]),
        (["break reducer is not null and seq = 2", "c", "c"], ["2.1", "2.2"]),
        (["break reducer shipping", "c"], ["1.6"]),
        (["until ChooseShipping", "until seq = 20", "until 22.4"], ["11", "20", "22.4"]),
        (["break ChooseShipping", "ignore 1 2", "c", "rc"], ["24", "14"]),
        (["break 30", "until 40", "until 40"], ["30", "40"]),
        (["goto 14.3", "finish"], ["14.3", "14"]),
        (["goto 14.9", "finish"], ["14.9", "14"]),
        (["find type = 'ChooseShipping'", "goto #2"], ["14"]),
        (["search express", "goto #3"], ["14.6"]),
        // A step that moves nowhere is none that undo takes back.
        (["goto end", "step", "stepi", "goto end", "undo", "step"], ["66", "66", "66", "66", "1"]),
    ]

    @Test(arguments: runs) func `commands stop where they should`(commands: [String], stops expected: [String]) {
        let text = answers(to: commands)
        #expect(stops(text) == expected, "\(commands): \(text)")
    }

    @Test func `a listed position is one of the branch on which it was found`() {
        let lines = ["find type = 'ChooseShipping'", "skip 3", "run", "goto #2", "print seq", "checkout 0", "goto #2"]
        let harness = ToolHarness(input: lines.map { $0 + "\n" }.joined())
        #expect(harness.run(["debug", Self.checkout.path]) == .usage)
        let reason = "The last list is of branch 0, and this is branch 1."
        #expect(harness.errorText.contains(reason), "\(harness.errorText)")
        #expect(harness.text.contains("\n3\n"), "\(harness.text)")
        #expect(stops(harness.text).last == "14", "\(harness.text)")
    }

    @Test func `a temporary breakpoint says that it has stopped the run`() {
        let text = answers(to: ["tbreak 5", "c", "breakpoints"])
        #expect(text.hasPrefix("1  tbreak 5\n1  tbreak 5\n5  AddLine("), "\(text)")
        #expect(text.hasSuffix("There are no breakpoints. watch and break set some.\n"), "\(text)")
    }

    @Test func `print shows a whole value as JSON, and a whole text`() {
        let json = "{\n  \"ChooseShipping\": {\n    \"method\": \"express\"\n  }\n}\n"
        for command in ["print/json payload", "p/j payload"] {
            #expect(answers(to: ["goto 14", command]).hasSuffix("\n\(json)"), "\(command)")
        }
        #expect(answers(to: ["goto 14", "print/text /shipping/method"]).hasSuffix("\nexpress\n"))
        #expect(answers(to: ["goto 14", "p/t /shipping/cost"]).hasSuffix("\n19.9\n"))
    }

    @Test func `displayed values are shown at each stop`() {
        let commands = [
            "goto 13", "display /shipping/cost", "display type", "step", "undisplay 2", "back", "info display",
        ]
        let lines = answers(to: commands).split(separator: "\n").filter { $0.contains(" = ") }
        let (first, second) = ("1  /shipping/cost = ", "2  type = ")
        let types = lines.filter { $0.hasPrefix(second) }
        #expect(types.count == 2 && types.last == "2  type = \"ChooseShipping\"", "\(lines)")
        let costs = lines.filter { $0.hasPrefix(first) }.map { $0.dropFirst(first.count) }
        #expect(costs == ["0", "19.9", "0", "0"], "\(lines)")
    }

    @Test func `commands of a breakpoint run where it stops`() {
        let text = answers(to: [
            "break 14", "commands", "print /shipping/cost", "continue", "print /nothing", "end", "break 20", "c",
            "breakpoints",
        ])
        #expect(text.contains("\n/shipping/cost  19.9\n2  break 20\n20  "), "\(text)")
        #expect(text.contains("1  break 14  (hit 1 time)\n     print /shipping/cost\n     continue\n"), "\(text)")
    }

    @Test func `commands without an end, or without their breakpoint, are mistakes and do not run`() {
        for (lines, reason) in [
            (["break 14", "commands", "print type"], "The commands of breakpoint 1 have no end, and were not taken."),
            (["commands 7", "step", "end", "print seq"], "There is no breakpoint 7."),
            (["commands 7", "step"], "commands has no end."),
        ] {
            let harness = ToolHarness(input: lines.map { $0 + "\n" }.joined())
            #expect(harness.run(["debug", Self.checkout.path]) == .usage, "\(lines)")
            #expect(harness.errorText.contains(reason), "\(lines): \(harness.errorText)")
            #expect(stops(harness.text).isEmpty, "\(lines): \(harness.text)")
            #expect((harness.text == "0\n") == (lines.last == "print seq"), "\(lines): \(harness.text)")
        }
    }

    private static let crashed = checkout.deletingLastPathComponent()
        .appending(path: "crashed/checkout-crash.hindsight")

    @Test(arguments: ["goto 12.7", "goto 12.9", "break 12.7", "until 12.8"])
    func `positions after the reducer in which the process ended are refused`(command: String) {
        let harness = ToolHarness(input: command + "\nwhere\n").running(["debug", Self.crashed.path], .usage)
        let position = command.suffix(4)
        #expect(harness.errorText.contains("There is no position \(position): the process ended before it"))
        #expect(harness.errorText.contains("There are: 12.0 to 12.6."), "\(harness.errorText)")
        #expect(harness.text.hasPrefix("12.0  ApplyCoupon("), "\(harness.text)")
    }

    @Test func `the position after the action of a crash is the crash`() throws {
        let session = DebugSession(on: try Recording(at: Self.crashed), ToolHarness().tool())
        session.debugger.supply(nil)
        try session.execute("goto 11")
        try session.execute("goto 12")
        #expect(session.debugger.position == Recording.Position(seq: 12, reducer: 0))
    }

    private static let remarks: [(commands: [String], remark: String)] = [
        (["break shipping"], "No action of type shipping was found so far. Did you mean break reducer shipping?\n"),
        (["until /typo = 1"], "There is nothing at /typo at any position"),
        (["display /typo"], "There is nothing at /typo at any position"),
        (["display /typo + 1"], "There is nothing at /typo at any position"),
        (["insert 3 {\"StartOver\":{}}"], "planned: insert before 3: {\"StartOver\":{}}\n"),
        (["goto end", "dispatch {\"StartOver\":{}}"], "planned: insert after 66: {\"StartOver\":{}}\n"),
        (["insert 3 {\"StartOver\":{}}", "branches"], "66 actions\nplanned: insert before 3: {"),
    ]

    @Test(arguments: remarks)
    func `commands say what is not there, and what they plan, in the terms of the commands`(
        commands: [String],
        remark: String
    ) {
        let text = answers(to: commands)
        #expect(text.contains(remark), "\(text)")
    }

    @Test func `source runs the commands of a file`() throws {
        let file = scratch.file("commands.txt")
        try Data("# a comment\nbreak 14\nbreak 20\nc\nc\n".utf8).write(to: file)
        #expect(stops(answers(to: ["source \(file.path)", "step"])) == ["14", "20", "21"])
    }

    @Test func `a run drops what follows in the commands of a breakpoint, and not in a file that they run`() throws {
        let file = scratch.file("commands.txt")
        try Data("print seq\ncontinue\nprint seq\n".utf8).write(to: file)
        let text = answers(to: [
            "break 14", "commands", "source \(file.path)", "print type", "end", "break 20", "commands", "print seq * 2",
            "end", "c", "print seq * 3",
        ])
        let answers = text.split(separator: "\n").filter { Int($0) != nil }
        #expect(answers == ["14", "40", "20", "60"], "\(text)")
        #expect(!text.contains("\n\"ChooseShipping\"\n"), "\(text)")
    }

    @Test func `more lines than may wait are refused`() throws {
        let file = scratch.file("commands.txt")
        try Data(String(repeating: "#\n", count: 100_001).utf8).write(to: file)
        let harness = ToolHarness(input: "source \(file.path)\n").running(["debug", Self.checkout.path], .usage)
        #expect(harness.errorText.contains("has too many commands"), "\(harness.errorText)")
    }

    @Test func `a file that runs itself ends`() throws {
        let file = scratch.file("itself.txt")
        try Data("step\nsource \(file.path)\nstep\n".utf8).write(to: file)
        let harness = ToolHarness(input: "source \(file.path)\nstep\n")
        // Every file before it has made a step.
        #expect(harness.run(["debug", Self.checkout.path]) == .usage)
        #expect(harness.errorText.contains("itself.txt is run by 100 files"), "\(harness.errorText)")
        #expect(stops(harness.text).last == "66", "\(harness.text.suffix(500))")
    }

    @Test func `folders that no process holds any more are removed, and others stay`() throws {
        let name = "hindsight-test-\(UUID().uuidString)-"
        let held = try TemporaryFolder(named: name)
        defer { held.remove() }
        let place = FileManager.default.temporaryDirectory.path
        let abandoned = "\(place)/\(name)abandoned"
        try FileManager.default.createDirectory(atPath: abandoned, withIntermediateDirectories: false)
        try Data().write(to: URL(filePath: "\(abandoned)/lock"))
        try Data("x".utf8).write(to: URL(filePath: "\(abandoned)/branch-1.hindsight"))
        TemporaryFolder.removeAbandoned(named: name)
        #expect(!FileManager.default.fileExists(atPath: abandoned))
        #expect(FileManager.default.fileExists(atPath: held.path))
        held.remove()
        #expect(!FileManager.default.fileExists(atPath: held.path))
    }

    @Test func `a folder that is being made is not taken for an abandoned one`() async {
        let name = "hindsight-test-\(UUID().uuidString)-"
        let made = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    (0..<300).count { _ in
                        // It also removes what it takes for abandoned.
                        guard let folder = try? TemporaryFolder(named: name) else { return false }
                        defer { folder.remove() }
                        return FileManager.default.fileExists(atPath: folder.path)
                    }
                }
            }
            var made = 0
            for await count in group { made += count }
            return made
        }
        #expect(made == 600)
    }

    /// Lines, before each of which something happens.
    private final class TimedLines: DebugLines {
        private var rest: [(line: String, before: () throws -> Void)]

        init(_ lines: [(line: String, before: () throws -> Void)]) { rest = lines }

        func next(_ prompt: String) throws -> DebugInput {
            guard !rest.isEmpty else { return .end }
            let (line, before) = rest.removeFirst()
            try before()
            return .line(line)
        }
    }

    @Test func `continue goes to the end that the recording has when it runs`() throws {
        let scratch = Scratch()
        let url = scratch.file("live.hindsight")
        let counter = try LiveCounter(at: url)
        try counter.count(5)
        let harness = ToolHarness()
        let session = DebugSession(on: try Recording(at: url), harness.tool())
        let lines = TimedLines([("break /value = 8", {}), ("continue", { try counter.count(5) })])
        #expect(try session.run(lines) == .fine, "\(harness.errorText)")
        #expect(session.debugger.position == Recording.Position(seq: 8), "\(harness.text)")
        try counter.recorder.close()
    }

    @Test func `what reads the file again is refused if it is another recording now`() throws {
        let copy = scratch.file("copy.hindsight")
        try FileManager.default.copyItem(at: Self.checkout, to: copy)
        let harness = ToolHarness()
        let session = DebugSession(on: try Recording(at: copy), harness.tool())
        let other = scratch.file("other.hindsight")
        try FileManager.default.copyItem(at: Fixtures.recording("todo"), to: other)
        let replace = {
            try FileManager.default.removeItem(at: copy)
            try FileManager.default.moveItem(at: other, to: copy)
        }
        let questions = ["find seq < 4", "search Milk", "why", "history /filter", "note hello", "info", "note", "run"]
        var lines: [(line: String, before: () throws -> Void)] = [("goto 14", {}), ("skip 3", replace)]
        for question in questions { lines.append((question, {})) }
        #expect(try session.run(TimedLines(lines)) == .badFile)
        let errors = harness.errorText.split(separator: "\n").filter { $0.hasPrefix("error: ") }
        #expect(errors.count { $0.contains("is another file now") } == questions.count, "\(harness.errorText)")
        #expect(!harness.text.contains("#1"), "\(harness.text)")
        #expect(try Recording(at: copy).notes().isEmpty)
        // What was opened can still be read.
        try session.execute("print type")
        session.console.finish()
        #expect(harness.text.hasSuffix("\n\"ChooseShipping\"\n"), "\(harness.text)")
    }

    private static let expressions: [(text: String, expected: String)] = [
        ("1+1", "2"), ("old(/cart/totals/gross)", "128.06"), ("(/cart/totals/gross)", "151.74"),
        ("type", "\"ChooseShipping\""), ("seq / 2", "7"), ("/cart/totals/gross / 2", "75.87"),
        ("payload ->> '$.ChooseShipping.method'", "\"express\""), ("value('/shipping/cost')", "19.9"),
        ("json_array(1, /shipping/cost)", "[1, 19.9]"), ("case when /shipping/cost > 5 then 'dear' end", "\"dear\""),
        ("(select max(value ->> 'price') from json_each(/cart/lines) where value ->> 'price' < 13)", "12.9"),
        ("old(/shipping/method)", "null: it has no value here"),
        ("reducer", "null: it has no value here"),
        ("1/0", "null: it has no value here"), ("null", "null: it has no value here"),
        // Conditions stay conditions.
        ("/cart/totals/gross > 100", "true"), ("1 = 2", "false"), ("changed(/cart)", "true"),
        ("not changed(/cart)", "false"), ("type like 'Add%'", "false"), ("true", "true"),
        ("old(/shipping/method) = 'pickup'", "null: it has no value here"),
    ]

    @Test(arguments: expressions) func `print gives the value of an expression`(text: String, expected: String) throws {
        let harness = ToolHarness(input: "goto 14\nprint \(text)\n")
        #expect(harness.run(["debug", Self.checkout.path]) == .fine, "\(text): \(harness.errorText)")
        #expect(harness.text.hasSuffix("\n\(expected)\n"), "\(text): \(harness.text)")
    }

    @Test(arguments: [("35", 0), ("40", 2), ("45.6", 2), ("45", 0)])
    func `a value of a doubtful state is marked`(position: String, marks: Int) throws {
        let file = Self.checkout.deletingLastPathComponent().appending(path: "doubtful.hindsight").path
        let harness = ToolHarness(input: "goto \(position)\nprint /filter\n").running(["debug", file])
        let mark = "  ? Doubtful: the states in actions 36 to 45: /filter changed, but the recorder saw no change;"
        #expect(harness.text.split(separator: "\n").count { $0.hasPrefix(mark) } == marks, "\(harness.text)")
    }

    @Test func `a watch shows the change that only the state after doubtful ones has`() throws {
        let file = Self.checkout.deletingLastPathComponent().appending(path: "doubtful.hindsight").path
        let harness = ToolHarness(input: "watch /filter\ngoto 40\ncontinue\n").running(["debug", file])
        let stop = harness.text.split(separator: "\n").suffix(3)
        #expect(stop.first == #"1  watch /filter: "done" → "all""#, "\(harness.text)")
        #expect(stop.dropFirst().first?.hasPrefix("45.7  counts  annotate(id: 1)") == true, "\(harness.text)")
        let found = ToolHarness().running(["find", file, "changed(/filter)", "--by", "reducer"])
        let row = #"45.7  1×  +00:00.023  counts: annotate(id: 1)        /filter = "all""#
        #expect(found.text.contains(row), "\(found.text)")
    }

    @Test(arguments: [
        ("watch /items/0/title", true), ("break /items/0/title = 'a'", true), ("until /items/0/title = 'a'", true),
        ("watch /nextID", false), ("until /nextID = 1", false),
    ])
    func `a breakpoint that looks at redacted values says so`(line: String, isHidden: Bool) throws {
        let file = Self.checkout.deletingLastPathComponent().appending(path: "partial.hindsight").path
        let harness = ToolHarness(input: line + "\n").running(["debug", file])
        let remark =
            "\n/items/0/title is redacted, or has redacted values: the recording has placeholders in their place.\n"
        #expect("\n\(harness.text)".contains(remark) == isHidden, "\(harness.text)")
    }

    @Test func `a watch on an expression stops where its value changes, and shows both values`() throws {
        let commands = "watch length(/shipping/method)\nc\nc\nc\nrc\nwatch /shipping/cost > 10\ngoto start\nc\n"
        let harness = ToolHarness(input: commands).running(["debug", Self.checkout.path])
        let stops = harness.text.split(separator: "\n").filter { $0.contains("  watch ") && $0.contains(" → ") }
        #expect(
            stops == [
                "1  watch length(/shipping/method): nothing → 7", "1  watch length(/shipping/method): 7 → 8",
                "1  watch length(/shipping/method): 8 → nothing", "1  watch length(/shipping/method): 7 → 8",
                "1  watch length(/shipping/method): nothing → 7", "2  watch /shipping/cost > 10: false → true",
            ],
            "\(harness.text)"
        )
        let places = harness.text.split(separator: "\n").filter { $0.contains("checkout.jsonl:") }
            .map { $0.prefix { $0 != " " } }
        #expect(places == ["14", "24", "36", "24", "14"], "\(harness.text)")
    }

    @Test func `a watch does not say that there was nothing where the value was not known`() throws {
        let file = Self.checkout.deletingLastPathComponent().appending(path: "partial.hindsight").path
        let rule = "case when seq = 40 then length(/items/0/title) when seq < 40 then 1 else 2 end"
        let harness = ToolHarness(input: "goto 38\nwatch \(rule)\nc\n").running(["debug", file])
        #expect(harness.text.contains("\n1  watch \(rule): not known → 2\n41  "), "\(harness.text)")
    }

    @Test(arguments: ["break here", "break at: the ninth", "until here", "break 9"])
    func `a breakpoint is at a note, as goto is`(line: String) throws {
        let copy = scratch.file("copy.hindsight")
        try FileManager.default.copyItem(at: Self.checkout, to: copy)
        for note in ["here", "at: the ninth"] { #expect(ToolHarness().run(["note", copy.path, "9", note]) == .fine) }
        let harness = ToolHarness(input: "\(line)\ncontinue\n").running(["debug", copy.path])
        #expect(harness.text.contains("\n9  ") || harness.text.hasPrefix("9  "), "\(harness.text)")
    }

    @Test func `a file that another program changes is noticed once`() throws {
        let copy = scratch.file("copy.hindsight")
        try FileManager.default.copyItem(at: Self.checkout, to: copy)
        let recording = try Recording(at: copy)
        var file = OpenedFile(of: recording)
        #expect(file.change() == nil)
        let handle = try FileHandle(forWritingTo: copy)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("more".utf8))
        try handle.close()
        #expect(file.change()?.hasSuffix("was written to by another program. Open it again.") == true)
        #expect(file.change() == nil)
        unlink(copy.path)
        #expect(file.change()?.contains("is gone") == true)
        #expect(file.change() == nil)
        try FileManager.default.copyItem(at: Self.checkout, to: copy)
        #expect(file.change()?.contains("is another file now") == true)
        #expect(file.change() == nil)
        #expect(file.lastChange?.contains("is another file now") == true)
        // While it is open, no other file gets its number.
        withExtendedLifetime(recording) {}
    }

    @Test func `a file that was moved away and back is the one that was opened`() throws {
        let copy = scratch.file("copy.hindsight")
        try FileManager.default.copyItem(at: Self.checkout, to: copy)
        let away = scratch.file("away.hindsight")
        let session = DebugSession(on: try Recording(at: copy), ToolHarness().tool())
        try FileManager.default.moveItem(at: copy, to: away)
        #expect(session.file.change()?.contains("is gone") == true)
        #expect(throws: Failure.self) { try session.file.check(for: session.debugger) }
        try FileManager.default.moveItem(at: away, to: copy)
        #expect(session.file.change() == nil)
        try session.file.check(for: session.debugger)
    }

    private static let mistakes: [(line: String, reason: String)] = [
        ("steq", "There is no command \"steq\"."), ("step x", "\"x\" is no number of steps."),
        ("step 0", "\"0\" is no number of steps."), ("goto", "goto needs P."), ("goto 9999", "9999"),
        ("where now", "where takes no arguments"), ("print /nothing", "There is nothing at /nothing at position 0."),
        ("watch /cart >", "error:"), ("break reducer nothing", "no reducer \"nothing\""),
        ("delete 7", "no breakpoint 7"), ("break 99", "99"), ("break 5.12", "5.12"),
        ("break -1", "“-1” is not a position."), ("until", "until needs"),
        ("ignore 7 1", "no breakpoint 7"), ("undisplay 7", "no displayed value 7"),
        ("goto #1", "is not in the last list"), ("print/xml payload", "There is no format \"xml\"."),
        ("source /nothing", "/nothing cannot be read."), ("info nothing", "There is no info \"nothing\"."),
        ("finish", "is the end of its action"),
        ("skip", "before the first action"), ("run", "nothing to run"), ("checkout 3", "no branch 3"),
        ("undo", "nothing to undo"), ("edit 5 {", "edit 5"), ("dispatch {\"Nothing\":{}}", "dispatch"),
    ]

    @Test(arguments: mistakes)
    func `mistakes say what is wrong, and change nothing`(line: String, reason: String) throws {
        let harness = ToolHarness(input: line + "\nbreakpoints\n")
        #expect(harness.run(["debug", Self.checkout.path]) != .fine, "\(line)")
        #expect(harness.errorText.contains(reason), "\(line): \(harness.errorText)")
        #expect(harness.text == "There are no breakpoints. watch and break set some.\n", "\(line): \(harness.text)")
    }

    /// The app of a ``LiveCounter``.
    private func app(counting step: Int) -> ReplayableApp {
        ReplayableApp(
            "count",
            initial: LiveCounter.Count(),
            reducer: Reducer<LiveCounter.Count, LiveCounter.Action>("add") { count, _ in count.value += step }
        )
    }

    @Test func `a branch comes from the recording that is open, and not from an earlier one at its path`() throws {
        let url = scratch.file("count.hindsight")
        /// Opens a recording that was not closed.
        func recording(of actions: Int) throws -> Recording {
            let live = scratch.file("live-\(actions).hindsight")
            let counter = try LiveCounter(at: live)
            try counter.count(actions)
            for suffix in ["", "-wal", "-shm", "-ahead"] {
                try? FileManager.default.removeItem(atPath: url.path + suffix)
                try? FileManager.default.copyItem(atPath: live.path + suffix, toPath: url.path + suffix)
            }
            try counter.recorder.close()
            return try Recording(at: url)
        }
        let tool = ToolHarness(apps: [app(counting: 1)]).tool()
        let folder = BranchFolder("hindsight-branches")
        defer { folder.remove(tool.console) }
        let debugger = Debugger(on: try recording(of: 3))
        for actions in [3, 5] {
            _ = try debugger.perform(.checkout(branch: 0))
            if actions == 5 { debugger.replaceRecording(with: try recording(of: 5), isSame: false) }
            #expect(!debugger.recording.sidecarFiles.isEmpty)
            for _ in 1...2 {
                _ = try debugger.perform(.checkout(branch: 0))
                try debugger.edit(.skip(1))
                _ = try folder.run(debugger, shown: "count", by: tool, "Running", isStopped: { false }) { _ in }
                #expect(debugger.recording.actionCount == actions - 1)
            }
        }
    }

    @Test func `a breakpoint on divergences knows more of a kind than a verification lists`() throws {
        let session = try app(counting: 1).record(to: scratch.file("count.hindsight"))
        for _ in 0..<1_100 { try session.dispatch(["add": ["_0": 1]], origin: Origin(file: "count.swift", line: 1)) }
        try session.close()
        let tool = ToolHarness(apps: [app(counting: 2)]).tool()
        let task = DivergenceTask(file: scratch.file("count.hindsight").path)
        #expect(try task.answer(in: tool) == Array(1...1_100))
    }

    /// Counts to 1, travels back to the start, and counts to 1 again.
    static let travels = [
        #"{"hindsight":"recording","text":1,"app":"counter","version":"1","platform":"test","created":1,"#
            + #""facts":{"closed":10},"reducers":["count"],"state":{"count":0}}"#,
        #"{"action":"add","payload":{"add":{}},"changes":{"count":[{"op":"replace","path":"/count","old":0,"value":1}]},"#
            + #""at":2,"duration":1,"times":[1]}"#,
        #"{"action":"@travel","travel":[{"op":"replace","path":"/count","old":1,"value":0}],"#
            + #""problem":"time travel to the start","at":3,"duration":0}"#,
        #"{"action":"add","payload":{"add":{}},"changes":{"count":[{"op":"replace","path":"/count","old":0,"value":1}]},"#
            + #""at":4,"duration":1,"times":[1]}"#,
        #"{"end":true}"#,
    ].map { $0 + "\n" }.joined()

    @Test func `watches stop at time travel, which has no reducers`() throws {
        let file = scratch.file("travels.jsonl")
        try Data(Self.travels.utf8).write(to: file)
        let commands = [
            "watch /count", "c", "c", "where", "stepi", "backi", "why /count", "goto end", "rc", "rc", "where",
        ]
        let harness = ToolHarness(input: commands.map { $0 + "\n" }.joined()).running(["debug", file.path])
        let lines = harness.text.split(separator: "\n").map(String.init)
        let places = lines.filter { $0.contains("  count  add") || $0.contains("2  time travel to the start") }
            .map { $0.prefix { !$0.isWhitespace } }
        // Forward to the travel, one reducer on and back, and back from the end.
        #expect(places == ["1.1", "2", "3.1", "2", "3.1", "2"], "\(harness.text)")
        #expect(lines.count { $0 == "1  watch /count: 1 → 0" } == 2, "\(harness.text)")
        #expect(lines.contains { $0.hasPrefix("/count became 0 at 2, by time travel") }, "\(harness.text)")
        #expect(lines.count { $0.hasPrefix("#0  action 2 ") } == 2, "\(harness.text)")
    }
}
