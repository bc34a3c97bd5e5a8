import TestSupport
import Testing

@testable import HindsightQuery
@testable import RandomRecordings

@Suite struct ExpressionTests {
    @Test(arguments: [
        ("/a = 1", ["/a", "=", "1"]),
        ("/a/2", ["/a/2"]),
        ("/a / 2", ["/a", "/", "2"]),
        ("seq/2", ["seq", "/", "2"]),
        ("(seq)/2", ["(", "seq", ")", "/", "2"]),
        ("4/2/1", ["4", "/", "2", "/", "1"]),
        ("'a'/2", ["'a'", "/", "2"]),
        ("6 / /a/b", ["6", "/", "/a/b"]),
        ("not /a", ["not", "/a"]),
        ("null / 2", ["null", "/", "2"]),
        ("case when /a then /b else /c end / 2", ["case", "when", "/a", "then", "/b", "else", "/c", "end", "/", "2"]),
        ("/stock/TEA-001/sold", ["/stock/TEA-001/sold"]),
        ("/a - 1", ["/a", "-", "1"]),
        ("/a->>'b'", ["/a", "->>", "'b'"]),
        ("/a--comment", ["/a"]),
        ("/a /* /b */ + 1", ["/a", "+", "1"]),
        ("/a~1b/é/c.d$e@f:g", ["/a~1b/é/c.d$e@f:g"]),
        ("'it''s /a' || x'00'", ["'it''s /a'", "||", "x'00'"]),
        ("1e-5+.5<=0x1F", ["1e-5", "+", ".5", "<=", "0x1F"]),
        ("\"a b\".[c]", ["\"a b\"", ".", "[c]"]),
        ("/a=/b", ["/a", "=", "/b"]),
        ("in (/a,/b)", ["in", "(", "/a", ",", "/b", ")"]),
    ])
    func `an expression is split where SQLite splits it, and a slash begins a path where a value may stand`(
        text: String,
        tokens: [String]
    ) throws {
        #expect(try ExpressionTokenizer.tokens(of: text).map(\.text) == tokens)
    }

