import Dispatch
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

/// Actions that arrive faster than they can be written.
@Suite("A recorder that is behind") struct BehindTests {
    private let scratch = Scratch()

    /// A recording of the shop in which runs of actions have no states, and the store's true states.
    private struct Session {
        let scratch: Scratch
        let recording: Recording
        let states: [Recording.Position: Shop]
        let count: Int
        let progress: RecorderProgress
    }

    /// Dispatches on another thread while the file is blocked; how many actions wait when the queue of four is full.
    private func fillQueue<StateValue, ActionValue>(
        of recorder: Recorder<StateValue, ActionValue>,
        _ store: Store<StateValue, ActionValue>,
        with actions: [ActionValue]
    ) throws -> Int {
        let (dispatched, done) = (Guarded(0), DispatchSemaphore(value: 0))
        let waiting: Int = try whileBlocked(scratch.file()) {
            Thread.detachNewThread {
                for action in actions {
                    store.dispatch(action)
                    dispatched.withLock { $0 += 1 }
                }
                done.signal()
            }
            let deadline = Date(timeIntervalSinceNow: 60)
            while dispatched.withLock({ $0 }) < 4, Date() < deadline { usleep(1_000) }
            usleep(50_000)
            #expect(dispatched.withLock { $0 } <= 5)
            return recorder.progress.waiting
        }
        #expect(done.wait(timeout: .now() + 60) == .success)
        return waiting
    }

    /// Dispatches in turns while another connection blocks the file and while none does.
    private func session(
        limit: QueueLimit = QueueLimit(actions: 8),
        rounds: Int = 3,
        endingBehind: Bool = false
    ) throws -> Session {
        let scratch = Scratch()
        let witness = Witness<Shop, ShopAction>()
        let options = RecorderOptions(whenBehind: .dropSnapshots, queueLimit: limit)
        let (recorder, store) = try shop(
            at: scratch.file(),
            options: options,
            middleware: [Middleware(observer: witness)]
        )
        let actions = shopActions(rounds * 60, seed: 7)
        for round in 0..<rounds {
            let part = actions[round * 60..<round * 60 + 60]
            for action in part.prefix(20) { store.dispatch(action) }
            try recorder.flush()
            try whileBlocked(scratch.file()) { for action in part.dropFirst(20).prefix(30) { store.dispatch(action) } }
            if endingBehind && round == rounds - 1 { break }
            try recorder.flush()
            for action in part.suffix(10) { store.dispatch(action) }
        }
        try recorder.close()
        return Session(
            scratch: scratch,
            recording: try Recording(at: scratch.file()),
            states: witness.states,
            count: store.history.count,
            progress: recorder.progress
        )
    }

