import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightTree
import TestSupport
import Testing

@testable import HindsightReplay

@Suite struct ComparedRunTests {
    private let scratch = Scratch()

    /// The amounts that do not decode.
    @TaskLocal private static var refused: Set<Int> = []

    private struct Refused: Error {}

    private struct Sum: Codable, Sendable { var sum = 0 }

    private enum Change: Codable, Sendable { case add(amount: Amount) }

    private struct Amount: Codable, Sendable {
        let value: Int

        init(from decoder: any Decoder) throws {
            value = try decoder.singleValueContainer().decode(Int.self)
            if ComparedRunTests.refused.contains(value) { throw Refused() }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    private let app = ReplayableApp(
        "sum",
        initial: Sum(),
        reducer: Reducer<Sum, Change>("sum") { sum, change in
            if case .add(let amount) = change { sum.sum += amount.value }
        }
    )

    private func run(_ recording: Recording, refusing refused: Set<Int>, against lines: [String]? = nil) throws
        -> (lines: [String], actions: Int, passed: [Int?])
    {
        try Self.$refused.withValue(refused) {
            let run = try ComparedRun(of: recording, by: app)
            var own: [String] = []
            var rest = lines?[...]
            let actions = try run.run(against: lines == nil ? nil : { rest?.popFirst() }) { own.append($0) }
            return (own, actions, run.undecodable.map(\.seq))
        }
    }

    @Test func `Two runs pass the same actions that do not decode, or their steps are not compared`() throws {
        let recording = try scratch.record(app, [1, 2, 3].map { ["add": ["amount": .int($0)]] })
        let whole = try run(recording, refusing: [])
        let part = try run(recording, refusing: [2])
        #expect(part.actions == 2 && part.passed == [2])
        // It goes on from the recorded state.
        #expect(part.lines.first == whole.lines.first && part.lines.last == whole.lines.last)
        #expect(try run(recording, refusing: [2], against: part.lines).passed == [2])
        #expect(throws: RecordingError.self) { try run(recording, refusing: [2], against: whole.lines) }
        #expect(throws: (any Error).self) { try run(recording, refusing: [], against: part.lines) }
    }
}
