import Foundation
import HindsightSQLite
import HindsightStore
import HindsightSupport
import HindsightTree
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("Batches of a recording with a limit of bytes") struct BatchTests {
    private let scratch = Scratch()

    @Test("If a transaction fails, the actions of the one before it are not written again")
    func failure() throws {
        let recorder = try recorder(in: scratch)
        let gate = WriterGate()
        let store = store(recorder, with: gate)
        // The third action brings a whole state. This one is in its place.
        try Connection(scratch.file().path, .readWrite).execute("INSERT INTO keyframe(seq, state) VALUES (3, '{}')")
        store.dispatch(1)
        #expect(gate.waitForWriter())
        // Both come in one batch, and each is large enough for a transaction of its own.
        store.dispatch(40_000)
        store.dispatch(40_001)
        gate.open()
        #expect(throws: RecordingError.self) { try recorder.close() }
        // The file has all actions, so the journal is gone.
        #expect(try scratch.names == ["session.hindsight"])
        try Connection(scratch.file().path, .readWrite).execute("DELETE FROM keyframe WHERE seq = 3")
        let recording = try Recording(at: scratch.file())
        #expect(try recording.actions(in: 1...9).map(\.payload) == [.int(1), .int(40_000), .int(40_001)])
        #expect(recording.end == Recording.Position(seq: 2))
        #expect(try recording.state(at: recording.end) == NodeEncoder().encode(Held(length: 40_000)))
    }

    @Test("Room is made before the changes across a run without states are written")
    func room() throws {
        let options = RecorderOptions(whenBehind: .dropSnapshots, queueLimit: QueueLimit(actions: 1))
        let recorder = try recorder(in: scratch, options)
        let (first, second) = (WriterGate(), WriterGate())
        let store = store(recorder, with: first)
        // Nothing is dropped yet: the file may use a little more.
        var length = 10_000
        while try usedBytes(scratch) < 650_000 {
            length += 1
            store.dispatch(length)
            try recorder.flush()
        }
        #expect(try integer("SELECT min(seq) FROM keyframe", scratch) == 0)
        store.dispatch(1)
        #expect(first.waitForWriter())
        // The queue is full, so the states of an action are left out. Time travel ends the run.
        store.dispatch(100_000)
        store.travel(toState: Held(length: 2, gate: second))
        #expect(recorder.progress.withoutStates == 1)
        first.open()
        #expect(second.waitForWriter())
        let (start, used) = (try integer("SELECT min(seq) FROM keyframe", scratch), try usedBytes(scratch))
        second.open()
        #expect(start > 0)
        #expect(used < 650_000)
        let recording = try recorder.closeAndRead()
        #expect(recording.skipped.count == 1)
        #expect(try recording.state(at: recording.end) == NodeEncoder().encode(Held(length: 2)))
    }

    @Test("The file may shrink while the recorder is closed")
    func shrinking() throws {
        let options = RecorderOptions(limit: .bytes(1 << 20))
        let recorder = try Recorder<Held, String>(to: scratch.file(), app: AppInfo(name: "held"), options: options)
        // Closed on the writer's thread, the recorder ends after the present batch, and tidies up then.
        let gate = WriterGate { [weak recorder] in
            do { try recorder?.close() } catch { Issue.record(error) }
        }
        gate.open()
        let store = Store(
            initial: Held(length: 0),
            reducer: Reducer<Held, String>("set") { state, text in
                state = text.isEmpty ? Held(length: 6000, gate: gate) : Held(length: 6001)
            },
            middleware: [recorder.middleware]
        )
        store.dispatch(String(repeating: "x", count: 12_000_000))
        try recorder.flush()
        #expect(FileSystem.size(of: scratch.file().path) > 12_000_000)
        // After the second whole state, the first action is dropped.
        store.dispatch("")
        try recorder.close()
        #expect(FileSystem.size(of: scratch.file().path) < 2_000_000)
        let recording = try Recording(at: scratch.file())
        #expect(recording.ending == .closed && recording.droppedCount == 2)
    }

    private func recorder(
        in scratch: Scratch,
        _ options: RecorderOptions = RecorderOptions()
    ) throws -> Recorder<Held, Int> {
        var options = options
        options.limit = .bytes(1 << 20)
        return try Recorder<Held, Int>(to: scratch.file(), app: AppInfo(name: "held"), options: options)
    }

    /// A store whose actions are lengths. The state of length 1 has the gate.
    private func store(_ recorder: Recorder<Held, Int>, with gate: WriterGate) -> Store<Held, Int> {
        Store(
            initial: Held(length: 0),
            reducer: Reducer("set") { state, length in state = Held(length: length, gate: length == 1 ? gate : nil) },
            middleware: [recorder.middleware]
        )
    }

    private func integer(_ sql: String, _ scratch: Scratch) throws -> Int {
        Int(try Connection(scratch.file().path, .readShared).integer(sql) ?? 0)
    }

    private func usedBytes(_ scratch: Scratch) throws -> Int {
        let pages = try integer("PRAGMA page_count", scratch) - integer("PRAGMA freelist_count", scratch)
        return try pages * integer("PRAGMA page_size", scratch)
    }
}
