import Foundation
import HindsightSQLite
import TestSupport
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("Recordings as text: round trips") struct TextRoundTripTests {
    private let scratch = Scratch()

    /// All that readers show: both views, and the state at each position.
    private func expectSame(_ text: Recording, _ original: Recording, _ name: String) throws {
        #expect(text.actionCount == original.actionCount, "\(name)")
        #expect(text.lastFinished == original.lastFinished, "\(name)")
        #expect(text.start == original.start && text.end == original.end, "\(name)")
        #expect(text.skipped == original.skipped && text.doubtful == original.doubtful, "\(name)")
        #expect(text.reducers == original.reducers && text.redaction == original.redaction, "\(name)")
        #expect(text.app == original.app && text.platform == original.platform, "\(name)")
        #expect(text.createdNanoseconds == original.createdNanoseconds, "\(name)")
        #expect(text.closedNanoseconds == original.closedNanoseconds, "\(name)")
        #expect(text.keptSinceNanoseconds == original.keptSinceNanoseconds, "\(name)")
        #expect(text.limit == original.limit, "\(name)")
        for view in ["history", "changes"] {
            let (ours, theirs) = (try rows(of: view, in: text), try rows(of: view, in: original))
            #expect(ours == theirs, "\(view) of \(name)")
            #expect(view == "changes" || !ours.isEmpty, "\(name)")
        }
        for seq in original.start.seq...original.end.seq {
            let reducers: [Int?] = seq > original.start.seq ? [nil] + (0...original.reducers.count).map { $0 } : [nil]
            for position in reducers.map({ Recording.Position(seq: seq, reducer: $0) }) {
                let isKnown = original.absence(at: position) == nil
                #expect(isKnown == (text.absence(at: position) == nil), "\(name) at \(position)")
                guard isKnown else { continue }
                #expect(try text.state(at: position) == original.state(at: position), "\(name) at \(position)")
            }
        }
        for seq in original.start.seq + 1..<max(original.start.seq + 1, original.actionCount + 1) {
            #expect(try text.action(seq) == original.action(seq), "\(name)")
            #expect(try text.steps(of: seq) == original.steps(of: seq), "\(name), action \(seq)")
        }
    }

    /// The rows of a view from the start of the recording on, as text.
    private func rows(of view: String, in recording: Recording) throws -> [String] {
        let columns =
            view == "history"
            ? "position, seq, parent, type, payload, at, time, duration, origin, problem, thread, task, changes, paths"
            : "position, seq, reducer, name, op, path, at, old, new"
        let quoted = columns.split(separator: ", ").map { "quote(\($0))" }.joined(separator: " || '|' || ")
        // The views use functions that SQLite does not trust in a schema.
        try recording.file.connection.execute("PRAGMA trusted_schema = ON")
        let row = try recording.file.connection.prepare(
            "SELECT \(quoted) FROM \(view) WHERE seq >= \(recording.start.seq)"
        )
        var rows: [String] = []
        while try row.step() { rows.append(try row.text(0)) }
        return rows
    }

    /// Reads a recording's text, and expects the same recording and the same text again.
    private func expectRoundTrip(of original: Recording, _ name: String) throws {
        let scratch = Scratch()
        let file = scratch.file("copy.jsonl")
        try original.writeText(to: file)
        let copy = try Recording(at: file)
        #expect(copy.isText && !original.isText)
        try expectSame(copy, original, name)
        #expect(try copy.text() == String(contentsOf: file, encoding: .utf8), "\(name)")
        #expect(try scratch.names == ["copy.jsonl"], "reading left a file")
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a recording is the same after a round trip through text`(seed: UInt64) throws {
        var options = RecorderOptions()
        options.keyframeFloor = 500
        try recordShop(100, seed: seed, to: scratch.file(), options: options)
        try expectRoundTrip(of: Recording(at: scratch.file()), "seed \(seed)")
    }

    @Test(arguments: ["todo", "checkout", "notepad", "escapes", "partial", "doubtful", "bridged"])
    func `a recording of each kind is the same after a round trip through text`(name: String) throws {
        let original = Fixtures.recording(name)
        try FileManager.default.copyItem(at: original, to: scratch.file())
        try expectRoundTrip(of: Recording(at: scratch.file()), name)
    }

    @Test(
        .enabled(if: Python.has("sqlite3"), "needs Python's sqlite3"),
        arguments: ["todo", "checkout", "notepad", "escapes"]
    )
    func `the text is the one that a Python script makes`(name: String) throws {
        let original = Fixtures.recording(name)
        let expected = try Python.run(textOracle, input: original.path)
        let lines = try Recording(at: original).text().split(separator: "\n")
        let expectedLines = expected.split(separator: "\n")
        #expect(lines.count == expectedLines.count)
        for (line, expected) in zip(lines, expectedLines) { #expect(line == expected) }
    }

    @Test(.enabled(if: Shell.isAvailable, "needs the sqlite3 shell"))
    func `the views of a text are those that the sqlite3 shell shows of the recording`() throws {
        try recordShop(60, seed: 7, to: scratch.file())
        try Recording(at: scratch.file()).writeText(to: scratch.file("s.jsonl"))
        let text = try Recording(at: scratch.file("s.jsonl"))
        try text.file.connection.execute("PRAGMA trusted_schema = ON")
        for (view, columns) in [
            ("history", "seq, type, payload, changes, paths"), ("changes", "seq, reducer, op, path"),
        ] {
            let quoted = columns.split(separator: ", ").map { "quote(\($0))" }.joined(separator: " || '|' || ")
            let sql = "SELECT hex(group_concat(\(quoted), char(10))) FROM \(view)"
            #expect(try text.file.connection.text(sql) == Shell.query(scratch.file(), sql), "\(view)")
        }
    }

    @Test(arguments: ["kill", "trap"])
    func `the text of a recording whose process died says how`(end: String) throws {
        try Child(recordingTo: scratch.file(), end: end).waitForEnd()
        let original = try Recording(at: scratch.file())
        try original.writeText(to: scratch.file("s.jsonl"))
        let text = try Recording(at: scratch.file("s.jsonl"))
        #expect(text.ending == original.ending)
        #expect(text.lastActivity == original.lastActivity)
        #expect(text.actionCount == original.actionCount)
        #expect(text.lastFinished == original.lastFinished)
        #expect(text.end == original.end)
        #expect(text.lost == original.lost)
        #expect(text.lacksJournal == original.lacksJournal)
        #expect(text.stopReason == original.stopReason)
        #expect(text.sidecarFiles.isEmpty)
        #expect(try text.text() == String(contentsOf: scratch.file("s.jsonl"), encoding: .utf8))
        #expect(try !Recording.recover(at: scratch.file("s.jsonl")).isNeeded)
    }

    @Test func `a run of skipped actions without its end, before lost states, survives a round trip`() throws {
        try recordShop(20, seed: 4, to: scratch.file())
        let connection = try Connection(scratch.file().path, .readWrite)
        try connection.execute(
            """
            UPDATE action SET steps = NULL WHERE seq > 10; DELETE FROM keyframe WHERE seq > 10;
            UPDATE action SET duration = NULL WHERE seq = 20; DELETE FROM recording WHERE key = 'closed';
            INSERT INTO run VALUES ('skipped', 11, 14, NULL); INSERT INTO recording VALUES ('recovered', 2)
            """
        )
        let original = try Recording(at: scratch.file())
        #expect(original.end.seq == 10 && original.skipped == [11...14])
        #expect(original.ending == .crashed(seq: 20, reducer: nil))
        try expectRoundTrip(of: original, "a run without its end")
    }

    @Test func `a recording with time travel is the same after a round trip through text`() throws {
        let (recorder, store) = try shop(at: scratch.file())
        let early = store.state
        for action in shopActions(10, seed: 3) { store.dispatch(action) }
        store.travel(toState: early)
        store.dispatch(.write("after"))
        try recorder.close()
        let original = try Recording(at: scratch.file())
        #expect(try original.action(11).isTravel)
        try expectRoundTrip(of: original, "time travel")
    }

    @Test func `a long text gets keyframes of its own, and writing it again gives the same bytes`() throws {
        let original = try recordShop(3000, seed: 11, to: scratch.file())
        try original.writeText(to: scratch.file("s.jsonl"))
        let text = try Recording(at: scratch.file("s.jsonl"))
        #expect(try text.summary().keyframes > 1)
        #expect(try text.text() == original.text())
        for seq in [0, 1, 777, 1500, 2999, 3000] {
            let position = Recording.Position(seq: seq)
            #expect(try text.state(at: position) == original.state(at: position), "\(seq)")
        }
    }

    @Test func `the doctor finds a text sound, and saves it as a database`() throws {
        let original = try recordShop(30, seed: 5, to: scratch.file())
        try original.writeText(to: scratch.file("s.jsonl"))
        let examination = try Recording.examine(at: scratch.file("s.jsonl"))
        #expect(examination.isSound, "\(examination.findings)")
        #expect(examination.remarks.contains { $0.contains("recording in text") })
        _ = try examination.salvage(to: scratch.file("saved.hindsight"))
        let saved = try Recording(at: scratch.file("saved.hindsight"))
        #expect(try saved.state(at: saved.end) == original.state(at: original.end))
    }

    @Test func `a text with everything that a recording may have is written as it was read`() throws {
        try Data(everything.utf8).write(to: scratch.file("s.jsonl"))
        let recording = try Recording(at: scratch.file("s.jsonl"))
        #expect(recording.start.seq == 2 && recording.actionCount == 10)
        #expect(recording.skipped == [5...6, 7...7])
        #expect(recording.doubtful.map(\.actions) == [8...8])
        #expect(recording.keptSinceNanoseconds == 5)
        #expect(recording.ending == .crashed(seq: 10, reducer: nil))
        #expect(try recording.state(at: Recording.Position(seq: 6)).json == #"{"n":9,"t":"xy"}"#)
        #expect(try recording.state(at: Recording.Position(seq: 9)).json == #"{"n":4,"t":"z"}"#)
        #expect(try recording.action(9).problem == "no")
        #expect(try recording.action(3).thread == DispatchingThread(number: 2, name: "n", task: "t"))
        #expect(try recording.action(4).thread?.isMain == true && recording.action(5).thread == nil)
        #expect(recording.redaction.states == ["/x"])
        #expect(try recording.text() == everything)
        #expect(recording.recordedPositions == ["2 to 4", "6", "7 to 9"])
    }
}

/// A text with lines of all kinds, with all members.
private let everything = #"""
    {"hindsight":"recording","text":1,"app":"shop","version":"1","platform":"p","created":5,"facts":{"died":"10","limit_actions":3,"recovered":0,"redaction":{"states":[{"path":"/x"}],"actions":[]}},"reducers":["a","b"],"start":2,"state":{"n":0,"t":"x"}}
    {"action":"add","payload":{"add":{"_0":1}},"changes":{"a":[{"op":"replace","path":"/n","old":5,"value":0}]},"dropped":true,"at":5,"duration":3,"times":[1,2]}
    {"action":"add","payload":{"add":{"_0":1}},"changes":{"a":[{"op":"replace","path":"/n","old":0,"value":1}],"b":[{"op":"edit","path":"/t","at":1,"remove":"","insert":"y"}]},"parent":-1,"origin":"A.swift:1","thread":{"number":2,"name":"n","task":"t"},"at":6,"duration":3,"times":[1,2]}
    {"note":"here","text":"x","reducer":1,"at":6}
    {"action":"@travel","travel":[{"op":"replace","path":"/n","old":1,"value":0}],"thread":{"number":1},"at":7,"duration":0}
    {"action":"s","payload":{},"skipped":true,"at":8,"duration":3}
    {"action":"s","payload":{},"run":[{"op":"replace","path":"/n","old":0,"value":9}],"skipped":true,"at":9,"duration":3}
    {"action":"s","payload":{},"skipped":true,"at":10,"duration":3}
    {"state":{"n":3,"t":"z"}}
    {"action":"d","payload":{},"changes":{"a":[{"op":"replace","path":"/n","old":7,"value":8}]},"doubtful":"/n","at":11,"duration":3,"times":[1,2]}
    {"state":{"n":4,"t":"z"}}
    {"action":"g","problem":"no","at":12,"duration":3,"times":[1,2]}
    {"action":"c","payload":{},"at":13}
    {"end":true}

    """#
