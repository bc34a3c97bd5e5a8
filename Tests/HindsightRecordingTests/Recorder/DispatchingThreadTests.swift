import Foundation
import HindsightSQLite
import HindsightSupport
import HindsightTree
import TestSupport
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

/// The threads and the tasks that dispatch actions.
@Suite struct DispatchingThreadTests {
    private let scratch = Scratch()

    /// Gives the current thread a name, of at most 15 bytes.
    private static func name(_ name: String) {
        #if canImport(Darwin)
            pthread_setname_np(name)
        #else
            typealias SetName = @convention(c) (pthread_t, UnsafePointer<CChar>) -> CInt
            guard let symbol = dlsym(nil, "pthread_setname_np") else { return }
            _ = unsafeBitCast(symbol, to: SetName.self)(pthread_self(), name)
        #endif
    }

    private func threads(of recording: Recording) throws -> [DispatchingThread?] {
        guard recording.start.seq < recording.actionCount else { return [] }
        let threads = try recording.actions(in: recording.start.seq + 1...recording.actionCount).map(\.thread)
        for (index, thread) in threads.enumerated() {
            let seq = recording.start.seq + 1 + index
            #expect(try recording.action(seq).thread == thread, "\(seq)")
            #expect(try recording.thread(of: seq) == thread, "\(seq)")
        }
        return threads
    }

    /// A closed recording with actions of two named threads, of one without a name, and time travel.
    private func recordThreads(at url: URL) throws {
        let (recorder, store) = try shop(at: url)
        for name in ["sync", "sync", "é"] {
            onThreads(1) { _ in
                Self.name(name)
                for number in 0..<3 { store.dispatch(.write("\(name) \(number)")) }
            }
        }
        onThreads(1) { _ in
            store.dispatch(.nothing)
            store.travel(toState: Shop())
        }
        try recorder.close()
    }

    // MARK: The recorder

