import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightTree
import Testing

@Suite("The file schema", .enabled(if: Shell.isAvailable, "needs the sqlite3 shell")) struct SchemaTests {
    @Test("The file is marked as a recording, and only its owner may read it")
    func marks() throws {
        let scratch = try Scratch()
        let (recorder, store) = try shop(at: scratch.file())
        store.dispatch(.nothing)
        for name in try scratch.names {
            let attributes = try FileManager.default.attributesOfItem(atPath: scratch.file(name).path)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        try recorder.close()
        #expect(try Shell.query(scratch.file(), "PRAGMA application_id; PRAGMA user_version") == "1213417300\n1")
        #expect(try Shell.query(scratch.file(), "PRAGMA integrity_check") == "ok")
        #expect(
            try Shell.query(scratch.file(), "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY 1")
                == "action\nchanges\nhistory\nkeyframe\nname\nnote\nread_me\nrecording\nreducer\nthread"
        )
    }

    @Test("A recording that has left out states has format 2, which earlier tools refuse")
    func partial() throws {
        func format(_ set: (inout RecorderOptions) -> Void) throws -> String {
            let scratch = try Scratch()
            var options = RecorderOptions()
            set(&options)
            let (recorder, store) = try shop(at: scratch.file(), options: options)
            store.dispatch(.nothing)
            try recorder.close()
            return try Shell.query(scratch.file(), "PRAGMA user_version")
        }
        #expect(try format { _ in } == "1")
        #expect(try format { $0.limit = RecordingLimit(actions: 1000) } == "2")
        #expect(try format { $0.redaction = Redaction(states: ["/note"]) } == "2")
    }

    @Test("The view read_me says whether the file has all recorded actions")
    func readMe() throws {
        func note(_ scratch: Scratch) throws -> String { try Shell.query(scratch.file(), "SELECT * FROM read_me") }
        let closed = try Scratch()
        let (recorder, store) = try shop(at: closed.file())
        store.dispatch(.nothing)
        try recorder.flush()
        #expect(try note(closed).contains("was not closed"))
        try recorder.close()
        #expect(try note(closed).hasPrefix("This recording was closed"))

        let dead = try Scratch()
        try Child(recordingTo: dead.file(), end: "kill").waitForEnd()
        #expect(try note(dead).hasSuffix("run: hindsight recover FILE"))
        _ = try Recording.recover(at: dead.file())
        #expect(try note(dead).contains("was recovered"))
        let schema = try Shell.query(dead.file(), "SELECT sql FROM sqlite_schema WHERE name IN ('history', 'changes')")
        #expect(schema.components(separatedBy: "see the view read_me").count == 3)
    }

    @Test("The view history has one readable row per action")
    func history() throws {
        let scratch = try Scratch()
        let (recorder, store) = try shop(at: scratch.file())
        store.dispatch(.add(name: "pen", price: 3))
        store.dispatch(.nothing)
        try recorder.close()
        let file = scratch.file()
        #expect(
            try Shell.query(file, "SELECT seq, type, payload, parent, changes, paths, problem FROM history") == """
                1|add|{"add":{"name":"pen","price":3}}||4|/items,/total,/seen,/log|
                2|nothing|{"nothing":{}}||0||
                """
        )
        let recording = try Recording(at: file)
        let action = try recording.action(1)
        let seconds = Double(action.nanosecondsSinceEpoch) / 1e9
        let parts = try Shell.query(file, "SELECT at, strftime('%s', at), duration_us, origin FROM history LIMIT 1")
            .split(separator: "|")
        #expect(parts[0].wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/) != nil)
        #expect(parts[1] == "\(Int(seconds))")
        #expect(Double(parts[2]) == Double(action.durationInNanoseconds ?? 0) / 1000)
        #expect(parts[3].hasPrefix("HindsightRecordingTests/SchemaTests.swift:"))
    }

    @Test("The view changes has one row per operation, with all digits of big numbers")
    func changes() throws {
        let scratch = try Scratch()
        let recorder = try Recorder<Big, Int>(to: scratch.file(), app: AppInfo(name: "big"))
        let store = Store(
            initial: Big(),
            reducer: .combine(
                Reducer("number") { $0.number -= UInt64($1) },
                Reducer("list") { $0.list.append($1) },
                Reducer("text") { big, action in big.text += "\(action)" }
            ),
            middleware: [recorder.middleware]
        )
        store.dispatch(5)
        try recorder.close()
        let rows = try Shell.query(scratch.file(), "SELECT * FROM changes")
        #expect(
            rows == """
                1|number|replace|/number||18446744073709551615|18446744073709551610
                1|list|splice|/list|1|[]|[5]
                1|text|edit|/text|200|""|"5"
                """
        )
    }

    @Test("Types and origins are written once, until there are too many")
    func names() throws {
        let scratch = try Scratch()
        let recorder = try Recorder<Int, String>(to: scratch.file(), app: AppInfo(name: "names"))
        let store = Store(
            initial: 0,
            reducer: Reducer("count") { count, _ in count += 1 },
            middleware: [recorder.middleware]
        )
        let long = String(repeating: "long", count: 100)
        let types = (1...5000).map { "\($0)" } + [long, "7", "4999"]
        for type in types { store.dispatch(type) }
        try recorder.close()
        let recording = try Recording(at: scratch.file())
        #expect(try recording.actions(in: 1...6000).map(\.type) == types)
        #expect(try Shell.query(scratch.file(), "SELECT count(*) FROM name") == "4096")
        #expect(
            try Shell.query(scratch.file(), "SELECT group_concat(type, char(10)) FROM history")
                == types.joined(separator: "\n")
        )
        let summary = try recording.summary()
        #expect(summary.types.prefix(2).map(\.type) == ["4999", "7"])
        #expect(summary.types.count == 5001)
    }

    @Test("A note's name is a position")
    func notes() throws {
        let scratch = try Scratch()
        let (recorder, store) = try shop(at: scratch.file())
        for action in shopActions(5, seed: 9) { store.dispatch(action) }
        try recorder.close()
        let sql = "INSERT INTO note(seq, reducer, name, at) VALUES (3, 2, 'before the mess', 0), (4, NULL, 'after', 0)"
        #expect(try Shell.query(scratch.file(), sql, writing: true) == "")
        let recording = try Recording(at: scratch.file())
        #expect(try recording.position("before the mess") == Recording.Position(seq: 3, reducer: 2))
        #expect(try recording.position("after") == Recording.Position(seq: 4))
    }
}

private struct Big: Codable {
    var number = UInt64.max
    var list = [1]
    var text = String(repeating: "text ", count: 40)
}
