import Foundation
import HindsightRecording
import HindsightTree
import Testing

@testable import HindsightCLI

@Suite struct DebugTests {
    private static let checkout = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Fixtures/checkout.hindsight").standardizedFileURL

    private func session(_ harness: ToolHarness = ToolHarness()) throws -> DebugSession {
        DebugSession(on: try Recording(at: Self.checkout), harness.tool())
    }

    @Test(arguments: [
        ("step", DebugWord.step), ("s", .step), ("st", .step), ("n", .step), ("b", .break), ("ba", .back),
        ("rs", .back),
        ("si", .stepi), ("c", .continue), ("rc", .rcontinue), ("rco", .rcontinue), ("g", .goto), ("p", .print),
        ("bt", .where), ("w", .where), ("wa", .watch), ("l", .list), ("d", .diff), ("del", .delete), ("why", .why),
        ("br", .break), ("brea", .break), ("breakp", .breakpoints), ("r", .run), ("u", .undo), ("q", .quit),
        ("exit", .quit), ("ch", .checkout), ("no", .note), ("e", .edit), ("i", .insert), ("dis", .disable),
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
    ]

    @Test(arguments: completions)
    func `Tab completes commands, paths, types, reducers and positions`(
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
        let harness = ToolHarness(input: commands)
        #expect(harness.run(["debug", Self.checkout.path]) == .fine)
        #expect(harness.text.contains("14.6  shipping  ChooseShipping(method: \"express\")"), "\(harness.text)")
        #expect(harness.text.contains("1  watch /shipping/method: nothing → \"express\""), "\(harness.text)")
        #expect(harness.text.contains("/shipping/method  \"express\""), "\(harness.text)")
    }

    @Test func `print shows the whole state, and a watch no values that look the same`() throws {
        let whole = ToolHarness(input: "print\n")
        #expect(whole.run(["debug", Self.checkout.path]) == .fine)
        #expect(whole.text.hasPrefix("(whole)"), "\(whole.text)")
        let harness = ToolHarness(input: "goto 6.3\nwatch /cart\ncontinue\n")
        #expect(harness.run(["debug", Self.checkout.path]) == .fine)
        #expect(harness.text.contains("\n1  watch /cart\n6.7  cart.totals"), "\(harness.text)")
    }

    private static let expressions: [(text: String, expected: String)] = [
        ("1+1", "2"), ("old(/cart/totals/gross)", "128.06"), ("(/cart/totals/gross)", "151.74"),
        ("type", "\"ChooseShipping\""), ("seq / 2", "7"), ("/cart/totals/gross / 2", "75.87"),
        ("payload ->> '$.ChooseShipping.method'", "\"express\""), ("value('/shipping/cost')", "19.9"),
        ("json_array(1, /shipping/cost)", "[1, 19.9]"), ("case when /shipping/cost > 5 then 'dear' end", "\"dear\""),
        ("(select max(value ->> 'price') from json_each(/cart/lines) where value ->> 'price' < 13)", "12.9"),
        ("old(/shipping/method)", "null: a value that it needs does not exist"),
        ("reducer", "null: a value that it needs does not exist"),
        // Conditions stay conditions.
        ("/cart/totals/gross > 100", "true"), ("1 = 2", "false"), ("changed(/cart)", "true"),
        ("not changed(/cart)", "false"), ("type like 'Add%'", "false"), ("true", "true"),
        ("old(/shipping/method) = 'pickup'", "null: a value that it needs does not exist"),
    ]

    @Test(arguments: expressions) func `print gives the value of an expression`(text: String, expected: String) throws {
        let harness = ToolHarness(input: "goto 14\nprint \(text)\n")
        #expect(harness.run(["debug", Self.checkout.path]) == .fine, "\(text): \(harness.errorText)")
        #expect(harness.text.hasSuffix("\n\(expected)\n"), "\(text): \(harness.text)")
    }

    @Test func `a watch on an expression stops where its value changes, and shows both values`() throws {
        let commands = "watch length(/shipping/method)\nc\nc\nc\nrc\nwatch /shipping/cost > 10\ngoto start\nc\n"
        let harness = ToolHarness(input: commands)
        #expect(harness.run(["debug", Self.checkout.path]) == .fine, "\(harness.errorText)")
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

    @Test func `a file that another program changes is noticed once`() throws {
        let copy = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).hindsight")
        defer { unlink(copy.path) }
        try FileManager.default.copyItem(at: Self.checkout, to: copy)
        var file = OpenedFile(of: try Recording(at: copy))
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
    }

    private static let mistakes: [(line: String, reason: String)] = [
        ("steq", "There is no command \"steq\"."), ("step x", "\"x\" is no number of steps."),
        ("step 0", "\"0\" is no number of steps."), ("goto", "goto needs P."), ("goto 9999", "9999"),
        ("where now", "where takes no arguments"), ("print /nothing", "There is nothing at /nothing at position 0."),
        ("watch /cart >", "error:"), ("break reducer nothing", "no reducer \"nothing\""),
        ("delete 7", "no breakpoint 7"),
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

    /// Counts to 1, travels back to the start, and counts to 1 again.
    static let travels = [
        #"{"hindsight":"recording","text":2,"format":1,"app":"counter","version":"1","platform":"test","created":1,"#
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
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).jsonl")
        defer { unlink(file.path) }
        try Data(Self.travels.utf8).write(to: file)
        let commands = [
            "watch /count", "c", "c", "where", "stepi", "backi", "why /count", "goto end", "rc", "rc", "where",
        ]
        let harness = ToolHarness(input: commands.map { $0 + "\n" }.joined())
        #expect(harness.run(["debug", file.path]) == .fine, "\(harness.errorText)")
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
