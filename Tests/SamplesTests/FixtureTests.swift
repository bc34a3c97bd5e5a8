import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightReplay
import HindsightStore
import HindsightTree
import Synchronization
import TestSupport
import Testing

@testable import Samples

/// The sessions in `Fixtures`, recorded with today's samples.
@Suite("Fixtures")
struct FixtureTests {
    private let scratch = Scratch()

    private static func actions(of app: String) throws -> [Node] {
        try String(contentsOf: Fixtures.directory.appending(path: "\(app).jsonl"), encoding: .utf8)
            .split(separator: "\n")
            .map { try Node(json: String($0)) }
    }

    @Test(
        "A sample records its session, replays it unchanged and shows every position",
        arguments: ["todo", "checkout", "notepad"]
    )
    func session(name: String) throws {
        let app = try #require(SampleApps.all.first { $0.name == name })
        let actions = try Self.actions(of: name)
        let file = scratch.file()
        let session = try app.record(to: file)
        for (index, action) in actions.enumerated() {
            try session.dispatch(action, origin: Origin(file: "\(name).jsonl", line: index + 1))
        }
        try session.close()

        let recording = try Recording(at: file)
        #expect(recording.actionCount == actions.count)
        let result = try app.verify(recording)
        #expect(result.matches, "\(String(describing: result.divergence))")
        #expect(result.actions == actions.count)
        #expect(result.gaps.isEmpty)
        #expect(result.initialDifference == nil)
        #expect(try recording.state(at: recording.end) == session.state())

        let replayer = try Replayer(
            of: recording,
            by: app,
            from: Recording.Position(seq: actions.count / 2, reducer: 2)
        )
        for seq in actions.count / 2 + 1...actions.count {
            for reducer in [1, nil] {
                let position = Recording.Position(seq: seq, reducer: reducer)
                try replayer.move(to: position)
                #expect(try replayer.state() == recording.state(at: position), "\(position)")
            }
        }
        #expect(try recording.action(1).payload == actions[0])
    }

    @Test(
        "A migration that changes nothing keeps the changes of each action, and which states are doubtful or left out",
        arguments: ["todo", "bridged", "doubtful", "partial"]
    )
    func unchangedByMigration(name: String) throws {
        let app = try #require(SampleApps.all.first { $0.name == "todo" })
        let old = try Recording(at: Fixtures.recording(name))
        let file = scratch.file()
        try app.migrate(old, to: file)
        let new = try Recording(at: file)
        #expect(new.skipped == old.skipped && new.gaps == old.gaps && new.doubtful == old.doubtful)
        #expect(try new.wholeStates() == old.wholeStates())
        for seq in old.start.seq + 1...old.actionCount {
            #expect(try new.timedPatches(of: seq) == old.timedPatches(of: seq), "action \(seq)")
        }
    }

    /// Records a sample's session.
    private func record(_ name: String, missing field: String? = nil) throws -> (URL, [RecordingError]) {
        let reported = Mutex<[RecordingError]>([])
        var options = RecorderOptions { error in reported.withLock { $0.append(error) } }
        options.missedField = field
        let file = scratch.file("without \(field ?? "nothing").hindsight")
        let app = try #require(SampleApps.all.first { $0.name == name })
        let session = try app.record(to: file, options: options)
        for (index, action) in try Self.actions(of: name).enumerated() {
            try session.dispatch(action, origin: Origin(file: "\(name).jsonl", line: index + 1))
        }
        try session.close()
        return (file, reported.withLock { $0 })
    }