    @Test(arguments: [
        ("/a", "\"@exact value\"(0)"),
        ("value('/a')", "\"@exact value\"(0)"),
        ("old(/a) + changed(/a)", "\"@exact old\"(0) + \"@exact changed\"(0)"),
        ("/a < 5", "(\"@compare\"(\"@value\"(0),5) < 0)"),
        ("5 >= /a and /b = -1", "(\"@compare\"(5,\"@value\"(0)) >= 0) and (\"@compare\"(\"@value\"(1),-1) = 0)"),
        ("/a = 18446744073709551615", "(\"@compare\"(\"@value\"(0),\"@number\"('18446744073709551615')) = 0)"),
        // No plain operands, or more than two.
        ("/a + 1 < 5", "\"@exact value\"(0) + 1 < 5"),
        ("/a < 5 + 1", "\"@exact value\"(0) < 5 + 1"),
        ("1 < 2", "1 < 2"),
        ("/a = /b = 1", "\"@exact value\"(0) = \"@exact value\"(1) = 1"),
        // SQLite's BETWEEN binds as = does, and less tightly than <.
        ("seq between 1 and /a < 5", "seq between 1 and (\"@compare\"(\"@value\"(0),5) < 0)"),
        ("seq between 1 and /a = 5", "seq between 1 and \"@exact value\"(0) = 5"),
        ("seq between 1 and /a <> 5", "seq between 1 and \"@exact value\"(0) <> 5"),
        ("seq between 1 and 2 and /a < 5", "seq between 1 and 2 and (\"@compare\"(\"@value\"(0),5) < 0)"),
        // The AND in a CASE is none of a BETWEEN around it.
        (
            "seq between case when 1 and /a = 5 then 1 end and /b = 5",
            "seq between case when 1 and (\"@compare\"(\"@value\"(0),5) = 0) then 1 end and \"@exact value\"(1) = 5"
        ),
        (
            "(case when seq between 1 and 2 then 1 end) and /a = 5",
            "( case when seq between 1 and 2 then 1 end ) and (\"@compare\"(\"@value\"(0),5) = 0)"
        ),
        // IS NOT binds as = does, and NOT less tightly.
        ("seq is not /a = 5", "seq is not \"@exact value\"(0) = 5"),
        ("seq is not /a < 5", "seq is not (\"@compare\"(\"@value\"(0),5) < 0)"),
        ("not /a = 5", "not (\"@compare\"(\"@value\"(0),5) = 0)"),
        ("/a = 'x'", "(\"@compare\"(\"@value\"(0),'x') = 0)"),
        ("/a = 'x' collate nocase", "\"@exact value\"(0) = 'x' collate nocase"),
        ("cast(/a as real) < 1", "cast ( \"@value\"(0) as real ) < 1"),
        ("value('/a' || 1) = 5", "\"@exact call of value\" ( '/a' || 1 ) = 5"),
        ("value('/a' || 1) is null", "value ( '/a' || 1 ) is null"),
        ("json_array_length(/a) > 2", "json_array_length ( \"@part\"(0) ) > 2"),
        // A part of the value, which may be hidden.
        ("json_array_length(/a, '$.b') > 2", "json_array_length ( \"@exact value\"(0) , '$.b' ) > 2"),
        ("json_type(/a -> 'b') is 'text'", "json_type ( \"@exact value\"(0) -> 'b' ) is 'text'"),
        ("/a is not null and length(/a) is 3", "\"@part\"(0) is not null and length ( \"@exact value\"(0) ) is 3"),
        ("old(/a) is null", "\"@old\"(0) is null"),
        ("value = 1", "value = 1"),
        ("payload ->> '$.a.b' = 1 and payload -> 'c'", "\"@payload\"(0) ->> '$.a.b' = 1 and \"@payload\"(1) -> 'c'"),
        ("json_extract(payload, '$.a[2]') > 1", "json_extract ( \"@payload\"(0) , '$.a[2]' ) > 1"),
        // Another place than a plain one, or more than a place.
        ("payload ->> '$.a[#-1]'", "payload ->> '$.a[#-1]'"),
        ("payload ->> '$..a'", "payload ->> '$..a'"),
        ("payload ->> 0", "payload ->> 0"),
        ("'x' || payload ->> '$.a'", "'x' || payload ->> '$.a'"),
        ("- payload ->> '$.a'", "- payload ->> '$.a'"),
        ("json_extract(payload, '$.a', '$.b')", "json_extract ( payload , '$.a' , '$.b' )"),
        ("exists (select payload ->> '$.a')", "exists ( select payload ->> '$.a' )"),
    ])
    func `paths become calls, and comparisons of plain values exact ones`(text: String, sql: String) throws {
        #expect(try ExpressionTranslation(text).sql == sql)
    }

    @Test(arguments: [
        ("seq = '5'", "seq is a number, and '5' is not.", "Write it without quotes: 5"),
        ("'5' <= (seq)", "seq is a number, and '5' is not.", "Write it without quotes: 5"),
        ("seq in ('1', '2')", "seq is a number, and '1' is not.", "Write it without quotes: 1"),
        ("at > '2026-11-23'", "at is a number, and '2026-11-23' is not.", "It is in nanoseconds since 1970."),
        ("/a = 1 and not (seq = '5')", "seq is a number, and '5' is not.", "Write it without quotes: 5"),
        ("duration between '1' and '2'", "duration is a number, and '1' is not.", "It is in nanoseconds:"),
        ("thread = 'main'", "thread is a number, and 'main' is not.", "Compare it with a number."),
        ("type = 5", "type is a text, and 5 is not.", "Write a text in quotes: '5'"),
        ("reducer is 2", "reducer is a text, and 2 is not.", "It is the reducer's name."),
        ("payload > -1", "payload is a text, and 1 is not.", "It is the action as JSON text."),
        ("/problem = null", "A comparison with NULL is never true.", "Write “is null” or “is not null”."),
        ("null <> /problem", "A comparison with NULL is never true.", "Write “is null” or “is not null”."),
        ("not /a = null", "A comparison with NULL is never true.", "Write “is null” or “is not null”."),
        (
            "seq = 1 and (seq = 2 and /a || 'x' < (null))", "A comparison with NULL is never true.",
            "Write “is null” or “is not null”."
        ),
        ("(/a) = 18446744073709551616", "SQLite rounds this number here.", "Only a direct comparison is exact: /a ="),
        ("/a in (1, 0.1000000000000000000001)", "SQLite rounds this number here.", "Only a direct"),
    ])
    func `what is never true, or not exact, is told`(text: String, reason: String, suggestion: String) throws {
        let error = try #require(throws: ExpressionError.self) { try RecordingExpression(text) }
        #expect(error.reason == reason)
        #expect(error.suggestion?.hasPrefix(suggestion) ?? false, "\(error)")
    }

