import Foundation
import HindsightRecorder
import HindsightStore
import HindsightTree
import Testing

@testable import HindsightRecording

@Suite("Recorded actions") struct RecordedActionsTests {
    private let scratch = Scratch()

    @Test("A recording without actions has no changes, and that is known")
    func noActions() throws {
        let recording = try recordShop(0, seed: 1, to: scratch.file())
        #expect(try NodeEncoder().encode(recording.describe())["changes"] == 0)
    }

    @Test("An action is recorded with its type, payload, origin and times")
    func facts() throws {
        let (recorder, store) = try shop(at: scratch.file())
        store.dispatch(.add(name: "pen", price: 3)); let line = #line
        store.dispatch(.clear)
        try recorder.close()

        let recording = try Recording(at: scratch.file())
        #expect(recording.app == AppInfo(name: "shop", version: "1.2"))
        #expect(recording.reducers == ["items", "total", "note", "audit"])
        let action = try recording.action(1)
        #expect(action.type == "add")
        #expect(action.payload?.json == #"{"add":{"name":"pen","price":3}}"#)
        #expect(action.origin == "\(#fileID):\(line)")
        #expect(action.problem == nil)
        #expect(action.nanosecondsSinceEpoch >= recording.createdNanoseconds)
        #expect(action.nanosecondsSinceEpoch <= recording.closedNanoseconds ?? 0)
        let seconds = Double(action.nanosecondsSinceEpoch) / 1e9
        #expect(abs(action.date.timeIntervalSince1970 - seconds) < 1e-6)
        #expect(recording.created <= action.date && action.date <= recording.closed ?? .distantPast)
        let steps = try recording.steps(of: 1)
        #expect(steps.map(\.reducer) == [1, 2, 3, 4])
        #expect(steps.map { $0.patch != nil } == [true, true, false, true])
        #expect(action.duration == steps.reduce(.zero) { $0 + $1.duration })
        #expect(try recording.actions(in: 1...99).map(\.type) == ["add", "clear"])
    }

    @Test("The duration of an action counts each reducer once")
    func durationOfSlowReducers() throws {
        let recorder = try Recorder<Shop, ShopAction>(to: scratch.file(), app: AppInfo(name: "shop"))
        let slow = Reducer<Shop, ShopAction>("slow") { _, _ in usleep(20_000) }
        let store = Store(initial: Shop(), reducer: .combine(slow, shopReducer), middleware: [recorder.middleware])
        let time = ContinuousClock().measure { store.dispatch(.clear) }
        try recorder.close()
        let duration = try #require(try Recording(at: scratch.file()).action(1).duration)
        #expect(duration >= .milliseconds(20) && duration <= time)
    }

    @Test("Entries have each action with its own steps")
    func entries() throws {
        let recording = try recordShop(40, seed: 7, to: scratch.file())
        var entries = try recording.entries(in: 11...30)
        var seqs: [Int] = []
        while let (action, steps) = try entries.next() {
            seqs.append(action.seq)
            #expect(try action == recording.action(action.seq))
            #expect(try steps == recording.steps(of: action.seq))
        }
        #expect(seqs == Array(11...30))
    }

    @Test func `a cursor reads the wanted columns of each action, in any order`() throws {
        let recording = try recordShop(40, seed: 7, to: scratch.file())
        let (all, types) = (try ActionCursor(of: recording), try ActionCursor(of: recording, reading: [.type]))
        for seq in Array(1...40) + [40, 7, 6, 5, 21, 22, 1] {
            let action = try recording.action(seq)
            for cursor in [all, types] { try cursor.move(to: seq) }
            #expect(try all.action() == action && all.steps() == recording.steps(of: seq))
            #expect(try all.type() == action.type && all.payload() == action.payload?.json)
            #expect(try all.at() == action.nanosecondsSinceEpoch && all.duration() == action.durationInNanoseconds)
            #expect(try all.parent() == action.parent && all.origin() == action.source)
            #expect(try all.thread() == action.thread)
            #expect(try types.type() == action.type && types.payload() == nil && types.steps() == nil)
            if seq.isMultiple(of: 3) { all.release() }
        }
        expectError(.positionOutOfRange) { try all.move(to: 41) }
    }