    @Test("Every action is recorded, and every known state is the true one", arguments: [false, true])
    func exact(endingBehind: Bool) throws {
        let session = try session(endingBehind: endingBehind)
        let recording = session.recording
        #expect(recording.actionCount == (endingBehind ? 170 : 180))
        #expect(recording.skipped.count >= 3)
        #expect(recording.end.seq == recording.actionCount)
        // Changes across a run are audited like all others.
        #expect(recording.unauditedCount == 0)
        let left = recording.skipped.reduce(0) { $0 + $1.count }
        #expect(session.progress == RecorderProgress(recorded: recording.actionCount, waiting: 0, withoutStates: left))
        let cursor = try StateCursor(on: recording, at: Recording.Position(seq: 0))
        // Forward, then backward: across each gap in both directions.
        let positions = session.states.keys.sorted()
        for position in positions + positions.reversed() {
            let run = recording.skipped.first { $0.contains(position.seq) }
            let isKnown = run == nil || (position.reducer == nil && position.seq == run?.upperBound)
            if isKnown {
                try cursor.move(to: position)
                #expect(try cursor.state == NodeEncoder().encode(session.states[position]), "\(position)")
                #expect(try recording.state(at: position) == cursor.state, "\(position)")
            } else {
                expectError(.positionOutOfRange, saying: "left out the states of") { try cursor.move(to: position) }
                #expect(try recording.steps(of: position.seq).isEmpty)
            }
        }
        for seq in 1...recording.actionCount { #expect(try recording.action(seq).payload != nil) }
    }

    @Test("A cursor steps over states that were left out")
    func stepping() throws {
        let session = try session()
        let recording = session.recording
        let known = session.states.keys.sorted().filter { position in
            let run = recording.skipped.first { $0.contains(position.seq) }
            let isKnown = run == nil || (position.reducer == nil && position.seq == run?.upperBound)
            return isKnown && position.reducer != recording.reducers.count
        }
        let cursor = try StateCursor(on: recording, at: recording.start)
        var reached: [Recording.Position] = [cursor.position]
        while try cursor.stepForward(by: .reducer) { reached.append(cursor.position) }
        #expect(reached == known)
        while try cursor.stepBackward(by: .reducer) { reached.append(cursor.position) }
        #expect(reached == known + known.dropLast().reversed())
        reached = [cursor.position]
        while try cursor.stepForward() { reached.append(cursor.position) }
        #expect(reached == known.filter { $0.reducer == nil })
    }

    @Test("The state before a run is known; those inside it are not")
    func before() throws {
        let recording = try session().recording
        let run = try #require(recording.skipped.first { $0.count > 1 })
        let first = Recording.Position(seq: run.lowerBound, reducer: 0)
        #expect(try recording.state(at: first) == recording.state(at: Recording.Position(seq: run.lowerBound - 1)))
        #expect(throws: RecordingError.self) {
            try recording.state(at: Recording.Position(seq: run.upperBound, reducer: 0))
        }
        let after = Recording.Position(seq: run.upperBound + 1, reducer: 0)
        #expect(try recording.state(at: after) == recording.state(at: Recording.Position(seq: run.upperBound)))
    }

    @Test("The view history marks unknown changes", .enabled(if: Shell.isAvailable))
    func views() throws {
        let session = try session()
        let recording = session.recording
        let file = session.scratch.file()
        let left = recording.skipped.reduce(0) { $0 + $1.count }
        #expect(try Shell.query(file, "SELECT count(*) FROM history WHERE changes IS NULL") == "\(left)")
        #expect(try Shell.query(file, "SELECT sum(last - first + 1) FROM run") == "\(left)")
        // The last action of a run has all its changes, which are not those of a reducer.
        let bridged = try Shell.query(file, "SELECT DISTINCT seq FROM changes WHERE reducer IS NULL ORDER BY seq")
        // On a slow disk there are more runs than those of the session, and such a run may change nothing.
        let changed = try recording.skipped.filter { run in
            let (before, after) = (run.lowerBound - 1, run.upperBound)
            return try recording.state(at: Recording.Position(seq: before))
                != recording.state(at: Recording.Position(seq: after))
        }
        #expect(changed.count >= 3)
        #expect(bridged == changed.map { "\($0.upperBound)" }.joined(separator: "\n"))
    }

    @Test(
        "A run that ends with the state that it began with does not say that its last action changed nothing",
        .enabled(if: Shell.isAvailable)
    )
    func withoutChanges() throws {
        let options = RecorderOptions(whenBehind: .dropSnapshots, queueLimit: QueueLimit(actions: 1))
        let (recorder, store) = try shop(at: scratch.file(), options: options)
        try whileBlocked(scratch.file()) { for _ in 1...40 { store.dispatch(.nothing) } }
        let recording = try recorder.closeAndRead()
        let run = try #require(recording.skipped.last)
        try #require(run.upperBound == 40)
        let known = "SELECT count(*), count(changes), max(paths) FROM history WHERE seq >= \(run.lowerBound)"
        #expect(try Shell.query(scratch.file(), known) == "\(run.count)|0|")
    }

    @Test("A file without the table of the runs is damaged")
    func withoutTable() throws {
        let session = try session()
        let file = session.scratch.file()
        try Connection(file.path, .readWrite).execute("DROP TABLE run")
        let error = expectError(.damaged) { try Recording(at: file) }
        #expect(error?.reason == "it has no table run")
    }

