import Testing

@testable import HindsightCLI

@Suite struct ArgumentsTests {
    static let file = Positional("FILE", help: "A file.")
    static let other = Positional("OTHER", required: false, help: "Another file.")
    static let limit = Option<Int>("limit", value: "N", expected: "a number", help: "How many.") { Int($0) }
    static let force = Flag("force", short: "f", help: "Overwrite.")
    static let syntax = Syntax(
        "copy",
        abstract: "Copies",
        arguments: [file, other, limit, force],
        examples: [:],
        jsonShape: "nothing"
    )

    private func parse(_ words: String) throws -> Arguments {
        try Parser(syntax: Self.syntax).parse(words.split(separator: " ").map(String.init))
    }

    @Test(
        arguments: [
            ("a", ["a"], nil, false),
            ("a b", ["a", "b"], nil, false),
            ("--limit 3 a", ["a"], 3, false),
            ("--limit=3 a", ["a"], 3, false),
            ("a --limit=-3", ["a"], -3, false),
            ("a -f b", ["a", "b"], nil, true),
            ("a -- --force", ["a", "--force"], nil, false),
            ("- -f", ["-"], nil, true),
        ] as [(String, [String], Int?, Bool)]
    )
    func `valid arguments are parsed`(words: String, positionals: [String], limit: Int?, force: Bool) throws {
        let arguments = try parse(words)
        #expect(arguments.positionals == positionals)
        #expect(try arguments[Self.limit] == limit)
        #expect(arguments[Self.force] == force)
    }

    @Test(arguments: [
        ("-", true), ("-5s", true), ("-/cart/total < 0", true), ("-old(/total) < 0", true), ("-seq < -5", true),
        ("-seq=-5", true), ("-(seq) < 5", true), ("-- which ones?\nselect 1", true), ("--/total\n1 = 1", true),
        ("-x", false), ("-seq", false), ("-o=out", false), ("--", false), ("--limit", false), ("--limit=/a < 5", false),
        ("--no_such", false), ("---", false),
    ])
    func `only what reads like the name of an option is one`(argument: String, isValue: Bool) {
        #expect(Parser.isValue(argument) == isValue)
    }

    static let known = ["--limit", "--force", "--json", "--color", "--help"]

    @Test(
        arguments: [
            ("", .missingArguments(["FILE"])),
            ("a b c", .unexpectedArgument("c")),
            ("a --limt 3", .unknownOption("--limt", known: known)),
            ("a -x", .unknownOption("-x", known: known)),
            ("a --limit", .missingValue("--limit", placeholder: "N")),
            ("a --limit --force", .missingValue("--limit", placeholder: "N")),
            ("a --limit 1 --limit 2", .repeatedOption("--limit")),
            ("a --force=yes", .unexpectedValue("--force")),
        ] as [(String, UsageError.Problem)]
    )
    func `an invalid argument throws an error that names it`(words: String, problem: UsageError.Problem) {
        #expect(throws: UsageError("copy", problem)) { try parse(words) }
    }

    @Test func `a value that is not as expected is an error before the command runs`() throws {
        #expect(throws: UsageError("copy", .badValue("many", of: "--limit", expected: "a number"))) {
            try parse("a --limit many")
        }
    }

    @Test(
        arguments: [
            ("30", 30), ("30s", 30), ("0.5s", 0.5), ("0", nil), ("s", nil), ("30m", nil), ("-1s", nil), ("nan", nil),
        ] as [(String, Double?)]
    )
    func `a time limit is a number of seconds, with or without their unit`(text: String, seconds: Double?) {
        for option in [SharedArguments.timeout, ExperimentArguments.timeout] {
            let syntax = Syntax("run", abstract: "Runs", arguments: [option], examples: [:], jsonShape: "nothing")
            let given = try? Parser(syntax: syntax).parse(["--timeout=\(text)"])[option]
            #expect(given == seconds)
        }
    }

    @Test func `help needs no other arguments`() throws {
        #expect(try parse("--help")[GlobalOptions.help])
        #expect(try parse("-h")[GlobalOptions.help])
    }

    @Test func `help shows usage, arguments and options`() {
        let help = HelpText(tool: "tool").help(for: Self.syntax)
        #expect(help.contains("Usage: tool copy [--limit N] [--force] [--json] FILE [OTHER]"))
        #expect(help.contains("  -f, --force"))
        #expect(help.contains("--color auto|always|never"))
    }

    @Test(arguments: Tool.syntaxes.map(\.name))
    func `every command can describe what it prints with --json`(name: String) throws {
        let shape = try #require(Tool.syntaxes.first { $0.name == name }).jsonShape
        #expect(shape.count { $0 == "{" } == shape.count { $0 == "}" })
        #expect(!shape.isEmpty && shape.count { $0 == "(" } == shape.count { $0 == ")" })
    }

    @Test func `messages have one to three lines and name the help to read`() {
        let error = UsageError("copy", .unknownOption("--limt", known: Self.known))
        #expect(
            Messages.text(of: error, tool: "tool") == [
                "There is no option --limt.", "Did you mean --limit?", "See 'tool copy --help'.",
            ]
        )
    }
}

@Suite struct SuggestionTests {
    @Test(
        arguments: [
            ("vreify", "verify"), ("jmup", "jump"), ("shwo", "show"), ("lgo", "log"), ("INFO", "info"),
            ("rep", "replay"), ("dif", "diff"), ("completely", nil), ("", nil), ("x", nil),
        ] as [(String, String?)]
    )
    func `the nearest command is suggested for a typo`(typed: String, meant: String?) {
        let commands = ["record", "info", "log", "show", "jump", "diff", "replay", "verify"]
        #expect(Suggestion.nearest(to: typed, in: commands) == meant)
    }

    @Test(arguments: [("", "", 0), ("ab", "ba", 1), ("kitten", "sitting", 3), ("ca", "abc", 3), ("abc", "", 3)])
    func `the distance counts a swap of neighbours as one`(left: String, right: String, distance: Int) {
        #expect(Suggestion.distance(Array(left), Array(right)) == distance)
    }
}