    @Test func `each action has the thread that dispatched it, also if a later thread takes its place`() throws {
        try recordThreads(at: scratch.file())
        let recording = try Recording(at: scratch.file())
        let found = try threads(of: recording)
        let known = found.compactMap { $0 }
        try #require(found.count == 11 && known.count == 11)
        let numbers = [known[0], known[3], known[6], known[9]].map(\.number)
        #expect(Set(numbers).count == 4 && numbers == numbers.sorted() && numbers.allSatisfy { $0 > 1 })
        let expected = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3].map { numbers[$0] }
        #expect(known.map(\.number) == expected)
        #expect(known.prefix(9).map(\.name) == ["sync", "sync", "sync", "sync", "sync", "sync", "é", "é", "é"])
        #expect(known.allSatisfy { !$0.isMain && $0.task == nil })
    }

    @Test func `the main thread of a process that was killed has number 1, before and after the recovery`() throws {
        for end in ["kill", "race"] {
            let scratch = Scratch()
            try Child(recordingTo: scratch.file(), end: end).waitForEnd()
            let main = [DispatchingThread?](repeating: DispatchingThread(number: 1), count: 3)
            #expect(try threads(of: Recording(at: scratch.file())) == main, "\(end)")
            #expect(try Recording.recover(at: scratch.file()).isNeeded)
            #expect(try threads(of: Recording(at: scratch.file())) == main, "\(end)")
        }
    }

    @Test func `a task that dispatches is named, if it has a name`() async throws {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
        let (recorder, store) = try shop(at: scratch.file())
        await Task.detached(name: "refresh") {
            store.dispatch(.nothing)
            store.dispatch(.nothing)
        }.value
        await Task.detached { store.dispatch(.nothing) }.value
        await Task.detached(name: "refresh again, with a long name") { store.dispatch(.nothing) }.value
        try recorder.close()
        let found = try threads(of: Recording(at: scratch.file()))
        #expect(found.allSatisfy { $0 != nil })
        let names: [String?] = ["refresh", "refresh", nil, "refresh again, with a long name"]
        #expect(found.map { $0?.task } == names)
    }

    @Test func `a thread that dispatches everything is written once, and a limit keeps it`() throws {
        var options = RecorderOptions(limit: RecordingLimit(actions: 50))
        options.keyframeFloor = 64
        let (recorder, store) = try shop(at: scratch.file(), options: options)
        onThreads(1) { _ in
            for _ in 1...1000 { store.dispatch(.write("some text that makes the changes grow")) }
        }
        let recording = try recorder.closeAndRead()
        let found = try threads(of: recording)
        #expect(recording.droppedCount > 0)
        #expect(found.count == 1000 - recording.droppedCount && found.allSatisfy { $0 != nil && $0 == found[0] })
        let connection = try Connection(scratch.file().path, .readWrite)
        #expect(try connection.integer("SELECT count(*) FROM name WHERE text LIKE '{%'") == 1)
        #expect(try connection.integer("SELECT count(*) FROM action WHERE typeof(thread) <> 'integer'") == 0)
        let text = try recording.text()
        try recording.writeText(to: scratch.file("s.jsonl"))
        #expect(try threads(of: Recording(at: scratch.file("s.jsonl"))) == found)
        #expect(try Recording(at: scratch.file("s.jsonl")).text() == text)
    }

    @Test func `the actions that a limit keeps have their threads`() throws {
        var options = RecorderOptions(limit: RecordingLimit(actions: 50))
        options.keyframeFloor = 64
        let (recorder, store) = try shop(at: scratch.file(), options: options)
        for _ in 1...100 {
            onThreads(1) { _ in
                for _ in 1...10 { store.dispatch(.write("some text that makes the changes grow")) }
            }
        }
        let recording = try recorder.closeAndRead()
        let found = try threads(of: recording)
        #expect(recording.droppedCount > 0 && found.allSatisfy { $0 != nil })
        for (index, thread) in found.enumerated() where index > 0 {
            let isFirst = (recording.droppedCount + index).isMultiple(of: 10)
            #expect((thread?.number != found[index - 1]?.number) == isFirst, "\(index)")
        }
    }

    // MARK: The journal

    @Test func `a journal keeps what is known of a thread`() {
        let long = String(repeating: "é", count: 200)
        let changes: [ThreadChange] = [
            .unknown, .unchanged, .thread(DispatchingThread(number: 1)),
            .thread(DispatchingThread(number: 300, name: "com.app.sync", task: "refresh")),
            .thread(DispatchingThread(number: 2, task: "")),
            .thread(DispatchingThread(number: 2, name: long, task: long)),
        ]
        for change in changes {
            let action = DispatchedAction(seq: 7, type: "add", payload: "{}", at: 5, thread: change)
            var encoder = JournalEncoder()
            encoder.write(action)
            var decoder = JournalDecoder(encoder.bytes[...])
            #expect(decoder.action() == action)
        }
        let cut = DispatchingThread(number: 2, name: long)
        #expect(cut.name?.utf8.count ?? 0 <= DispatchingThread.maxNameLength && cut.name?.hasSuffix("é…") == true)
        #expect(DispatchingThread(number: 2, name: cut.name) == cut)
    }

    @Test func `actions that are only in the journal have their threads, and keep them in a recovery`() throws {
        let (recorder, store) = try shop(at: scratch.file())
        onThreads(1) { _ in store.dispatch(.write("one")) }
        try recorder.close()
        let other = DispatchingThread(number: 900, name: "late", task: "last")
        let changes: [ThreadChange] = [.unchanged, .thread(other), .unchanged, .unknown, .unchanged]
        /// A recording whose process ended before its writer had written the last actions.
        func die(at url: URL) throws {
            try FileManager.default.copyItem(at: scratch.file(), to: url)
            try Connection(url.path, .readWrite).execute("DELETE FROM recording WHERE key = 'closed'")
            let journal = try Journal(for: url.path, capacity: 4096)
            journal.begin()
            for (index, change) in changes.enumerated() {
                let payload = #"{"write":{"_0":"x"}}"#
                let action = DispatchedAction(seq: index + 2, type: "write", payload: payload, at: 5, thread: change)
                _ = try journal.append(action)
                _ = try journal.append(done: index + 2, duration: 1)
                journal.mark(ReducerMark(phase: .idle, seq: index + 2, reducer: 0))
            }
        }
        let first = try Recording(at: scratch.file()).action(1).thread
        let expected = [first, first, other, other, nil, nil]
        #expect(first != nil)
        try die(at: scratch.file("dead.hindsight"))
        let dead = try Recording(at: scratch.file("dead.hindsight"))
        #expect(try threads(of: dead) == expected)
        let text = try dead.text()
        #expect(try Recording.recover(at: scratch.file("dead.hindsight")).actions == 2...6)
        let recovered = try Recording(at: scratch.file("dead.hindsight"))
        #expect(try threads(of: recovered) == expected)
        // Only the header says that it was recovered.
        #expect(try recovered.text().split(separator: "\n").dropFirst() == text.split(separator: "\n").dropFirst())
    }

    // MARK: Copies

    @Test func `a part, a text, an import and a salvaged file have the threads of their recording`() throws {
        try recordThreads(at: scratch.file())
        let recording = try Recording(at: scratch.file())
        let all = try threads(of: recording)
        for (first, last) in [(0, 11), (1, 5), (2, 3), (4, 11), (9, 10), (5, 5)] {
            for name in ["\(first)-\(last).hindsight", "\(first)-\(last).jsonl"] {
                let (first, last) = (Recording.Position(seq: first), Recording.Position(seq: last))
                _ = try recording.cut(from: first, to: last, into: scratch.file(name))
                let part = try threads(of: Recording(at: scratch.file(name)))
                #expect(part == Array(all[first.seq..<last.seq]), "\(name)")
            }
        }
        try recording.writeText(to: scratch.file("s.jsonl"))
        let text = try Recording(at: scratch.file("s.jsonl"))
        #expect(try threads(of: text) == all)
        _ = try Recording.importText(from: scratch.file("s.jsonl"), to: scratch.file("imported.hindsight"))
        let imported = try Recording(at: scratch.file("imported.hindsight"))
        #expect(try threads(of: imported) == all)
        #expect(try imported.text() == recording.text() && text.text() == recording.text())
        #expect(try recording.text().contains(#""thread":{"number":"#))
        let examination = try Recording.examine(at: scratch.file())
        let remarks = examination.remarks
        #expect(examination.isSound && !remarks.contains { $0.contains("thread") }, "\(remarks)")
        _ = try examination.salvage(to: scratch.file("saved.hindsight"))
        #expect(try threads(of: Recording(at: scratch.file("saved.hindsight"))) == all)
    }

    @Test func `actions that replace others have their own threads`() throws {
        try recordThreads(at: scratch.file())
        let recording = try Recording(at: scratch.file())
        let all = try threads(of: recording)
        let threads: [ThreadChange] = [ThreadChange(all[3]), ThreadChange(all[6]), .unknown, ThreadChange(all[6])]
        let output = scratch.file("other.hindsight")
        try RecordingBuilder.write(from: recording, to: output, overwrite: false) { tables in
            try tables.begin(reducers: recording.reducers, recording.state(at: recording.start).json, at: 0)
            try tables.copyActions(1...4, of: recording) { action, _ in action.dispatched }
            for (index, thread) in threads.enumerated() {
                let payload = #"{"nothing":{}}"#
                let action = DispatchedAction(seq: 5 + index, type: "nothing", payload: payload, at: 9, thread: thread)
                try tables.append(action, duration: 1, steps: TimedPatches.write([]), leadingTo: nil)
            }
            try tables.finish(recording.rawFacts())
        }
        let expected = Array(all[..<4]) + [all[3], all[6], nil, all[6]]
        #expect(try self.threads(of: Recording(at: output)) == expected)
    }

    // MARK: What is not known

    @Test(arguments: [
        (#""number":2"#, #""number":0"#), (#""number":2,"#, ""), (#""task":"t""#, #""task":3"#),
        (#""task":"t""#, #""other":"t""#), (#"{"number":2,"name":"n","task":"t"}"#, "2"),
    ])
    func `a recording with a thread that no recorder writes is refused`(old: String, new: String) throws {
        var lines = [
            #"{"hindsight":"recording","text":1,"app":"x","version":"1","platform":"x","created":1,"facts":{"closed":9},"reducers":["a"],"state":{}}"#,
            #"{"action":"b","payload":{"b":{}},"thread":{"number":2,"name":"n","task":"t"},"at":5,"duration":2,"times":[2]}"#,
            #"{"end":true}"#,
        ]
        let url = scratch.file("s.jsonl")
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: url)
        let thread = DispatchingThread(number: 2, name: "n", task: "t")
        #expect(try Recording(at: url).action(1).thread == thread)
        _ = try Recording.importText(from: url, to: scratch.file())
        try #require(lines[1].contains(old))
        lines[1].replace(old, with: new)
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: url)
        let error = #expect(throws: RecordingError.self) { try Recording(at: url) }
        #expect(error?.code == .damaged && error?.line == 2)
        let message = error?.description ?? ""
        #expect(message.contains("its \"thread\" is none that an action has"), "\(message)")

        let node = #"{"number":2,"name":"n","task":"t"}"#.replacing(old, with: new)
        try Connection(scratch.file().path, .readWrite)
            .execute("UPDATE name SET text = '\(node)' WHERE text LIKE '{%'")
        let damage = #expect(throws: RecordingError.self) { try Recording(at: scratch.file()).action(1) }
        #expect(damage?.code == .damaged && damage?.seq == 1)
        let examination = try Recording.examine(at: scratch.file())
        #expect(examination.findings.map(\.what) == ["its thread is none that a recorder writes"])
        _ = try examination.salvage(to: scratch.file("saved.hindsight"))
        #expect(try Recording(at: scratch.file("saved.hindsight")).action(1).thread == nil)
    }
}
