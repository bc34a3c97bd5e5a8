import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightReplay
import HindsightSQLite
import HindsightStore
import HindsightSupport
import HindsightTree
import Synchronization
import TestSupport
import Testing

@testable import HindsightTesting

@Suite struct ExpectReplayTests {
    private let scratch = Scratch()
    private var folder: URL { scratch.directory }
    private var file: URL { scratch.file("tally.hindsight") }

    init() throws { try recordTally(upTo: 3, to: file) }

    @Test func `A recording that replays unchanged passes`() throws {
        let result = expectReplay(of: file, by: tally())
        #expect(result?.actions == 3 && result?.steps == 3)
        let found = try recordings(in: folder).map(\.lastPathComponent)
        #expect(found == ["tally.hindsight"])
    }

    @Test func `A changed reducer is an issue with the action and the path`() throws {
        let text = issue { expectReplay(of: file, by: tally(factor: 2)) }
        for words in ["tally.hindsight", "tally", "/total"] { #expect(text.contains(words), "\(text)") }
    }

    @Test func `A file that is no recording is an issue, not a crash`() {
        let text = issue { expectReplay(of: URL(fileURLWithPath: "/nowhere.hindsight"), by: tally()) }
        #expect(text.contains("/nowhere.hindsight"), "\(text)")
    }

    #if os(Linux)
        /// The ways in which a reducer ends the process, and the issue's text.
        private static let ends: [(sideEffect: @Sendable () -> Void, words: String)] = [
            ({ fatalError("two") }, "Fatal error: two"),
            ({ print([1, 2, 3][Int(getpid())]) }, "Index out of range"),
            ({ exit(0) }, "(exit status 0)"),
            ({ _exit(0) }, "(exit status 0)"),
            ({ kill(getpid(), SIGKILL) }, "(signal 9)"),
        ]

        @Test(arguments: ends.indices)
        func `A reducer that ends the process is an issue, and earlier actions are compared`(index: Int) throws {
            let (sideEffect, words) = Self.ends[index]
            let text = issue {
                let result = expectReplay(of: file, by: tally(sideEffect: sideEffect))
                #expect(result?.actions == 1 && result?.matches == true)
            }
            #expect(text.contains("in action 2 (add), in reducer 1 of 1 (tally)."), "\(text)")
            #expect(text.contains(words), "\(text)")
        }

        @Test func `A reducer that ends the process is named as it is called today`() throws {
            let reducers = Reducer<Tally, TallyAction>.combine(
                Reducer("new") { _, _ in },
                Reducer("sum") { state, action in
                    guard case .add(let amount) = action else { return }
                    if amount == 2 { fatalError("two") }
                    state.total += amount
                }
            )
            let app = ReplayableApp("tally", initial: Tally(), reducer: reducers)
            let text = issue { expectReplay(of: file, by: app) }
            #expect(text.contains("in action 2 (add), in reducer 2 of 2 (sum)."), "\(text)")
        }

        @Test func `A reducer that sleeps is waited for`() throws {
            let result = expectReplay(of: file, by: tally { Thread.sleep(forTimeInterval: 0.3) })
            #expect(result?.actions == 3)
        }
    #endif

    /// Removes the states after action `known` from a recording, as if the process had been killed.
    private func forget(statesAfter known: Int, in file: URL) throws {
        let connection = try Connection(file.path, .readWrite)
        for line in [
            "DELETE FROM recording WHERE key = 'closed'", "DELETE FROM keyframe WHERE seq > 0",
            "UPDATE action SET steps = NULL WHERE seq > \(known)",
        ] {
            try connection.execute(line)
        }
    }

    @Test func `Actions that are not compared are reported, and pass`() throws {
        try forget(statesAfter: 1, in: file)
        let text = issue {
            let result = expectReplay(of: file, by: tally())
            #expect(result?.actions == 1 && result?.unknown == 2...3)
        }
        #expect(text.contains("compared 1 of 3 actions. Not compared: actions 2 to 3: run, but"), "\(text)")
        #expect(text.contains("actions after 3, because the recording's journal is missing"), "\(text)")
    }

    /// Changes the last action of a recording whose states after the first action are not known.
    private func forget(changingLast columns: String) throws {
        try forget(statesAfter: 1, in: file)
        try Connection(file.path, .readWrite).execute("UPDATE action SET \(columns) WHERE seq = 3")
    }

    @Test func `An action without a known state that does not decode is an issue`() throws {
        try forget(changingLast: #"payload = '{"subtract":{"_0":3}}'"#)
        let text = issue { expectReplay(of: file, by: tally()) }
        #expect(text.contains("subtract"), "\(text)")
        #expect(!text.contains("run, but"), "\(text)")
    }

    @Test func `Only actions that could run are reported as run`() throws {
        try forget(changingLast: "payload = NULL, problem = 'lost'")
        let text = issue { #expect(expectReplay(of: file, by: tally())?.unknown == 2...3) }
        #expect(text.contains("Not compared: action 2: run, but"), "\(text)")
        #expect(text.contains("; action 3: not run, because action 3 was not recorded as a value;"), "\(text)")
    }

    private struct Visits: Codable, Sendable {
        var count = 0
        var unit = "visits"
        var user = User()
        struct User: Codable, Sendable { @Redacted var pin = "1234" }
    }
    /// A later version, with another initial state.
    private struct LaterVisits: Codable, Sendable {
        var count = 0
        var unit = "calls"
        var user = Visits.User()
        var pages = Set(1...64)
        var last = 0.0
        var order: [Int] = [0]
    }
    /// Reducers of new fields, and those fields that have another value each time.
    private static let newFields: [(reduce: @Sendable (inout LaterVisits) -> Void, unstable: [String])] = [
        ({ $0.last = .random(in: 0..<1) }, ["/last"]),
        ({ $0.last = Date().timeIntervalSince1970 }, ["/last"]),
        ({ $0.order = Array($0.pages) }, ["/order"]),
        ({ $0.order = $0.pages.sorted() }, []),
    ]

    @Test(arguments: newFields.indices)
    func `New fields, redacted fields and another initial state are one warning`(index: Int) throws {
        let (reduce, unstable) = Self.newFields[index]
        let file = folder.appending(path: "visits.hindsight")
        let old = ReplayableApp(
            "visits",
            initial: Visits(),
            reducer: Reducer<Visits, TallyAction>("visits") { state, _ in state.count += 1 }
        )
        let session = try old.record(to: file)
        try session.add(upTo: 2)
        try session.close()
        let later = ReplayableApp(
            "visits",
            initial: LaterVisits(),
            reducer: Reducer<LaterVisits, TallyAction>("visits") { state, _ in
                state.count += 1
                reduce(&state)
            }
        )
        let text = issue {
            let result = expectReplay(of: file, by: later)
            #expect(result?.matches == true)
            #expect(result?.unstable.map(\.path.description) == unstable)
        }
        for words in [
            "compared 2 of 2 actions. Not compared: /pages, /last, /order: only in the recording or only in",
            "; /user/pin: redacted", "; today's initial state, which differs at /unit, because",
        ] { #expect(text.contains(words), "\(text)") }
        #expect(text.contains("gives another result each time it runs") == !unstable.isEmpty, "\(text)")
    }

    private struct Short: Codable, Sendable { var count = 0 }
    private struct Long: Codable, Sendable { var count = 0, a = 1, b = 2, c = 3, d = 4, e = 5 }
    private struct Longer: Codable, Sendable { var count = 0, a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7 }

    @Test func `Five paths are listed, and others counted`() throws {
        let file = folder.appending(path: "short.hindsight")
        func app<S: Codable & Sendable>(_ initial: S, _ count: WritableKeyPath<S, Int> & Sendable) -> ReplayableApp {
            ReplayableApp(
                "short",
                initial: initial,
                reducer: Reducer<S, TallyAction>("count") { state, _ in state[keyPath: count] += 1 }
            )
        }
        let session = try app(Short(), \.count).record(to: file)
        try session.add(upTo: 1)
        try session.close()
        let five = issue { expectReplay(of: file, by: app(Long(), \.count)) }
        #expect(five.contains("Not compared: /a, /b, /c, /d, /e: only in"), "\(five)")
        let seven = issue { expectReplay(of: file, by: app(Longer(), \.count)) }
        #expect(seven.contains("Not compared: /a, /b, /c, /d, /e and 2 more: only in"), "\(seven)")
    }

    /// Makes a recording whose process ended in action 2.
    private func crash() throws -> URL {
        let (live, dead) = (folder.appending(path: "live.hindsight"), folder.appending(path: "dead.hindsight"))
        // Copies the files while the reducer runs, as a crash would leave them.
        let recorded = tally {
            for suffix in ["", "-wal", "-shm", "-ahead"] {
                try? FileManager.default.copyItem(atPath: live.path + suffix, toPath: dead.path + suffix)
            }
        }
        let session = try recorded.record(to: live, options: RecorderOptions())
        for amount in 1...3 {
            try session.flush()
            try session.dispatch(["add": ["_0": .int(amount)]], origin: Origin(file: #fileID, line: #line))
        }
        try session.close()
        return dead
    }

    #if os(Linux)
        @Test func `The action in which a recorded process ended runs in a fork, and its trap is an issue`() throws {
            let dead = try crash()
            let text = issue {
                let result = expectReplay(of: dead, by: tally { fatalError("again") })
                #expect(result?.actions == 1 && result?.unfinished == 2)
            }
            #expect(text.contains("in action 2 (add), in reducer 1 of 1 (tally)."), "\(text)")
            #expect(text.contains("Fatal error: again"), "\(text)")
        }

        @Test func `If the trap is fixed, a warning says so until the recording is accepted`() throws {
            let dead = try crash()
            let text = issue { expectReplay(of: dead, by: tally(), mode: .never) }
            let words = "action 2, in which the recorded process ended: run, but its state was not recorded."
            #expect(text.contains(words), "\(text)")
            _ = try Recording.recover(at: dead)
            try tally().accept(dead, runningUnfinished: true)
            let result = expectReplay(of: dead, by: tally(), mode: .never)
            #expect(result?.actions == 2 && result?.unfinished == nil)
            #expect(issue { expectReplay(of: dead, by: tally(factor: 2), mode: .never) }.contains("/total"))
        }
    #else
        @Test func `The action in which a recorded process ended does not run, and is reported`() throws {
            let dead = try crash()
            let text = issue {
                let result = expectReplay(of: dead, by: tally { fatalError("again") })
                #expect(result?.actions == 1 && result?.unfinished == 2)
            }
            #expect(text.contains("Not compared: action 2, in which the recorded process ended: not run."), "\(text)")
        }
    #endif

    @Test func `A recording does not pass if nothing in it can be compared`() throws {
        try forget(statesAfter: 0, in: file)
        let text = issue { expectReplay(of: file, by: tally()) }
        #expect(text.contains("compared 0 of 3 actions"), "\(text)")
    }

    #if os(Linux)
        @Test func `Actions without known states run, and a trap in one is an issue`() throws {
            try forget(statesAfter: 1, in: file)
            let text = issue { expectReplay(of: file, by: tally { fatalError("unseen") }) }
            #expect(text.contains("Fatal error: unseen"), "\(text)")
            let part = VerificationOptions(end: Recording.Position(seq: 2))
            let partText = issue { expectReplay(of: file, by: tally { fatalError("unseen") }, options: part) }
            #expect(partText.contains("Fatal error: unseen"), "\(partText)")
        }

        @Test func `Threads that record and read concurrently do not block a replay`() throws {
            let passed = Atomic(0)
            let isOver = Atomic(false)
            onThreads(3) { thread in
                for _ in 0..<30 where thread == 0 {
                    guard expectReplay(of: file, by: tally())?.actions == 3 else { continue }
                    passed.add(1, ordering: .relaxed)
                }
                if thread == 0 { isOver.store(true, ordering: .relaxed) }
                while !isOver.load(ordering: .relaxed) {
                    do { _ = try tally().verify(Recording(at: file)) } catch { Issue.record(error) }
                }
            }
            #expect(passed.load(ordering: .relaxed) == 30)
        }
    #endif

    // MARK: Reports

    /// The attachments that `body` makes.
    private func attachments(_ body: () -> Void) -> [String: [UInt8]] {
        let found = Locked([String: [UInt8]]())
        TestAttachment.$receiver.withValue({ name, bytes in found.withLock { $0[name] = bytes } }, operation: body)
        return found.withLock { $0 }
    }

    @Test func `An issue shows both values, the change as a diff, and commands for the shell`() throws {
        let odd = folder.appending(path: "it's odd.hindsight")
        try FileManager.default.moveItem(at: file, to: odd)
        let text = issue { expectReplay(of: odd, by: tally(factor: 2)) }
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.first == "it's odd.hindsight: action 1 (add), reducer 1 (tally): /total differs")
        #expect(lines.contains("  recorded: 1") && lines.contains("  today:    2"))
        #expect(lines.contains("- /total: 1") && lines.contains("+ /total: 2"))
        let quoted = "'" + odd.path.replacingOccurrences(of: "'", with: "'\\''") + "'"
        #expect(lines.contains("See what was recorded: swift package hindsight diff \(quoted) 0 1"), "\(text)")
        let again = "Run it again with your app's tool: swift package hindsight verify \(quoted)"
        #expect(lines.contains(again), "\(text)")
    }

    @Test(.enabled(if: RecordingMode.resolve(.all).problem == nil, "With the variable CI, nothing is written."))
    func `Recording anew migrates a recording of an earlier schema`() throws {
        let app = ReplayableApp(
            "tally",
            initial: Tally(),
            reducer: Reducer<Tally, TallyAction>("tally") { state, action in
                if case .add(let amount) = action { state.total += 2 * amount }
            },
            migrations: [Migration(to: 2) { _ in }]
        )
        let text = issue { #expect(expectReplay(of: file, by: app, mode: .all)?.matches == true) }
        #expect(text.contains("was given the states of today's reducers"), "\(text)")
        let recording = try Recording(at: file)
        #expect(recording.app.schema == 2)
        #expect(try recording.state(at: recording.end)["total"] == 12)
    }

    @Test func `A decimal is printed as people write it`() {
        let lines = PatchLines()
        #expect(lines.text(of: .number("25e2")) == "2500")
        #expect(lines.text(of: ["prices": [.number("2e1"), .number("12.50")]]) == #"{"prices":[20,12.50]}"#)
        let change = Patch([.replace(path: NodePath(["price"]), old: .number("25e2"), new: .number("26e2"))])
        #expect(lines.text(of: change) == "- /price: 2500\n+ /price: 2600")
    }

    @Test func `A divergence in several actions is counted by classes`() throws {
        let options = VerificationOptions(afterDivergence: .isolated)
        let text = issue { expectReplay(of: file, by: tally(factor: 2), options: options) }
        #expect(text.contains("In all, 3 divergences:\n  3 of add, reducer tally: /total"), "\(text)")
    }

    @Test func `Ignored paths are not compared, also if a trait names them`() async throws {
        let options = VerificationOptions(ignoredPaths: ["/total"])
        #expect(expectReplay(of: file, by: tally(factor: 2), options: options)?.matches == true)
        let all = VerificationOptions(ignoredPaths: ["/total", "/unit"])
        let text = issue { expectReplay(of: file, by: tally(), options: all) }
        #expect(text.contains("nothing was compared, because the ignored paths cover the whole state"), "\(text)")
        let test = try #require(Test.current)
        try await confirmation { runs in
            try await ReplayTrait(options: options, mode: .never).provideScope(for: test, testCase: .current) {
                #expect(expectReplay(of: file, by: tally(factor: 2))?.matches == true)
                runs()
            }
        }
    }

    @Test func `A replay that fails attaches the recording, today's recording and the difference`() throws {
        let recorded = Array(try Data(contentsOf: file))
        let found = attachments { _ = issue { expectReplay(of: file, by: tally(factor: 2)) } }
        #expect(found["tally.hindsight"] == recorded)
        let text = String(decoding: found["tally.diff.txt"] ?? [], as: UTF8.self)
        #expect(text.contains("The whole difference:\n- /total: 1\n+ /total: 2"), "\(text)")
        #if os(Linux)
            let today = folder.appending(path: "today.hindsight")
            try Data(found["tally.today.hindsight"] ?? []).write(to: today)
            let opened = try Recording(at: today)
            #expect(try opened.state(at: opened.end)["total"] == 12)
            #expect(try opened.actions(in: 1...3) == Recording(at: file).actions(in: 1...3))
        #endif
        #expect(attachments { expectReplay(of: file, by: tally()) }.isEmpty)
    }

    /// Makes an attachment that only its owner may read.
    private static func attach() {
        TestAttachment.$receiver.withValue({ (_: String, _: [UInt8]) in precondition(umask(0o077) == 0o077) }) {
            TestAttachment.record([1], named: "a.txt", #_sourceLocation)
        }
    }

    // A process of its own, because the mask of permissions is that of the whole process.
    @Test func `Files that are created after an attachment have the usual permissions`() async {
        await #expect(processExitsWith: .success) {
            umask(0o022)
            Self.attach()
            precondition(umask(0o022) == 0o022)
        }
    }

    #if os(Linux)
        @Test func `What cannot be attached is said with the difference`() throws {
            let text = Locked("")
            let path = file.path
            let receive = { @Sendable (name: String, bytes: [UInt8]) in
                if name == "tally.diff.txt" { text.withLock { $0 = String(decoding: bytes, as: UTF8.self) } }
                // Today's recording is made of it, which is then not possible.
                if name == "tally.hindsight" { unlink(path) }
            }
            TestAttachment.$receiver.withValue(receive) {
                _ = issue { expectReplay(of: file, by: tally(factor: 2)) }
            }
            let attached = text.withLock { $0 }
            #expect(attached.contains("The whole difference:\n- /total: 1\n+ /total: 2"), "\(attached)")
            #expect(attached.contains("\nNot attached: "), "\(attached)")
        }

        @Test func `A trap after the divergence ends no test, and the difference says so`() throws {
            let trapping = tally(factor: 2) { fatalError("later") }
            let found = attachments { _ = issue { expectReplay(of: file, by: trapping) } }
            #expect(Set(found.keys) == ["tally.hindsight", "tally.diff.txt"])
            let text = String(decoding: found["tally.diff.txt"] ?? [], as: UTF8.self)
            #expect(text.contains("Fatal error: later") && text.contains("in action 2 (add)"), "\(text)")
        }
    #endif

    @Test func `A path is relative to the test's source, and other frameworks get a text`() throws {
        let source = folder.appending(path: "Tests.swift").path
        #expect(expectReplay(of: "tally.hindsight", by: tally(), filePath: source)?.actions == 3)
        #expect(expectReplay(of: file.path, by: tally())?.actions == 3)
        #expect(replayFailure(of: "tally.hindsight", by: tally(), filePath: source) == nil)
        let failure = replayFailure(of: "tally.hindsight", by: tally(factor: 3), filePath: source)
        #expect(failure?.contains("+ /total: 3") == true)
    }
}
