import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightStore
import Testing

@Suite("The file schema", .enabled(if: Shell.isAvailable, "needs the sqlite3 shell")) struct SchemaTests {
    private let scratch = Scratch()

    @Test("The file is marked as a recording, and only its owner may read it")
    func marks() throws {
        let (recorder, store) = try shop(at: scratch.file())
        store.dispatch(.nothing)
        for name in try scratch.names {
            let attributes = try FileManager.default.attributesOfItem(atPath: scratch.file(name).path)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        try recorder.close()
        #expect(try Shell.query(scratch.file(), "PRAGMA application_id; PRAGMA user_version") == "1213417300\n1")
        #expect(try Shell.query(scratch.file(), "PRAGMA integrity_check") == "ok")
    }

    /// The tables and views of format 1, with their columns.
    private static let format = """
        action(seq,parent,type,payload,at,duration,file,line,thread,problem,steps)
        changes(position,seq,reducer,name,op,path,at,old,new)
        history(position,seq,parent,type,payload,at,time,duration,origin,problem,thread,task,changes,paths)
        keyframe(seq,state)
        name(id,text)
        note(id,seq,reducer,name,text,at)
        notes(position,seq,reducer,name,text)
        read_me(note)
        recording(key,value)
        reducer(id,name)
        reducers(reducer,name)
        run(kind,first,last,path)
        steps(position,seq,reducer,name,duration,changes)
        """

    /// A change that readers of this format would misread needs another number.
    @Test("A new recording has the tables and views of the golden one")
    func golden() throws {
        try shop(at: scratch.file()).0.close()
        let golden = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Fixtures/todo.hindsight")
        let columns = """
            SELECT s.name || '(' || (SELECT group_concat(name) FROM pragma_table_info(s.name)) || ')'
            FROM sqlite_schema AS s WHERE type IN ('table', 'view') ORDER BY s.name
            """
        let definitions = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name"
        #expect(try Shell.query(golden, "PRAGMA user_version") == "1")
        #expect(try Shell.query(golden, columns) == Self.format)
        #expect(try Shell.query(scratch.file(), columns) == Self.format)
        #expect(try Shell.query(scratch.file(), definitions) == Shell.query(golden, definitions))
    }

    @Test("The view read_me says whether the file has all recorded actions")
    func readMe() throws {
        func note(_ scratch: Scratch) throws -> String { try Shell.query(scratch.file(), "SELECT * FROM read_me") }
        let closed = Scratch()
        let (recorder, store) = try shop(at: closed.file())
        store.dispatch(.nothing)
        try recorder.flush()
        #expect(try note(closed).contains("was not closed"))
        try recorder.close()
        #expect(try note(closed).hasPrefix("This recording was closed"))

        let dead = Scratch()
        try Child(recordingTo: dead.file(), end: "kill").waitForEnd()
        #expect(try note(dead).hasSuffix("run: hindsight recover FILE"))
        _ = try Recording.recover(at: dead.file())
        #expect(try note(dead).contains("was recovered"))
        let schema = try Shell.query(dead.file(), "SELECT sql FROM sqlite_schema WHERE name IN ('history', 'changes')")
        #expect(schema.components(separatedBy: "see the view read_me").count == 3)
    }

    @Test("The view history has one readable row per action")
    func history() throws {
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
        let parts = try Shell.query(file, "SELECT time, strftime('%s', time), duration, origin FROM history LIMIT 1")
            .split(separator: "|")
        #expect(parts[0].wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/) != nil)
        #expect(parts[1] == "\(Int(seconds))")
        #expect(Int64(parts[2]) == action.durationInNanoseconds)
        #expect(parts[3].hasPrefix("HindsightRecordingTests/SchemaTests.swift:"))
    }

    @Test("The view changes has one row per operation, with all digits of big numbers")
    func changes() throws {
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
                1.1|1|1|number|replace|/number||18446744073709551615|18446744073709551610
                1.2|1|2|list|splice|/list|1|[]|[5]
                1.3|1|3|text|edit|/text|200|""|"5"
                """
        )
    }

    @Test("Types and origins are written once, until there are too many")
    func names() throws {
        let (recorder, store) = try Recorder<Int, String>.withStore(0, to: scratch.file()) { count, _ in count += 1 }
        let long = String(repeating: "long", count: 100)
        let types = (1...5000).map { "\($0)" } + [long, "7", "4999"]
        for type in types { store.dispatch(type) }
        let recording = try recorder.closeAndRead()
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
        try recordShop(5, seed: 9, to: scratch.file())
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
