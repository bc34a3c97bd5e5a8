import Foundation
import HindsightRecording
import HindsightReplay
import HindsightStore
import HindsightTesting
import HindsightTree
import Testing

@Suite struct ExpectReplayTests {
    struct Tally: Codable, Sendable {
        var total = 0
    }
    enum TallyAction: Codable, Sendable {
        case add(Int)
    }

    /// The app, with a reducer that multiplies by `factor`: 1 is right.
    private func app(factor: Int = 1) -> ReplayableApp {
        let reducer = Reducer<Tally, TallyAction>("tally") { state, action in
            if case .add(let amount) = action { state.total += amount * factor }
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

    @Test func `A recording that replays as it was passes`() throws {
        try withRecording { file in
            let result = expectReplay(of: file, by: app())
            #expect(result?.actions == 3)
            let folder = file.deletingLastPathComponent()
            let found = try recordings(in: folder).map(\.lastPathComponent)
            #expect(found == ["tally.hindsight"])
        }
    }

    @Test func `A changed reducer is an issue that names the action and the path`() throws {
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
}
