import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightTree
import Synchronization
import TestSupport
import Testing

@testable import HindsightReplay

/// Replays of logs in which payloads repeat: each is decoded for its own action.
@Suite struct RepeatedPayloadTests {
    /// An action whose payload is always the same, and whose `init(from:)` runs `Value.make`.
    struct Ping<Value: PingValue>: Codable, Sendable {
        let value: Value

        init(from _: any Decoder) { value = .make() }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(1, forKey: .ping)
        }
        private enum Key: CodingKey { case ping }
    }
    protocol PingValue: Sendable { static func make() -> Self }

    struct Serial: PingValue {
        static let counter = Counter()
        var number: Int
        static func make() -> Serial { Serial(number: counter.increment()) }
    }
    final class Instance: PingValue {
        static func make() -> Instance { Instance() }
    }
    struct LongText: PingValue {
        static let counter = Counter()
        var text: String
        static func make() -> LongText {
            counter.increment()
            return LongText(text: String(repeating: "long ", count: 9))
        }
    }

    private static func app<Value>(_ see: @escaping @Sendable (inout [Int], Value) -> Void) -> ReplayableApp
    where Value: PingValue {
        ReplayableApp(
            "ping",
            initial: [Int](),
            reducer: Reducer<[Int], Ping<Value>>("see") { state, action in see(&state, action.value) }
        )
    }

    @Test("An init(from:) that makes a number or an instance runs for each action")
    func impure() throws {
        let scratch = Scratch()
        let serials = Self.app { (state: inout [Int], value: Serial) in state.append(value.number) }
        let numbered = try scratch.record(serials, Array(repeating: ["ping": 1], count: 100))
        let replayer = try Replayer(of: numbered, by: serials)
        try replayer.move(to: numbered.end)
        let found = try replayer.state()
        guard case .array(let numbers) = found, case .int(let first)? = numbers.first else {
            Issue.record("no numbers: \(found.json)")
            return
        }
        #expect(numbers == (first..<first + 100).map { .int($0) })

        let kept = Mutex<[Instance]>([])
        let instances = Self.app { (_: inout [Int], value: Instance) in kept.withLock { $0.append(value) } }
        let recording = try scratch.record(instances, Array(repeating: ["ping": 1], count: 100))
        kept.withLock { $0 = [] }
        #expect(try instances.verify(recording).matches)
        #expect(kept.withLock { Set($0.map { ObjectIdentifier($0) }) }.count == 100)
    }

    @Test("A value with storage of its own is decoded for each action")
    func storage() throws {
        let texts = Self.app { (state: inout [Int], value: LongText) in state.append(value.text.utf8.count) }
        let recording = try Scratch().record(texts, Array(repeating: ["ping": 1], count: 100))
        let before = LongText.counter.count
        #expect(try texts.verify(recording).matches)
        #expect(LongText.counter.count - before == 100)
    }

    enum Step: Codable, Sendable {
        case add(by: Int, note: String?)
        case reset

        static func random(_ random: inout Seeded) -> Step {
            if random.once(in: 5) { return .reset }
            let number = random.below(random.once(in: 3) ? 1000 : 4)
            let long = String(repeating: "ä\u{0}", count: random.below(20))
            return .add(by: number, note: random.once(in: 3) ? random.once(in: 2) ? "short" : long : nil)
        }

        func reduce(_ state: inout Sum) {
            guard case .add(let number, let note) = self else { return state.sum = 0 }
            state.sum += number
            if let note { state.notes = state.notes.suffix(8) + [note] }
        }
    }
    struct Sum: Codable, Sendable {
        var sum = 0
        var notes: [String] = []
    }

    @Test(arguments: Seeded.runs(4)) func `A log with repeated payloads replays as its actions run`(seed: Seeded) throws
    {
        let app = ReplayableApp("sum", initial: Sum(), reducer: Reducer<Sum, Step>("sum") { $1.reduce(&$0) })
        var random = seed
        let log = (0..<2000).map { _ in Step.random(&random) }
        let recording = try Scratch().record(app, try log.map { try NodeEncoder().encode($0) })
        #expect(try app.verify(recording).matches)
        var state = Sum()
        for action in log { action.reduce(&state) }
        let replayer = try Replayer(of: recording, by: app)
        try replayer.move(to: recording.end)
        #expect(try replayer.state() == NodeEncoder().encode(state))
    }
}