    @Test(arguments: [
        ("exists /items value", "/items cannot stand here."), ("by /items", "/items cannot stand here."),
        ("like /items", "/items cannot stand here."), ("/a b", "b cannot stand here."),
    ])
    func `a mistake is told with what was written`(text: String, reason: String) throws {
        let error = try #require(throws: ExpressionError.self) { try RecordingExpression(text) }
        #expect(error.reason == reason)
    }

    @Test(arguments: [
        "seq = 5", "seq || '' = '5'", "type = 'a' || 5", "at > 5", "task = 'main'", "/a is null", "/a = 'null'",
        "coalesce(/a, null) = 5", "exists (select 1 from json_each(/a) where type = 5)", "/a = 18446744073709551616",
        "cast(18446744073709551616 as real) < 1",
        "cast(-18446744073709551616 as real) < 1", "(/a) = -9223372036854775808", "seq in (select length('a'))",
        "/a is null = 1", "/a = null is null", "null = /a is null", "/a = null or type = 'x'",
        "not (/a = null and type = 'x')", "not /a = null isnull", "seq > '5' + 1", "seq = '5' or 1", "seq in (1, '2')",
        "duration between '1' and 2", "seq = '5' isnull", "(seq = '5') + 1", "'/a' = /b", "'/a' = 'b' or 1",
        "case when seq = '5' then 1 else 2 end", "seq between 1 and 2 or seq = '5'", "position > 3 or 1",
    ])
    func `comparisons that may be true are let through`(text: String) throws {
        _ = try RecordingExpression(text)
    }

