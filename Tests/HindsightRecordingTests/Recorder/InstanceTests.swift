import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightSQLite
import HindsightStore
import HindsightTree
import Synchronization
import Testing

@Suite("States that hold class instances") struct InstanceTests {
    private let scratch = Scratch()

    @Test("A change behind a reference is recorded with its reducer, at every position")
    func everyPosition() throws {
        let recorder = try Recorder<Desk, Int>(to: scratch.file(), app: AppInfo(name: "desk"))
        let store = Store(
            initial: Desk(),
            reducer: .combine(
                Reducer("count") { $0.drawer.count += $1 },
                Reducer("label") { $0.drawer.label += "\($1)" },
                Reducer("total") { $0.total += $1 },
                Reducer("swap") { if $1 == 3 { $0.drawer = Drawer() } }
            ),
            middleware: [recorder.middleware]
        )
        for action in 1...4 { store.dispatch(action) }
        let recording = try recorder.closeAndRead()
        func state(_ count: Int, _ label: String, _ total: Int) -> String {
            #"{"drawer":{"count":\#(count),"label":"\#(label)"},"total":\#(total)}"#
        }
        for (position, expected) in [
            ("0", state(0, "", 0)), ("1.1", state(1, "", 0)), ("1.2", state(1, "1", 0)), ("1", state(1, "1", 1)),
            ("2.1", state(3, "1", 1)), ("2", state(3, "12", 3)), ("3.3", state(6, "123", 6)), ("3", state(0, "", 6)),
            ("4", state(4, "4", 10)),
        ] {
            #expect(try recording.state(at: recording.position(position)).json == expected, "at \(position)")
        }
        #expect(try recording.steps(of: 1).map { $0.patch != nil } == [true, true, true, false])
    }

    @Test("A change behind a reference after the last action is found when the recorder closes")
    func changedAfterwards() throws {
        let (recorder, store) = try Recorder<Desk, Int>.withStore(Desk(), to: scratch.file()) { $0.drawer.count += $1 }
        for action in 1...2 { store.dispatch(action) }
        store.state.drawer.count = 50
        let recording = try recorder.closeAndRead()
        #expect(recording.doubtful.count == 1)
        #expect(recording.doubtful.first?.actions.upperBound == 2)
        #expect(recording.doubtful.first?.path == NodePath(["drawer", "count"]))
    }

    @Test("A recorder that stops during a reduction reports that, not the process's death")
    func stoppedMeanwhile() throws {
        let recorder = try Recorder<Door, Int>(to: scratch.file(), app: AppInfo(name: "door"))
        let store = Store(
            initial: Door(),
            reducer: .combine(Reducer("first") { $0.count += $1 }, Reducer("second") { $0.count += $1 }),
            middleware: [recorder.middleware]
        )
        store.dispatch(1)
        try recorder.flush()
        // Blocks all other writers until the recorder gives up.
        let blocker = try Connection(scratch.file().path, .readWrite)
        try blocker.execute("BEGIN IMMEDIATE")
        store.dispatch(2)
        store.state.gate.onEncoding {
            let deadline = Date(timeIntervalSinceNow: 60)
            while case .recording = recorder.status, Date() < deadline { usleep(1_000) }
            usleep(100_000)
        }
        store.dispatch(3)
        #expect(throws: RecordingError.self) { try recorder.close() }
        try blocker.execute("ROLLBACK")
        #expect(store.state.count == 12)
        let recording = try Recording(at: scratch.file())
        #expect(recording.ending == .open(live: false))
        #expect(recording.stopReason != nil)
    }

    @Test("A process that dies while the recorder encodes a state did not die in a reducer")
    func deathByEncoding() async throws {
        let path = scratch.file().path
        await #expect(processExitsWith: .failure) { [path = path as String] in
            let recorder = try Recorder<Mine, Int>(to: URL(fileURLWithPath: path), app: AppInfo(name: "mine"))
            let store = Store(
                initial: Mine(),
                reducer: .combine(Reducer("step") { $0.fuse.length -= $1 }, Reducer("rest") { _, _ in }),
                middleware: [recorder.middleware]
            )
            store.dispatch(1)
            try recorder.flush()
            store.dispatch(2)
        }
        let recording = try Recording(at: scratch.file())
        #expect(recording.ending == .crashed(seq: 2, reducer: nil))
        #expect(recording.end == Recording.Position(seq: 1))
    }
}

private struct Mine: Codable, Sendable {
    var fuse = Fuse()
}

/// Ends the process when it is encoded with length 0.
private final class Fuse: Codable, @unchecked Sendable {
    var length = 3

    func encode(to encoder: any Encoder) throws {
        if length == 0 { _exit(EXIT_FAILURE) }
        var container = encoder.singleValueContainer()
        try container.encode(length)
    }

    init() {}
    init(from decoder: any Decoder) throws {}
}

private struct Door: Codable, Sendable {
    var gate = Gate()
    var count = 0
}

/// Runs a closure the next time that it is encoded.
private final class Gate: Codable, Sendable {
    private let waiting = Mutex<(@Sendable () -> Void)?>(nil)

    init() {}
    init(from decoder: any Decoder) throws {}

    func onEncoding(_ action: @escaping @Sendable () -> Void) { waiting.withLock { $0 = action } }

    func encode(to encoder: any Encoder) throws {
        let action = waiting.withLock { $0.take() }
        action?()
        var container = encoder.singleValueContainer()
        try container.encode("a gate")
    }
}

private struct Desk: Codable, Sendable {
    var drawer = Drawer()
    var total = 0
}

/// Changed on the store's thread only.
private final class Drawer: Codable, @unchecked Sendable {
    var count = 0
    var label = ""
}
