import HindsightTree

/// The answer of `scrub`.
struct ScrubAnswer: Answer {
    /// Why values stay.
    enum Reason: String, Codable, CaseIterable {
        /// Their type takes only certain values.
        case type
        /// A reducer writes other places without them.
        case reducer
        /// A reducer ends the process without them.
        case crash
        /// Without them, the last action ends the process in another way, or not at all.
        case survival
        /// They were not tried.
        case untried
    }

    /// Values of the same kind that stay.
    struct Kept: Answer {
        let path: String
        let inAction: Bool
        let reason: Reason
        @Nullable var reducer: String?
        @Nullable var seq: Int?
        let values: [Node]

        static let notes = [
            "path": "where the first of them stands, with * for indices and keys",
            "inAction": "whether that is in an action, or in the first state",
            "reducer": "which one does something else; null if none does", "seq": "in which action",
        ]
    }

    let file: String
    let output: String
    let actions: Int
    let replaced: Int
    let kept: [Kept]
    let keptByPath: Bool
    let notes: Int
    let crashes: Bool
    let runs: Int
    let seconds: Double

    static let notes = [
        "replaced": "how many different values have a placeholder", "keptByPath": "whether --keep was given",
        "notes": "how many were left out", "crashes": "whether it ends in the recorded crash, as replay shows",
    ]
}
