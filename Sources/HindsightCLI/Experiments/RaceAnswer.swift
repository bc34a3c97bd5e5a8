import HindsightRecording
import HindsightTree

/// The answer of `races`.
struct RaceAnswer: Answer {
    struct Action: Answer {
        let seq: Int
        let type: String
        @Nullable var payload: Node?
        let thread: Int

        init(_ action: RecordedAction) {
            seq = action.seq
            type = action.type
            payload = action.payload
            thread = action.thread?.number ?? 0
        }
    }

    struct Race: Answer {
        let first: Action
        let second: Action
        let nanoseconds: Int64
        @Nullable var patch: Patch?
        @Nullable var lasts: Bool?
        @Nullable var crash: Int?

        static let notes = [
            "nanoseconds": "from the first to the second",
            "patch": "what the other order changes in the state after both", "lasts": "whether the end is another, too",
            "crash": "the action in which the reducers crash in the other order",
        ]
    }

    let file: String
    let within: Double
    @Nullable var fixed: FixedAction?
    let races: [Race]
    let pairs: Int
    let tried: Int
    let threads: Int
    let unknown: Int
    let seconds: Double

    static let notes = [
        "within": "seconds", "fixed": "pairs begin after this action; null if all could run",
        "pairs": "neighbouring actions of different threads within this time",
        "threads": "those that dispatched", "unknown": "actions whose threads are not known",
    ]
}
