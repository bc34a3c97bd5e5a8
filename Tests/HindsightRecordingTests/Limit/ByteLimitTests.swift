import Foundation
import HindsightSQLite
import HindsightStore
import HindsightSupport
import HindsightTree
import TestSupport
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("A recording with a limit in bytes") struct ByteLimitTests {
    private static let limit = 1 << 20

    @Test("A recording stays within 1.25 times its limit in all files together over many small actions")
    func small() throws {
        let watch = Watch(limit: Self.limit)
        let recorder = try Recorder<Sum, Int>(to: watch.file, app: AppInfo(name: "sum"), options: watch.options)
        let store = Store(initial: Sum(), reducer: Sum.reducer, middleware: [recorder.middleware])
        for action in 1...16_000 {
            store.dispatch(action)
            if action.isMultiple(of: 50) { try watch.look() }
        }
        try recorder.close()
        try watch.look()
        watch.expectWithin(Self.limit)
        let recording = try Recording(at: watch.file)
        #expect(recording.droppedCount > 5000)
        // The limit is used, and not only kept.
        #expect(try recording.summary().bytes.file > Int64(Self.limit / 2))
        try Sum.check(recording)
        #expect(watch.complaints.codes.isEmpty)
    }

    @Test("A recording stays within the limit if states have the greatest allowed size, with rows of all sizes")
    func big() throws {
        for var random in Seeded.runs(1) {
            let watch = Watch(limit: Self.limit)
            let (recorder, store) = try watch.store(Pages())
            for _ in 1...1000 {
                store.dispatch(Pages.change(bytes: Self.limit / RecordingLimit.fewestStates, &random))
                try watch.look()
            }
            try recorder.close()
            try watch.look()
            watch.expectWithin(Self.limit)
            let recording = try Recording(at: watch.file)
            #expect(recording.droppedCount > 0, "\(random)")
            #expect(try recording.state(at: recording.end) == NodeEncoder().encode(store.state))
            #expect(watch.complaints.codes.isEmpty)
        }
    }

    @Test("A recording raises a limit that is too small to eight states, and reports it once")
    func tooSmall() throws {
        var random = Seeded.runs(1)[0]
        let watch = Watch(limit: Self.limit)
        let (recorder, store) = try watch.store(Pages())
        let state = 600_000
        for _ in 1...400 {
            store.dispatch(Pages.change(bytes: state, &random))
            try watch.look()
        }
        try recorder.flush()
        watch.expectWithin(RecordingLimit.fewestStates * state)
        // Small again, the recording returns to the requested limit.
        store.dispatch(.clear)
        for number in 1...4000 {
            store.dispatch(.set(page: number % 10, text: String(repeating: "x", count: 1000)))
        }
        try recorder.close()
        #expect(try watch.look() <= Self.limit / 4 * 5, "\(random)")
        let recording = try Recording(at: watch.file)
        #expect(try recording.state(at: recording.end) == NodeEncoder().encode(store.state))
        #expect(watch.complaints.codes == [.limitTooSmall])
        #expect(watch.complaints.all.first?.description.contains("at least 8 keyframes") == true)
    }

    @Test("tells that the limit is too small for the first state before anything is dispatched")
    func tooSmallAtFirst() throws {
        let watch = Watch(limit: Self.limit)
        let (recorder, _) = try watch.store(Pages(pages: [String(repeating: "x", count: 200_000)]))
        // It is told on a thread of its own.
        for _ in 0..<12_000 where watch.complaints.codes.isEmpty { usleep(5_000) }
        #expect(watch.complaints.codes == [.limitTooSmall])
        try recorder.close()
    }

    @Test("makes the room that a write needs, also if that takes longer than a slice of time")
    func slowTrimming() throws {
        let scratch = Scratch()
        let options = RecorderOptions(limit: .bytes(Self.limit))
        try shop(at: scratch.file(), options: options).0.close()
        let connection = try Connection(scratch.file().path, .readWrite)
        try connection.execute(
            """
            WITH RECURSIVE number(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM number WHERE seq < 600)
            INSERT INTO action(seq, type, at, payload) SELECT seq, 'a', 0, hex(zeroblob(500)) FROM number;
            INSERT INTO keyframe(seq, state) VALUES (300, '{}'), (600, '{}')
            """
        )
        let trimmer = try RecordingTrimmer(options.limit, connection, slice: 0, now: { 0 }, report: { _ in })
        for seq in [0, 300, 600] { trimmer.keep(2, at: seq) }
        try trimmer.makeRoom(forBytes: 400_000)
        #expect(try connection.integer("SELECT min(seq) FROM action") ?? 0 >= 300)
    }

    @Test("A recording of few large actions uses the limit, also after it has dropped some")
    func fewLarge() throws {
        let watch = Watch(limit: Self.limit)
        let (recorder, store) = try Recorder<Sum, [Int]>.withStore(Sum(), to: watch.file, options: watch.options) {
            $0.total += $1.count
        }
        let numbers = Array(repeating: 1_000_000, count: 4000)
        for number in 1...100 {
            store.dispatch(numbers)
            try recorder.flush()
            try watch.look()
            guard number > 20 else { continue }
            let connection = try Connection(watch.file.path, .readShared)
            let kept = try connection.integer("SELECT count(*) FROM action") ?? 0
            #expect(kept >= 8, "of \(number)")
        }
        try recorder.close()
        watch.expectWithin(Self.limit)
    }

    @Test("A recording keeps the limit with class instances, whose changes are found at once")
    func instances() throws {
        let watch = Watch(limit: Self.limit)
        let (recorder, store) = try Recorder<Boxed, Int>.withStore(Boxed(), to: watch.file, options: watch.options) {
            $0.box.count += $1
        }
        for action in 1...12_000 {
            store.dispatch(action)
            if action.isMultiple(of: 100) { try watch.look() }
        }
        try recorder.close()
        watch.expectWithin(Self.limit)
        let recording = try Recording(at: watch.file)
        #expect(recording.droppedCount > 1000)
        for position in [recording.start, recording.end] {
            #expect(try recording.state(at: position)["box"] == ["count": .int(position.seq * (position.seq + 1) / 2)])
        }
    }

    @Test("A recording frees the space of a bigger action after dropping it")
    func bigAction() throws {
        let watch = Watch(limit: Self.limit)
        let (recorder, store) = try Recorder<Sum, [Int]>.withStore(Sum(), to: watch.file, options: watch.options) {
            $0.total += $1.count
        }
        store.dispatch(Array(repeating: 1_000_000, count: 500_000))
        try recorder.flush()
        #expect(try watch.look() > 2 * Self.limit)
        for number in 1...5000 { store.dispatch([number, number]) }
        try recorder.flush()
        for number in 1...5000 { store.dispatch([number, number]) }
        try recorder.flush()
        // The writer frees space when it is idle, which shows with the next action.
        for _ in 1...1000 where try watch.look() > Self.limit / 4 * 5 {
            usleep(5_000)
            store.dispatch([1, 1])
            try recorder.flush()
        }
        #expect(try watch.look() <= Self.limit / 4 * 5)
        try recorder.close()
        #expect(try watch.look() <= Self.limit / 4 * 5)
        #expect(try Recording(at: watch.file).droppedCount > 1)
    }
}

