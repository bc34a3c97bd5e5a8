import HindsightRecorder
import HindsightRecording
import HindsightStore
import HindsightTree
import TestSupport
import Testing

@testable import HindsightReplay

/// Reducers that change a large array run on a state whose array nothing else refers to.
@Suite struct LargeArrayTests {
    struct Row: Codable, Sendable {
        var isDone = false
        var name: String
    }
    struct Sheet: Codable, Sendable {
        var rows = (0..<600).map { Row(name: "the name of row number \($0)") }
        var done = 0
        var last = ""
    }
    enum SheetAction: Codable, Sendable {
        case toggle(Int)
        case rename(Int, to: String)
        case insert(Int)
        case remove(Int)
        case note(String)
    }

    /// - Parameter special: The number of an action's row for which today's reducer does something else.
    static func app(special: Int? = nil, isRandom: Bool = false) -> ReplayableApp {
        ReplayableApp(
            "sheet",
            initial: Sheet(),
            reducer: Reducer<Sheet, SheetAction>.combine(
                Reducer("rows") { state, action in
                    switch action {
                    case .toggle(let row):
                        state.rows[row].isDone.toggle()
                        if row == special { state.rows[row].name = isRandom ? "\(Int.random(in: 0...99_999))" : "odd" }
                    case .rename(let row, let name): state.rows[row].name = name
                    case .insert(let row): state.rows.insert(Row(name: "a new row of some length"), at: row)
                    case .remove(let row): state.rows.remove(at: row)
                    case .note(let text): state.last = text
                    }
                },
                Reducer("done") { state, _ in state.done = state.rows.count { $0.isDone } },
                Reducer("names") { state, action in
                    if case .rename(let row, _) = action { state.rows[row].name += " and more" }
                }
            )
        )
    }

    private let scratch = Scratch()

    private static func session(_ random: inout Seeded) -> [Node] {
        (0..<200).map { index in
            // Runs of one kind make the replay expect another one.
            let kind = index / 25 % 2 == 0 && !random.once(in: 8) ? 0 : random.below(5)
            let row = Node.int(random.below(500))
            return switch kind {
            case 0: ["toggle": ["_0": row]]
            case 1: ["rename": ["_0": row, "to": .string("name \(index)")]]
            case 2: ["insert": ["_0": row]]
            case 3 where index % 2 == 0: ["remove": ["_0": row]]
            default: ["note": ["_0": .string("note \(index)")]]
            }
        }
    }

    @Test(arguments: Seeded.runs(8))
    func `The changes are the recorded ones, and so are the states`(random: Seeded) throws {
        var random = random
        let recording = try scratch.record(Self.app(), Self.session(&random))
        let replayer = try Replayer(of: recording, by: Self.app())
        while let action = try replayer.next() {
            let seq = action.recorded.seq
            for (step, record) in zip(try #require(action.steps), try recording.steps(of: seq)) {
                #expect(step.patch == record.patch ?? Patch(), "\(seq) \(random)")
            }
            if seq % 7 == 0 {
                #expect(try replayer.state() == recording.state(at: Recording.Position(seq: seq)), "\(seq) \(random)")
            }
        }
        #expect(try Self.app().verify(recording).matches, "\(random)")
    }

    @Test func `A divergence after many changes has its input, its values and its cause`() throws {
        let actions = (0..<60).map { index -> Node in ["toggle": ["_0": .int(index)]] }
        let recording = try scratch.record(Self.app(), actions)
        for isRandom in [false, true] {
            let result = try Self.app(special: 40, isRandom: isRandom).verify(recording)
            let divergence = try #require(result.divergences.first)
            #expect(divergence.seq == 41)
            #expect(divergence.reducerName == "rows")
            #expect(divergence.path == NodePath(["rows", "40", "name"]))
            #expect(divergence.expected == "the name of row number 40")
            #expect(divergence.isRepeatable != isRandom)
            #expect(divergence.inputWasRecorded)
        }
        for continuation in [VerificationOptions.Continuation.isolated, .chained] {
            let options = VerificationOptions(afterDivergence: continuation)
            let result = try Self.app(special: 40).verify(recording, options: options)
            #expect(result.divergences.map(\.seq) == [41])
            #expect(result.actions == 60)
        }
    }
}
