import Dispatch
import Foundation
import HindsightSQLite
import HindsightStore
import HindsightTree
import Synchronization
import TestSupport
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("A recording with a limit") struct LimitTests {
    private let scratch = Scratch()

    /// Limits that a few thousand actions exceed, each with how many of the actions remain.
    private static let limits: [(RecordingLimit, kept: ClosedRange<Int>)] = [
        (.actions(1), 1...100), (.actions(100), 100...200), (.age(.seconds(100)), 100...250),
        (RecordingLimit(actions: 150, bytes: 1 << 20, age: .seconds(1000)), 150...250),
    ]

    @Test("A recording with a limit has the same actions, steps and states as one without", arguments: limits)
    func bruteForce(limit: RecordingLimit, kept: ClosedRange<Int>) throws {
        for var random in Seeded.runs(1) {
            let scratch = Scratch()
            let time = Mutex<Int64>(0)
            var options = RecorderOptions(limit: limit)
            options.keyframeFloor = 64
            options.now = { time.withLock { $0 } }
            let whole = try Recorder<Shop, ShopAction>(to: scratch.file("whole"), app: AppInfo(name: "shop"))
            let (recorder, store) = try shop(at: scratch.file(), options: options, middleware: [whole.middleware])
            for action in shopActions(600, seed: random.next()) {
                time.withLock { $0 += 1_000_000_000 }
                // The state stays small compared to the limits.
                store.dispatch(random.once(in: 20) ? .clear : action)
                if random.once(in: 10) { try recorder.flush() }
            }
            try recorder.close()
            try whole.close()
            let (all, last) = (try Recording(at: scratch.file("whole")), try Recording(at: scratch.file()))
            #expect(kept ~= last.actionCount - last.droppedCount, "\(random): \(last.droppedCount) dropped")
            #expect(last.limit == limit)
            #expect(last.droppedCount == last.start.seq)
            #expect(
                try last.keptSinceNanoseconds.map {
                    $0 <= (try last.action(last.droppedCount + 1).nanosecondsSinceEpoch)
                }
                    == true
            )
            try compare(last, with: all)
            #expect(last.ending == .closed)
            #expect(try scratch.names == ["session.hindsight", "whole"])
        }
    }

    /// Compares all that two recordings share, and checks that the shorter one refuses the rest.
    private func compare(_ last: Recording, with all: Recording) throws {
        let kept = last.droppedCount + 1...last.actionCount
        #expect(last.actionCount == all.actionCount)
        #expect(try last.actions(in: 1...(.max)).map(\.payload) == all.actions(in: kept).map(\.payload))
        #expect(try last.state(at: last.start) == all.state(at: last.start))
        for seq in kept {
            #expect(try last.action(seq).type == all.action(seq).type)
            #expect(try last.steps(of: seq).map(\.patch) == all.steps(of: seq).map(\.patch))
            #expect(
                try last.state(at: Recording.Position(seq: seq)) == all.state(at: Recording.Position(seq: seq)),
                "\(seq)"
            )
            let between = Recording.Position(seq: seq, reducer: seq % 4)
            #expect(try last.state(at: between) == all.state(at: between))
        }
        let summary = try last.summary()
        #expect(summary.actions == kept.count)
        #expect(summary.types.reduce(0) { $0 + $1.count } == kept.count)
        for seq in [0, 1, last.droppedCount - 1] where seq < last.droppedCount {
            let errors = [
                #expect(throws: RecordingError.self) { try last.position("\(seq)") },
                #expect(throws: RecordingError.self) {
                    try last.state(at: Recording.Position(seq: seq + 1, reducer: 0))
                },
                seq == 0 ? nil : #expect(throws: RecordingError.self) { try last.action(seq) },
                seq == 0 ? nil : #expect(throws: RecordingError.self) { try last.steps(of: seq) },
            ]
            for case let error? in errors {
                #expect(error.code == .positionOutOfRange)
                #expect(error.reason == "the recording's limit has dropped the first \(last.droppedCount) actions")
                #expect(error.allowed.first == "\(last.droppedCount) to \(last.actionCount)")
            }
        }
        for seq in [0, -1] {
            let error = #expect(throws: RecordingError.self) { try last.action(seq) }
            #expect(error?.reason == "there is no such action")
            #expect(try last.steps(of: seq).isEmpty)
        }
        #expect(try last.position("start") == last.start)
        #expect(try last.position("0%") == last.start)
        #expect(try last.position("100%") == last.end)
    }

    @Test("A recording drops the actions, states and notes before its start")
    func remains() throws {
        let options = RecorderOptions(limit: .actions(10))
        let (recorder, store) = try shop(at: scratch.file(), options: options)
        store.dispatch(.nothing)
        try recorder.flush()
        let connection = try Connection(scratch.file().path, .readWrite)
        try connection.execute("INSERT INTO note(seq, name, at) VALUES (1, 'early', 0)")
        for action in shopActions(90, seed: 1) { store.dispatch(action) }
        try recorder.flush()
        try connection.execute("INSERT INTO note(seq, name, at) VALUES (91, 'late', 0)")
        let recording = try recorder.closeAndRead()
        #expect(recording.droppedCount > 50)
        #expect(throws: RecordingError.self) { try recording.position("early") }
        #expect(try recording.position("late") == Recording.Position(seq: 91))
        #expect(try connection.integer("SELECT min(seq) FROM action") == Int64(recording.droppedCount))
        #expect(try connection.integer("SELECT min(seq) FROM keyframe") == Int64(recording.droppedCount))
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
    }

    @Test("If dropping the beginning fails, nothing of it is dropped before the next attempt")
    func failedTrimming() throws {
        let options = RecorderOptions(limit: .age(.seconds(1)))
        try shop(at: scratch.file(), options: options).0.close()
        let connection = try Connection(scratch.file().path, .readWrite)
        try connection.execute(
            """
            WITH RECURSIVE number(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM number WHERE seq < 600)
            INSERT INTO action(seq, type, at, payload) SELECT seq, 'a', 0, '{}' FROM number;
            INSERT INTO keyframe(seq, state) VALUES (300, '{}')
            """
        )
        let time = Mutex<Int64>(0)
        let trimmer = try RecordingTrimmer(
            options.limit,
            connection,
            slice: 1 << 32,
            now: { time.withLock { $0 } },
            report: { _ in }
        )
        for seq in [0, 300] { trimmer.keep(2, at: seq) }
        time.withLock { $0 = 2_000_000_000 }
        // Deleting actions then fails, as on a full disk, after the keyframe was deleted in the same transaction.
        func rename(_ from: String, _ to: String) throws {
            let other = try Connection(scratch.file().path, .readWrite)
            try other.execute("PRAGMA trusted_schema = ON; ALTER TABLE \(from) RENAME TO \(to)")
        }
        try rename("action", "elsewhere")
        #expect(throws: SQLiteError.self) { try trimmer.makeRoom(forBytes: 1) }
        try rename("elsewhere", "action")
        #expect(try connection.integer("SELECT min(seq) FROM keyframe") == 0)
        try trimmer.makeRoom(forBytes: 1)
        #expect(try connection.integer("SELECT min(seq) FROM keyframe") == 300)
        #expect(try connection.integer("SELECT min(seq) FROM action") == 300)
    }

    @Test("A recording keeps everything below the limit")
    func unmet() throws {
        let options = RecorderOptions(limit: RecordingLimit(actions: 10_000, bytes: 50 << 20, age: .seconds(1_000_000)))
        let recording = try recordShop(300, seed: 5, to: scratch.file(), options: options)
        #expect(recording.droppedCount == 0)
        #expect(recording.keptSince == nil)
        #expect(recording.start == Recording.Position(seq: 0))
        #expect(try recording.summary().actions == 300)
    }

    /// A live recording of a hundred sums, none of which its limit drops.
    private func hundred(in scratch: Scratch) throws -> (Recorder<Sum, Int>, Recording) {
        var options = RecorderOptions(limit: .actions(1000))
        options.keyframeFloor = 64
        let recorder = try Recorder<Sum, Int>(to: scratch.file(), app: AppInfo(name: "sum"), options: options)
        let store = Store(initial: Sum(), reducer: Sum.reducer, middleware: [recorder.middleware])
        for action in 1...100 { store.dispatch(action) }
        try recorder.flush()
        return (recorder, try Recording(at: scratch.file()))
    }

    /// Drops the beginning of a recording up to the first whole state from an action on, as a recorder drops it.
    private func drop(upTo seq: Int, in file: URL) throws -> Int {
        let connection = try Connection(file.path, .readWrite)
        let start = try connection.integer("SELECT min(seq) FROM keyframe WHERE seq >= \(seq)")
        let base = try #require(start)
        try connection.execute("DELETE FROM keyframe WHERE seq < \(base); DELETE FROM action WHERE seq < \(base)")
        return Int(base)
    }

    @Test("The error for a dropped action names what is left; the error for another action says that it is missing")
    func missing() throws {
        let (recorder, recording) = try hundred(in: scratch)
        let start = try drop(upTo: 50, in: scratch.file())
        for seq in [1, start] {
            let error = try recording.missing(seq)
            #expect(error.code == .positionOutOfRange)
            #expect(error.allowed == ["\(start) to 100", "end"])
        }
        #expect(try recording.missing(start + 1).code == .damaged)
        try recorder.close()
    }

    @Test("A cursor at a dropped action moves to a state that is left")
    func cursorAtDropped() throws {
        let (recorder, recording) = try hundred(in: scratch)
        let cursor = try StateCursor(on: recording, at: Recording.Position(seq: 40))
        let start = try drop(upTo: 50, in: scratch.file())
        // So near that the cursor would apply the changes in between if they were still there.
        let next = start + 1
        try cursor.move(to: Recording.Position(seq: next))
        #expect(cursor.state["total"] == .int(next * (next + 1) / 2))
        let error = #expect(throws: RecordingError.self) { try cursor.move(to: Recording.Position(seq: start - 1)) }
        #expect(error?.reason == "the recording's limit has dropped it meanwhile")
        #expect(cursor.position == Recording.Position(seq: next))
        try recorder.close()
    }

    @Test("A recording can be read at any time while its start is dropped")
    func readWhileDropped() throws {
        var options = RecorderOptions(limit: .actions(40))
        options.keyframeFloor = 64
        let recorder = try Recorder<Sum, Int>(to: scratch.file(), app: AppInfo(name: "sum"), options: options)
        let store = Store(initial: Sum(), reducer: Sum.reducer, middleware: [recorder.middleware])
        let end = End()
        let thread = Thread {
            var action = 0
            while !end.isNear || action < 1000 {
                action += 1
                store.dispatch(action)
            }
            end.come()
        }
        thread.start()
        var gone = 0
        for _ in 1...10 {
            do {
                try Sum.check(Recording(at: scratch.file()))
            } catch let error as RecordingError where error.code == .positionOutOfRange {
                gone += 1
                #expect(error.reason == "the recording's limit has dropped it meanwhile")
            }
        }
        end.wait()
        try recorder.close()
        print("dropped during \(gone) of 10 reads")
        let recording = try Recording(at: scratch.file())
        #expect(recording.droppedCount > 500)
        try Sum.check(recording)
    }

    @Test("A recording is sound if its process is killed at any moment, and has the last actions", arguments: 1...4)
    func killed(round: Int) throws {
        let child = try Child(recordingTo: scratch.file(), end: "limited")
        let returned = child.killAndRead(after: .random(in: 100_000...400_000)).count / 8
        let recording = try Recording(at: scratch.file())
        #expect((returned...returned + 1).contains(recording.lastFinished), "round \(round)")
        let kept = recording.droppedCount + 1...recording.actionCount
        #expect(try recording.actions(in: 1...(.max)).map(\.payload) == kept.map { .int($0 + 3) })
        for position in [recording.start, recording.end] {
            let sum = (0..<position.seq).reduce(0) { $0 + $1 + 4 }
            #expect(try recording.state(at: position)["third"] == .int(sum))
        }
        #expect(try recording.summary().actions == kept.count)
        let shell = try Connection(scratch.file().path, .readAbandoned)
        #expect(try shell.text("PRAGMA integrity_check") == "ok")
    }
}

