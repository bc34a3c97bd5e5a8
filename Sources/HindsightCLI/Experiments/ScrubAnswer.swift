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
        /// There is no other value of this shape, or it is no text.
        case shape
    }

    /// Values of the same kind that stay.
    struct Kept: Answer {
        let path: String
        let inAction: Bool
        let reason: Reason
        @Nullable var reducer: String?
        @Nullable var seq: Int?
        let untriedAlone: Bool
        var values: [Node]

        static let notes = [
            "path": "where the first of them stands, with * for indices and keys",
            "inAction": "whether that is in an action, or in the first state",
            "untriedAlone": "whether they were only tried with others, since many like them must stay",
            "reducer": "which one does something else; null if none does", "seq": "in which action",
        ]
    }

    let file: String
    let output: String
    let actions: Int
    let replaced: Int
    let kept: [Kept]
    let keptByPath: Int
    let notes: Int
    let origins: [String]
    let crashes: Bool
    let runs: Int
    let seconds: Double

    static let notes = [
        "replaced": "how many different values have a placeholder", "keptByPath": "how many --keep names",
        "notes": "how many were left out", "origins": "the files in which actions were dispatched",
        "crashes": "whether it ends in the recorded crash, as replay shows",
    ]
}
