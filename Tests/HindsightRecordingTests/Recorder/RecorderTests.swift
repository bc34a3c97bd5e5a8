import Foundation
import HindsightSQLite
import HindsightStore
import HindsightSupport
import HindsightTree
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("The recorder") struct RecorderTests {
    private let scratch = Scratch()

    @Test("A recorder refuses an existing file, and replaces it on request")
    func overwrite() throws {
        try Data("precious".utf8).write(to: scratch.file())
        expectError(.exists) { try shop(at: scratch.file()) }
        #expect(try scratch.names == ["session.hindsight"])
        #expect(try Data(contentsOf: scratch.file()) == Data("precious".utf8))

        let (recorder, store) = try shop(at: scratch.file(), options: RecorderOptions(overwrite: true))
        store.dispatch(.nothing)
        try recorder.close()
        #expect(try Recording(at: scratch.file()).actionCount == 1)
    }

    @Test("A recording names the app's installation, and so does its text", arguments: ["", "phone 42 \u{1F4F1}"])
    func installation(id: String) throws {
        let app = AppInfo(name: "shop", version: "2", installation: id)
        let recorder = try Recorder<Shop, ShopAction>(to: scratch.file(), app: app)
        let store = Store(initial: Shop(), reducer: shopReducer, middleware: [recorder.middleware])
        store.dispatch(.nothing)
        let recording = try recorder.closeAndRead()
        #expect(recording.app == app)
        try recording.writeText(to: scratch.file("text.jsonl"))
        #expect(try Recording(at: scratch.file("text.jsonl")).app == app)
    }

    @Test("Each recording has a UUID of its own, which its text has, too")
    func uuid() throws {
        let ids = try ["a", "b"].map { name in
            let (recorder, store) = try shop(at: scratch.file(name))
            store.dispatch(.nothing)
            try recorder.close()
            let recording = try Recording(at: scratch.file(name))
            try recording.writeText(to: scratch.file("\(name).jsonl"))
            #expect(try Recording(at: scratch.file("\(name).jsonl")).id == recording.id)
            return try #require(recording.id.flatMap(UUID.init(uuidString:)))
        }
        #expect(ids[0] != ids[1])
        if Shell.isAvailable {
            let written = try Shell.query(scratch.file("a"), "SELECT value FROM recording WHERE key = 'id'")
            #expect(UUID(uuidString: written) == ids[0])
            // A text that is no UUID is none.
            _ = try Shell.query(scratch.file("a"), "UPDATE recording SET value = 'a' WHERE key = 'id'", writing: true)
            #expect(try Recording(at: scratch.file("a")).id == nil)
        }
    }

    @Test("A recorder refuses the name of a text, since it writes a database")
    func textName() throws {
        expectError(.unwritable, saying: "hindsight export") { try shop(at: scratch.file("session.jsonl")) }
        #expect(try scratch.names == [])
    }

    @Test("A recorder refuses an unwritable path and leaves nothing behind")
    func unwritable() throws {
        try Data().write(to: scratch.file("plain"))
        for (place, overwrite) in [("missing/x", false), ("plain/x", false), (".", false), (".", true)] {
            expectError(.unwritable, place) {
                try shop(at: scratch.file(place), options: RecorderOptions(overwrite: overwrite))
            }
        }
        #expect(try scratch.names == ["plain"])
    }

    @Test("A recorder refuses a file that appears after its check, and a directory in which it can create none")
    func makingTheFile() throws {
        try Data("precious".utf8).write(to: scratch.file())
        for (name, code) in [("session.hindsight", .exists), ("missing/x", .unwritable)]
            as [(String, RecordingError.Code)]
        {
            expectError(code, name) { try NewFile.create(scratch.file(name).path, overwrite: false) }
        }
        #expect(try Data(contentsOf: scratch.file()) == Data("precious".utf8))
    }

    @Test("A recorder removes SQLite's leftover files before it creates a new file", arguments: [false, true])
    func remains(overwrite: Bool) throws {
        let names = (overwrite ? [""] : []) + ["-wal", "-shm", "-journal", "-other"]
        for name in names { try Data("old".utf8).write(to: scratch.file("session.hindsight\(name)")) }
        try NewFile.create(scratch.file().path, overwrite: overwrite)
        #expect(try scratch.names == ["session.hindsight", "session.hindsight-other"])
        #expect(try Data(contentsOf: scratch.file()).isEmpty)
    }

    @Test("A recorder replaces a dead recording and its sidecar files on request")
    func replaceDead() throws {
        try Child(recordingTo: scratch.file(), end: "kill").waitForEnd()
        #expect(throws: RecordingError.self) { try shop(at: scratch.file()) }
        #expect(try Recording(at: scratch.file()).ending == .crashed(seq: 3, reducer: 2))
        let (recorder, _) = try shop(at: scratch.file(), options: RecorderOptions(overwrite: true))
        try recorder.close()
        #expect(try Recording(at: scratch.file()).actionCount == 0)
        #expect(try scratch.names == ["session.hindsight"])
    }

    @Test("Without an error handler, a recorder reports its failure on standard error")
    func complaint() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let url = URL(filePath: "/no such directory/shop.hindsight")
            let recorder = Recorder<Shop, ShopAction>.start(to: url, app: AppInfo(name: "shop"))
            if case .stopped(let error) = recorder.status { exit(error.code == .unwritable ? 0 : 1) }
            exit(1)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("Not recorded: /no such directory/shop.hindsight"), "\(words)")
    }

    @Test("A second store is reported and not recorded")
    func secondStore() throws {
        let complaints = Complaints()
        let (recorder, first) = try shop(at: scratch.file(), options: complaints.options)
        let second = Store(initial: Shop(), reducer: shopReducer, middleware: [recorder.middleware])
        second.dispatch(.write("second"))
        first.dispatch(.write("first"))
        try recorder.close()
        #expect(complaints.codes == [.secondStore])
        let recording = try Recording(at: scratch.file())
        #expect(recording.actionCount == 1)
        #expect(try recording.state(at: recording.end)["note"] == "first")
    }

    @Test("One middleware value in two stores stops the recorder, which has written all earlier actions")
    func sharedMiddlewareInBurst() throws {
        let complaints = Complaints()
        let recorder = try Recorder<Shop, ShopAction>(
            to: scratch.file(),
            app: AppInfo(name: "shop"),
            options: complaints.options
        )
        let middleware = recorder.middleware
        let first = Store(initial: Shop(), reducer: shopReducer, middleware: [middleware])
        for action in shopActions(2000, seed: 9) { first.dispatch(action) }
        let second = Store(initial: Shop(), reducer: shopReducer, middleware: [middleware])
        second.dispatch(.write("second"))
        guard case .stopped(let error) = recorder.status else { return #expect(Bool(false), "\(recorder.status)") }
        #expect(error.code == .secondStore && complaints.codes == [.secondStore])
        let recording = try Recording(at: scratch.file())
        #expect(recording.actionCount == 2000 && recording.lastStored == 2000)
        #expect(recording.stopReason != nil && recording.ending == .open(live: false))
    }

    @Test("A state that cannot be encoded stops the recorder with its path, and the app continues")
    func unencodableState() throws {
        let complaints = Complaints()
        let recorder = try Recorder<Stubborn, Int>(
            to: scratch.file(),
            app: AppInfo(name: "stubborn"),
            options: complaints.options
        )
        let store = Store(
            initial: Stubborn(),
            reducer: .combine(Reducer("calm") { _, _ in }, Reducer("set") { $0.inner.value = $1 }),
            middleware: [recorder.middleware]
        )
        for action in [1, 13, 2] { store.dispatch(action) }
        #expect(store.state.inner.value == 2)
        for _ in 1...2 {
            expectError(.unencodableState) { try recorder.close() }
        }

        #expect(complaints.codes == [.unencodableState])
        #expect(complaints.all.first?.seq == 2)
        #expect(complaints.all.first?.reducer == 2)
        let recording = try Recording(at: scratch.file())
        #expect(recording.ending == .open(live: false))
        #expect(recording.stopReason?.contains("at action 2, reducer 2") == true)
        #expect(recording.end == Recording.Position(seq: 1))
        #expect(try recording.state(at: recording.end).json == #"{"inner":{"value":1}}"#)
        let names = try scratch.names
        #expect(names == ["session.hindsight"])
    }

    @Test("A failing disk stops the recorder once, and the app continues")
    func failingDisk() throws {
        let complaints = Complaints()
        let (recorder, store) = try shop(at: scratch.file(), options: complaints.options)
        store.dispatch(.write("kept"))
        try recorder.flush()
        // Another connection drops the table, so the next insert fails as on a broken disk.
        // Renaming reads the views, whose functions SQLite trusts in the shell.
        func rename(_ from: String, _ to: String) throws {
            let connection = try Connection(scratch.file().path, .readWrite)
            try connection.execute("PRAGMA trusted_schema = ON; ALTER TABLE \(from) RENAME TO \(to)")
        }
        try rename("action", "elsewhere")
        for _ in 1...3 { store.dispatch(.write("lost")) }
        #expect(throws: RecordingError.self) { try recorder.close() }
        #expect(complaints.codes == [.stopped])
        #expect(complaints.all.first?.file == scratch.file().path)
        #expect(store.state.note == "keptlostlostlost")
        guard case .stopped = recorder.status else { return #expect(Bool(false), "\(recorder.status)") }
        // Unwritten actions stay in the journal, while this process lives and after.
        try rename("elsewhere", "action")
        let recording = try Recording(at: scratch.file())
        #expect(recording.ending == .open(live: false))
        #expect(recording.stopReason?.contains("no such table") == true, "\(recording.stopReason ?? "")")
        #expect(recording.end == Recording.Position(seq: 1))
        #expect(try recording.action(2).payload?.json == #"{"write":{"_0":"lost"}}"#)
    }

    @Test("A truncated file stops the recorder, even if it is longer than at the start")
    func shortened() throws {
        let complaints = Complaints()
        let (recorder, store) = try shop(at: scratch.file(), options: complaints.options)
        let beginning = FileSystem.size(of: scratch.file().path)
        for _ in 1...200 { store.dispatch(.write(String(repeating: "x", count: 1000))) }
        try recorder.flush()
        do {
            let connection = try Connection(scratch.file().path, .readWrite)
            try connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        }
        // The recorder notes the file's size after a write, once a flush that waits for it has returned: hence two
        // rounds.
        for _ in 1...2 {
            store.dispatch(.nothing)
            try recorder.flush()
        }
        #expect(complaints.all.isEmpty)
        try #require(FileSystem.size(of: scratch.file().path) > beginning + 100_000)
        #expect(truncate(scratch.file().path, off_t(beginning + 40_960)) == 0)
        store.dispatch(.nothing)
        #expect(throws: RecordingError.self) { try recorder.flush() }
        // Reported when it happens, not at the end.
        #expect(complaints.codes == [.stopped])
        #expect(throws: RecordingError.self) { try recorder.close() }
        #expect(complaints.codes == [.stopped])
        #expect(complaints.all.first?.reason == "its file session.hindsight was truncated")
    }

    @Test("The journal says that a recording has begun once its first state is in the file")
    func begun() throws {
        let recorder = try Recorder<Shop, ShopAction>(to: scratch.file(), app: AppInfo(name: "shop"))
        func hasBegun() throws -> Bool? { try JournalInspection.of(scratch.file().path).snapshot?.hasBegun }
        #expect(try hasBegun() == false)
        let store = Store(initial: Shop(), reducer: shopReducer, middleware: [recorder.middleware])
        #expect(try hasBegun() == true)
        store.dispatch(.nothing)
        try recorder.close()
        #expect(try hasBegun() == nil)
    }

    @Test("If no file can be created, the app is informed and continues without a recorder")
    func unrecorded() throws {
        let complaints = Complaints()
        let url = scratch.file("missing/session.hindsight")
        let info = AppInfo(name: "shop")
        let recorder = Recorder<Shop, ShopAction>.start(to: url, app: info, options: complaints.options)
        #expect(stopping(of: recorder) == .unwritable)
        #expect(complaints.codes == [.unwritable])
        try Data("no directory".utf8).write(to: scratch.file("file"))
        let run = Recorder<Shop, ShopAction>.start(
            in: scratch.file("file"),
            keep: Retention(runs: 3),
            app: info,
            options: complaints.options
        )
        #expect(stopping(of: run) == .unwritable)
        #expect(complaints.codes == [.unwritable, .unwritable])
        let store = Store(initial: Shop(), reducer: shopReducer, middleware: [recorder.middleware, run.middleware])
        store.dispatch(.write("on"))
        recorder.note("ignored")
        #expect(store.state.note == "on")
        #expect(recorder.url.path == url.path && recorder.sidecarFiles.isEmpty)
        for failed in [recorder, run] {
            let errors = [
                #expect(throws: RecordingError.self) { try failed.flush() },
                #expect(throws: RecordingError.self) { try failed.close() },
            ]
            #expect(errors.map(\.?.code) == [.unwritable, .unwritable])
        }
        #expect(complaints.codes.count == 2)

        let other = Recorder<Shop, ShopAction>.start(to: scratch.file(), app: info, options: complaints.options)
        #expect(stopping(of: other) == nil && complaints.codes.count == 2)
        try other.close()
    }

    private func stopping(of recorder: Recorder<Shop, ShopAction>) -> RecordingError.Code? {
        if case .stopped(let error) = recorder.status { error.code } else { nil }
    }

    @Test("A recorder without a store leaves a recording that says so")
    func noStore() throws {
        try Recorder<Shop, ShopAction>(to: scratch.file(), app: AppInfo(name: "shop")).close()
        let recording = try Recording(at: scratch.file())
        #expect(recording.actionCount == 0)
        expectError(.empty) { try recording.state(at: recording.end) }
    }

    @Test("Actions of concurrent threads are recorded in one order without gaps")
    func threads() async throws {
        let (recorder, store) = try shop(at: scratch.file())
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask { for action in shopActions(50, seed: UInt64(task)) { store.dispatch(action) } }
            }
        }
        let recording = try recorder.closeAndRead()
        #expect(try recording.actions(in: 1...200).map(\.seq) == Array(1...200))
        #expect(try recording.state(at: recording.end) == NodeEncoder().encode(store.state))
    }
}

/// Throws from `encode(to:)` while its value is 13.
private struct Stubborn: Codable {
    struct Inner: Codable {
        var value = 0

        func encode(to encoder: any Encoder) throws {
            if value == 13 {
                throw EncodingError.invalidValue(value, .init(codingPath: encoder.codingPath, debugDescription: "no"))
            }
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(value, forKey: .value)
        }
    }

    var inner = Inner()
}
