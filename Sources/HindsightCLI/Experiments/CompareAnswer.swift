import HindsightTree

/// The answer of `compare`.
struct CompareAnswer: Answer {
    /// Actions of one type that a reducer reduces in another way, at like places.
    struct Kind: Answer {
        let type: String
        @Nullable var reducer: String?
        let path: String
        var actions: Int
        var files: Int
        let example: Example

        static let notes = [
            "type": "of the actions; empty for the state at the start", "path": "with * for indices and keys",
            "reducer": "of the new build, the last one to change it; null if none did",
        ]
    }

    struct Example: Answer {
        let file: String
        let seq: Int
        let path: String
        @Nullable var old: Node?
        @Nullable var new: Node?
    }

    struct Failed: Answer {
        let file: String
        let alike: Bool
        @Nullable var old: String?
        @Nullable var new: String?

        static let notes = [
            "alike": "whether both builds fail, and in the same way",
            "old": "why that build does not run it to its end; null if it does",
        ]
    }

    let old: String
    let new: String
    let files: Int
    let compared: Int
    let actions: Int
    let same: Int
    let kinds: [Kind]
    let failed: [Failed]
    @Nullable var oldMicroseconds: Double?
    @Nullable var newMicroseconds: Double?

    static let notes = [
        "files": "all that were given", "compared": "those for which there was time",
        "actions": "those that both builds ran", "same": "files in which nothing differs; both builds may crash alike",
        "failed": "files that a build cannot run to the end",
        "oldMicroseconds": "of an action, on average, in files that are the same",
    ]
}
