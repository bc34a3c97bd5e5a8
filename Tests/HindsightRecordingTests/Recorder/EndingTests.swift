import Foundation
import HindsightStore
import HindsightTree
import TestSupport
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("The ending of a recording") struct EndingTests {
    private let scratch = Scratch()

    @Test("A process that dies in a reducer leaves the action and the reducer", arguments: ["kill", "trap", "wait"])
    func crash(end: String) throws {
        let child = try Child(recordingTo: scratch.file(), end: end)
        if end == "wait" {
            child.waitForOutput()
            child.kill()
        } else {
            child.waitForEnd()
        }

        let before = try scratch.contents()
        let recording = try Recording(at: scratch.file())
        #expect(recording.ending == .crashed(seq: 3, reducer: 2))
        #expect(recording.reducers[1] == "second")
        #expect(recording.closed == nil)
        #expect(recording.actionCount == 3)
        #expect(recording.end == Recording.Position(seq: 2))
        let fatal = try recording.action(3)
        #expect(fatal.payload?.json == "3")
        #expect(fatal.duration == nil)
        #expect(try recording.steps(of: 3).isEmpty)
        #expect(try recording.position("crash") == Recording.Position(seq: 3, reducer: 0))
        #expect(try recording.state(at: recording.position("crash")).json == #"{"first":3,"second":3,"third":3}"#)
        for unknown in ["3", "3.1"] {
            let error = expectError(.positionOutOfRange) { try recording.position(unknown) }
            #expect(error?.description.contains("action 3 never finished, 3.0 is before it") == true)
        }
        #expect(try scratch.contents() == before)
    }

    @Test("A recording in creation is reported as about to begin, and an empty file as empty")
    func beginning() throws {
        try Data().write(to: scratch.file())
        func reported() -> String {
            "\(#expect(throws: RecordingError.self) { try Recording(at: scratch.file()) }?.description ?? "")"
        }
        #expect(reported().contains("Add the recorder's middleware to a store"), "\(reported())")
        let journal = try Journal(for: scratch.file().path, capacity: 1 << 16, .process, overwrite: true)
        #expect(
            reported().hasSuffix("is empty: its recorder is about to begin.\nLook again in a moment."),
            "\(reported())"
        )
        journal.remove()
    }

    @Test("A process that exits without closing leaves an open recording")
    func leave() throws {
        try Child(recordingTo: scratch.file(), end: "leave").waitForEnd()
        let before = try scratch.contents()
        let recording = try Recording(at: scratch.file())
        #expect(recording.ending == .open(live: false))
        #expect(recording.end == Recording.Position(seq: 3))
        #expect(try recording.state(at: recording.end).json == #"{"first":6,"second":6,"third":6}"#)
        #expect(try scratch.contents() == before)
    }

    @Test("A recording is readable while another process records it, and refuses a second recorder")
    func live() throws {
        let child = try Child(recordingTo: scratch.file(), end: "close")
        child.waitForOutput()
        let names = try scratch.names
        let recording = try Recording(at: scratch.file())
        #expect(recording.ending == .open(live: true))
        #expect(try recording.state(at: recording.position("end")).json == #"{"first":6,"second":6,"third":6}"#)
        for overwrite in [false, true] {
            expectError(.inUse) {
                try shop(at: scratch.file(), options: RecorderOptions(overwrite: overwrite))
            }
        }
        #expect(try scratch.names == names)
        try child.letClose()
        try recording.refresh()
        #expect(recording.ending == .closed)
    }

    @Test("A recording whose process is reducing an action is live, not crashed")
    func midAction() throws {
        let child = try Child(recordingTo: scratch.file(), end: "wait")
        child.waitForOutput()
        let recording = try Recording(at: scratch.file())
        #expect(recording.ending == .open(live: true))
        #expect(recording.actionCount == 3)
        #expect(recording.end == Recording.Position(seq: 2))
        child.kill()
        try recording.refresh()
        #expect(recording.ending == .crashed(seq: 3, reducer: 2))
    }

    @Test("A closed recording has no sidecar files")
    func closed() throws {
        let (recorder, store) = try shop(at: scratch.file())
        store.dispatch(.clear)
        #expect(try scratch.names == ["", "-ahead", "-shm", "-wal"].map { "session.hindsight\($0)" })
        try recorder.close()
        try recorder.close()
        guard case .closed = recorder.status else { return #expect(Bool(false), "\(recorder.status)") }
        #expect(try scratch.names == ["session.hindsight"])
        store.dispatch(.clear)
        let recording = try Recording(at: scratch.file())
        #expect(recording.actionCount == 1)
        #expect(recording.ending == .closed)
    }

    @Test("Threads may flush and close concurrently and repeatedly")
    func closingFromThreads() async throws {
        let (recorder, store) = try shop(at: scratch.file())
        for action in shopActions(300, seed: 5) { store.dispatch(action) }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<6 {
                group.addTask {
                    do {
                        if task % 2 == 0 { try recorder.flush() }
                        try recorder.close()
                        try recorder.close()
                        try recorder.flush()
                    } catch {
                        Issue.record(error)
                    }
                }
            }
        }
        #expect(recorder.progress == RecorderProgress(recorded: 300, waiting: 0, withoutStates: 0))
        #expect(try Recording(at: scratch.file()).end == Recording.Position(seq: 300))
    }

    @Test("A recorder that is released with its store is closed")
    func dropped() throws {
        do {
            let (_, store) = try shop(at: scratch.file())
            store.dispatch(.clear)
        }
        #expect(try Recording(at: scratch.file()).ending == .closed)
        #expect(try scratch.names == ["session.hindsight"])
    }

    @Test(arguments: MidActionEnd.allCases, [false, true])
    func `An action in reduction when its recording ends is recorded, without an end`(
        end: MidActionEnd,
        holdsInstances: Bool
    ) throws {
        if holdsInstances {
            try endMidAction(end, in: scratch, from: BoxedSum(box: Box()))
        } else {
            try endMidAction(end, in: scratch, from: PlainSum())
        }
        let recording = try Recording(at: scratch.file())
        #expect(recording.ending == (end == .secondStore ? .open(live: false) : .closed))
        #expect(try scratch.names == ["session.hindsight"])
        #expect(recording.actionCount == 2)
        #expect(recording.lastFinished == 1)
        #expect(recording.end == Recording.Position(seq: 1))
        let unfinished = try recording.action(2)
        #expect(unfinished.payload?.json == "20")
        #expect(unfinished.duration == nil)
        #expect(try recording.steps(of: 2).isEmpty)
        #expect(try recording.state(at: recording.position("2.0"))["sum"] == 11)
        #expect(recording.doubtful.isEmpty)
        expectError(.positionOutOfRange, saying: "action 2") { try recording.position("2") }
    }

    @Test("An action in reduction when the writer fails is recorded, without an end")
    func writerFailsMidAction() throws {
        let recorder = try Recorder<Fussy, Int>(to: scratch.file(), app: AppInfo(name: "fussy"))
        let gate = WriterGate()
        let store = Store(
            initial: Fussy(value: 0),
            reducer: Reducer<Fussy, Int>("set") { state, number in
                state = Fussy(value: number, gate: gate)
                guard number == 2 else { return }
                // The writer fails at the action before while this one is reduced.
                gate.open()
                for _ in 0..<10_000 {
                    guard case .recording = recorder.status else { break }
                    usleep(1000)
                }
            },
            middleware: [recorder.middleware]
        )
        for number in [13, 2, 3] { store.dispatch(number) }
        expectError(.unencodableState) { try recorder.close() }
        #expect(store.state.value == 3)
        let recording = try Recording(at: scratch.file())
        #expect(recording.ending == .open(live: false))
        #expect(try scratch.names == ["session.hindsight"])
        #expect(try recording.actions(in: 1...9).map(\.payload) == [13, 2])
        #expect(recording.lastFinished == 1)
        #expect(recording.end == Recording.Position(seq: 0))
    }

    /// Records action 10, and 20, whose second reducer ends the recording.
    private func endMidAction<StateValue: Summing>(_ end: MidActionEnd, in scratch: Scratch, from initial: StateValue)
        throws
    {
        let recorder = try Recorder<StateValue, Int>(to: scratch.file(), app: AppInfo(name: "sum"))
        let middleware = recorder.middleware
        @Sendable func finish() {
            switch end {
            case .closedWithin, .closedElsewhere:
                do { try recorder.close() } catch { Issue.record(error) }
            case .secondStore:
                _ = Store(
                    initial: initial,
                    reducer: Reducer<StateValue, Int>("none") { _, _ in },
                    middleware: [middleware]
                )
            }
        }
        let reducer = Reducer<StateValue, Int>.combine(
            Reducer("add") { $0.sum += $1 },
            Reducer("end") { state, number in
                state.sum += 1
                guard number == 20 else { return }
                if end == .closedElsewhere { onThreads(1) { _ in finish() } } else { finish() }
            }
        )
        let store = Store(initial: initial, reducer: reducer, middleware: [middleware])
        for number in [10, 20, 30] { store.dispatch(number) }
        #expect(store.state.sum == 63)
        if end == .secondStore {
            #expect(throws: RecordingError.self) { try recorder.close() }
        } else {
            try recorder.close()
        }
    }

    @Test("A copy of a live recording without its sidecar files soon has at least the initial state")
    func bareCopy() throws {
        let (recorder, store) = try shop(at: scratch.file())
        store.dispatch(.add(name: "pen", price: 1))
        let copy = scratch.file("copy.hindsight")
        var state: Node?
        for _ in 0..<3000 {
            try FileManager.default.copyItem(at: scratch.file(), to: copy)
            let names = try scratch.names
            state = try? Recording(at: copy).state(at: Recording.Position(seq: 0))
            #expect(try scratch.names == names)
            if state != nil { break }
            try FileManager.default.removeItem(at: copy)
            usleep(20_000)
        }
        #expect(try state == NodeEncoder().encode(Shop()))
        try recorder.close()
    }

    @Test("A copy with the sidecar files, but without SQLite's shared memory, has everything")
    func copyWithWAL() throws {
        let (recorder, store) = try shop(at: scratch.file())
        store.dispatch(.add(name: "pen", price: 1))
        try recorder.flush()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                at: scratch.file("session.hindsight" + suffix),
                to: scratch.file("copy.hindsight" + suffix)
            )
        }
        let names = try scratch.names
        do {
            let copy = try Recording(at: scratch.file("copy.hindsight"))
            #expect(copy.ending == .open(live: false))
            #expect(try copy.state(at: copy.position("1"))["total"] == 1)
        }
        #expect(try scratch.names == names)
        try recorder.close()
    }

    @Test("A process can read its own live recording repeatedly, through checkpoints")
    func sameProcess() throws {
        let (recorder, store) = try shop(at: scratch.file())
        store.dispatch(.nothing)
        let recording = try Recording(at: scratch.file())
        for round in 1...30 {
            for _ in 1...40 { store.dispatch(.write(String(repeating: "x", count: 500))) }
            try recorder.flush()
            try recording.refresh()
            #expect(recording.actionCount == 1 + round * 40)
            #expect(try recording.state(at: recording.end) == NodeEncoder().encode(store.state))
        }
        try recorder.close()
        try recording.refresh()
        #expect(recording.ending == .closed)
        #expect(try Recording(at: scratch.file()).ending == .closed)
    }
}

/// How a recording ends during the reduction of an action.
enum MidActionEnd: CaseIterable {
    /// The reducer closes the recorder.
    case closedWithin
    /// Another thread closes it, and the reducer waits for that.
    case closedElsewhere
    /// The reducer gives the recorder's middleware to a second store, which stops the recorder.
    case secondStore
}

private protocol Summing: Codable, Sendable {
    var sum: Int { get set }
}

private struct PlainSum: Summing {
    var sum = 0
}

/// Cannot be encoded while its value is 13.
private struct Fussy: Codable, Sendable {
    var value: Int
    var gate: WriterGate?

    enum CodingKeys: CodingKey { case value }

    func encode(to encoder: any Encoder) throws {
        if value == 13 {
            gate?.pass()
            throw EncodingError.invalidValue(value, .init(codingPath: encoder.codingPath, debugDescription: "no"))
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(value, forKey: .value)
    }
}

private final class Box: Codable, Sendable {}

/// A state whose changes are found on the dispatching thread.
private struct BoxedSum: Summing {
    var sum = 0
    var box: Box
}
