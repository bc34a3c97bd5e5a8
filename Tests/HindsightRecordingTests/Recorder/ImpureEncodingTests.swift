import Foundation
import HindsightStore
import Synchronization
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording
@testable import HindsightTree

/// States whose `encode(to:)` writes other values each time.
@Suite("An impure encode(to:)") struct ImpureEncodingTests {
    private struct Clocked: Codable, Sendable {
        var count = 0
        var inner = Inner()
        struct Inner: Codable, Sendable {
            var isOn = true
            enum CodingKeys: CodingKey { case calls }
            init() {}
            init(from decoder: any Decoder) throws {}
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(isOn ? calls.add(1, ordering: .relaxed).newValue : 0, forKey: .calls)
            }
        }
    }

    private static let calls = Atomic(0)

    private func record(
        _ initial: Clocked,
        isBurst: Bool,
        count: Int = 5,
        _ change: @escaping @Sendable (inout Clocked, Int) -> Void
    ) throws -> (scratch: Scratch, reported: [RecordingError]) {
        let scratch = Scratch()
        let reported = Mutex<[RecordingError]>([])
        var options = RecorderOptions { error in reported.withLock { $0.append(error) } }
        options.keyframeFloor = 200
        let recorder = try Recorder<Clocked, Int>(to: scratch.file(), app: AppInfo(name: "clock"), options: options)
        let store = Store(
            initial: initial,
            reducer: Reducer<Clocked, Int>("change", change),
            middleware: [recorder.middleware]
        )
        for action in 1...count {
            store.dispatch(action)
            if !isBurst { try recorder.flush() }
        }
        try recorder.close()
        return (scratch, reported.withLock { $0 })
    }

    @Test("An impure type is reported at once with its path, and every state can be read", arguments: [true, false])
    func fromTheStart(isBurst: Bool) throws {
        let (scratch, reported) = try record(Clocked(), isBurst: isBurst) { state, action in state.count += action }
        #expect(reported.map(\.code) == [.impureEncoding])
        #expect(reported.first?.path?.description == "/inner/calls")
        #expect(reported.first?.type?.contains("Inner") == true || reported.first?.type == "Swift.Int")
        #expect(reported.first?.description.contains("encode(to:)") == true)
        let recording = try Recording(at: scratch.file())
        for (seq, count) in [0, 1, 3, 6, 10, 15].enumerated() {
            #expect(try recording.state(at: Recording.Position(seq: seq))["count"]?.json == "\(count)")
        }
        let cursor = try StateCursor(on: recording, at: recording.end)
        for seq in (0...5).reversed() { try cursor.move(to: Recording.Position(seq: seq)) }
    }

    @Test("A type that becomes impure is reported by the audit, and every state can be read", arguments: [true, false])
    func later(isBurst: Bool) throws {
        var initial = Clocked()
        initial.inner.isOn = false
        let (scratch, reported) = try record(initial, isBurst: isBurst, count: 60) { state, action in
            state.count += 1
            if action > 3 { state.inner.isOn = true }
        }
        #expect(reported.count == 1)
        let recording = try Recording(at: scratch.file())
        #expect(!recording.doubtful.isEmpty)
        for seq in 0...60 {
            #expect(try recording.state(at: Recording.Position(seq: seq))["count"]?.json == "\(seq)")
        }
    }

    /// Writes another stamp each time from its first change on.
    private struct Stamped: Codable, Sendable {
        var text = ""
        var count = 0
        var isOn = false

        enum CodingKeys: CodingKey { case text, count, stamp }

        init() {}
        init(from decoder: any Decoder) throws {}

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(text, forKey: .text)
            try container.encode(count, forKey: .count)
            try container.encode(isOn ? calls.add(1, ordering: .relaxed).newValue : 0, forKey: .stamp)
        }
    }

    // Without reflection, a value is encoded more than once.
    @Test(
        "After changes that contradict a whole state, the recording starts again from another whole state",
        .enabled(if: TypeMetadata.isRead)
    )
    func startingAgain() throws {
        let (scratch, complaints) = (Scratch(), Complaints())
        let (recorder, store) = try Recorder<Stamped, Int>.withStore(
            Stamped(),
            to: scratch.file(),
            options: complaints.options
        ) { state, length in
            state.isOn = true
            state.count += 1
            if length > 0 { state.text = String(repeating: length.isMultiple(of: 2) ? "x" : "y", count: length) }
        }
        // The second and the third bring whole states. The third one's changes do not fit the one before.
        for length in 6000...6002 { store.dispatch(length) }
        let recording = try Recording(at: scratch.file())
        let deadline = Date(timeIntervalSinceNow: 60)
        while recording.doubtful.last?.actions.upperBound != 3, Date() < deadline {
            usleep(5_000)
            try recording.refresh()
        }
        for _ in 1...2 { store.dispatch(0) }
        try recorder.close()
        try recording.refresh()
        // The first whole state shows only that something was missed.
        #expect(complaints.codes == [.doubtfulStates])
        #expect(try recording.wholeStates() == [2, 3, 5])
        var node = try recording.state(at: Recording.Position(seq: 3))
        for seq in 4...5 {
            for step in try recording.steps(of: seq) { try step.patch?.apply(to: &node) }
        }
        #expect(node["count"] == 5)
    }
}
