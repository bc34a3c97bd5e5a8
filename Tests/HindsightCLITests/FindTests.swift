import Foundation
import Testing

@testable import HindsightCLI

@Suite struct FindTests {
    private let checkout = Fixtures.recording("checkout").path

    private func run(_ words: String...) -> (code: ExitCode, text: String, errors: String) { run(words) }

    private func run(_ words: [String]) -> (code: ExitCode, text: String, errors: String) {
        let harness = ToolHarness()
        let code = harness.run(words)
        return (code, harness.text, harness.errorText)
    }

    @Test func `find names the first position, its action and the values`() {
        let answer = run("find", checkout, "/audit/refusals = 6", "--first")
        #expect(answer.code == .fine, "\(answer.errors)")
        #expect(answer.text.hasPrefix("/audit/refusals = 6 is true at 12, by SetAddress("), "\(answer.text)")
        #expect(answer.text.contains("dispatched at checkout.jsonl:12: /audit/refusals = 6.\n"), "\(answer.text)")
        #expect(answer.text.contains("tool show "), "\(answer.text)")
    }

    @Test func `a position after a reducer of time travel is that after all of it, in each command`() throws {
        let scratch = Scratch()
        let file = scratch.file("travels.jsonl")
        let text = DebugTests.travels.replacing(#"["count"]"#, with: #"["count","other"]"#)
            .replacing(#""times":[1]"#, with: #""times":[1,1]"#)
        try Data(text.utf8).write(to: file)
        let commands: [[String]] = [
            ["find", "/count = 0", "--count", "--to"], ["find", "/count = 0", "--by", "reducer", "--json", "--to"],
            ["find", "/count >= 0", "--json", "--from"], ["bisect", "/count = 0", "--json", "--from", "1", "--to"],
            ["log", "--json", "--to"], ["stats", "--json", "--to"], ["diff", "--json", "1"],
            ["history", "/count", "--json", "--at"], ["blame", "/count", "--json", "--at"], ["jump"],
        ]
        for words in commands {
            let (whole, step) = (
                run([words[0], file.path] + words.dropFirst() + ["2"]),
                run([words[0], file.path] + words.dropFirst() + ["2.1"])
            )
            // An answer may repeat the position that was asked for.
            let text = step.text.replacing(#""position":"2.1""#, with: #""position":"2""#)
            #expect(whole.code == step.code && whole.text == text, "\(words): \(whole) \(step)")
        }
        #expect(run("find", file.path, "/count = 0", "--count", "--to", "2.1").text.hasPrefix("2\n"))
        #expect(run("find", file.path, "/count = 0", "--count", "--to", "2.0").text.hasPrefix("1\n"))
    }

    @Test func `find counts, and --becomes counts turns`() {
        #expect(run("find", checkout, "/audit/refusals >= 6", "--count").text.hasPrefix("55\n"))
        #expect(run("find", checkout, "/audit/refusals >= 6", "--count", "--becomes").text.hasPrefix("1\n"))
        #expect(run("find", checkout, "type = 'SetAddress'", "--count").text.hasPrefix("3\n"))
        // What is true from the first position on does not become true, however many positions follow.
        #expect(run("find", checkout, "/audit/refusals >= 0", "--count", "--becomes").text.hasPrefix("0\n"))
        #expect(run("find", checkout, "1", "--count", "--becomes", "--from", "5").text.hasPrefix("0\n"))
    }

    @Test func `the summary counts turns with --becomes, and the same true positions as without`() {
        let words = ["find", checkout, "/audit/refusals = 6 or seq < 3", "--count", "--json"]
        for (more, turns) in [([], "null"), (["--becomes"], "1")] {
            let answer = run(words + more)
            #expect(answer.text.contains(#""true":6,"null":0,"unknown":0,"turns":\#(turns)"#), "\(answer)")
        }
    }

    @Test func `find looks after each reducer if the expression names one`() {
        let answer = run("find", checkout, "reducer = 'audit' and changed(/audit/refusals)", "--first")
        #expect(answer.text.contains("is true at 4.9, in audit, by AddLine("), "\(answer.text)")
    }

    @Test func `find prints a line a stretch and a summary as JSON`() {
        let answer = run("find", checkout, "/audit/refusals = 6", "--json")
        #expect(answer.text.hasPrefix(#"{"position":"12","to":"14","count":3}"#), "\(answer.text)")
        #expect(
            answer.text.contains(#"{"event":"summary","positions":67,"true":3,"null":0,"unknown":0"#),
            "\(answer.text)"
        )
    }

    @Test func `find tells of a path that does not exist`() {
        let answer = run("find", checkout, "/audit/refusal = 6")
        #expect(answer.code == .usage)
        #expect(answer.errors.contains("There is nothing at /audit/refusal at any position."))
        #expect(answer.errors.contains("Did you mean /audit/refusals?"), "\(answer.errors)")
    }

    @Test func `a mistake has a caret and a suggestion`() {
        let answer = run("find", checkout, "/audit/refusals = 6 and tpye = 'Pay'")
        #expect(answer.code == .usage)
        #expect(
            answer.errors == """
                error: There is no column tpye.
                  /audit/refusals = 6 and tpye = 'Pay'
                                          ^
                  Did you mean type?

                """
        )
    }

    @Test(arguments: ["--csv", "--json", "--color=never"])
    func `sql prints rows as it finds them, and its time limit covers the printing`(option: String) {
        let endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x"
        var text = ""
        // A busy machine may need longer for the first rows.
        for seconds in ["1", "10", "60"] where !text.contains("201") {
            let few = run("sql", checkout, "\(endless) FROM c", "--timeout", seconds, option)
            #expect(few.code == .usage)
            #expect(few.errors == "error: It took too long, and was stopped.\n")
            text = few.text
        }
        #expect(text.contains("201"), "\(text.count)")
        // Each row takes SQLite no time, and much of it to print.
        let clock = ContinuousClock()
        var huge: (code: ExitCode, text: String, errors: String)?
        let time = clock.measure {
            huge = run(
                "sql",
                checkout,
                "\(endless), printf('%.*c', 200000, char(9)) AS t FROM c",
                "--timeout",
                "0.3",
                option
            )
        }
        #expect(huge?.errors == "error: It took too long, and was stopped.\n")
        #expect(time < .seconds(90), "\(time)")
    }

    @Test func `a huge cell does not widen the others`() {
        let rows = "SELECT 'a' AS t, 1 AS n UNION ALL SELECT printf('%.*c', 100000, 'b'), 2"
        let lines = run("sql", checkout, rows).text.split(separator: "\n").map(\.utf8.count)
        #expect(lines == [1003, 1003, 100_003])
    }

    @Test func `a table that is not available is told with those that are`() {
        let list = "There are: changes, history, notes, reducers, steps, json_each, json_tree.\n"
        let near = run("sql", checkout, "SELECT * FROM note")
        #expect(near.code == .usage)
        #expect(near.errors.hasPrefix("error: The table note is not available here.\n"), "\(near.errors)")
        #expect(near.errors.hasSuffix("  Did you mean notes?\n  \(list)"), "\(near.errors)")
        let far = run("sql", checkout, "SELECT * FROM keyframe")
        #expect(far.errors.contains("The table keyframe is not available here."), "\(far.errors)")
        #expect(far.errors.hasSuffix("^\n  \(list)"), "\(far.errors)")
        let found = run("find", checkout, "exists (select 1 from sqlite_schema)")
        #expect(found.errors.hasSuffix("There are: json_each, json_tree.\n"), "\(found.errors)")
    }

    @Test(arguments: [
        ["find", "/cart/total < 0"], ["bisect", "/cart/total < 0"], ["whatif", "--when", "/cart/total < 0"],
        ["sql", "SELECT /cart/total FROM history"], ["history", "/cart/total"], ["log", "--path", "/cart/total"],
    ])
    func `a path that is nowhere is told by each command, with a near one`(words: [String]) {
        let answer = run([words[0], checkout] + words.dropFirst())
        #expect(answer.code == .usage, "\(answer)")
        #expect(answer.errors.contains("/cart/total"), "\(answer.errors)")
        #expect(answer.errors.contains("Did you mean /cart/totals"), "\(answer.errors)")
    }

    @Test(arguments: [
        ("type = 'AddLin'", "There is no action of type AddLin.\n  Did you mean AddLine?"),
        ("type in ('AddLine1', 'Pay')", "There is no action of type AddLine1.\n  Did you mean AddLine?"),
        ("reducer = 'cart.total'", "There is no reducer cart.total.\n  Did you mean cart.totals?"),
    ])
    func `names that do not occur are told by find, bisect and whatif`(text: String, remark: String) {
        let isEmpty = !text.contains("Pay")
        for words in [["find", checkout, text], ["bisect", checkout, text], ["whatif", checkout, "--when", text]] {
            let answer = run(words)
            // A part of it may be true.
            if !isEmpty, words[0] != "bisect" { continue }
            #expect(answer.code == (isEmpty ? .usage : .fine), "\(answer)")
            #expect(answer.errors.contains(remark.split(separator: "\n")[0]), "\(words[0]): \(answer.errors)")
            #expect(answer.errors.contains(remark.split(separator: "\n")[1]), "\(words[0]): \(answer.errors)")
        }
    }

    @Test func `sql tells names that do not occur if there are no rows`() {
        let none = run("sql", checkout, "SELECT seq FROM history WHERE type = 'AddLin'")
        #expect(none.code == .usage && none.errors.contains("Did you mean AddLine?"), "\(none)")
        let reducer = run("sql", checkout, "SELECT seq FROM steps WHERE name = 'cart.total'")
        #expect(reducer.code == .usage && reducer.errors.contains("Did you mean cart.totals?"), "\(reducer)")
        for columns in ["count(*)", "sum(duration)", "count(*), max(seq)"] {
            let empty = run("sql", checkout, "SELECT \(columns) FROM history WHERE type = 'AddLin'")
            #expect(empty.code == .usage && empty.errors.contains("Did you mean AddLine?"), "\(columns): \(empty)")
        }
        let path = run("sql", checkout, "SELECT seq FROM changes WHERE path = '/cart/totlas'")
        #expect(path.code == .usage && path.errors.contains("Did you mean /cart/totals?"), "\(path)")
        let kind = run("sql", checkout, "SELECT count(*) FROM changes WHERE op = 'repalce'")
        #expect(kind.errors.contains("There is no kind of operation repalce.\n  Did you mean replace?"), "\(kind)")
        for statement in [
            "SELECT count(*) FROM notes WHERE name = 'AddLin'",
            "SELECT type, count(*) FROM history WHERE type IN ('AddLine', 'AddLin') GROUP BY type",
            "SELECT count(*) FROM changes WHERE path = '/cart/totals' AND op = 'edit'",
        ] {
            let some = run("sql", checkout, statement)
            #expect(some.code == .fine && some.errors.isEmpty, "\(statement): \(some)")
        }
    }

    @Test(arguments: [
        (
            "SELECT /cart/totals/gross FROM history a JOIN steps s ON a.seq = s.seq",
            "A path is the value at the position of a row, and several of the views have one.",
            "Say which: value(history.position, '/cart/totals/gross'), with the name or alias of the view before"
        ),
        (
            "SELECT old(/cart/totals/gross) FROM history a JOIN steps s ON a.seq = s.seq",
            "several of the views have one",
            "Say which: old(history.position, '/cart/totals/gross'),"
        ),
        (
            "SELECT old(value('/cart/totals/gross')) FROM history", "old() takes another number of arguments.",
            "Write old('/cart/totals/gross')"
        ),
        (
            "SELECT value(position, /cart/totals) FROM history", "value, old and changed take a path",
            "Write the path in quotes: value(position, '/cart/totals')"
        ),
    ])
    func `sql says what to write for a position and a path`(statement: String, reason: String, advice: String) {
        let answer = run("sql", checkout, statement)
        #expect(answer.code == .usage, "\(answer)")
        #expect(answer.errors.contains(reason) && answer.errors.contains(advice), "\(answer.errors)")
    }

    @Test(arguments: [
        ("SELECT seq FROM history WHERE position > 3", true),
        ("SELECT a.seq FROM history a WHERE type = 'AddLine' AND a.position BETWEEN 3 AND 5", true),
        ("WITH x AS (SELECT position p FROM history WHERE position <> 3) SELECT p FROM x", true),
        ("SELECT 5 FROM (SELECT 5 AS position) WHERE position > 3", true),
        ("SELECT 5 FROM (SELECT 5 position) WHERE position > 3", true),
        ("WITH x(position) AS (SELECT 5) SELECT 5 FROM x WHERE 3 < position", true),
        ("SELECT seq FROM history WHERE position > '3'", false), ("SELECT position + 1 > 3 FROM history", false),
        ("SELECT seq FROM history WHERE position > 3 || ''", false),
    ])
    func `sql says of what kind a position is, and runs what compares it with a number`(
        statement: String,
        isTold: Bool
    ) {
        let answer = run("sql", checkout, statement)
        #expect(answer.code == .fine, "\(answer)")
        let sentence = "The column position of the views is a text such as '3.2', and SQLite sorts all texts after all"
        #expect(answer.errors.contains(sentence) == isTold, "\(answer)")
    }

    private static let kinds: [(statement: String, remark: String?)] = [
        ("SELECT count(*) FROM history WHERE /notice = NULL", "A comparison with NULL is never true. Write “is null”"),
        ("SELECT count(*) FROM history WHERE /notice IS NULL", nil),
        ("SELECT 1 FROM history WHERE at > 'x' AND 0", "The column at of the views is a number, and 'x' is a text."),
        (
            "SELECT count(*) FROM steps WHERE reducer = 'items'",
            "The column reducer of the views is a number, and 'items' is a text. A reducer's name is in the column"
        ),
        ("SELECT count(*) FROM steps WHERE name = 'items'", nil), ("SELECT count(*) FROM history WHERE seq > 3", nil),
        ("SELECT new FROM changes WHERE new > 2", "The column new of the view changes may be a text, and SQLite sorts"),
        ("SELECT new FROM changes WHERE new > 2 AND typeof(new) <> 'text'", nil),
        ("SELECT new FROM changes WHERE new = 2", nil),
    ]

    @Test(arguments: kinds) func `sql says of a comparison with another kind of value what it means`(
        statement: String,
        remark: String?
    ) {
        let answer = run("sql", fixture("todo"), statement)
        #expect(answer.code == .fine, "\(answer)")
        #expect(remark.map { answer.errors.contains($0) } ?? answer.errors.isEmpty, "\(answer)")
    }

    @Test(arguments: [
        ("SELECT * FROM read_me", "The table read_me is not available here."),
        ("WITH a AS (SELECT * FROM main.read_me) SELECT * FROM a", "The table read_me is not available here."),
        ("SELECT 'recordings' FROM read_me", "The table read_me is not available here."),
        ("SELECT * FROM 'keyframe'", "The table keyframe is not available here."),
        ("SELECT * FROM sqlite_schema", "It reads a table that is not available here."),
    ])
    func `an error names only a table that the statement names`(statement: String, reason: String) {
        let answer = run("sql", checkout, statement)
        #expect(answer.code == .usage && answer.errors.hasPrefix("error: \(reason)\n"), "\(answer)")
    }

    @Test(arguments: [
        ["find", "/titel = 1"], ["find", "value('/items/*/title') = 1"], ["find", "value('/itmes/*/title') = 1"],
        ["sql", "SELECT value(position, '/items/*/title') FROM history"], ["history", "/titel"],
    ])
    func `a path that is near is one place, and another one`(words: [String]) {
        let answer = run([words[0], fixture("doubtful")] + words.dropFirst())
        #expect(answer.code == .usage && answer.errors.contains("/items/0/title?\n"), "\(answer)")
    }

    @Test func `a path that is the value at another one is told with what to write`() {
        let answer = run("find", checkout, "old(value('/shipping/address/city')) = 3")
        #expect(answer.code == .usage && answer.errors.contains("Write old('/shipping/address/city')"), "\(answer)")
        let two = run("find", checkout, "value(position, /cart/totals) = 3")
        #expect(two.errors.hasPrefix("error: value() takes another number of arguments."), "\(two)")
    }

    @Test(arguments: ["type > 'a'", "type < 'A'", "reducer > 'zz'", "'zz' < reducer", "payload ->> '$.a' = seq"])
    func `only = and IN name a type or a reducer`(condition: String) {
        let answer = run("find", checkout, condition)
        #expect(answer.code == .fine && answer.errors.isEmpty, "\(answer)")
    }

    @Test(arguments: [
        (
            "/audit/refusals = '6'",
            "At 66, /audit/refusals is 25, a number; '6' is a text.\n  A number stands without quotes: 6"
        ),
        ("/audit/refusals in ('a', 'b')", "At 66, /audit/refusals is 25, a number; 'a', 'b' are texts."),
        ("/audit/refusals between 'a' and 'b'", "is 25, a number; 'a', 'b' are texts."),
        ("'a' < /audit/refusals", "is 25, a number; 'a' is a text."),
        ("old(/audit/refusals) = '3'", "is 25, a number; '3' is a text.\n  A number stands without quotes: 3"),
        ("value('/audit/refusals') = 'x' and (not type = 'Pay' or 0)", "is 25, a number; 'x' is a text."),
        ("/shipping/address/city < -5", "a text; -5 is a number.\n  A text stands in single quotes: '-5'"),
        (
            "/cart/lines = 3",
            "which compares as its JSON text.\n  For the number of its elements: json_array_length(/cart/lines)"
        ),
        ("/cart/lines in (3, 'x')", "At 66, /cart/lines is [], which compares as its JSON text.\n"),
        ("/cart/totals = 'x'", "which compares as its JSON text."),
        // These are true everywhere.
        ("/audit/refusals is not '5'", "is 25, a number; '5' is a text.\n  A number stands without quotes: 5"),
        ("/audit/refusals not in ('a')", "is 25, a number; 'a' is a text."),
        ("/audit/refusals not between 'a' and 'b'", "is 25, a number; 'a', 'b' are texts."),
        ("/audit/refusals < 'a'", "is 25, a number; 'a' is a text."),
        ("/cart/lines is not 5", "which compares as its JSON text."),
    ])
    func `a value of another kind than the literal is a remark, and no mistake`(condition: String, remark: String) {
        for words in [["find", checkout, condition], ["bisect", checkout, condition]] {
            let answer = run(words)
            #expect(answer.code == .fine && answer.errors.contains(remark), "\(words[0]): \(answer)")
            #expect(!answer.errors.contains("never") && !answer.errors.contains("always"), "\(words[0]): \(answer)")
        }
    }

    @Test func `the remark on a value of another kind is one of sql, whatif and JSON, too`() {
        let remark = "At 66, /audit/refusals is 25, a number; '6' is a text."
        for words in [
            ["sql", checkout, "SELECT seq FROM history WHERE /audit/refusals = '6'"],
            ["whatif", checkout, "--when", "/audit/refusals = '6'"],
        ] {
            let answer = run(words)
            #expect(answer.code == .fine && answer.errors.contains(remark), "\(words[0]): \(answer)")
        }
        let json = run("find", checkout, "/audit/refusals = '6'", "--json")
        #expect(json.text.contains(#""otherKind":["/audit/refusals"]"#), "\(json)")
    }

    @Test(arguments: [
        "/audit/refusals between 1 and 'a'", "/audit/refusals + 1 > 'a'", "/audit/refusals >= 0",
        "/audit/refusals > 'a' || 'b'", "/audit/refusals = '6' or seq = 3", "/audit/refusals is null",
    ])
    func `no remark tells the kind of a value that may be compared`(condition: String) {
        #expect(!run("find", checkout, condition).errors.contains("; "))
    }

    @Test func `a path in quotes that is compared with a literal is refused`() {
        for condition in ["'/audit/refusals' = 25", "25 < '/audit/refusals'", "'/audit/refusals' in ('a')"] {
            let answer = run("find", checkout, condition)
            #expect(answer.code == .usage, "\(answer)")
            #expect(answer.errors.contains("'/audit/refusals' is a text, and not the value at this path"), "\(answer)")
        }
        #expect(run("find", checkout, "'/audit/refusals' = 25 or seq = 1").code == .fine)
        #expect(run("find", checkout, "payload ->> '$.AddLine.sku' = '/x'").code == .fine)
        #expect(run("find", checkout, "value('/audit/refusals') = 25").code == .fine)
    }

    @Test func `a reducer that does not occur is a mistake although some states were not recorded`() {
        let answer = run("find", fixture("bridged"), "reducer = 'itemss'")
        #expect(answer.code == .usage && answer.errors.contains("Did you mean items?"), "\(answer)")
    }

    @Test func `NULL is told only where a value is missing`() {
        #expect(!run("find", checkout, "type = 'AddLine'").text.contains("NULL"))
        #expect(
            run("find", checkout, "/cart/lines/0/quantity > 2").text.contains("It is NULL, which counts as not true")
        )
    }

    @Test func `an expression may begin with a minus`() {
        let answer = run("find", checkout, "-/audit/refusals < -7")
        #expect(answer.code == .fine && answer.text.contains("is true at"), "\(answer)")
        #expect(run("find", checkout, "-x").errors.contains("There is no option -x."))
        for words in [
            ["find", checkout, "-old(/audit/refusals) < -7"], ["bisect", checkout, "-seq < -7"],
            ["sql", checkout, "-- the last one\nselect max(seq) from history"],
            ["whatif", checkout, "--when", "-seq < -99"],
        ] {
            let answer = run(words)
            #expect(!answer.errors.contains("option") && !answer.errors.contains("needs a value"), "\(answer)")
        }
    }

    @Test func `sql tells NULL from an empty text, and writes no formula into CSV`() {
        let table = run("sql", checkout, "SELECT NULL, '', 'NULL', 1")
        #expect(table.text.split(separator: "\n")[1] == "NULL      'NULL'  1", "\(table.text)")
        let csv = run("sql", checkout, "SELECT NULL, '', '=1+1', '@x', -5, '+', '-1', 'a,b', char(9) || '=1'", "--csv")
        #expect(csv.text.split(separator: "\n")[1] == ",\"\",'=1+1,'@x,-5,'+,'-1,\"a,b\",'\t=1", "\(csv.text)")
    }

    @Test func `history names the command for many places`() {
        let answer = run("history", checkout, "/cart/lines/*/sku")
        #expect(answer.code == .usage && answer.errors.contains("--path '/cart/lines/*/sku'"), "\(answer.errors)")
    }

    @Test func `a time without a fraction covers its second, and one before the start is the start`() {
        #expect(run("log", checkout, "--to", "+00:00").text.split(separator: "\n").count == 66)
        #expect(run("log", checkout, "--to", "+0s").text.split(separator: "\n").count == 66)
        #expect(run("log", checkout, "--from", "-1h").text.split(separator: "\n").count == 66)
        #expect(run("log", checkout, "--to", "+00:00.000").text.isEmpty)
    }

    @Test func `--from with a time begins with the first position of its second, in each command`() {
        // All of the recording is in one second.
        for (words, part) in [
            (["log", "--json"], #"{"seq":1,"#), (["find", "1", "--json"], #"{"position":"0","to":"66","count":67}"#),
            (["stats", "--json"], #""actions":66,"#), (["export", "--format", "csv"], "\n1,"),
            (["bisect", "/audit/refusals >= 6", "--json"], #""position":"12.9""#),
        ] {
            let answer = run([words[0], checkout] + words.dropFirst() + ["--from", "+00:00"])
            #expect(answer.code == .fine && answer.text.contains(part), "\(words): \(answer)")
        }
    }

    @Test func `the help says which comparisons of numbers are exact`() {
        for (command, words) in [
            ("sql", "BETWEEN, IN and ORDER BY compare it as text"),
            ("find", "fails for a number that no 64-bit INTEGER or REAL holds"),
            ("bisect", "fails for a number that no 64-bit INTEGER or REAL holds"),
        ] {
            let help = run(command, "--help").text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
            #expect(help.contains(words), "\(help)")
        }
    }

    @Test func `find says of the first and the last stretch only what it saw`() {
        for (words, sentence) in [
            (["/audit/refusals = 0", "--first"], "/audit/refusals = 0 is true at the start: /audit/refusals = 0.\n"),
            (["seq = 0"], "seq = 0 is true at the start.\n"),
            (["/audit/refusals = 0", "--last"], "/audit/refusals = 0 was last true from the start to 3: "),
            (["/audit/refusals = 6", "--last"], "/audit/refusals = 6 was last true from 12 to 14, by SetAddress("),
            (
                ["/audit/refusals = 6", "--last", "--becomes"],
                "/audit/refusals = 6 last became true at 12, by SetAddress("
            ),
            (["seq = 66", "--last"], "seq = 66 was last true at 66, by "),
        ] {
            let answer = run(["find", checkout] + words)
            #expect(answer.text.hasPrefix(sentence), "\(words): \(answer)")
        }
    }

    @Test func `bisect says that it is true from a position on only if it is`() {
        let turns = run("bisect", checkout, "seq >= 60 and seq <> 65")
        #expect(turns.text.hasPrefix("seq >= 60 and seq <> 65 becomes true at 60.1, in "), "\(turns)")
        let start = run("bisect", checkout, "seq = 0")
        #expect(
            start.text.hasPrefix(
                "seq = 0 is true at 0 already, where the search begins.\nIt does not stay true: it turns 1 time.\n"
            ),
            "\(start)"
        )
    }

    @Test func `a name that does not occur is no mistake of bisect if the rest is true before`() {
        let answer = run("bisect", checkout, "type = 'AddLin' or seq = 3")
        #expect(answer.code == .fine && answer.text.contains("first at 3, at 1 position"), "\(answer)")
        #expect(answer.errors.contains("There is no action of type AddLin."), "\(answer)")
    }

    @Test func `bisect names the reducer, and that it stays so`() {
        let answer = run("bisect", checkout, "/audit/refusals >= 6")
        #expect(answer.code == .fine, "\(answer.errors)")
        #expect(answer.text.hasPrefix("/audit/refusals >= 6 is true from 12.9 on, in audit, by SetAddress("))
        #expect(answer.text.contains("all positions were checked"), "\(answer.text)")
    }

    @Test func `bisect names the reducer from which on it is true, and the value there`() throws {
        let scratch = Scratch()
        let file = scratch.file("s.jsonl")
        func change(_ old: Int, _ new: Int) -> String {
            #"[{"op":"replace","path":"/a","old":\#(old),"value":\#(new)}]"#
        }
        let lines = [
            #"{"hindsight":"recording","text":1,"app":"x","version":"1","platform":"x","created":1,"#
                + #""facts":{"closed":9},"reducers":["one","two","three","four"],"state":{"a":0}}"#,
            #"{"action":"s","payload":{"s":{}},"changes":{"one":\#(change(0, -1)),"two":\#(change(-1, 1)),"#
                + #""three":\#(change(1, -2)),"four":\#(change(-2, -3))},"at":5,"duration":4,"times":[1,1,1,1]}"#,
            #"{"end":true}"#,
        ]
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: file)
        let answer = withExtendedLifetime(scratch) { run("bisect", file.path, "/a < 0") }
        #expect(answer.text.hasPrefix("/a < 0 is true from 1.3 on, in three, by s: /a = -2."), "\(answer)")
    }

    @Test func `find and bisect look up to the crash, and not after it`() {
        let crash = fixture("crashed/checkout-crash")
        let found = run("find", crash, "/cart/totals/gross > 100", "--to", "crash")
        #expect(found.text == "/cart/totals/gross > 100 is true at none of 12 positions.\n", "\(found)")
        let searched = run("bisect", crash, "/cart/totals/gross > 100", "--to", "crash")
        #expect(searched.text.contains("is not true at 11, where the search ends."), "\(searched)")
        let nothing = run("bisect", crash, "seq > 3", "--from", "5.1", "--to", "5.2")
        #expect(nothing.code == .usage && nothing.errors.contains("is from 5.1 to 5.2"), "\(nothing)")
        let swapped = run("bisect", crash, "seq > 3", "--from", "6", "--to", "5.2")
        #expect(swapped.code == .usage && swapped.errors.contains("--from 6 is after --to 5.2"), "\(swapped)")
        #expect(swapped.errors.contains("Swap the two."), "\(swapped)")
    }

    @Test func `bisect tells if it does not stay true`() {
        let answer = run("bisect", checkout, "/audit/refusals = 6")
        #expect(answer.text.contains("is not true at 66"), "\(answer.text)")
        #expect(answer.text.contains("first at 12, at 3 positions"), "\(answer.text)")
        let negative = run("bisect", checkout, "-1 * /audit/refusals = -6")
        #expect(negative.text.contains(" '-1 * /audit/refusals = -6' --becomes"), "\(negative.text)")
    }

    @Test func `bisect refuses what it looks at nowhere, and says what to do`() {
        let answer = run("bisect", checkout, "reducer = 'audit' and changed(/audit/refusals)")
        #expect(answer.code == .usage && answer.text.isEmpty, "\(answer)")
        #expect(answer.errors.contains("error: bisect looks after whole actions, where reducer is NULL."), "\(answer)")
        #expect(answer.errors.contains("--by reducer"), "\(answer)")
    }

    @Test func `bisect tells apart what is true before and what does not stay true`() {
        for (condition, sentence, json) in [
            // It is true at 5 and at 60 to 66: the search looks at neither 5 nor its neighbours.
            (
                "seq = 5 or seq >= 60",
                "It is true before, too, first at 5, and turns 3 times. From 60.1 on, it stays true up to 66.",
                #""staysTrue":true,"trueBefore":"5","#
            ),
            (
                "seq >= 60 and seq <> 65", "It does not stay true: it turns 3 times.",
                #""staysTrue":false,"trueBefore":null,"#
            ),
            (
                "seq = 5 or seq >= 60 and seq <> 65",
                "It is true before, too, first at 5, and does not stay true: it turns 5 times.",
                #""staysTrue":false,"trueBefore":"5","#
            ),
            ("seq <> 65", "It does not stay true: it turns 2 times.", #""staysTrue":false,"trueBefore":null,"#),
            ("seq >= 60", "and stays true up to 66", #""staysTrue":true,"trueBefore":null,"#),
        ] {
            let answer = run("bisect", checkout, condition)
            #expect(answer.text.contains(sentence), "\(condition): \(answer)")
            #expect(!answer.text.contains("as it is there"), "\(condition): \(answer)")
            let line = run("bisect", checkout, condition, "--json")
            #expect(line.text.contains(json), "\(condition): \(line)")
        }
    }

    @Test func `bisect tells a path that is nowhere although the answer is true`() {
        let answer = run("bisect", checkout, "/audit/refusal is null")
        #expect(answer.code == .fine && answer.text.contains("is true at 0 already"), "\(answer)")
        #expect(answer.errors.contains("There is nothing at /audit/refusal at any position."), "\(answer)")
        #expect(!run("bisect", checkout, "/audit/refusals is not null").errors.contains("There is nothing"))
    }

    @Test func `bisect --run says what it does not know as a sentence`() {
        let answer = run("bisect", checkout, "--run", "exit 125")
        #expect(
            answer.text.hasPrefix("Whether the state is bad at 0 is not known, and the search needs it there."),
            "\(answer)"
        )
    }

    private func fixture(_ name: String) -> String { Fixtures.recording(name).path }

    @Test func `find and bisect tell that a path, or what is below it, is redacted`() {
        for (condition, path) in [
            ("/items/0/title <> 'secret'", "/items/0/title"), ("/items like '%milk%'", "/items"),
        ] {
            for command in ["find", "bisect"] {
                let answer = run(command, fixture("partial"), condition)
                #expect(answer.errors.contains("\(path) is redacted, or has redacted values"), "\(answer)")
                let json = run(command, fixture("partial"), condition, "--json")
                #expect(json.text.contains("\"redacted\":[\"\(path)\"]"), "\(json)")
            }
        }
        let plain = run("find", fixture("partial"), "/counts/open > 2", "--json")
        #expect(plain.text.contains(#""redacted":[]"#), "\(plain)")
    }

    @Test(arguments: [
        ("/items/0/title <> 'secret'", "\"true\":0,\"null\":0,\"unknown\":32,"),
        ("/items like '%milk%'", "\"true\":0,\"null\":0,\"unknown\":32,"),
        ("changed(/items/0/title)", "\"true\":0,\"null\":0,\"unknown\":31,"),
        ("payload like '%title%'", "\"true\":0,\"null\":1,\"unknown\":2,"),
        ("type = 'add' and payload like '%milk%'", "\"true\":0,\"null\":1,\"unknown\":2,"),
        // A place in a payload is known if nothing there is redacted.
        ("payload ->> '$.add.title' = 'x'", "\"true\":0,\"null\":30,\"unknown\":2,"),
        ("payload ->> '$.add' = 'x'", "\"true\":0,\"null\":30,\"unknown\":2,"),
        ("payload -> 'add' ->> 'title' = 'x'", "\"true\":0,\"null\":30,\"unknown\":2,"),
        ("payload ->> '$.add.title.more' = 'x'", "\"true\":0,\"null\":30,\"unknown\":2,"),
        ("payload ->> '$' = 'x'", "\"true\":0,\"null\":1,\"unknown\":2,"),
        ("payload ->> '$.add.tags' is not null", "\"true\":1,\"null\":0,\"unknown\":0,"),
        ("'home' = payload ->> '$.add.tags[0]'", "\"true\":1,\"null\":31,\"unknown\":0,"),
        ("json_extract(payload, '$.add.tags') is not null", "\"true\":1,\"null\":0,\"unknown\":0,"),
        ("payload ->> '$.toggle.id' = 10", "\"true\":3,\"null\":26,\"unknown\":0,"),
        // Of what is not plain, nothing is known.
        ("payload ->> '$.\"add\".tags' is not null", "\"true\":0,\"null\":0,\"unknown\":2,"),
        ("payload ->> ('$.add.' || 'tags') is not null", "\"true\":0,\"null\":0,\"unknown\":2,"),
        ("'' || payload ->> '$.add.tags' is not null", "\"true\":0,\"null\":0,\"unknown\":2,"),
        ("exists (select 1 where payload ->> '$.add.tags' is not null)", "\"true\":0,\"null\":0,\"unknown\":2,"),
        // Only four states were left out.
        ("/items/0 is not null", "\"true\":28,\"null\":0,\"unknown\":4,"),
        ("json_array_length(/items) > 3", "\"true\":28,\"null\":0,\"unknown\":4,"),
        // These ask for a part of it.
        ("json_array_length(/items, '$[0].title') is 0", "\"true\":0,\"null\":0,\"unknown\":32,"),
        ("json_type(/items -> 0 -> 'title') = 'text'", "\"true\":0,\"null\":0,\"unknown\":32,"),
        (
            "exists (select 1 from json_each(/items) where value ->> 'id' is not null)",
            "\"true\":28,\"null\":0,\"unknown\":4,"
        ),
        ("type = 'undo'", "\"true\":9,\"null\":1,\"unknown\":0,"),
    ])
    func `what depends on a redacted value is not known`(condition: String, counts: String) {
        let answer = run("find", fixture("partial"), condition, "--json", "--by", "action")
        #expect(answer.text.contains("\"positions\":32,\(counts)"), "\(answer)")
    }

    @Test func `find names all positions at which a result is not known, and no others`() throws {
        let scratch = Scratch()
        let file = scratch.file("s.jsonl")
        let head =
            #"{"hindsight":"recording","text":1,"app":"x","version":"1","platform":"x","created":1,"facts":{"closed":9,"#
            + #""redaction":{"states":[],"actions":[{"path":"/s/x"}]}},"reducers":["r"],"state":{}}"#
        // Odd actions have a redacted value, and at last two in a row.
        let payloads = (1...2010).map { $0 % 2 == 1 ? #""s","payload":{"s":{"x":""}}"# : #""t","payload":{"t":{}}"# }
        let actions = (payloads + [payloads[0], payloads[0]]).map {
            #"{"action":\#($0),"at":5,"duration":1,"times":[1]}"#
        }
        let lines = [head] + actions + [#"{"end":true}"#]
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: file)
        let answer = withExtendedLifetime(scratch) {
            run("find", file.path, "payload ->> '$.s.x' = 'a'", "--json")
        }
        #expect(answer.text.contains(#""unknown":1007,"#), "\(answer.errors)")
        let ranges = (0..<1005).map { "[\"\(2 * $0 + 1)\",\"\(2 * $0 + 1)\"]" } + [#"["2011","2012"]"#]
        #expect(answer.text.contains("\"unknownRanges\":[\(ranges.joined(separator: ","))]"))
    }

    @Test func `find and bisect tell why a result is not known`() {
        let payload = run("find", fixture("partial"), "payload like '%title%'")
        #expect(payload.text.contains("or what it reads there is redacted."), "\(payload)")
        #expect(payload.errors.contains("payload has redacted values in some actions"), "\(payload)")
        let turn = run("bisect", fixture("partial"), "/items/0/title = 'secret'")
        #expect(turn.text.contains("is true at 36 is not known, and the search needs it there."), "\(turn)")
        #expect(turn.text.contains("The state there was recorded, but what it reads there is redacted."), "\(turn)")
    }

    @Test func `find and bisect tell of doubtful states`() {
        let stretches = run("find", fixture("doubtful"), "/counts/open > 2", "--json")
        #expect(stretches.text.hasPrefix(#"{"position":"3","to":"67","count":65,"doubtful":true}"#), "\(stretches)")
        let rows = run("find", fixture("doubtful"), "/counts/open > 2")
        #expect(rows.text.contains("? 3 to 67"), "\(rows)")
        // A turn depends on the state before it, too: that of 44 is doubtful, and that of 45 exact.
        for (seq, mark) in [(35, ""), (36, "? "), (40, "? "), (45, "? "), (46, "")] {
            let turn = run("find", fixture("doubtful"), "seq = \(seq)", "--becomes")
            #expect(turn.text.hasPrefix("seq = \(seq) became true at \(mark)\(seq), by "), "\(turn)")
            let line = run("find", fixture("doubtful"), "seq = \(seq)", "--becomes", "--json")
            #expect(line.text.split(separator: "\n")[0].contains("doubtful") == !mark.isEmpty, "\(line)")
        }
        let before = run("find", fixture("doubtful"), "/counts/open > 2", "--to", "20", "--json")
        #expect(!before.text.contains(#""doubtful":true"#), "\(before)")
        let turn = run("bisect", fixture("doubtful"), "/counts/open > 2")
        #expect(turn.errors.contains("states from 0 to 67 are doubtful: they may have been different"), "\(turn)")
        #expect(turn.text.contains("all positions were checked, doubtful states as they were recorded."), "\(turn)")
        let none = run("bisect", fixture("doubtful"), "/counts/open > 2000")
        #expect(none.text.contains("In the states as they were recorded, it is true nowhere before."), "\(none)")
        let json = run("bisect", fixture("doubtful"), "/counts/open > 2", "--json")
        #expect(json.text.contains(#""doubtful":true"#), "\(json)")
    }

    private static let doubts: [(words: [String], sentence: String?)] = [
        (
            ["find", "/filter = 'all' and seq between 39 and 44"],
            "Some of the states from 0 to 67 are doubtful: they may"
        ),
        (["find", "/filter = 'all'", "--to", "35"], nil), (["find", "type = 'undo'"], nil),
        (
            ["sql", "SELECT count(*) FROM history WHERE /filter = 'all'"],
            "value() read doubtful states 9 times: they may"
        ),
        (["sql", "SELECT count(*) FROM history WHERE seq < 36 AND changed(/filter)"], nil),
        (
            ["diff", "38", "40", "--path", "/filter"],
            "is doubtful: the states in actions 36 to 45: /filter changed, but"
        ),
        (["diff", "45", "46", "--path", "/filter"], nil),
    ]

    @Test(arguments: doubts) func `an answer from doubtful states says so, also an empty one`(
        words: [String],
        sentence: String?
    ) {
        let answer = run([words[0], fixture("doubtful")] + words.dropFirst())
        #expect(answer.code == .fine, "\(answer)")
        #expect(sentence.map { answer.errors.contains($0) } ?? answer.errors.isEmpty, "\(answer)")
        guard words[0] != "sql" else { return }
        let json = run([words[0], "--json", fixture("doubtful")] + words.dropFirst())
        let last = json.text.split(separator: "\n").last ?? ""
        #expect(last.contains(#""doubtful":true"#) == (sentence != nil), "\(json)")
    }

    private static let hidden: [(words: [String], place: String, isHidden: Bool)] = [
        (["diff", "37", "40"], "/items/0/title", true), (["diff", "37", "37"], "/items/*/title", true),
        (["diff", "37", "40"], "/nextID", false), (["log"], "/items/0/title", true), (["log"], "/items/*/id", false),
    ]

    @Test(arguments: hidden) func `no change of a redacted value is no answer`(
        words: [String],
        place: String,
        isHidden: Bool
    ) {
        let answer = run([words[0], fixture("partial")] + words.dropFirst() + ["--path", place])
        #expect(answer.code == .fine, "\(answer)")
        #expect(answer.errors.contains("redacted, or has redacted values") == isHidden, "\(answer)")
        #expect(!answer.errors.contains("never changes"), "\(answer)")
    }

    @Test(arguments: [("todo", "."), ("bridged", " whose state is known."), ("doubtful", " whose state is known.")])
    func `a place is nowhere only if all states are known`(name: String, end: String) {
        for words in [["find", "/nosuch = 1"], ["bisect", "/nosuch = 1"], ["sql", "SELECT /nosuch FROM history"]] {
            let answer = run([words[0], fixture(name)] + words.dropFirst())
            #expect(answer.errors.contains("There is nothing at /nosuch at any position\(end)"), "\(answer)")
        }
    }

    @Test func `bisect counts only the positions at which the answer is known`() {
        let answer = run("bisect", fixture("bridged"), "/counts/open > 2")
        #expect(answer.text.contains("was checked at 64 positions only."), "\(answer)")
        #expect(answer.text.contains("It is not known at 4 positions, first at 45"), "\(answer)")
    }

    @Test func `bisect runs a command with the contract of git`() {
        let isGood = #"grep -qE '"refusals":[0-5],'"#
        let answer = run("bisect", checkout, "--run", isGood)
        #expect(answer.text.hasPrefix("The state is bad from 12 on, by SetAddress("), "\(answer.text) \(answer.errors)")
        let skipping = run("bisect", checkout, "--run", "test $HINDSIGHT_POSITION = 12 && exit 125; \(isGood)")
        #expect(skipping.text.contains("is good at 11 and is bad at 13"), "\(skipping.text)")
        let broken = run("bisect", checkout, "--run", "exit 200")
        #expect(broken.code == .usage)
        #expect(broken.errors.contains("exited with 200 at position 0"), "\(broken.errors)")
    }

    @Test func `sql has NULL in place of redacted values, and counts them`() {
        let sql = """
            SELECT value('end', '/items/0/title') AS title, value('end', '/items/0') ->> 'title' AS part,
                value('end', '/items/0') ->> 'id' IS NOT NULL AS id, value('end', '/counts/open') IS NOT NULL AS open
            """
        let answer = run("sql", fixture("partial"), sql, "--json")
        #expect(answer.text == #"{"title":null,"part":null,"id":1,"open":1}"# + "\n")
        #expect(answer.errors.contains("NULL, or has null in it, 3 times because values are redacted."), "\(answer)")
        let plain = run("sql", fixture("partial"), "SELECT value('end', '/counts/open')")
        #expect(!plain.errors.contains("redacted"), "\(plain)")
    }

    @Test(arguments: [
        ["sql", "partial", "SELECT value('end', '/nothing/here')"], ["bisect", "partial", "/nothing/here = 1"],
    ])
    func `a path that an unknown state may have is no mistake`(words: [String]) {
        let answer = run([words[0], fixture(words[1]), words[2]])
        #expect(answer.code == .fine && answer.errors.contains("at any position whose state is known."), "\(answer)")
        let mistaken = run([words[0], checkout, words[2]])
        #expect(mistaken.code == .usage && mistaken.errors.contains("at any position."), "\(mistaken)")
    }

    @Test func `diff says which of the compared values are placeholders`() throws {
        let words = ["diff", fixture("partial"), "37", "38", "--json", "--path"]
        for (path, hidden) in [("/items/0/title", #"["/items/0/title"]"#), ("/counts/open", "[]")] {
            let answer = run(words + [path])
            #expect(answer.text.contains("\"redacted\":\(hidden),"), "\(answer)")
        }
    }

    @Test func `sql prints a table, CSV and JSON`() {
        let sql = "SELECT type, count(*) AS n FROM history WHERE type LIKE 'S%' GROUP BY type ORDER BY type"
        #expect(run("sql", checkout, sql).text == "type        n\nSetAddress  3\nStartOver   5\n")
        #expect(run("sql", checkout, sql, "--csv").text == "type,n\nSetAddress,3\nStartOver,5\n")
        #expect(
            run("sql", checkout, sql, "--json").text
                == "{\"type\":\"SetAddress\",\"n\":3}\n{\"type\":\"StartOver\",\"n\":5}\n"
        )
        let value = run(
            "sql",
            checkout,
            "SELECT value('12', '/audit/refusals') AS r, position(12, 'audit') AS p",
            "--csv"
        )
        #expect(value.text == "r,p\n6,12.9\n")
    }
}
