import Foundation
import HindsightFormat
import HindsightSQLite
import HindsightTree
import Testing

@testable import HindsightQuery
@testable import RandomRecordings

@Suite struct RecordingQueryTests {
    private func rows(_ sql: String, _ recording: Recording) throws -> [[RecordingQuery.Value]] {
        let query = try RecordingQuery(sql, of: recording)
        var rows: [[RecordingQuery.Value]] = []
        while let row = try query.next() { rows.append(row) }
        return rows
    }

    @Test func `the views have every action, reducer and operation`() throws {
        for random in RandomRecording.seeds(4) {
            let truth = try RandomRecording(seed: random.seed, isWhole: true)
            let recording = try truth.open()
            #expect(try rows("SELECT count(*) FROM history", recording) == [[.integer(40)]])
            let types = try rows("SELECT position, type FROM history ORDER BY seq", recording)
            var expected: [[RecordingQuery.Value]] = []
            for seq in 1...40 { expected.append([.text("\(seq)"), .text(try recording.action(seq).type)]) }
            #expect(types == expected, "\(truth.description)")
            let operations = truth.writes.reduce(0) { $0 + ($1.patch?.operations.count ?? 0) }
            #expect(
                try rows("SELECT count(*) FROM changes", recording) == [[.integer(Int64(operations))]],
                "\(truth.description)"
            )
            let written = try rows("SELECT DISTINCT position FROM changes ORDER BY seq, reducer", recording)
            let positions: [[RecordingQuery.Value]] = truth.writes.map { [.text($0.position.description)] }
            #expect(written == positions, "\(truth.description)")
            var reducers: [[RecordingQuery.Value]] = []
            for (index, name) in RandomRecording.reducers.enumerated() {
                reducers.append([.integer(Int64(index + 1)), .text(name)])
            }
            #expect(try rows("SELECT reducer, name FROM reducers", recording) == reducers)
        }
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000000Z"), (1_999_999_999, "1970-01-01T00:00:01.999999Z"),
            (-1, "1969-12-31T23:59:59.999999Z"), (-1_000_000_000, "1969-12-31T23:59:59.000000Z"),
            (-1_500_000_000, "1969-12-31T23:59:58.500000Z"), (-86_400_000_000_001, "1969-12-30T23:59:59.999999Z"),
        ] as [(Int, String)]
    )
    func `times before 1970 are shown as the others`(at: Int, time: String) throws {
        let connection = try Connection("times", .temporary)
        let row = try connection.prepare("SELECT \(RecordingView.instant) FROM (SELECT \(at) AS at)")
        #expect(try row.step())
        #expect(try row.text(0) == time)
    }

    @Test(arguments: RecordingView.allCases)
    func `a view has the columns and the rows of the file's view, which has values as JSON text`(view: RecordingView)
        throws
    {
        let truth = try RandomRecording(seed: 17)
        let recording = try truth.open()
        let query = try RecordingQuery("SELECT * FROM \(view.rawValue)", of: recording)
        let connection = try Connection(truth.url.path, .readImmutable)
        // The views use functions that SQLite does not trust in a schema.
        try connection.execute("PRAGMA trusted_schema = ON")
        let row = try connection.prepare("SELECT * FROM \(view.rawValue)")
        #expect((0..<row.columnCount).map { row.name(Int32($0)) } == query.columns)
        #expect(Set(query.columns).isSubset(of: QueryViews.columns))
        let exact = query.columns.indices.filter { view != .changes || !["old", "new"].contains(query.columns[$0]) }
        var count = 0
        while let values = try query.next() {
            try #require(try row.step())
            count += 1
            for index in exact {
                let value: RecordingQuery.Value =
                    switch row.value(Int32(index)) {
                    case .null: .null
                    case .integer(let number): .integer(number)
                    case .real(let number): .real(number)
                    case .text(let text), .marked(let text, _): .text(text)
                    case .blob(let bytes): .blob(bytes)
                    }
                #expect(values[index] == value, "\(query.columns[index]) of row \(count)")
            }
        }
        #expect(try !row.step() && (count > 0 || view == .notes))
    }

    @Test func `a path may stand directly after a keyword`() throws {
        let truth = try RandomRecording(seed: 14, actions: 3, isWhole: true)
        let recording = try truth.open()
        let sql = "SELECT/count, OLD(/count)+1 FROM history WHERE/count is not null or 1"
        let query = try RecordingQuery(sql, of: recording)
        #expect(query.columns == ["/count", "OLD(/count)+1"])
        let values = try RecordingQuery("SELECT value(position, '/count'), old(/count) + 1 FROM history", of: recording)
        while let row = try values.next() { #expect(try query.next() == row) }
        #expect(try query.next() == nil)
        withExtendedLifetime(truth) {}
    }

    @Test func `names of views may be written in upper case`() throws {
        let truth = try RandomRecording(seed: 14, actions: 3, isWhole: true)
        // The query opens the file again, which is deleted with `truth`.
        let found = try withExtendedLifetime(truth) { try rows("SELECT max(SEQ) FROM HISTORY", truth.open()) }
        #expect(found == [[.integer(3)]])
    }

    @Test(arguments: [
        (
            "SELECT value(1, 'items')",
            "value, old and changed take a path such as '/cart/total', but were given the text 'items'."
        ),
        (
            "SELECT value(1, json('[1]'))",
            "value, old and changed take a path such as '/cart/total', but were given the JSON [1]."
        ),
        (
            "SELECT value(3.2, '/a')",
            "value, old and changed take a position such as 3 or '3.2', but were given the number 3.2."
        ),
        (
            "SELECT position('3', 1)",
            "The first argument of position is the number of an action, but was the text '3'."
        ),
        (
            "SELECT position(3, 99)",
            "The second argument of position is the number or name of a reducer, but was the number 99. "
                + "The view reducers lists all \(RandomRecording.reducers.count)."
        ),
        (
            "SELECT position(3, 'item')",
            "The second argument of position is the number or name of a reducer, but was the text 'item'. "
                + "The view reducers lists all \(RandomRecording.reducers.count)."
        ),
        (
            "SELECT value(x'00', '/a')",
            "value, old and changed take a position such as 3 or '3.2', but were given data of 1 byte."
        ),
    ])
    func `arguments that do not fit are told in words`(sql: String, reason: String) throws {
        let truth = try RandomRecording(seed: 15, actions: 3, isWhole: true)
        try withExtendedLifetime(truth) {
            let error = try #require(throws: ExpressionError.self) { try rows(sql, truth.open()) }
            #expect(error.reason == reason)
        }
    }

    @Test func `paths in a statement are those of an expression`() throws {
        let truth = try RandomRecording(seed: 11, isWhole: true)
        let recording = try truth.open()
        let sql = "SELECT position, /count, old(/count), changed('/count'), seq /2 FROM history -- /no/path"
        let query = try RecordingQuery(sql, of: recording)
        #expect(query.columns == ["position", "/count", "old(/count)", "changed('/count')", "seq /2"])
        let changed = try recording.positions(where: RecordingExpression("changed(/count)")).map(\.seq)
        var last: RecordingQuery.Value?
        while let row = try query.next() {
            guard case .text(let name) = row[0], let seq = Int(name) else {
                Issue.record("\(row)")
                continue
            }
            if let last { #expect(row[2] == last) }
            #expect(row[3] == .integer(changed.contains(seq) ? 1 : 0), "\(name)")
            #expect(row[4] == .integer(Int64(seq / 2)))
            last = row[1]
        }
        #expect(last != nil && query.unknownCount == 0)
    }

    @Test func `old and new have their types`() throws {
        let truth = try RandomRecording(seed: 11, actions: 200, isWhole: true)
        let recording = try truth.open()
        var kinds: Set<String> = []
        let sql = "SELECT seq, old, new, typeof(old), typeof(new) FROM changes WHERE op = 'replace' ORDER BY seq"
        var operations = try (1...truth.last).flatMap { seq in
            try recording.steps(of: seq).flatMap { $0.patch?.operations ?? [] }.compactMap { operation in
                if case .replace(_, let old, let new) = operation { (old, new) } else { nil }
            }
        }[...]
        for row in try rows(sql, recording) {
            guard let (old, new) = operations.popFirst() else { break }
            for (value, kind, node) in [(row[1], row[3], old), (row[2], row[4], new)] {
                if case .text(let kind) = kind { kinds.insert(kind) }
                switch node {
                case .null: #expect(value == .null)
                case .bool(let flag): #expect(value == .integer(flag ? 1 : 0))
                case .int(let number): #expect(value == .integer(Int64(number)))
                case .string(let text): #expect(value == .text(text))
                case .array, .object: #expect(value == .text(node.json))
                case .number, .data: break
                }
            }
        }
        #expect(operations.isEmpty)
        #expect(kinds.isSuperset(of: ["integer", "text", "null"]), "\(kinds)")
    }

    @Test(arguments: [
        ("SELECT seq FROM history WHERE", "It ends too early: something is missing."),
        (
            "SELECT a.seq FROM history a, steps s WHERE /x IS NULL",
            "A path is the value at the position of a row, and several of the views have one."
        ), ("SELECT position FROM history, steps", "Several of the views have a column position."),
        ("SELECT min() FROM history", "min() takes another number of arguments."),
        ("SELECT seq FROM history WHERE sum(seq) > 1", "sum() cannot stand here, because it is a value of many rows."),
        ("SELECT (SELECT 1, 2)", "This SELECT has 2 columns, and one is needed."),
        ("SELECT (1, 2)", "A list in parentheses is not one value."),
        ("SELECT 1 UNION SELECT 1, 2", "The SELECTs beside UNION have different numbers of columns."),
        ("SELECT json('{')", "A text that it reads as JSON is not JSON."),
        ("SELECT duration FROM notes", "There is no column duration here."),
        (
            "SELECT sum(9223372036854775807) FROM history",
            "A sum or an absolute value does not fit an INTEGER of 64 bits."
        ),
        ("SELECT 1 LIMIT 'a'", "What stands after LIMIT or OFFSET is not a whole number."),
        ("SELECT length(type) OVER () FROM history", "length() takes no OVER, because it is a value of one row."),
        // A path is a call, and SQLite stumbles over its parenthesis.
        ("SELECT DISTINCT LIKE /count", "/count cannot stand here."),
        ("SELECT seq GROUP /count", "/count cannot stand here."),
    ])
    func `SQLite's messages are sentences`(sql: String, reason: String) throws {
        let truth = try RandomRecording(seed: 15, actions: 3, isWhole: true)
        try withExtendedLifetime(truth) {
            let error = try #require(throws: ExpressionError.self) { try rows(sql, truth.open()) }
            #expect(error.reason == reason)
        }
    }

    @Test(arguments: [
        "SELECT 18446744073709551615", "SELECT value(1, '/count') < 0.1000000000000000000001", "SELECT 5 - 1e400",
    ])
    func `a number that SQLite rounds is told`(sql: String) throws {
        let truth = try RandomRecording(seed: 15, actions: 3, isWhole: true)
        try withExtendedLifetime(truth) {
            let error = try #require(throws: ExpressionError.self) { try rows(sql, truth.open()) }
            #expect(error.reason == "SQLite rounds this number here.")
            #expect(error.suggestion?.contains("cast(") ?? false)
            let exact = "SELECT -9223372036854775808, 1e2, 0.1, cast(18446744073709551615 AS REAL) > 1e19"
            #expect(try rows(exact, truth.open()) == [[.integer(.min), .real(100), .real(0.1), .integer(1)]])
        }
    }

    @Test func `damage that is found while rows are read is that of the file`() throws {
        let truth = try RandomRecording(seed: 16, isWhole: true)
        let query = try RecordingQuery("SELECT payload FROM history", of: truth.open())
        // The first page, which was read, has the tables' names and the size of a page.
        var bytes = try Data(contentsOf: truth.url)
        let page = Int(bytes[16]) << 8 | Int(bytes[17])
        try #require(bytes.count > 2 * page)
        bytes.replaceSubrange(page..., with: Data(repeating: 0xFF, count: bytes.count - page))
        let file = try FileHandle(forWritingTo: truth.url)
        try file.write(contentsOf: bytes)
        try file.close()
        let error = try #require(throws: RecordingError.self) { while try query.next() != nil {} }
        #expect(error.code == .damaged, "\(error)")
    }

    @Test func `a function that this SQLite does not have is not its own correction`() {
        let failure = SQLiteError(1, "no such function: unhex", path: "")
        let error = SQLMistake.error(failure, in: "unhex('')", [], at: 0)
        #expect(error.reason == "There is no function unhex in this version of SQLite.")
        #expect(error.given == "unhex" && !error.allowed.contains("unhex"))
    }

    @Test func `a message without a meaning of its own still says what to do`() {
        let (reason, suggestion) = SQLMistake.sentence("argument of ntile must be a positive integer")
        #expect(reason == "SQLite cannot run it, and says: argument of ntile must be a positive integer.")
        #expect(suggestion?.contains("https://www.sqlite.org/") ?? false)
        // Versions of SQLite say it differently.
        #expect(SQLMistake.sentence("JSON path error near 'a'").reason == "The path in JSON is wrong at a.")
        #expect(SQLMistake.sentence("bad JSON path: 'a'").reason == "'a' is no path in JSON.")
        #expect(SQLMistake.sentence("no such window: w").suggestion == "Define it: … WINDOW w AS (ORDER BY seq)")
    }

    @Test func `value reads the state at a position`() throws {
        let truth = try RandomRecording(seed: 11, isWhole: true)
        let recording = try truth.open()
        let read = try rows("SELECT position, value(position, '/count') FROM history", recording)
        for row in read {
            guard case .text(let name) = row[0], let position = Recording.Position(name),
                let state = truth.state(at: position)
            else {
                Issue.record("\(row)")
                continue
            }
            let expected: RecordingQuery.Value
            switch state["count"] {
            case .int(let count)?: expected = .integer(Int64(count))
            default: expected = .null
            }
            #expect(row[1] == expected)
        }
        let named: [[RecordingQuery.Value]] = [[.text("3.2"), .text("3.2"), .text("3"), .text("3.0"), .null]]
        let sql = "SELECT position(3, 2), position(3, 'items'), position(3, NULL), position(3, 0), position(NULL, 1)"
        #expect(try rows(sql, recording) == named)
    }

    @Test(arguments: [
        "ATTACH 'x' AS y", "PRAGMA user_version", "PRAGMA query_only = 0", "DELETE FROM action", "DROP VIEW history",
        "INSERT INTO action(seq) VALUES (1)", "CREATE TABLE x(a)", "CREATE TEMP TABLE x(a)", "VACUUM", "BEGIN",
        "SELECT 1; SELECT 2", "SELECT 1; DROP TABLE action", "", ";", "-- nothing", "SELECT load_extension('x')",
        "SELECT * FROM sqlite_master", "SELECT * FROM action", "SELECT * FROM recording", "SELECT count(*) FROM action",
        "SELECT * FROM main.changes", "SELECT * FROM main.history", "SELECT * FROM pragma_table_list",
        "SELECT seq, tpye FROM history",
        "WITH x AS (SELECT 1) DELETE FROM action", "SELECT random()", "SELECT writefile('x', 'y')", "SELECT ?1 +",
        "EXPLAIN DELETE FROM action", "REPLACE INTO note(seq) VALUES (1)", "SELECT * FROM dbstat",
        "WITH changes AS (SELECT * FROM main.keyframe) SELECT * FROM changes",
        "WITH history AS (SELECT * FROM main.action) SELECT seq FROM history",
        "WITH 'notes' AS (SELECT * FROM main.note) SELECT * FROM notes",
        "WITH \"steps\"(a) AS NOT MATERIALIZED (SELECT steps FROM main.action) SELECT a FROM steps",
        "SELECT * FROM (SELECT * FROM main.action) AS history",
    ])
    func `only one statement that reads the views is run`(sql: String) throws {
        let truth = try RandomRecording(seed: 12, actions: 3, isWhole: true)
        let recording = try truth.open()
        #expect(throws: ExpressionError.self) {
            let query = try RecordingQuery(sql, of: recording)
            while try query.next() != nil {}
        }
        #expect(try truth.open().actionCount == 3)
    }

    @Test(arguments: [
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
        "SELECT zeroblob(2000000000)",
        "SELECT count(*) FROM changes a, changes b, changes c, changes d, changes e",
    ])
    func `endless and huge queries are stopped`(sql: String) throws {
        let truth = try RandomRecording(seed: 13, isWhole: true)
        // The query opens the file again, which is deleted with `truth`.
        let error = try withExtendedLifetime(truth) {
            let query = try RecordingQuery(sql, of: truth.open(), longest: .milliseconds(300))
            return try #require(throws: ExpressionError.self) { while try query.next() != nil {} }
        }
        #expect(error.code == .failed)
    }
}
