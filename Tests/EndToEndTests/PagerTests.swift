import Foundation
import Testing

/// Long output on a terminal goes through the user's pager. Needs `python3`.
@Suite(.enabled(if: Workshop.succeeds("command -v python3"), "needs python3")) struct PagerTests {
    private static let supplies = Supplies { workshop in
        let lines = (1...60).map { #"{"add":{"title":"item \#($0)"}}"# }
        try workshop.record("todo", lines, to: "t.hindsight")
    }

    private let workshop = Workshop()

    init() throws { try Self.supplies.put(into: workshop) }

    /// A pager that keeps what it gets, so that it is not on the screen.
    private static let keeping = "HINDSIGHT_PAGER='cat > page.txt'"

    private func run(
        _ environment: String,
        _ line: String,
        _ steps: [TerminalSession.Step] = []
    ) throws -> (session: TerminalSession, page: String?) {
        let clear = "env -u LESS -u PAGER -u HINDSIGHT_PAGER -u NO_COLOR TERM=xterm"
        let session = try TerminalSession("\(clear) \(environment) \(line)", steps, in: workshop)
        let page = workshop.url("page.txt")
        guard FileManager.default.fileExists(atPath: page.path) else { return (session, nil) }
        defer {
            do {
                try FileManager.default.removeItem(at: page)
            } catch {
                print("could not remove \(page.path): \(error)")
            }
        }
        return (session, try String(contentsOf: page, encoding: .utf8))
    }

    /// Command lines, their exit codes, and a text in the pager.
    private static let paged: [(line: String, code: Int, text: String)] = [
        ("log t.hindsight", 0, "item 60"), ("diff t.hindsight start end", 1, "/items/0"),
        ("jump t.hindsight end", 0, "\"item 60\""), ("show t.hindsight 3", 0, "Action 3 of 60"),
        ("--help", 0, "Commands:"), ("help log", 0, "Usage: hindsight log"), ("log --help", 0, "Usage: hindsight log"),
        // The tool's own remarks go with the output.
        ("log t.hindsight --limit 1 --from 50% --json", 0, "item 30"),
    ]

    @Test func `long output goes through the pager, and the exit code stays`() throws {
        for (line, code, text) in Self.paged {
            let (session, page) = try run(Self.keeping, "hindsight \(line)")
            #expect(session.code == code, "\(line): \(session.screen)")
            #expect(session.screen == "", "\(line): \(session.screen)")
            #expect(page?.contains(text) == true, "\(line): \(page ?? "no page")")
        }
        #expect(try run(Self.keeping, "hindsight log t.hindsight").page?.contains("\u{1B}[2m") == true)
    }

    @Test func `other commands, errors and --no-pager use no pager`() throws {
        for (line, code, text) in [
            ("info t.hindsight", 0, "60"), ("log t.hindsight --no-pager", 0, "item 60"),
            ("--no-pager log t.hindsight", 0, "item 60"), ("log --help --no-pager", 0, "Usage: hindsight log"),
            ("log nothing.hindsight", 3, "error:"), ("log", 2, "FILE is missing"),
        ] {
            let (session, page) = try run(Self.keeping, "hindsight \(line)")
            #expect(session.code == code && page == nil, "\(line): \(session.screen)\(page ?? "")")
            #expect(session.screen.contains(text), "\(line): \(session.screen)")
        }
    }

    @Test(arguments: [
        "HINDSIGHT_PAGER= PAGER='cat > page.txt'", "HINDSIGHT_PAGER=cat PAGER='cat > page.txt'",
        "PAGER='cat > page.txt' TERM=dumb", "HINDSIGHT_PAGER=no-such-pager",
    ])
    func `the environment turns the pager off`(environment: String) throws {
        let (session, page) = try run(environment, "hindsight log t.hindsight")
        #expect(session.code == 0 && page == nil)
        #expect(session.screen.contains("item 60"), "\(session.screen)")
    }

    @Test func `output that is no terminal is not paged`() throws {
        let result = try workshop.shell(
            "HINDSIGHT_PAGER='touch started; cat' hindsight log t.hindsight | tail -n 1; ls started"
        )
        #expect(result.text.contains("item 60") && result.code == 2, "\(result.text)")
        let (session, page) = try run(Self.keeping, "sh -c 'hindsight log t.hindsight > out.txt'")
        #expect(session.code == 0 && page == nil, "\(session.screen)")
    }

    @Test func `a pager that ends early is no error`() throws {
        let lines = (0..<5000).map { #"{"edit":{"at":\#($0),"delete":0,"insert":"a"}}"# }
        try workshop.record("notepad", lines, to: "n.hindsight")
        let (session, _) = try run("PAGER='head -n 1'", "hindsight log n.hindsight --color never")
        #expect(session.code == 0)
        #expect(session.screen.split(whereSeparator: \.isNewline).count == 1, "\(session.screen)")
    }

    @Test(.enabled(if: Workshop.succeeds("command -v less"), "needs less"), arguments: [["q"], ["\u{3}", "q"]])
    func `less shows the first page, and Ctrl-C and q print no error`(keys: [String]) throws {
        let steps: [TerminalSession.Step] = keys.enumerated().map { .keys($1, after: $0 == 0 ? " 20  +" : "") }
        let line = "hindsight log t.hindsight --color never"
        let (session, _) = try run("", line, steps)
        // Ctrl-C ends a tool that has not written everything, as it ends git.
        #expect(session.code == 0 || keys.count > 1 && session.code == -Int(SIGINT), "\(session.screen)")
        #expect(session.isRestored)
        #expect(!session.screen.contains("error") && !session.screen.contains("item 60"), "\(session.screen)")
    }

    @Test(.enabled(if: Workshop.succeeds("command -v less"), "needs less"))
    func `less keeps a short text on the screen`()
        throws
    {
        let (session, _) = try run("", "hindsight log t.hindsight --limit 3 --color never")
        #expect(session.code == 0)
        #expect(session.screen.contains("item 3"), "\(session.screen)")
    }

    @Test func `reducers still run in a process of their own`() throws {
        try workshop.write(#"{"add":{"amount":3}}"# + "\n" + #"{"add":{"amount":7}}"# + "\n", to: "in.jsonl")
        _ = try workshop.shell("CounterTool record --input in.jsonl c.hindsight")
        let line = "CounterTool jump c.hindsight end --replayed"
        let (fine, state) = try run(Self.keeping, line)
        #expect(fine.code == 0 && fine.screen == "", "\(fine.screen)")
        #expect(state?.contains("\"count\": 2") == true, "\(state ?? "")")
        let (crashed, report) = try run("COUNTER=trapping \(Self.keeping)", line)
        #expect(crashed.code == 5, "\(crashed.screen)")
        #expect((crashed.screen + (report ?? "")).contains("A reducer crashed in action 2"), "\(report ?? "")")
    }
}