    @Test(
        "The recorder's audit detects a fault of the change finder in any field",
        arguments: ["todo", "checkout", "notepad"]
    )
    func audit(name: String) throws {
        let (file, reported) = try record(name)
        #expect(reported.isEmpty)
        let sound = try Recording(at: file)
        #expect(sound.doubtful.isEmpty && sound.unauditedCount == 0)
        guard case .object(let members) = try sound.state(at: sound.start) else { throw CancellationError() }
        var missed = 0
        for field in members.map(\.key) {
            let (other, reported) = try record(name, missing: field)
            let faulty = try Recording(at: other)
            #expect(try faulty.state(at: faulty.end) == sound.state(at: sound.end), "\(field)")
            for seq in 1...sound.actionCount {
                for position in [Recording.Position(seq: seq, reducer: 1), Recording.Position(seq: seq)] {
                    let isRight = try faulty.state(at: position) == sound.state(at: position)
                    if isRight || faulty.doubtfulStates(at: position) != nil { continue }
                    // By the next whole state, the field has its old value again, so no check can detect the fault.
                    let end = try faulty.wholeStates().first { $0 >= seq } ?? faulty.actionCount
                    let led = try faulty.state(at: Recording.Position(seq: end, reducer: faulty.reducers.count))
                    #expect(try led == sound.state(at: Recording.Position(seq: end)), "\(field) at \(position)")
                }
            }
            missed += faulty.doubtful.count
            #expect(reported.map(\.code) == (faulty.doubtful.isEmpty ? [] : [.doubtfulStates]), "\(field)")
        }
        #expect(missed > 0)
    }

    /// The reducer with `twist`, which runs after the leaf of that name.
    private static func twisted<StateValue, ActionValue>(
        _ reducer: Reducer<StateValue, ActionValue>,
        _ name: String,
        _ twist: @escaping @Sendable (inout StateValue, ActionValue) -> Void
    ) -> Reducer<StateValue, ActionValue> {
        .combine(
            reducer.leaves.map { leaf in
                Reducer(leaf.name) { state, action in
                    leaf.reduce(&state, action)
                    if leaf.name == name { twist(&state, action) }
                }
            }
        )
    }

    /// Samples with one changed reducer, and the expected position of the divergence.
    private static let changed: [(app: ReplayableApp, seq: Int, reducer: String, path: String, actual: Node?)] = [
        (
            ReplayableApp(
                "todo",
                initial: TodoState(),
                reducer: twisted(todoReducer, "counts") { state, _ in state.counts.byTag["søndag"] = nil }
            ), 30, "counts", "/counts/byTag/søndag", nil
        ),
        (
            ReplayableApp(
                "checkout",
                initial: CheckoutState.open,
                reducer: twisted(checkoutReducer, "cart.totals") { state, _ in
                    if state.cart.totals.shipping == 0, state.shipping.cost > 0 { state.cart.totals.gross += 1 }
                },
                actions: checkoutActions.codec
            ), 21, "cart.totals", "/cart/totals/gross", .number("155.12")
        ),
        (
            ReplayableApp(
                "notepad",
                initial: NotepadState(),
                reducer: twisted(notepadReducer, "lines") { state, action in
                    // Counts the carriage return of a pair too.
                    if case .edit(_, _, let insert) = action { state.lines += insert.utf8.count { $0 == 13 } }
                }
            ), 55, "lines", "/lines", 7
        ),
    ]

    @Test("A changed reducer is reported with the action and the path", arguments: changed.indices)
    func changedReducer(index: Int) throws {
        let (app, seq, reducer, path, actual) = Self.changed[index]
        let today = try #require(SampleApps.all.first { $0.name == app.name })
        let file = scratch.file()
        let session = try today.record(to: file)
        for action in try Self.actions(of: app.name) { try session.dispatch(action, origin: Origin(file: "", line: 0)) }
        try session.close()

        let divergence = try #require(app.verify(Recording(at: file)).divergence)
        #expect(divergence.seq == seq)
        #expect(divergence.reducerName == reducer)
        #expect("\(divergence.path)" == path)
        #expect(divergence.actual == actual)
        #expect(divergence.isRepeatable)
    }

    @Test("The notepad's session ends in the text that splicing bytes leads to")
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

    @Test("The sessions contain refused actions, which the samples handle")
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
