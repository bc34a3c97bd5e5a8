import HindsightTree

/// The answer of `shrink`.
struct ShrinkAnswer: Answer {
    /// An action that is left.
    struct Action: Answer {
        /// Its number in the recording.
        let seq: Int
        let type: String
        @Nullable var payload: Node?
        /// The recorded payload, if another one is enough.
        var recorded: Node?

        static let notes = ["recorded": "the recorded payload, if payload is a simpler one"]
    }

    struct Divergence: Answer {
        let seq: Int
        @Nullable var reducer: Int?
        @Nullable var name: String?
        let path: NodePath
        @Nullable var expected: Node?
        @Nullable var got: Node?
    }

    let file: String
    let until: String
    /// The position on whose state the actions run.
    let from: String
    /// Why not from the first state on.
    @Nullable var fixed: FixedAction?
    /// The number of actions from there on.
    let of: Int
    let actions: [Action]
    /// Whether no single action can be left out.
    let minimal: Bool
    /// A place at which the reducers lead to something else when they run again.
    @Nullable var unsteady: NodePath?
    let attempts: Int
    /// The attempts that ended in another crash.
    let otherCrashes: Int
    var seconds: Double
    @Nullable var crash: Node?
    @Nullable var divergence: Divergence?
    @Nullable var output: String?
    @Nullable var test: String?

    static let notes = [
        "from": "the position on whose state they run",
        "fixed": "the action that this state comes after, since it cannot run",
        "of": "actions that may be left out", "actions": "what is left",
        "minimal": "whether each of them is needed",
        "unsteady": "a place at which a second run of the same actions leads to another value, so nothing is proved",
        "otherCrashes": "attempts with another crash",
        "crash": "as replay has it", "divergence": "with --until diverge",
    ]
}
