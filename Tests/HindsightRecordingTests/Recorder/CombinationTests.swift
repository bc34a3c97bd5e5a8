import Foundation
import HindsightSQLite
import HindsightStore
import HindsightTree
import Synchronization
import TestSupport
import Testing

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

/// Combines all options of a recorder, and checks that the file has the true states.
@Suite("A recorder with many options") struct CombinationTests {
    /// Random options, small enough that each takes effect.
    private static func options(_ random: inout Seeded, _ complaints: Complaints) -> (RecorderOptions, redacts: Bool) {
        var options = complaints.options
        let redacts = random.once(in: 2)
        if redacts { options.redaction = Redaction(states: ["/coupon", "/note"]) }
        if random.once(in: 2) { options.limit.actions = 20 + random.below(200) }
        if random.once(in: 3) { options.limit.bytes = 100_000 + random.below(400_000) }
        if random.once(in: 2) { options.whenBehind = .dropSnapshots }
        if random.once(in: 2) { options.queueLimit = QueueLimit(actions: 1 + random.below(16)) }
        if random.once(in: 2) { options.journalBytes = 4096 << random.below(4) }
        if random.once(in: 2) { options.keyframeFloor = random.below(3000) }
        if random.once(in: 4) { options.durability = .power }
        return (options, redacts)
    }

    /// The state as the file should have it.
    private static func expected(_ state: Shop, redacts: Bool) throws -> Node {
        var state = state
        if redacts {
            state.note = "[redacted]"
            if state.coupon != nil { state.coupon = "[redacted]" }
        }
        return try NodeEncoder().encode(state)
    }

    /// Reads the end of a recording repeatedly while it is made.
    private final class Reader: Sendable {
        private let isOver = Atomic(false)
        private let seen = Mutex<Result<[(Recording.Position, Node)], any Error>>(.success([]))
        private let group = DispatchGroup()

        init(_ file: URL) {
            DispatchQueue.global().async(group: group) {
                let result = Result { try self.read(file) }
                self.seen.withLock { $0 = result }
            }
        }

        private func read(_ file: URL) throws -> [(Recording.Position, Node)] {
            var seen: [(Recording.Position, Node)] = []
            while !isOver.load(ordering: .acquiring) {
                let recording = try Recording(at: file)
                let end = recording.end
                do {
                    seen.append((end, try recording.state(at: end)))
                } catch {
                    // A small limit may have dropped it meanwhile.
                    guard error.code == .positionOutOfRange else { throw error }
                }
                usleep(2_000)
            }
            return seen
        }

        /// Stops, and returns all states that were read.
        func end() throws -> [(Recording.Position, Node)] {
            isOver.store(true, ordering: .releasing)
            group.wait()
            return try seen.withLock { try $0.get() }
        }
    }

    /// Dispatches, travels, flushes and blocks the recorder's writes, in random order.
    private static func run(
        _ store: Store<Shop, ShopAction>,
        _ recorder: Recorder<Shop, ShopAction>,
        _ file: URL,
        mayBeBehind: Bool,
        _ random: inout Seeded
    ) throws {
        var actions = shopActions(600, seed: random.seed)[...]
        var past = [store.state]
        func dispatch(_ count: Int) {
            for action in actions.prefix(count) { store.dispatch(action) }
            actions = actions.dropFirst(count)
        }
        while !actions.isEmpty {
            switch random.below(9) {
            case 0: try recorder.flush()
            case 1: store.travel(toState: random.pick(past))
            case 2: past.append(store.state)
            case 3: usleep(UInt32(random.below(8_000)))
            case 4:
                // The number of actions that a blocked queue accepts without waiting.
                try recorder.flush()
                try whileBlocked(file) { dispatch(mayBeBehind ? 5 : 1) }
            default: dispatch(1 + random.below(60))
            }
        }
    }

    @Test func `The file has the true states for any combination of options`() throws {
        for var random in Seeded.runs(10) {
            let (note, scratch, complaints) = ("\(random)", Scratch(), Complaints())
            let file = scratch.file()
            let (options, redacts) = Self.options(&random, complaints)
            let witness = Witness<Shop, ShopAction>()
            let (recorder, store) = try shop(
                at: file,
                options: options,
                middleware: [Middleware(observer: witness)]
            )
            let reader = Reader(file)
            let ran = Result {
                let mayBeBehind = options.whenBehind == .dropSnapshots
                try Self.run(store, recorder, file, mayBeBehind: mayBeBehind, &random)
                try recorder.close()
            }
            let seen = try reader.end()
            try ran.get()

            let states = witness.states
            for (position, state) in seen {
                let was = try Self.expected(try #require(states[position]), redacts: redacts)
                #expect(state == was, "\(note), read at \(position)")
            }

            let recording = try Recording(at: file)
            #expect(recording.end == states.keys.max(), "\(note)")
            let cursor = try StateCursor(on: recording, at: recording.start)
            var known = 0
            for (position, state) in states.sorted(by: { $0.key < $1.key }) where position >= recording.start {
                let run = recording.skipped.first { $0.contains(position.seq) }
                if let run, position.reducer != nil || position.seq < run.upperBound { continue }
                try cursor.move(to: position)
                known += 1
                #expect(try cursor.state == Self.expected(state, redacts: redacts), "\(note), \(position)")
            }
            // A small limit and left-out states may leave few.
            #expect(known > 0, "\(note)")
            #expect(complaints.all.isEmpty, "\(note): \(complaints.all)")
        }
    }
}
