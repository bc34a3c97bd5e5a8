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

        static let notes = ["crash": "as replay has it"]
    }

    struct Condition: Answer {
        let name: String
        let change: String
        @Nullable var untried: String?

        static let notes = ["untried": "why it was not tried, or not all of it"]
    }

    let file: String
    let actions: Int
    let findings: [Finding]
    let crashes: [Crash]
    let conditions: [Condition]
    let cut: Bool
    let seconds: Double

    static let notes = [
        "actions": "those that ran",
        "cut": "whether a run has ended early because it had found many differences",
    ]
}
