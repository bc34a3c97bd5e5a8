import Foundation
import HindsightTree
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording
@testable import HindsightStore

@Suite("Time travel of the running app") struct TravelTests {
    /// Records 5 actions, a travel as the 6th and a 7th action, through the calls that a store makes.
    private func record(to file: URL, target: Int?) throws -> [Shop] {
        let recorder = try Recorder<Shop, ShopAction>(to: file, app: AppInfo(name: "shop"))
        let door = StoreAttachment(to: try recorder.core.get())
        var states = [Shop()]
        door.storeStarted(initial: states[0], reducers: ["all"])
        func reduce(_ action: ShopAction) {
            var state = states[states.count - 1]
            door.willReduce(action, context: .numbered(states.count))
            for leaf in shopReducer.leaves { leaf.reduce(&state, action) }
            door.didRun(reducer: 1, state: state)
            door.didReduce(state: state)
            states.append(state)
        }
        for number in 1...5 { reduce(.add(name: "thing \(number)", price: number)) }
        states.append(states[target ?? 3])
        door.didTravel(to: target, context: .numbered(6), state: states[6])
        reduce(.write("after"))
        try recorder.close()
        return states
    }

    @Test("Travel is recorded as a row with its target, and the states around it are exact", arguments: [2, 0, nil])
    func row(target: Int?) throws {
        let scratch = Scratch()
        let states = try record(to: scratch.file(), target: target)
        let recording = try Recording(at: scratch.file())
        let travel = try recording.action(6)
        #expect(travel.isTravel)
        #expect(!travel.isGap)
        #expect(travel.type == "@travel")
        #expect(travel.payload == nil)
        #expect(travel.duration == .zero)
        let words = target.map { $0 == 0 ? "the initial state" : "action \($0)" } ?? "a given state"
        #expect(travel.problem == "The app travelled to \(words).")
        #expect(travel.destination == target)
        #expect(try recording.action(5).destination == nil)
        #expect(try recording.steps(of: 6).map(\.reducer) == [0])
        #expect(recording.name(ofReducer: 0) == "time travel")
        #expect(recording.end == Recording.Position(seq: 7))

        let cursor = try StateCursor(on: recording, at: recording.start)
        for seq in Array(0...7) + (0...7).reversed() {
            try cursor.move(to: Recording.Position(seq: seq))
            #expect(try cursor.state == NodeEncoder().encode(states[seq]), "at \(seq)")
        }
        try cursor.move(to: Recording.Position(seq: 6, reducer: 0))
        #expect(try cursor.state == NodeEncoder().encode(states[5]))
        try cursor.move(to: Recording.Position(seq: 6, reducer: 1))
        #expect(try cursor.state == NodeEncoder().encode(states[6]))
        let summary = try recording.summary()
        #expect(summary.travels == 1)
        #expect(summary.gaps == 0)
        #expect(summary.actions == 7)
    }

    @Test(
        "A migration that splits an action numbers the targets of travels anew",
        arguments: [(4, 5), (2, 3), (1, 1), (0, 0)]
    )
    func split(target: Int, moved: Int) throws {
        let scratch = Scratch()
        _ = try record(to: scratch.file(), target: target)
        let recording = try Recording(at: scratch.file())
        let file = scratch.file("migrated.hindsight")
        _ = try RecordingBuilder.write(from: recording, to: file, overwrite: false) { tables in
            let rewriter = try RecordingRewriter(
                recording,
                to: tables,
                actions: { payload, seq in seq == 2 ? [payload, payload] : [payload] },
                state: { state, _ in state }
            )
            return try rewriter.write(schema: 2) { _ in }
        }
        let migrated = try Recording(at: file)
        #expect(try migrated.action(7).isTravel && migrated.action(7).destination == moved)
        let (left, right) = (Recording.Position(seq: moved), Recording.Position(seq: target))
        #expect(try migrated.state(at: left) == recording.state(at: right))
    }

    @Test("Travel to a state that cannot be encoded is recorded, and stops the recorder", arguments: [false, true])
    func unencodable(holdsInstances: Bool) throws {
        let scratch = Scratch()
        // With an instance, the dispatching thread finds the changes.
        if holdsInstances {
            try travel(toShut: Safe(content: Box()), in: scratch)
        } else {
            try travel(toShut: Safe(content: 1), in: scratch)
        }
        let recording = try Recording(at: scratch.file())
        #expect(recording.ending == .open(live: false))
        #expect(try scratch.names == ["session.hindsight"])
        try #require(recording.actionCount == 2)
        #expect(try recording.action(2).isTravel)
        #expect(recording.end == Recording.Position(seq: 1))
    }

    private func travel<Content>(toShut safe: Safe<Content>, in scratch: Scratch) throws {
        let (recorder, store) = try Recorder<Safe<Content>, Int>.withStore(safe, to: scratch.file()) { _, _ in }
        store.dispatch(1)
        var shut = safe
        shut.isShut = true
        store.travel(toState: shut)
        expectError(.unencodableState) { try recorder.close() }
        #expect(store.state.isShut)
    }

    @Test("The views show travel", .enabled(if: Shell.isAvailable, "needs the sqlite3 shell"))
    func views() throws {
        let scratch = Scratch()
        _ = try record(to: scratch.file(), target: 4)
        #expect(
            try Shell.query(scratch.file(), "SELECT type, payload, changes, problem FROM history WHERE seq = 6")
                == "@travel||4|The app travelled to action 4."
        )
        let changes = try Shell.query(
            scratch.file(),
            "SELECT DISTINCT position, reducer, name FROM changes WHERE seq = 6"
        )
        #expect(changes == "6|0|time travel")
    }
}

/// Cannot be encoded while it is shut.
private struct Safe<Content: Codable & Sendable>: Codable, Sendable {
    var content: Content
    var isShut = false

    enum CodingKeys: CodingKey { case content, isShut }

    func encode(to encoder: any Encoder) throws {
        if isShut {
            throw EncodingError.invalidValue(isShut, .init(codingPath: encoder.codingPath, debugDescription: "shut"))
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(content, forKey: .content)
        try container.encode(isShut, forKey: .isShut)
    }
}

private final class Box: Codable, Sendable {}

extension ActionContext {
    fileprivate static func numbered(_ seq: Int) -> ActionContext {
        ActionContext(seq: seq, parent: nil, adopted: [], origin: Origin(file: "App/Main.swift", line: seq))
    }
}