/// Measures the recording on disk while it is written.
private final class Watch {
    private let scratch = Scratch()
    let complaints = Complaints()
    let options: RecorderOptions
    private var most: [String: Int] = [:]
    private var maxTogether = 0

    init(limit: Int) {
        var options = complaints.options
        options.limit = .bytes(limit)
        self.options = options
    }

    var file: URL { scratch.file() }

    func store(_ pages: Pages) throws -> (Recorder<Pages, Pages.Change>, Store<Pages, Pages.Change>) {
        let recorder = try Recorder<Pages, Pages.Change>(to: file, app: AppInfo(name: "pages"), options: options)
        return (recorder, Store(initial: pages, reducer: Pages.reducer, middleware: [recorder.middleware]))
    }

    /// The current bytes of all files.
    @discardableResult
    func look() throws -> Int {
        var together = 0
        for suffix in ["", "-wal", "-shm", "-ahead"] {
            let bytes = Int(FileSystem.size(of: file.path + suffix))
            most[suffix] = max(most[suffix] ?? 0, bytes)
            together += bytes
        }
        maxTogether = max(maxTogether, together)
        return together
    }

    func expectWithin(_ limit: Int) {
        #expect(maxTogether <= limit / 4 * 5, "at most \(most)")
        print("at most \(maxTogether) bytes, \(maxTogether * 100 / limit) % of the limit: \(most)")
    }
}

/// Pages of text. Each action replaces one.
private struct Pages: Codable, Sendable {
    enum Change: Codable, Sendable {
        case set(page: Int, text: String)
        case clear
    }

    var pages: [String] = Array(repeating: "", count: 50)

    static let reducer = Reducer<Pages, Change>("set") { state, change in
        switch change {
        case .set(let page, let text): state.pages[page] = text
        case .clear: state.pages = Array(repeating: "", count: 50)
        }
    }

    /// A change that leaves the state within the given size: small, big, or near half a page of the file.
    static func change(bytes: Int, _ random: inout Seeded) -> Change {
        let most = bytes / 50 - 10
        let lengths = [random.below(20), random.below(most), min(most, 900 + random.below(200)), most]
        return .set(
            page: random.below(50),
            text: String(repeating: random.pick(["a", "b"]), count: random.pick(lengths))
        )
    }
}

private struct Boxed: Codable, Sendable {
    final class Box: Codable, @unchecked Sendable {
        // Sound: reducers run one at a time.
        var count = 0
    }

    var box = Box()
}
