import Foundation
import HindsightRecording
import HindsightReplay
import HindsightStore
import HindsightTree
import Testing

@testable import Samples

/// The sessions in `Fixtures`, recorded with the samples of today.
@Suite("Fixtures")
struct FixtureTests {
    private static let fixtures = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures")

    private static func actions(of app: String) throws -> [Node] {
        try String(contentsOf: fixtures.appending(path: "\(app).jsonl"), encoding: .utf8)
            .split(separator: "\n")
            .map { try Node(json: String($0)) }
    }

    @Test(
        "A sample records its session, replays it to the same and shows every position",
        arguments: ["todo", "checkout", "notepad"]
    )
    func session(name: String) throws {
        let app = try #require(SampleApps.all.first { $0.name == name })
        let actions = try Self.actions(of: name)
        let file = FileManager.default.temporaryDirectory.appending(path: "\(name)-\(UUID()).hindsight")
        defer { try? FileManager.default.removeItem(at: file) }

        let session = try app.record(to: file)
        for (index, action) in actions.enumerated() {
            try session.dispatch(action, origin: Origin(file: "\(name).jsonl", line: index + 1))
        }
        try session.close()

        let recording = try Recording(at: file)
        #expect(recording.actionCount == actions.count)
        let result = try app.verify(recording)
        #expect(result.equal, "\(String(describing: result.divergence))")
        #expect(result.actions == actions.count)
        #expect(result.gaps.isEmpty)
        #expect(result.initialDifference == nil)
        #expect(try recording.state(at: recording.end) == session.state())

        let replayer = try Replayer(app, of: recording, from: Position(seq: actions.count / 2, reducer: 2))
        for seq in actions.count / 2 + 1...actions.count {
            for reducer in [1, nil] {
                let position = Position(seq: seq, reducer: reducer)
                try replayer.move(to: position)
                #expect(try replayer.state() == recording.state(at: position), "\(position)")
            }
        }
        #expect(try recording.action(1).payload == actions[0])
    }

    @Test("The notepad's session ends in the text that splicing bytes gives")
    func notepadText() throws {
        var bytes: [UInt8] = []
        let store = Store(initial: NotepadState(), reducer: notepadReducer)
        for node in try Self.actions(of: "notepad") {
            let action = try NodeDecoder().decode(NotepadAction.self, from: node)
            store.dispatch(action)
            if case .edit(let at, let delete, let insert) = action, !store.state.rejected {
                bytes.replaceSubrange(at..<at + delete, with: insert.utf8)
            }
        }
        #expect(Array(store.state.text.utf8) == bytes)
        #expect(bytes.count == 186)
    }

    @Test("The sessions have refusals in them, and the samples bear them")
    func refusals() throws {
        let checkout = Store(initial: CheckoutState.open, reducer: checkoutReducer)
        for node in try Self.actions(of: "checkout") { checkout.dispatch(try checkoutActions.codec.decode(node)) }
        #expect(checkout.state.audit.refusals == 25)
        #expect(checkout.state.coupons.spent == ["FIVER", "POST🕊", "ÉTÉ25"])
        #expect(checkout.state.stock.values.allSatisfy { $0.available >= 0 && $0.reserved == 0 })

        let todo = Store(initial: TodoState(), reducer: todoReducer)
        for node in try Self.actions(of: "todo") {
            todo.dispatch(try NodeDecoder().decode(TodoAction.self, from: node))
        }
        #expect(todo.state.items.count == 5)
        #expect(todo.state.nextID == 12)
    }
}