    @Test(
        arguments: [
            ("", "syntax", 0),
            ("tpye = 'x'", "unknown name", 0),
            ("/a = 1 and tpye = 'x'", "unknown name", 11),
            ("lenght(/a) > 1", "unknown name", 0),
            ("exists (select 1 from itmes)", "unknown name", 22),
            ("/a = ", "syntax", nil),
            ("/a = 1 && /b = 2", "syntax", 7),
            ("!/a", "syntax", 0),
            ("/a = = 1", "syntax", 5),
            ("(/a = 1", "syntax", 0),
            ("/a = 1)", "syntax", 6),
            ("/a = 'x", "syntax", 5),
            ("/a /* b", "syntax", 3),
            ("/a = ?1", "syntax", 5),
            ("/a = :name", "syntax", 5),
            ("/a~2", "bad path", 0),
            ("/ = 1", "bad path", 0),
            ("/items/*/price > 1", "bad path", 7),
            ("value('a') = 1", "bad path", 6),
            ("type = \"pay\"", "unknown name", 7),
            ("select 1", "statement", 0),
            ("/a = 1; drop table x", "statement", 6),
            ("count(*) > 1", "syntax", nil),
            ("1) or (1", "syntax", 1),
            ("/a, /b", "syntax", nil),
            ("position > 3", "syntax", 0),
            ("/a = 1 and position = -3", "syntax", 11),
            ("3 < position", "syntax", 4),
            ("position between 3 and 5", "syntax", 0),
            ("(position) > 3", "syntax", 1),
            ("not ((position)) = (-3)", "syntax", 6),
            ("(3) < (position)", "syntax", 7),
            ("position in (3)", "syntax", 0),
            ("position not in (1, (2), -3)", "syntax", 0),
            ("position is not 3", "syntax", 0),
            ("position not between 3 and 5", "syntax", 0),
            ("(select 1 from \"@one\") = 1", "syntax", 15),
            ("\"@value\"(0) = 1", "syntax", 0),
            ("seq = 1 and rowid = 1", "syntax", 12),
            ("[OID] = 1", "syntax", 0),
        ] as [(String, String, Int?)]
    )
    func `a mistake is told with its place`(text: String, code: String, offset: Int?) throws {
        let error = try #require(throws: ExpressionError.self) { try RecordingExpression(text) }
        #expect(error.code.rawValue == code || code == "syntax" && error.code == .failed, "\(error)")
        if let offset { #expect(error.offset == offset, "\(error)") }
    }

    @Test(arguments: [
        "position = '3'", "position in ('3', '4.1')", "length(position) > 3", "(position) = 3 || '.2'",
        "3 < position + 0", "position + 0 > 3", "(length(position)) > 3", "position is not null",
        "'x' || position = 'x' || 3", "3 in (seq, position)", "position in (select 3 || '.1')",
        "coalesce(position, 3) = '3'", "position between '3' and '5'",
        "position not in (select seq || '' union select 4)",
    ])
    func `texts and numbers made of position may be compared`(text: String) throws {
        _ = try RecordingExpression(text)
    }

    @Test(arguments: [
        ("/a = 1 || /b = 2", true), ("(/a = 1) || (/b = 2)", true), ("changed(/a) || changed(/b)", true),
        ("seq = 1 and not (/a is null || /b is null)", true),
        ("/a = '||' or /b != 2", false), ("'a' || type = 'aPay'", false), ("type = 'a' || 'b'", false),
        ("/a || /b = 'ab'", false), ("/a = 1 || /b", false),
    ])
    func `an expression that joins conditions as texts says so, since it may be meant as an or`(
        text: String,
        joinsConditions: Bool
    ) throws {
        #expect(try RecordingExpression(text).joinsConditionsAsTexts == joinsConditions)
    }

    /// Random conditions, most of which compare something with literals.
    private struct RandomConditions {
        var random: Seeded
        /// The comparisons of the last condition.
        private(set) var comparisons: [String] = []

        private static let subjects = [
            "/count", "/text", "/items", "(/count)", "old(/count)", "value('/text')", "'/count'", "seq", "(seq)",
            "position", "type", "reducer", "thread", "/count + 1", "type || ''", "/count is null", "null",
        ]
        private static let literals = [
            "1", "-1", "'1'", "'a'", "null", "(null)", "('1')", "'1' || ''", "'1' + 1", "seq", "null is null",
        ]
        private static let signs = ["=", "==", "<>", "!=", "<", "<=", ">", ">=", "is", "is not"]

        init(_ random: Seeded) { self.random = random }

        mutating func next() -> String {
            comparisons = []
            return condition(depth: random.below(3))
        }

        private mutating func condition(depth: Int) -> String {
            guard depth > 0 else {
                comparisons.append(comparison())
                return comparisons[comparisons.count - 1]
            }
            let first = condition(depth: depth - 1)
            switch random.below(6) {
            case 0: return "not \(first)"
            case 1: return "not (\(first))"
            case 2: return "\(first) or \(condition(depth: 0))"
            case 3: return "(\(first)) and \(condition(depth: depth - 1))"
            default: return "\(first) and \(condition(depth: 0))"
            }
        }

        private mutating func comparison() -> String {
            let (subject, sign) = (random.pick(Self.subjects), random.pick(Self.signs))
            let (first, second) = (random.pick(Self.literals), random.pick(Self.literals))
            let not = random.once(in: 2) ? "not " : ""
            return switch random.below(6) {
            case 0: "\(subject) \(not)in (\(first), \(second))"
            case 1: "\(subject) \(not)between \(first) and \(second)"
            case 2: "\(first) \(sign) \(subject)"
            default: "\(subject) \(sign) \(first)"
            }
        }
    }

    @Test func `an expression that is refused as never true is true nowhere, and a remark tells what is there`() throws
    {
        var counts = (never: 0, constant: 0, remarks: 0)
        for random in RandomRecording.seeds(2) {
            let truth = try RandomRecording(seed: random.seed, actions: 20, isWhole: true)
            let recording = try truth.open()
            /// The results of a condition at all positions. In an OR, nothing is refused.
            func results(_ text: String) throws -> Set<RecordingExpression.Truth> {
                var results: Set<RecordingExpression.Truth> = []
                for granularity in RecordingExpression.Granularity.allCases {
                    let expression = try RecordingExpression("(\(text)) or 0")
                    let scan = try ExpressionScan(of: recording, where: expression, by: granularity)
                    while let stretch = try scan.next() { results.insert(stretch.truth) }
                }
                return results
            }
            var conditions = RandomConditions(random)
            for _ in 0..<400 {
                let text = conditions.next()
                let message: Comment = "\(random) \(text)"
                let expression: RecordingExpression
                do {
                    expression = try RecordingExpression(text)
                } catch {
                    if error.reason == "A comparison with NULL is never true." {
                        counts.never += 1
                        #expect(try !results(text).contains(.yes), message)
                    } else {
                        counts.constant += 1
                        let isConstant = try conditions.comparisons.contains {
                            try results($0).subtracting([.null]).count <= 1
                        }
                        #expect(isConstant, message)
                    }
                    continue
                }
                let names = try expression.unknownNames(in: recording)
                #expect(names.paths.isEmpty, message)
                for comparison in names.comparisons {
                    counts.remarks += 1
                    let value = try recording.state(at: comparison.position)[comparison.path]
                    #expect(value == comparison.value, message)
                }
            }
        }
        #expect(counts.never > 0 && counts.constant > 0 && counts.remarks > 0, "\(counts)")
    }

    @Test func `a type or a reducer that is written with other scalars is not known`() throws {
        let scratch = Scratch()
        let recording = try scratch.recording(ofLines: [
            #"{"hindsight":"recording","text":1,"app":"x","version":"1","platform":"x","created":1,"#
                + #""facts":{"closed":9},"reducers":["caf\u00e9"],"state":{"a":1}}"#,
            #"{"action":"caf\u00e9","payload":{"caf\u00e9":{}},"at":2,"duration":1,"times":[1]}"#, #"{"end":true}"#,
        ])
        for name in ["caf\u{E9}", "cafe\u{301}"] {
            let names = try RecordingExpression("type = '\(name)' or reducer = '\(name)'").unknownNames(in: recording)
            // SQLite compares bytes, so the second one is true nowhere.
            let isKnown = name.utf8.count == 5
            #expect(names.types.count == (isKnown ? 0 : 1) && names.reducers.count == (isKnown ? 0 : 1), "\(names)")
        }
    }

    @Test func `the caret stands below the mistake`() throws {
        let error = try #require(throws: ExpressionError.self) { try RecordingExpression("/é = 1 and tpye = 'x'") }
        #expect(error.description == "There is no column tpye.\n/é = 1 and tpye = 'x'\n           ^")
        #expect(error.given == "tpye")
        #expect(error.allowed.contains("type"))
    }

    @Test(arguments: [
        "load_extension('x')", "exists (select 1 from sqlite_master)", "exists (select 1 from pragma_table_list)",
        "(select count(*) from sqlite_master) > 0", "randomblob(9) = 1", "random() > 0", "sqlite_version() = ''",
        "readfile('/etc/passwd') is not null", "writefile('/tmp/x', 'y') > 0", "exists (select 1 from dbstat)",
        "(attach 'x' as y)", "(pragma user_version)", "(insert into \"@one\" values (2))", "(delete from \"@one\")",
        "exists (select 1 from other.t)", "edit('x') is null", "fts3_tokenizer('x') is null",
    ])
    func `what does not only read is refused`(text: String) {
        #expect(throws: ExpressionError.self) { try RecordingExpression(text) }
    }

    @Test(arguments: [
        "(with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c) > 0",
        "length(zeroblob(2000000000)) > 0",
        "length(replace(printf('%50000d', 1), ' ', printf('%50000d', 1))) > 0",
    ])
    func `endless and huge evaluations are stopped`(text: String) throws {
        let random = try RandomRecording(seed: 1, actions: 3, isWhole: true)
        let evaluator = try ExpressionEvaluator(of: random.open(), where: RecordingExpression(text))
        let error = try #require(throws: ExpressionError.self) {
            try evaluator.truth(at: Recording.Position(seq: 1))
        }
        #expect(error.code == .failed)
        #expect(error.reason.hasPrefix("At position 1: "))
    }

