import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightTree
import Testing

@testable import HindsightReplay

/// Replays keep decoded actions that repeat.
@Suite struct RepeatedActionTests {
    struct Counts: Codable, Sendable {
        var count = 0
        var last: Double = 0
    }
    enum CountsAction: Codable, Sendable {
        case add(by: Int)
        case set(to: Double)
        case reset
    }

    static let app = ReplayableApp(
        "counts",
        initial: Counts(),
        reducer: Reducer<Counts, CountsAction>.combine(
            Reducer("count") { state, action in
                switch action {
                case .add(let amount): state.count += amount
                case .set(let value): state.last = value
                case .reset: state = Counts()
                }
            }
        )
    )

    private let scratch = try? Scratch()

    @Test func `Actions that repeat, that do not, and that differ little have their own changes`() throws {
        let actions = (0..<1500).map { (index) -> Node in
            let isRepeated = index < 600 || index >= 1100
            let value = isRepeated ? index % 7 : index
            return switch index % 5 {
            case 0: ["set": ["to": .number("\(value).5")]]
            case 1: ["set": ["to": .number("-\(value).5")]]
            case 2 where index % 3 == 0: ["reset": .object([])]
            default: ["add": ["by": .int(value)]]
            }
        }
        let recording = try #require(scratch).record(Self.app, actions)
        let replayer = try Replayer(of: recording, by: Self.app)
        var (count, last) = (0, 0.0)
        for index in actions.indices {
            let action = try #require(try replayer.next())
            #expect(action.steps?.first?.patch == (try recording.steps(of: index + 1).first?.patch ?? Patch()))
            let value = index < 600 || index >= 1100 ? index % 7 : index
            switch index % 5 {
            case 0: last = Double(value) + 0.5
            case 1: last = -(Double(value) + 0.5)
            case 2 where index % 3 == 0: (count, last) = (0, 0)
            default: count += value
            }
            if index % 50 == 49 {
                let state = try NodeDecoder().decode(Counts.self, from: replayer.state())
                #expect(state.count == count)
                #expect(state.last == last)
            }
        }
        #expect(try Self.app.verify(recording).matches)
    }
}
