import Foundation
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording
@testable import HindsightReplay
@testable import HindsightStore

@Suite struct TravelAndInstanceTests {
    @Test("A replay continues from the state that the app travelled to")
    func travel() throws {
        let scratch = Scratch()
        let file = scratch.file("travel.hindsight")
        let reducer = BankRules().reducer
        let recorder = try Recorder<Bank, BankAction>(to: file, app: AppInfo(name: "bank"))
        let door = StoreAttachment(to: try recorder.core.get())
        var states = [Bank()]
        door.storeStarted(initial: states[0], reducers: reducer.leaves.map(\.name))
        func context() -> ActionContext {
            ActionContext(seq: states.count, parent: nil, adopted: [], origin: Origin(file: "a", line: 1))
        }
        func reduce(_ action: BankAction) {
            var state = states[states.count - 1]
            door.willReduce(action, context: context())
            for (index, leaf) in reducer.leaves.enumerated() {
                leaf.reduce(&state, action)
                door.didRun(reducer: index + 1, state: state)
            }
            door.didReduce(state: state)
            states.append(state)
        }
        for amount in [5, 7, 9] { reduce(.deposit(amount: amount)) }
        door.didTravel(to: 1, context: context(), state: states[1])
        states.append(states[1])
        reduce(.deposit(amount: 11))
        try recorder.close()

        let recording = try Recording(at: file)
        let result = try BankRules().app.verify(recording)
        #expect(result.matches)
        #expect(result.travels == [4])
        #expect(result.gaps.isEmpty)
        #expect(result.actions == 4)
        let replayer = try Replayer(of: recording, by: BankRules().app)
        for target in ["4.0", "4", "4.2", "5", "3"] {
            let position = try recording.position(target)
            try replayer.move(to: position)
            #expect(try replayer.state() == recording.state(at: position), "\(target)")
        }
        #expect(replayer.gaps.isEmpty)
    }

    @Test("States that hold class instances are replayed and compared reducer by reducer")
    func instances() throws {
        func app(label: @escaping @Sendable (Int) -> String) -> ReplayableApp {
            ReplayableApp(
                "desk",
                initial: Desk(),
                reducer: .combine(
                    Reducer("count") { $0.drawer.count += $1 },
                    Reducer("label") { $0.drawer.label += label($1) },
                    Reducer("total") { $0.total += $1 }
                )
            )
        }
        let scratch = Scratch()
        let recording = try scratch.record(app { "\($0)" }, [1, 2, 3])
        let same = try app { "\($0)" }.verify(recording)
        #expect(same.matches)
        #expect(same.actions == 3)
        let other = try app { $0 == 2 ? "two" : "\($0)" }.verify(recording)
        let divergence = try #require(other.divergence)
        #expect(divergence.action?.seq == 2)
        #expect(divergence.reducerName == "label")
        #expect(divergence.path.description == "/drawer/label")
        #expect(divergence.isRepeatable)
    }
}

private struct Desk: Codable, Sendable {
    var drawer = Drawer()
    var total = 0
}

/// Changed by one thread at a time only.
private final class Drawer: Codable, @unchecked Sendable {
    var count = 0
    var label = ""
}