/// Ends a thread.
private final class End: Sendable {
    private let near = Atomic(false)
    private let done = DispatchSemaphore(value: 0)

    var isNear: Bool { near.load(ordering: .relaxed) }

    func come() { done.signal() }

    /// Signals the end and waits for it.
    func wait() {
        near.store(true, ordering: .relaxed)
        done.wait()
    }
}

/// Adds numbers, so that an action's number determines the state.
struct Sum: Codable, Sendable {
    var total = 0
    var half = 0

    static let reducer = Reducer<Sum, Int>.combine(
        Reducer("total") { $0.total += $1 },
        Reducer("half") { sum, _ in sum.half = sum.total / 2 }
    )

    /// Checks all states of a recording of the actions 1, 2, 3 and so on.
    static func check(_ recording: Recording) throws {
        func expect(_ state: Node, after seq: Int, _ line: Int = #line) {
            let total = seq * (seq + 1) / 2
            #expect(state == ["total": .int(total), "half": .int(total / 2)], "after \(seq)")
        }
        guard recording.end.seq > recording.start.seq else { return }
        expect(try recording.state(at: recording.end), after: recording.end.seq)
        var next = recording.start.seq + 1
        var entries = try recording.entries(in: next...recording.end.seq)
        let cursor = try StateCursor(on: recording, at: recording.start)
        while let (action, steps) = try entries.next() {
            #expect(
                action.payload == .int(next) && steps.count == 2,
                "\(action.seq) for \(next) of \(recording.ending)"
            )
            try cursor.move(to: Recording.Position(seq: next))
            expect(cursor.state, after: next)
            next += 1
        }
        #expect(next == recording.end.seq + 1)
        #expect(try recording.action(next - 1).payload == .int(next - 1))
        _ = try recording.summary()
    }
}
