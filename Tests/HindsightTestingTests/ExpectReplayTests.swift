import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightReplay
import HindsightSQLite
import HindsightStore
import HindsightTesting
import HindsightTree
import Synchronization
import TestSupport
import Testing

@Suite struct ExpectReplayTests {
    struct Tally: Codable, Sendable {
        var total = 0
    }
    enum TallyAction: Codable, Sendable {
        case add(Int)
    }

    /// The app, with a reducer that multiplies by `factor`. The recorded factor is 1.
    ///
    /// - Parameter sideEffect: Runs when 2 is added.
    private func app(factor: Int = 1, sideEffect: @escaping @Sendable () -> Void = {}) -> ReplayableApp {
        let reducer = Reducer<Tally, TallyAction>("tally") { state, action in
            guard case .add(let amount) = action else { return }
            if amount == 2 { sideEffect() }
            state.total += amount * factor
        }
        return ReplayableApp("tally", initial: Tally(), reducer: reducer)
    }

    private func withRecording(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("tally.hindsight")
        let session = try app().record(to: file, options: RecorderOptions())
        for amount in 1...3 {
            let action: Node = ["add": ["_0": .int(amount)]]
            try session.dispatch(action, origin: Origin(file: #fileID, line: #line))
        }
        try session.close()
        try body(file)
    }

    @Test func `A recording that replays unchanged passes`() throws {
        try withRecording { file in
            let result = expectReplay(of: file, by: app())
            #expect(result?.actions == 3)
            let folder = file.deletingLastPathComponent()
            let found = try recordings(in: folder).map(\.lastPathComponent)
            #expect(found == ["tally.hindsight"])
        }
    }

    @Test func `A changed reducer is an issue with the action and the path`() throws {
        try withRecording { file in
            withKnownIssue {
                expectReplay(of: file, by: app(factor: 2))
            } matching: { issue in
                let text = issue.comments.map(\.rawValue).joined()
                return text.contains("tally.hindsight") && text.contains("tally") && text.contains("/total")
            }
        }
    }

    @Test func `A file that is no recording is an issue, not a crash`() {
        withKnownIssue {
            expectReplay(of: URL(fileURLWithPath: "/nowhere.hindsight"), by: app())
        } matching: {
            $0.comments.map(\.rawValue).joined().contains("/nowhere.hindsight")
        }
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
            try withRecording { file in
                withKnownIssue {
                    let result = expectReplay(of: file, by: app(sideEffect: sideEffect))
                    #expect(result?.actions == 1 && result?.matches == true)
                } matching: { issue in
                    let text = issue.comments.map(\.rawValue).joined()
                    return text.contains("in action 2 (add), in reducer 1 of 1 (tally).") && text.contains(words)
                }
            }
        }

        @Test func `A reducer that sleeps is waited for`() throws {
            try withRecording { file in
                let result = expectReplay(of: file, by: app { Thread.sleep(forTimeInterval: 0.3) })
                #expect(result?.actions == 3)
            }
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
        try withRecording { file in
            try forget(statesAfter: 1, in: file)
            withKnownIssue {
                let result = expectReplay(of: file, by: app())
                #expect(result?.actions == 1 && result?.unknown == 2...3)
            } matching: { issue in
                let text = issue.comments.map(\.rawValue).joined()
                return text.contains("compared 1 of 3 actions. Not compared: actions 2 to 3: run, but")
                    && text.contains("actions after 3, because the recording's journal is missing")
            }
        }
    }

    @Test func `The action in which a recorded process ended does not run, and is reported`() throws {
        try withRecording { file in
            let folder = file.deletingLastPathComponent()
            let (live, dead) = (folder.appending(path: "live.hindsight"), folder.appending(path: "dead.hindsight"))
            // Copies the files while the reducer runs, as a crash would leave them.
            let recorded = app {
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
            withKnownIssue {
                let result = expectReplay(of: dead, by: app { fatalError("again") })
                #expect(result?.actions == 1 && result?.unfinished == 2)
            } matching: { issue in
                let text = issue.comments.map(\.rawValue).joined()
                return text.contains("Not compared: action 2, in which the recorded process ended: not run.")
            }
        }
    }

    @Test func `A recording does not pass if nothing in it can be compared`() throws {
        try withRecording { file in
            try forget(statesAfter: 0, in: file)
            withKnownIssue {
                expectReplay(of: file, by: app())
            } matching: { issue in
                issue.comments.map(\.rawValue).joined().contains("compared 0 of 3 actions")
            }
        }
    }

    #if os(Linux)
        @Test func `Actions without known states run, and a trap in one is an issue`() throws {
            try withRecording { file in
                try forget(statesAfter: 1, in: file)
                withKnownIssue {
                    expectReplay(of: file, by: app { fatalError("unseen") })
                } matching: { issue in
                    issue.comments.map(\.rawValue).joined().contains("Fatal error: unseen")
                }
            }
        }

        @Test func `Threads that record and read concurrently do not block a replay`() throws {
            try withRecording { file in
                let passed = Atomic(0)
                let isOver = Atomic(false)
                onThreads(3) { thread in
                    for _ in 0..<30 where thread == 0 {
                        guard expectReplay(of: file, by: app())?.actions == 3 else { continue }
                        passed.add(1, ordering: .relaxed)
                    }
                    if thread == 0 { isOver.store(true, ordering: .relaxed) }
                    while !isOver.load(ordering: .relaxed) {
                        do { _ = try app().verify(Recording(at: file)) } catch { Issue.record(error) }
                    }
                }
                #expect(passed.load(ordering: .relaxed) == 30)
            }
        }
    #endif
}
