import HindsightTree

/// The answer of `shake` about one file.
struct ShakeAnswer: Answer {
    struct Finding: Answer {
        let reducer: String
        let path: String
        let seq: Int
        let type: String
        @Nullable var expected: Node?
        @Nullable var actual: Node?
        let steps: Int
        let conditions: [String]
        let confirmed: Bool

        static let notes = [
            "path": "with * for indices and keys", "seq": "the first action",
            "expected": "what the reducer sets at the path there, otherwise", "actual": "and under the first condition",
            "steps": "how often it did so",
            "confirmed": "false if time was over before a second pass; its conditions are then those of the first",
        ]
    }

    struct Crash: Answer {
        let condition: String
        @Nullable var crash: Node?
        let survives: Bool

        static let notes = [
            "crash": "as replay has it; null if not known",
            "survives": "whether the reducers run through only under the condition",
        ]
    }

    struct Condition: Answer {
        let name: String
        let change: String
        @Nullable var untried: String?

        static let notes = ["untried": "why it was not tried, or not all of it"]
    }

    let file: String
    let actions: Int
    let fixed: [FixedAction]
    @Nullable var comesBack: Bool?
    let findings: [Finding]
    let crashes: [Crash]
    let conditions: [Condition]
    let cut: Bool
    let seconds: Double

    static let notes = [
        "actions": "those that ran",
        "fixed": "those that do not decode: the run goes on from the recorded states after them",
        "comesBack":
            "whether the action in which the recorded process ended ends it with nothing changed, too; null if not known",
        "cut": "whether a run has ended early because it had found many differences",
    ]
}