    @Test(
        arguments: [
            ("value('it' || 'ems') = 1", "the text 'items'.", "Did you mean '/items'?"),
            ("changed(json('[1]'))", "the JSON [1].", nil), ("old(1.5) = 1", "the number 1.5.", nil),
        ] as [(String, String, String?)]
    )
    func `an argument that is no path is told in words`(text: String, end: String, suggestion: String?) throws {
        let random = try RandomRecording(seed: 1, actions: 3, isWhole: true)
        let evaluator = try ExpressionEvaluator(of: random.open(), where: RecordingExpression(text))
        let error = try #require(throws: ExpressionError.self) {
            try evaluator.truth(at: Recording.Position(seq: 1))
        }
        #expect(error.reason.hasSuffix("take a path such as '/cart/total', but were given \(end)"), "\(error)")
        #expect(error.suggestion == suggestion)
    }

    @Test(arguments: [
        ("/a < 5", true), ("not /a", true), ("(/a = 1)", true), ("/a is null", true), ("/a in (1, 2)", true),
        ("/a between 1 and 2", true), ("exists (select 1)", true), ("changed(/a)", true), ("((changed(/a)))", true),
        ("type like 'a%'", true), ("1 or 0", true), ("false", true), ("/a + 1 = /b", true), ("/a isnull", true),
        ("/a", false), ("(/a)", false), ("value('/a')", false), ("old(/a)", false), ("/a + 1", false),
        ("type", false), ("payload", false), ("payload ->> '$.a'", false), ("'a = b'", false), ("\"seq\"", false),
        ("coalesce(/a, /b = 1)", false), ("(/a = 1) + (/b = 1)", false), ("1 + (/a = 1)", false),
        ("case when /a = 1 then 2 else 3 end", false), ("(select count(*) from json_each(/a) where value > 1)", false),
        ("cast(/a as real)", false), ("changed(/a) + changed(/b)", false),
    ])
    func `an expression is a condition if its outermost operator compares`(text: String, isCondition: Bool) throws {
        #expect(try RecordingExpression(text).isCondition == isCondition)
    }

    @Test func `an expression of one place gives the value that is there, and others that of SQLite`() throws {
        let random = try RandomRecording(seed: 3, actions: 12, isWhole: true)
        let recording = try random.open()
        let (position, before) = (Recording.Position(seq: 7), Recording.Position(seq: 6))
        let (state, old) = (try #require(random.state(at: position)), try #require(random.state(at: before)))
        func result(_ text: String, at position: Recording.Position = position) throws -> ExpressionEvaluator.Result {
            try ExpressionEvaluator(of: recording, where: RecordingExpression(text)).result(at: position)
        }
        #expect(try result("/screen") == state["screen"].map { .value($0) } ?? .truth(.null))
        #expect(try result("old(/count)") == old["count"].map { .value($0) } ?? .truth(.null))
        #expect(try result("value('')") == .truth(.unknown), "a part of it is redacted")
        #expect(try result("/secret") == .truth(.unknown))
        #expect(try result("/nothing") == .truth(.null))
        #expect(try result("old(/count)", at: recording.start) == .truth(.null))
        #expect(try result("position") == .value("7"))
        #expect(try result("9007199254740993 - 1") == .value(.int(9_007_199_254_740_992)))
        #expect(try result("x'00ff'") == .value(.data([0, 255])))
        #expect(try result("json('[1,{\"a\":null}]')") == .value([1, ["a": .null]]))
        #expect(try result("9e99 * 9e299") == .value("inf"))
    }

    @Test(arguments: [
        ("18446744073709551615", "18446744073709551614", 1), ("9223372036854775808", "5", 1),
        ("-9223372036854775809", "5", -1), ("0.1000000000000000000001", "0.1", 1), ("12.90", "12.9", 0),
        ("1e2", "100", 0), ("18446744073709551615", "1e30", -1), ("-0.0", "0", 0), ("1e400", "1e399", 1),
    ])
    func `numbers of states compare exactly, whatever their size`(left: String, right: String, order: Int) throws {
        let (left, right) = (ExactNumber.value(of: left), ExactNumber.value(of: right))
        #expect(try #require(ExactNumber.compare(left, right)).signum() == order)
        #expect(try #require(ExactNumber.compare(right, left)).signum() == -order)
    }

    @Test func `a whole number is an INTEGER, whatever its scale`() {
        #expect(ExactNumber.value(of: "1e2") == .integer(100))
        #expect(ExactNumber.value(of: "-61") == .integer(-61))
        #expect(ExactNumber.value(of: "15e-1") == .real(1.5))
        #expect(ExactNumber.value(of: "9223372036854775808") == .marked("9223372036854775808", ExactNumber.mark))
    }

    @Test func `numbers come before texts, and texts before data, as in SQLite`() {
        #expect(ExactNumber.compare(.integer(5), .text("1")) ?? 0 < 0)
        #expect(ExactNumber.compare(.marked("99999999999999999999", ExactNumber.mark), .text("1")) ?? 0 < 0)
        #expect(ExactNumber.compare(.text("z"), .blob([])) ?? 0 < 0)
        #expect(ExactNumber.compare(.null, .integer(1)) == nil)
        #expect(ExactNumber.compare(.text("a"), .text("b")) ?? 0 < 0)
    }
}
