import HindsightRecorder
import HindsightStore
import HindsightTree
import TestSupport
import Testing

@testable import HindsightReplay

@Suite struct ScrubLaboratoryTests {
    /// Reads as the same number, whatever was written.
    struct Fixed: Codable, Sendable {
        var number: Int

        init(_ number: Int) { self.number = number }

        init(from decoder: any Decoder) throws {
            let written = try decoder.singleValueContainer().decode(Int.self)
            // 42 stands in the state, and 4242 in an action.
            number = written > 99 ? 4242 : 42
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(number)
        }
    }

    struct Counted: Codable, Sendable {
        var code = Fixed(42)
        var count = 0
    }

    enum Use: Codable, Sendable {
        case use(Fixed)
    }

    @Test func `A value that would be recorded as another one must stay`() throws {
        let scratch = Scratch()
        let app = ReplayableApp(
            "counted",
            initial: Counted(),
            reducer: Reducer<Counted, Use>("count") { state, _ in state.count += 1 }
        )
        let action = try NodeEncoder().encode(Use.use(Fixed(4242)))
        let recording = try scratch.record(app, [action])
        let laboratory = try ScrubLaboratory(of: recording, by: app, keeping: { _ in false }, seed: 7)
        let values = laboratory.placeholders.values
        #expect(Set(values.map(\.node)) == [42, 4242])
        func run(_ node: Node) throws -> ScrubLaboratory.Mismatch? {
            try laboratory.run(values.map { $0.node == node }, crashing: false)
        }
        #expect(try run(.null) == nil)
        #expect(try run(42) == ScrubLaboratory.Mismatch(seq: 0, .type))
        #expect(try run(4242) == ScrubLaboratory.Mismatch(seq: 1, .type))
        #expect(try run(.null) == nil)
    }
}
