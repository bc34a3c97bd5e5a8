import Foundation
import HindsightSQLite
import HindsightStore
import HindsightSupport
import TestSupport
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite struct RecorderNoteTests {
    private let scratch = Scratch()

    private func notes(_ recording: Recording) throws -> [String] {
        try recording.notes().map { "\($0.position) \($0.name ?? "-") \($0.text)" }
    }

    @Test func `notes of the app stand at the last action, or between its reducers`() throws {
        let recorder = try Recorder<Int, String>(to: scratch.file(), app: AppInfo(name: "counter"))
        recorder.note("before the store")
        let reducer = Reducer<Int, String>.combine(
            Reducer("first") { count, _ in count += 1 },
            Reducer("second") { count, action in
                if action == "note" { recorder.note("between") }
                count += 1
            }
        )
        let store = Store(initial: 0, reducer: reducer, middleware: [recorder.middleware])
        recorder.note("begun")
        store.dispatch("add")
        recorder.note("after one")
        store.dispatch("note")
        recorder.note("3")
        recorder.note("after one")
        store.travel(toState: 5)
        recorder.note("travelled")
        let expected = [
            "0 before the store before the store", "0 begun begun", "1 after one after one", "2.1 between between",
            "2 - 3", "2 - after one", "3 travelled travelled",
        ]
        try recorder.flush()
        #expect(try notes(Recording(at: scratch.file())) == expected)
        try recorder.close()
        recorder.note("too late")
        let recording = try Recording(at: scratch.file())
        #expect(try notes(recording) == expected)
        #expect(try recording.position("between") == Recording.Position(seq: 2, reducer: 1))
        #expect(try recording.state(at: recording.position("between")).json == "3")
    }

    @Test func `a note is in the journal when the call returns`() throws {
        let path = scratch.file().path
        let recorder = try Recorder<Int, String>(to: scratch.file(), app: AppInfo(name: "counter"))
        let found = Locked<[String]?>(nil)
        // Until the action ends, the journal keeps what belongs to it.
        let reducer = Reducer<Int, String>("only") { count, _ in
            recorder.note("between")
            let notes = try? JournalInspection.of(path).snapshot?.notes.map(\.text)
            found.withLock { $0 = notes }
            count += 1
        }
        let store = Store(initial: 0, reducer: reducer, middleware: [recorder.middleware])
        store.dispatch("add")
        let recording = try recorder.closeAndRead()
        #expect(found.withLock { $0 } == ["between"])
        #expect(try notes(recording) == ["1.0 between between"])
    }

    @Test func `notes of many threads are all kept, each after an action that had begun`() throws {
        var options = RecorderOptions()
        options.journalBytes = 1 << 16
        let (recorder, store) = try shop(at: scratch.file(), options: options)
        onThreads(6) { thread in
            for number in 0..<200 {
                if thread < 2 { store.dispatch(.write("x")) } else { recorder.note("\(thread): \(number)") }
            }
        }
        let recording = try recorder.closeAndRead()
        let notes = try recording.notes()
        #expect(recording.actionCount == 400)
        #expect(notes.count == 800)
        for thread in 2..<6 {
            let own = notes.filter { $0.text.hasPrefix("\(thread): ") }
            #expect(own.map(\.text) == (0..<200).map { "\(thread): \($0)" }, "in their order")
        }
    }

    @Test func `a note that is larger than the journal is kept, also while an action is being reduced`() throws {
        var options = RecorderOptions()
        options.journalBytes = 4096
        let recorder = try Recorder<Int, String>(to: scratch.file(), app: AppInfo(name: "counter"), options: options)
        let large = String(repeating: "large ", count: 10_000)
        let reducer = Reducer<Int, String>("only") { count, _ in
            recorder.note(large)
            for number in 0..<200 { recorder.note("note \(number) of action \(count)") }
            count += 1
        }
        let store = Store(initial: 0, reducer: reducer, middleware: [recorder.middleware])
        recorder.note(large)
        for _ in 0..<3 { store.dispatch("add") }
        let recording = try recorder.closeAndRead()
        #expect(recording.lastFinished == 3)
        #expect(try recording.notes().count { $0.text == large && $0.name == nil } == 4)
        #expect(try recording.notes().count == 4 + 600)
        #expect(try recording.position("note 7 of action 2") == Recording.Position(seq: 3, reducer: 0))
    }

    @Test func `a limit drops notes with their actions`() throws {
        var options = RecorderOptions(limit: RecordingLimit(actions: 50))
        options.keyframeFloor = 64
        let (recorder, store) = try shop(at: scratch.file(), options: options)
        for number in 1...1000 {
            store.dispatch(.write("some text that makes the changes grow"))
            if number.isMultiple(of: 10) { recorder.note("note \(number)") }
        }
        let recording = try recorder.closeAndRead()
        #expect(recording.droppedCount > 0)
        let first = (recording.droppedCount + 9) / 10 * 10
        #expect(try recording.notes().map(\.text) == stride(from: first, through: 1000, by: 10).map { "note \($0)" })
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `notes stay in the journal through many rounds of its ring, and actions stay as they were`(seed: UInt64) throws
    {
        var random = Seeded(seed: seed)
        let journal = try Journal(for: scratch.file().path, capacity: 4096)
        var kept: [(action: DispatchedAction?, note: JournalNote?, end: UInt64)] = []
        for seq in 1...600 {
            let isNote = random.once(in: 2)
            let text = String(repeating: "é\0", count: random.below(60))
            let action = DispatchedAction(seq: seq, type: "add", payload: "\"\(seq)\"", at: Int64(seq))
            let note = JournalNote(
                id: seq,
                seq: seq - 1,
                reducer: random.once(in: 2) ? random.below(9) : nil,
                text: text,
                at: -Int64(seq)
            )
            func append() throws -> UInt64? { isNote ? try journal.append(note) : try journal.append(action) }
            var end = try append()
            while end == nil {
                #expect(!kept.isEmpty, "seed \(seed)")
                let count = 1 + random.below(max(1, kept.count))
                try journal.forget(upTo: kept[count - 1].end)
                kept.removeFirst(count)
                end = try append()
            }
            kept.append((isNote ? nil : action, isNote ? note : nil, end ?? 0))
            let found = try #require(try JournalInspection.of(scratch.file().path).snapshot)
            #expect(found.actions.map(\.action) == kept.compactMap(\.action), "seed \(seed), record \(seq)")
            #expect(found.notes == kept.compactMap(\.note), "seed \(seed), record \(seq)")
        }
    }

    @Test func `a note at an action that no recording can have is passed over`() throws {
        let journal = try Journal(for: scratch.file().path, capacity: 4096)
        let last = Recording.Position.lastPossibleAction
        for (id, seq) in [1, last, last + 1].enumerated() {
            let note = JournalNote(id: id + 1, seq: seq, reducer: nil, text: "note \(id)", at: 7)
            #expect(try journal.append(note) != nil)
        }
        let found = try #require(try JournalInspection.of(scratch.file().path).snapshot)
        #expect(found.notes.map(\.text) == ["note 0", "note 1"])
    }

    @Test func `a reader and a recovery take notes from the journal once`() throws {
        let file = scratch.file()
        // A recording whose writer has written the first notes, and whose process ended before the others.
        let (recorder, store) = try shop(at: file)
        store.dispatch(.write("one"))
        recorder.note("bug")
        try recorder.flush()
        let copy = scratch.file("dead.hindsight")
        try recorder.close()
        try FileManager.default.copyItem(at: file, to: copy)
        try Connection(copy.path, .readWrite).execute("DELETE FROM recording WHERE key = 'closed'")
        do {
            let journal = try Journal(for: copy.path, capacity: 4096)
            journal.begin()
            for (id, text) in ["bug", "bug", "crash", "new"].enumerated() {
                let note = JournalNote(id: id + 1, seq: id < 3 ? 1 : 9, reducer: nil, text: text, at: 7)
                _ = try journal.append(note)
            }
            let later = DispatchedAction(seq: 2, type: "write", payload: #"{"write":{"_0":"x"}}"#, at: 5)
            _ = try journal.append(later)
            _ = try journal.append(JournalNote(id: 5, seq: 2, reducer: nil, text: "new", at: 8))
            journal.mark(ReducerMark(phase: .reducing, seq: 2, reducer: 1))
        }
        // The first note is in the table already; the one of an action that is in no file is left out.
        let expected = ["1 bug bug", "1 - bug", "1 - crash", "2 new new"]
        let saved = scratch.file("saved.hindsight")
        try Recording.examine(at: copy).salvage(to: saved)
        #expect(try notes(Recording(at: saved)) == expected)
        #expect(try Recording.examine(at: saved).isSound)
        do {
            let dead = try Recording(at: copy)
            #expect(try notes(dead) == expected)
            #expect(try dead.position("new", knownOnly: false).seq == 2)
            #expect(try dead.text().split(separator: "\n").count { $0.hasPrefix(#"{"note""#) } == 4)
        }
        #expect(try Recording.recover(at: copy).isNeeded)
        #expect(try notes(Recording(at: copy)) == expected)
        #expect(try !Recording.recover(at: copy).isNeeded)
        #expect(try notes(Recording(at: copy)) == expected)
    }

    @Test func `a note whose skip the process did not write any more is read and recovered`() throws {
        let file = scratch.file()
        let (recorder, store) = try shop(at: file)
        store.dispatch(.write("one"))
        try recorder.close()
        try Connection(file.path, .readWrite).execute("DELETE FROM recording WHERE key = 'closed'")
        do {
            let journal = try Journal(for: file.path, capacity: 4096)
            journal.begin()
            journal.mark(ReducerMark(phase: .idle, seq: 1, reducer: 0))
            for (id, text) in ["before", "last"].enumerated() {
                let note = JournalNote(id: id + 1, seq: 1, reducer: nil, text: text, at: 7)
                let start = journal.end
                _ = try journal.append(note)
                guard text == "last" else { continue }
                let skip = try FileHandle(forUpdating: URL(filePath: JournalFile.path(for: file.path)))
                try skip.seek(toOffset: UInt64(JournalLayout.head) + start)
                try skip.write(contentsOf: Data(count: JournalFrame.size))
                try skip.close()
            }
        }
        let expected = ["1 before before", "1 last last"]
        do {
            #expect(try notes(Recording(at: file)) == expected)
        }
        #expect(try Recording.recover(at: file).isNeeded)
        #expect(try notes(Recording(at: file)) == expected)
    }
}