    @Test("A run is one row, and its actions keep their thread, after a transaction that was rolled back")
    func rollback() throws {
        try shop(at: scratch.file()).0.close()
        let connection = try Connection(scratch.file().path, .readWrite)
        let rows = try RowWriter(connection)
        func skip(_ seq: Int) throws(SQLiteError) {
            let thread = seq == 1 ? ThreadChange.thread(DispatchingThread(number: 1)) : .unchanged
            let action = DispatchedAction(seq: seq, type: "nothing", payload: "{}", at: 1, thread: thread)
            try rows.insert(action, duration: 1, isSkipped: true)
        }
        try rows.transaction { () throws(SQLiteError) in
            try skip(1)
            try skip(2)
        }
        let failure = SQLiteError(SQLiteError.Code.generic.rawValue, "made by a test", path: "")
        do {
            try rows.transaction { () throws(SQLiteError) in
                try skip(3)
                throw failure
            }
            Issue.record("the failure is lost")
        } catch {
            #expect(error.message == failure.message)
        }
        try rows.transaction { () throws(SQLiteError) in
            try skip(3)
            try skip(4)
        }
        #expect(
            try connection.text("SELECT group_concat(kind || ' ' || first || '-' || last) FROM run") == "skipped 1-4"
        )
        #expect(
            try connection.text("SELECT group_concat(DISTINCT thread) || ' ' || count(thread) FROM action") == "2 4"
        )
    }

    @Test("A run that the process did not live to end has no last state")
    func unended() throws {
        let session = try session()
        let file = session.scratch.file()
        let run = try #require(session.recording.skipped.last)
        let connection = try Connection(file.path, .readWrite)
        try connection.execute(
            """
            DELETE FROM action WHERE seq > \(run.upperBound); UPDATE action SET steps = NULL WHERE seq = \(run.upperBound);
            DELETE FROM keyframe WHERE seq >= \(run.lowerBound); DELETE FROM recording WHERE key = 'closed'
            """
        )
        let recording = try Recording(at: file)
        #expect(recording.end.seq == run.lowerBound - 1)
        #expect(try recording.state(at: recording.end) == NodeEncoder().encode(session.states[recording.end]))
        #expect(throws: RecordingError.self) { try recording.state(at: Recording.Position(seq: run.upperBound)) }
        #expect(try Recording.examine(at: file).findings.map(\.part) == [.missingJournal])
    }

    @Test("A recorder that is behind keeps its limit, and every known state is the true one")
    func limited() throws {
        let witness = Witness<Shop, ShopAction>()
        let options = RecorderOptions(
            limit: RecordingLimit(actions: 100),
            whenBehind: .dropSnapshots,
            queueLimit: QueueLimit(actions: 4)
        )
        let (recorder, store) = try shop(
            at: scratch.file(),
            options: options,
            middleware: [Middleware(observer: witness)]
        )
        for (index, action) in shopActions(1_000, seed: 11).enumerated() {
            store.dispatch(action)
            if index % 97 == 0 { try recorder.flush() }
        }
        let recording = try recorder.closeAndRead()
        #expect(recording.start.seq > 0)
        #expect(!recording.skipped.isEmpty)
        for seq in recording.start.seq...1_000 where recording.absence(at: Recording.Position(seq: seq)) == nil {
            let position = Recording.Position(seq: seq)
            #expect(try recording.state(at: position) == NodeEncoder().encode(witness.states[position]), "\(position)")
        }
        #expect(try Recording.examine(at: scratch.file()).isSound)
    }
    @Test("The duration of an action without states is that of its own reducers")
    func durations() throws {
        let options = RecorderOptions(whenBehind: .dropSnapshots, queueLimit: QueueLimit(actions: 1))
        let (recorder, store) = try Recorder<Int, Int>.withStore(0, to: scratch.file(), options: options) {
            count,
            time in
            count += 1
            usleep(UInt32(time))
        }
        try whileBlocked(scratch.file()) {
            // The first action takes the queue's only place.
            for time in [0, 0, 30_000] + Array(repeating: 0, count: 20) { store.dispatch(time) }
        }
        let recording = try recorder.closeAndRead()
        #expect(recording.skipped.contains { $0.contains(4) && $0.contains(23) })
        let slow = try #require(try recording.action(3).durationInNanoseconds)
        #expect(slow >= 30_000_000)
        let rest = try (4...23).map { try recording.action($0).durationInNanoseconds ?? .max }
        #expect((rest.min() ?? .max) < slow)
    }

    @Test("States are left out until the queue is nearly empty, and not only until it has room")
    func untilNearlyEmpty() throws {
        let options = RecorderOptions(whenBehind: .dropSnapshots, queueLimit: QueueLimit(actions: 4))
        let recorder = try Recorder<Held, Int>(to: scratch.file(), app: AppInfo(name: "held"), options: options)
        let gates = [1: WriterGate(), 2: WriterGate(), 4: WriterGate()]
        let store = Store(
            initial: Held(length: 0),
            reducer: Reducer("set") { state, number in state = Held(length: number, gate: gates[number]) },
            middleware: [recorder.middleware]
        )
        // Each part comes in one batch, and the writer is held up at its first action.
        for part in [1...1, 2...3, 4...6] {
            for number in part { store.dispatch(number) }
            // At actions 4 and 5 the queue becomes full, and the states of action 6 are left out.
            gates[part.lowerBound - 1]?.open()
            gates[part.lowerBound - 2]?.open()
            #expect(gates[part.lowerBound]?.waitForWriter() == true)
        }
        #expect(recorder.progress.withoutStates == 1)
        // Three actions are in the queue, and it has room for one.
        store.dispatch(7)
        #expect(recorder.progress.withoutStates == 2)
        gates[4]?.open()
        let recording = try recorder.closeAndRead()
        #expect(recording.skipped == [6...7])
        #expect(try recording.state(at: recording.end) == NodeEncoder().encode(store.state))
    }

    @Test("Pending states count with all their bytes")
    func bytes() throws {
        try expectBytesToCount { $0 }
    }

    @Test("States with memory that is not known count as the text of a whole state")
    func unknownBytes() throws {
        enum Page: Codable, Sendable { case text(String) }
        try expectBytesToCount(Page.text)
    }

    /// Expects that a few states of 60 KB fill a queue of 200 KB.
    private func expectBytesToCount<Page: Codable & Sendable>(_ page: @escaping @Sendable (String) -> Page) throws {
        let scratch = Scratch()
        let options = RecorderOptions(whenBehind: .dropSnapshots, queueLimit: QueueLimit(bytes: 200_000))
        let (recorder, store) = try Recorder<Page, Int>.withStore(
            page(String(repeating: "-", count: 60_000)),
            to: scratch.file(),
            options: options
        ) { $0 = page(String(repeating: "\($1 % 10)", count: 60_000)) }
        let without = try whileBlocked(scratch.file()) {
            for number in 1...40 { store.dispatch(number) }
            return recorder.progress.withoutStates
        }
        try recorder.close()
        #expect((20...39).contains(without), "\(without) of 40 have no states")
        let state = try Recording(at: scratch.file()).state(at: Recording.Position(seq: 40))
        #expect(state == (try NodeEncoder().encode(store.state)))
    }

    @Test("States with class instances are not left out: dispatching waits for room")
    func instances() throws {
        struct Desk: Codable { var drawer = Drawer() }
        let options = RecorderOptions(whenBehind: .dropSnapshots, queueLimit: QueueLimit(actions: 4))
        let (recorder, store) = try Recorder<Desk, Int>.withStore(Desk(), to: scratch.file(), options: options) {
            $0.drawer.count += $1
        }
        _ = try fillQueue(of: recorder, store, with: Array(repeating: 1, count: 100))
        try recorder.close()
        #expect(recorder.progress == RecorderProgress(recorded: 100, waiting: 0, withoutStates: 0))
    }

    @Test("A recorder that has caught up writes the last state, even if no action follows")
    func idle() throws {
        let options = RecorderOptions(whenBehind: .dropSnapshots, queueLimit: QueueLimit(actions: 4))
        let (recorder, store) = try shop(at: scratch.file(), options: options)
        try whileBlocked(scratch.file()) { for action in shopActions(40, seed: 6) { store.dispatch(action) } }
        let recording = try Recording(at: scratch.file())
        let deadline = Date(timeIntervalSinceNow: 60)
        while recording.end.seq < 40, Date() < deadline {
            usleep(10_000)
            try recording.refresh()
        }
        #expect(recording.end.seq == 40 && !recording.skipped.isEmpty)
        #expect(try recording.state(at: recording.end) == NodeEncoder().encode(store.state))
        try recorder.close()
    }

    @Test("A limit also trims the table of left-out states")
    func rangesAreDropped() throws {
        let options = RecorderOptions(
            limit: RecordingLimit(actions: 50),
            whenBehind: .dropSnapshots,
            queueLimit: QueueLimit(actions: 1)
        )
        let (recorder, store) = try shop(at: scratch.file(), options: options)
        for (index, action) in shopActions(3_000, seed: 12).enumerated() {
            store.dispatch(action)
            if index % 10 == 0 { try recorder.flush() }
        }
        let recording = try recorder.closeAndRead()
        #expect(recording.start.seq > 1_000)
        let connection = try Connection(scratch.file().path, .readImmutable)
        let old = try connection.integer("SELECT count(*) FROM run WHERE last <= \(recording.start.seq)")
        #expect(old == 0)
    }

    @Test("After a run, the recorder writes the changes and no whole state")
    func cost() throws {
        struct State: Codable {
            var text = String(repeating: "-", count: 100_000)
            var count = 0
        }
        let options = RecorderOptions(whenBehind: .dropSnapshots, queueLimit: QueueLimit(actions: 4))
        let (recorder, store) = try Recorder<State, Int>.withStore(State(), to: scratch.file(), options: options) {
            $0.count += $1
        }
        for _ in 0..<10 {
            try whileBlocked(scratch.file()) { for number in 1...20 { store.dispatch(number) } }
            try recorder.flush()
        }
        let recording = try recorder.closeAndRead()
        #expect(recording.skipped.count >= 10)
        #expect(try recording.wholeStates().isEmpty)
        #expect(FileSystem.size(of: scratch.file().path) < 250_000)
        #expect(try recording.state(at: Recording.Position(seq: 200)) == NodeEncoder().encode(store.state))
    }

    @Test("Actions that cannot be replayed keep their states", arguments: [false, true])
    func unencodable(isDescribed: Bool) throws {
        struct State: Codable { var count = 0 }
        struct Refusal: Error {}
        let codec = ActionCodec<Int>(
            encode: { number in
                if number % 5 == 0 { throw Refusal() }
                return .int(number)
            },
            decode: { try NodeDecoder().decode(Int.self, from: $0) }
        )
        let options = RecorderOptions(whenBehind: .dropSnapshots, queueLimit: QueueLimit(actions: 4))
        let recorder = try Recorder<State, Int>(
            to: scratch.file(),
            app: AppInfo(name: "count"),
            actions: isDescribed ? codec.describingFailures : codec,
            options: options
        )
        let store = Store(
            initial: State(),
            reducer: Reducer<State, Int>("count") { $0.count += $1 },
            middleware: [recorder.middleware]
        )
        for round in 0..<4 {
            try whileBlocked(scratch.file()) { for number in 1...9 where number != 5 { store.dispatch(number) } }
            store.dispatch(5 * (round + 1))
        }
        let recording = try recorder.closeAndRead()
        #expect(!recording.skipped.isEmpty)
        var count = 0
        for seq in 1...recording.actionCount {
            let action = try recording.action(seq)
            guard action.isGap else { continue }
            count += 1
            #expect(action.isDescribed == isDescribed)
            #expect(!recording.skipped.contains { $0.contains(seq) })
            #expect(try recording.steps(of: seq).count == 1)
            _ = try recording.state(at: Recording.Position(seq: seq))
        }
        #expect(count == 4)
    }

    @Test("A recorder that may block leaves nothing out")
    func blocking() throws {
        let options = RecorderOptions(queueLimit: QueueLimit(actions: 2))
        let (recorder, store) = try shop(at: scratch.file(), options: options)
        for action in shopActions(500, seed: 3) { store.dispatch(action) }
        let before = recorder.progress
        #expect(before.recorded + before.waiting == 500)
        try recorder.close()
        #expect(recorder.progress == RecorderProgress(recorded: 500, waiting: 0, withoutStates: 0))
        #expect(try Recording(at: scratch.file()).skipped.isEmpty)
    }

    @Test("A recorder that may block keeps within its queue limit")
    func waiting() throws {
        let options = RecorderOptions(queueLimit: QueueLimit(actions: 4))
        let (recorder, store) = try shop(at: scratch.file(), options: options)
        #expect(try 4...5 ~= fillQueue(of: recorder, store, with: shopActions(100, seed: 4)))
        try recorder.close()
        #expect(recorder.progress == RecorderProgress(recorded: 100, waiting: 0, withoutStates: 0))
    }

    @Test("A limit keeps the part of each range that lies behind the start")
    func cut() throws {
        try recordShop(10, seed: 1, to: scratch.file())
        let connection = try Connection(scratch.file().path, .readWrite)
        try connection.execute(
            """
            INSERT INTO run(kind, first, last) VALUES ('skipped', 1, 2), ('skipped', 3, 5), ('skipped', 7, 7);
            INSERT INTO run SELECT 'doubtful', first, last, '/note' FROM run
            """
        )
        let file = try ReadableFile(path: scratch.file().path)
        for (start, ranges) in [
            (0, [1...2, 3...5, 7...7]), (1, [2...2, 3...5, 7...7]), (2, [3...5, 7...7]), (3, [4...5, 7...7]),
            (5, [7...7]), (7, []),
        ] {
            var policy = StrictPolicy(file: file)
            let head = try RecordingHead(file, after: start, upTo: 10, &policy)
            #expect(head.skipped == ranges && head.doubtful.map(\.actions) == ranges, "after \(start)")
        }
    }

    @Test(
        "Opening a recording with impossible runs, or with a run that no recorder writes, throws",
        arguments: [
            // The runs are damaged, not their table.
            ("(5, 3)", "left out"), ("(0, 1)", "left out"), ("(1, 1000)", "left out"), ("(2, 4), (3, 6)", "left out"),
            ("(2, 4), (4, 6)", "left out"), ("(2, 4), (5, 4)", "left out"), ("(-9223372036854775808, 2)", "left out"),
            ("('lost', 2, 4, NULL)", "what it says of"), ("('skipped', 2, 4, '/note')", "what it says of"),
            ("('doubtful', 2, 4, NULL)", "what it says of"), ("('doubtful', 2, 4, 'note')", "what it says of"),
            ("('doubtful', 4, 2, '/note')", "what it says of"),
        ]
    )
    func hostile(runs: String, words: String) throws {
        try recordShop(10, seed: 1, to: scratch.file())
        let isWhole = runs.hasPrefix("('")
        let rows = isWhole ? "VALUES \(runs)" : "SELECT 'skipped', *, NULL FROM (VALUES \(runs))"
        try Connection(scratch.file().path, .readWrite).execute("INSERT INTO run \(rows)")
        expectError(.damaged, saying: words) { try Recording(at: scratch.file()) }
        if isWhole { #expect(try Recording.examine(at: scratch.file()).findings.count == 1) }
    }
}

/// Changed on one thread at a time.
private final class Drawer: Codable, @unchecked Sendable {
    var count = 0
}
