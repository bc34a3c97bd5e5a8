import Foundation
import HindsightStore
import HindsightTree
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

@Suite("Actions in flight") struct PendingActionTests {
    private final class Marker: Sendable {}

    private struct Marked: Sendable {
        var marker: Marker
        var number: Int
    }

    private func slot(_ seq: Int, capacity: Int = 3) -> PendingAction {
        PendingAction(
            DispatchedAction(seq: seq, type: "t", at: 0),
            states: TypedStateSnapshots<Marked>(capacity: capacity)
        )
    }

    @Test func `A cleared action releases its states, and can be filled again`() {
        let slot = slot(1)
        let states = slot.states.of(Marked.self)
        for round in 1...3 {
            weak var marker: Marker?
            do {
                let strong = Marker()
                marker = strong
                for number in 0..<round { states.keep(Marked(marker: strong, number: number), 7) }
                slot.outcome = .states
            }
            #expect(marker != nil)
            #expect(states.count == round)
            #expect(states[round - 1].number == round - 1)
            #expect(slot.duration == Int64(7 * round))
            slot.clear()
            #expect(marker == nil)
            #expect(states.count == 0)
            #expect(slot.duration == nil)
        }
    }

    @Test func `The pool returns cleared actions, and keeps only a few`() {
        let spares = PendingActionPool()
        #expect(spares.takeAll().isEmpty)
        let used = (1...3000).map { slot($0, capacity: 1) }
        for slot in used { slot.states.of(Marked.self).keep(Marked(marker: Marker(), number: 1), 1) }
        spares.give(used)
        let back = spares.takeAll()
        #expect(back.count == 1024)
        #expect(used.allSatisfy { $0.states.count == 0 })
        #expect(spares.takeAll().isEmpty)
        spares.give(Array(used.prefix(5)))
        spares.give(Array(used.prefix(2)))
        #expect(spares.takeAll().count == 5)
    }

    @Test func `The pool does not keep all actions with room for many states`() {
        let spares = PendingActionPool()
        // Each has room for a megabyte.
        spares.give((1...20).map { slot($0, capacity: (1 << 20) / (MemoryLayout<Marked>.stride + 8)) })
        #expect((1...8).contains(spares.takeAll().count))
        spares.give([slot(1, capacity: 1 << 20)])
        #expect(spares.takeAll().isEmpty)
    }

    /// Time travel, and actions of many reducers and of none, through the same pool.
    @Test func `Actions and time travel share the pool`() throws {
        for reducers in [0, 1, 4] {
            let scratch = Scratch()
            let recorder = try Recorder<Shop, ShopAction>(to: scratch.file(), app: AppInfo(name: "shop"))
            let store = Store(
                initial: Shop(),
                reducer: .combine(
                    (0..<reducers).map { number in
                        Reducer("r\(number)") { shop, action in
                            if case .write(let text) = action { shop.log.append("\(number) \(text)") }
                        }
                    }
                ),
                middleware: [recorder.middleware]
            )
            var states = [store.state]
            for round in 1...40 {
                for _ in 0..<round % 4 {
                    store.dispatch(.write("round \(round)"))
                    states.append(store.state)
                }
                store.travel(toState: states[round % states.count])
                states.append(store.state)
                // Actions return to the pool.
                if round % 3 == 0 { try recorder.flush() }
            }
            let recording = try recorder.closeAndRead()
            let cursor = try StateCursor(on: recording, at: recording.start)
            for seq in states.indices {
                try cursor.move(to: Recording.Position(seq: seq))
                #expect(try cursor.state == NodeEncoder().encode(states[seq]), "\(reducers) reducers, action \(seq)")
            }
        }
    }
}
