import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightReplay
import HindsightStore
import HindsightTesting
import HindsightTree
import TestSupport
import Testing

/// Recordings as text are fixtures like any other.
@Suite struct TextFixtureTests {
    struct Tally: Codable, Sendable {
        var total = 0
    }
    enum TallyAction: Codable, Sendable {
        case add(Int)
    }

    private func app(factor: Int = 1) -> ReplayableApp {
        let reducer = Reducer<Tally, TallyAction>("tally") { state, action in
            if case .add(let amount) = action { state.total += amount * factor }
        }
        return ReplayableApp("tally", initial: Tally(), reducer: reducer)
    }

    /// Records three additions, and keeps only their text.
    private func withText(_ body: (URL) throws -> Void) throws {
        let scratch = Scratch()
        let file = scratch.file("tally.hindsight")
        let session = try app().record(to: file, options: RecorderOptions())
        for amount in 1...3 {
            try session.dispatch(["add": ["_0": .int(amount)]], origin: Origin(file: #fileID, line: #line))
        }
        try session.close()
        let text = scratch.file("tally.jsonl")
        try Recording(at: file).writeText(to: text)
        try FileManager.default.removeItem(at: file)
        try Data(#"{"add":{"_0":1}}"#.utf8).write(to: scratch.file("actions.jsonl"))
        try body(text)
    }

    @Test func `a text that replays unchanged passes, and a folder's recordings include it`() throws {
        try withText { file in
            #expect(expectReplay(of: file, by: app())?.actions == 3)
            let found = try recordings(in: file.deletingLastPathComponent()).map(\.lastPathComponent)
            #expect(found == ["tally.jsonl"], "lists of actions are no recordings")
        }
    }

    @Test func `a changed reducer is an issue with the path`() throws {
        try withText { file in
            withKnownIssue {
                expectReplay(of: file, by: app(factor: 2))
            } matching: { issue in
                let text = issue.comments.map(\.rawValue).joined()
                return text.contains("tally.jsonl") && text.contains("/total")
            }
        }
    }

    @Test func `a merge conflict is an issue with its line`() throws {
        try withText { file in
            let text = try String(contentsOf: file, encoding: .utf8)
            try Data(text.replacing("{\"end\"", with: "=======\n{\"end\"").utf8).write(to: file)
            withKnownIssue {
                expectReplay(of: file, by: app())
            } matching: { issue in
                issue.comments.map(\.rawValue).joined().contains("line 5: it is a mark of a merge conflict")
            }
        }
    }
}
