import Foundation
import HindsightSQLite
import HindsightTree
import TestSupport
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("Recorded states") struct RecordedStatesTests {
    private let scratch = Scratch()

    @Test("The state at each position is the store's", arguments: [1, 2, 3] as [UInt64])
    func everyPosition(seed: UInt64) throws {
        var options = RecorderOptions()
        options.keyframeFloor = 500
        let witness = Witness<Shop, ShopAction>()
        let recording = try recordShop(100, seed: seed, to: scratch.file(), options: options, witness: witness)
        #expect(recording.actionCount == 100)
        #expect(try recording.summary().keyframes > 2)
        let states = witness.states
        #expect(states.count == 1 + 100 * 5)
        for (position, state) in states {
            let node = try NodeEncoder().encode(state)
            #expect(try recording.state(at: position) == node, "seed \(seed), at \(position)")
            // The position before the next action's first reducer.
            guard position.reducer == nil, position.seq < 100 else { continue }
            #expect(try recording.state(at: Recording.Position(seq: position.seq + 1, reducer: 0)) == node)
        }
    }

    @Test("A cursor has the same states in each direction", arguments: [4, 5] as [UInt64])
    func cursor(seed: UInt64) throws {
        var options = RecorderOptions()
        options.keyframeFloor = 800
        let witness = Witness<Shop, ShopAction>()
        let recording = try recordShop(200, seed: seed, to: scratch.file(), options: options, witness: witness)
        let states = witness.states
        var random = Seeded(seed: seed)
        let cursor = try StateCursor(on: recording, at: recording.start)
        let positions = states.keys.sorted()
        let jumps = positions.shuffled(using: &random).prefix(200)
        for position in positions + positions.reversed() + jumps {
            try cursor.move(to: position)
            #expect(try cursor.state == NodeEncoder().encode(states[position]), "seed \(seed), at \(position)")
        }
    }

    @Test("A cursor steps by action and by reducer, forward and backward, through every state")
    func stepping() throws {
        let witness = Witness<Shop, ShopAction>()
        let recording = try recordShop(20, seed: 8, to: scratch.file(), witness: witness)
        let cursor = try StateCursor(on: recording, at: recording.start)
        func expectPositions(_ expected: [Recording.Position], _ step: () throws -> Bool) throws {
            for position in expected {
                #expect(try step())
                #expect(cursor.position == position)
                #expect(try cursor.state == NodeEncoder().encode(witness.states[position]), "\(position)")
            }
            #expect(try !step())
        }
        // The state after the last reducer is the one after the action.
        let byReducer = witness.states.keys.sorted().filter { $0.reducer != 4 }
        try expectPositions(Array(byReducer.dropFirst())) { try cursor.stepForward(by: .reducer) }
        try expectPositions(byReducer.dropLast().reversed()) { try cursor.stepBackward(by: .reducer) }
        try expectPositions((1...20).map { Recording.Position(seq: $0) }) { try cursor.stepForward() }
        try expectPositions((0..<20).reversed().map { Recording.Position(seq: $0) }) { try cursor.stepBackward() }
    }

    @Test(
        "A step from within an action leads to its end, or to what was before it",
        arguments: [("7.2", "7.3", "7.1", "7", "6"), ("7.0", "7.1", "6.3", "7", "5"), ("7.4", "8.1", "7.3", "8", "6")]
    )
    func steppingFromWithin(from: String, next: String, previous: String, end: String, start: String) throws {
        let recording = try recordShop(10, seed: 9, to: scratch.file())
        func position(after step: (StateCursor) throws -> Bool) throws -> String {
            let cursor = try StateCursor(on: recording, at: recording.position(from))
            #expect(try step(cursor))
            return cursor.position.description
        }
        #expect(try position { try $0.stepForward(by: .reducer) } == next)
        #expect(try position { try $0.stepBackward(by: .reducer) } == previous)
        #expect(try position { try $0.stepForward() } == end)
        #expect(try position { try $0.stepBackward() } == start)
    }

    @Test(
        "After a failed move the next one is right, and a refused move leaves the cursor in place"
    )
    func failedMove() throws {
        let witness = Witness<Shop, ShopAction>()
        try recordShop(30, seed: 12, to: scratch.file(), witness: witness)
        let sql = #"UPDATE action SET steps = '[[5,["r/note","never there","x"]]]' WHERE seq = 20"#
        try Connection(scratch.file().path, .readWrite).execute(sql)
        let recording = try Recording(at: scratch.file())
        let cursor = try StateCursor(on: recording, at: Recording.Position(seq: 10))
        func expect(_ seq: Int) throws {
            #expect(cursor.position == Recording.Position(seq: seq))
            #expect(try cursor.state == NodeEncoder().encode(witness.states[Recording.Position(seq: seq)]))
        }
        for next in [12, 9, 19] {
            let error = expectError(.damaged) { try cursor.move(to: Recording.Position(seq: 25)) }
            #expect(error?.seq == 20)
            try cursor.move(to: Recording.Position(seq: next))
            try expect(next)
        }
        expectError(.positionOutOfRange) { try cursor.move(to: Recording.Position(seq: 31)) }
        try expect(19)
    }

    @Test("The file grows with the changes, not with the state")
    func growth() throws {
        let (recorder, store) = try Recorder<[String], Int>.withStore(
            (0..<20_000).map { "line \($0)" },
            to: scratch.file()
        ) { lines, action in lines[action * 7 % lines.count] = "changed by \(action)" }
        for action in 1...300 { store.dispatch(action) }
        try recorder.close()
        let summary = try Recording(at: scratch.file()).summary()
        #expect(summary.keyframes == 1)
        #expect(summary.bytes.patches < 300 * 150)
        #expect(summary.bytes.file < 2 * (summary.bytes.keyframes + summary.bytes.patches + summary.bytes.actions))
    }
}