    @Test("Actions that middleware dispatches have a parent, whether they come before or after it")
    func parents() throws {
        let chatty = Middleware<Shop, ShopAction> { _, dispatch in
            { next in
                { action in
                    guard case .clear = action else { return next(action) }
                    dispatch(.write("before"))
                    next(action)
                    dispatch(.write("after"))
                }
            }
        }
        let (recorder, store) = try shop(at: scratch.file(), middleware: [chatty])
        store.dispatch(.nothing)
        store.dispatch(.clear)
        let recording = try recorder.closeAndRead()
        #expect(try recording.children(of: 3, in: 1...4) == [2, 4])
        #expect(try recording.children(of: 3, in: 3...100) == [4])
        #expect(try recording.children(of: 1, in: 1...4) == [])
        let actions = try recording.actions(in: 1...4)
        #expect(actions.map(\.type) == ["nothing", "write", "clear", "write"])
        #expect(actions.map(\.parent) == [nil, 3, nil, 3])
    }

    @Test("An unregistered action type is reported once and leaves a gap, and the states around it are exact")
    func gap() throws {
        let complaints = Complaints()
        var actions = ActionRegistry<any Step>()
        actions.register(Up.self, as: "up") { $0 }
        let recorder = try Recorder<Int, any Step>(
            to: scratch.file(),
            app: AppInfo(name: "steps"),
            actions: actions.codec,
            options: complaints.options
        )
        let store = Store(
            initial: 0,
            reducer: Reducer<Int, any Step>("count") { count, step in count += step.amount },
            middleware: [recorder.middleware]
        )
        for step in [Up(amount: 2), Down(), Down(), Up(amount: 10)] as [any Step] { store.dispatch(step) }
        try recorder.close()

        #expect(complaints.codes == [.unregisteredAction])
        #expect(complaints.all.first?.type == "Down")
        #expect(complaints.all.first?.allowed == ["up"])
        #expect(complaints.all.first?.seq == 2)
        let recording = try Recording(at: scratch.file())
        let records = try recording.actions(in: 1...4)
        #expect(records.map(\.type) == ["up", "Down", "Down", "up"])
        #expect(records.map(\.isGap) == [false, true, true, false])
        #expect(records[1].problem == "The action type “Down” is not registered.")
        #expect(records[0].payload?.json == #"{"up":{"amount":2}}"#)
        #expect(
            try (0...4).map { try recording.state(at: Recording.Position(seq: $0)).json } == ["0", "2", "1", "0", "10"]
        )
        #expect(try recording.summary().gaps == 2)
        #expect(recording.ending == .closed)
    }

    @Test("A registry reads what it wrote, including earlier names, and reports unknown ones")
    func registry() throws {
        var actions = ActionRegistry<any Step>()
        actions.register(Up.self, as: "up") { $0 }
        actions.register(Up.self, as: "rise") { $0 }
        actions.register(Down.self) { $0 }
        let codec = actions.codec
        #expect(codec.knownTypes == ["up", "rise", "Down"])
        #expect(try codec.decode(codec.encode(Up(amount: 4))).amount == 4)
        #expect(try codec.decode(["rise": ["amount": 5]]).amount == 5)
        #expect(try codec.encode(Down()).json == #"{"Down":{}}"#)
        for (node, type) in [(["fall": [:]], "fall"), ([1], nil), ("up", nil)] as [(Node, String?)] {
            let error = expectError(.unknownAction) { try codec.decode(node) }
            #expect(error?.type == type)
            #expect(error?.description.contains("up, rise, Down") == true)
        }
    }
}

private protocol Step: Sendable { var amount: Int { get } }

private struct Up: Step, Codable { var amount: Int }

private struct Down: Step, Codable {
    var amount: Int { -1 }
}
