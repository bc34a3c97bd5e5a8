import HindsightTree

/// The answer of `cause`.
struct CauseAnswer: Answer {
    /// What leaving actions out does.
    enum Kind: String, Codable, CaseIterable { case other, nothing, crash }

    struct Action: Answer {
        let seq: Int
        let type: String
        @Nullable var payload: Node?
    }

    struct Effect: Answer {
        let actions: [Action]
        let without: Kind
        /// The value without the actions.
        var value: Node?

        static let notes = [
            "without": "what would be there without the actions", "value": "the other value",
        ]
    }

    let file: String
    let path: NodePath
    let position: String
    @Nullable var value: Node?
    /// Whether this build's reducers lead to the recorded state.
    @Nullable var stateIsRecorded: Bool?
    @Nullable var fixed: FixedAction?
    let causes: [Effect]
    let pairs: [Effect]
    let of: Int
    let tried: Int
    let triedPairs: Int
    let complete: Bool
    var seconds: Double

    static let notes = [
        "stateIsRecorded": "whether this build's reducers lead to the recorded state; null if not known",
        "fixed": "the actions run on the recorded state after this one; null if all could run",
        "causes": "single actions, the greatest difference first",
        "pairs": "two actions that matter only together", "of": "actions before the position that could run",
        "complete": "whether each action was tried",
    ]
}
