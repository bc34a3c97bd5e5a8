/// The tools that run recorded actions again and again.
extension ModelContextTool {
    static let cause = ModelContextTool(
        name: "cause",
        title: "Find what a value depends on",
        description: """
            Runs the actions again without each single one of them, through the reducers of this build, in processes of \
            their own, and tells what would be at path then: the greatest difference first, then pairs that matter only \
            together. It changes no file. Outcome "nothing compared": the same actions lead to another value when they run \
            again. Needs a server that was built with the app.
            """,
        runsReducers: true,
        parameters: [
            file, Parameter("path", .positional, required: true, "One place of the state: /cart/total."),
            Parameter("at", .option("at"), "The position of the state. \(positions)"),
            budget, timeout, whole,
        ]
    )

    static let shrink = ModelContextTool(
        name: "shrink",
        title: "Find the few actions that it takes",
        description: """
            Finds a short list of the recorded actions that still crashes in the same place, diverges, or makes an \
            expression true, by running ever shorter lists through the reducers of this build, in processes of their \
            own. It changes no file. If minimal is true, each of the actions is needed. Outcome "differs": the \
            recorded actions do not do it again. Needs a server that was built with the app.
            """,
        runsReducers: true,
        parameters: [
            file,
            Parameter(
                "until",
                .option("until"),
                "What they must still do: crash (the default), diverge, or an expression as in find: /cart/total < 0."
            ),
            budget, timeout, whole,
        ]
    )

    static let races = ModelContextTool(
        name: "races",
        title: "Find actions whose order matters",
        description: """
            Runs neighbouring actions of different threads in both orders, through the reducers of this build, in a process \
            of its own, and lists the pairs that lead to another state. It changes no file. Outcome "nothing compared": \
            the recording does not tell all threads, the same order leads to another state when it runs again, or time was \
            over. Needs a server that was built with the app.
            """,
        runsReducers: true,
        parameters: [
            file,
            Parameter("within", .option("within"), "The most seconds between the two actions; 0.01 by default."),
            Parameter("ignore", .options("ignore"), "Patterns of places that may differ, such as /log/**."),
            budget, timeout, whole,
        ]
    )

    static let shake = ModelContextTool(
        name: "shake",
        title: "Find what reducers depend on",
        description: """
            Runs the recorded actions under other conditions (clock, time zone, hash seed, random numbers, files, …), \
            through the reducers of this build, in processes of its own, and lists the reducers that do something else \
            then, with the place and both values. It changes no file. Outcome "nothing compared": no action could run, \
            or time was over. Needs a server that was built with the app.
            """,
        runsReducers: true,
        parameters: [file, budget, timeout, whole]
    )

    static let test = ModelContextTool(
        name: "test",
        title: "Write actions as a Swift test",
        description: """
            Writes the recorded actions between two positions as a Swift test that needs no recording: the state as JSON, \
            the actions as Swift expressions, and what each changes. If they end in a crash, the test fails until that is \
            mended. It changes no file: the text of the test is in the answer. Needs a server that was built with the app.
            """,
        runsReducers: true,
        parameters: [
            file, Parameter("from", .positional, required: true, "The position to start from: \(positions)"),
            Parameter("to", .positional, "The last position; at most 200 actions later. Without it, the end."),
            Parameter(
                "constant",
                .option("constant"),
                "Where the app is declared, as module and name: Shop.shopApp. Needed if the server runs outside its package."
            ),
        ]
    )

    static let invariants = ModelContextTool(
        name: "invariants",
        title: "Find what always held",
        description: """
            Lists rules that held at all positions of one or more recordings of an app: bounds, sums, \
            counts, unique elements, keys that exist, values that are null exactly if another one is something. Each has \
            an expression for find, and says how often it could have failed. What one recording seems to promise may be \
            a coincidence. Outcome "nothing compared": no state was recorded.
            """,
        parameters: [
            recordings,
            Parameter("least", .option("least"), "How often a rule must have been able to fail; 10 by default."),
            whole,
        ]
    )

    static let scrub = ModelContextTool(
        name: "scrub",
        title: "Write a recording for others",
        description: """
            Writes a new recording, with placeholders for the texts, numbers and dates of this one, and the same \
            behaviour, proved by running both through the reducers of this build. kept lists the values that had to stay, with the \
            reason: look at them before the file is shared. Needs a server that was built with the app.
            """,
        writes: true,
        runsReducers: true,
        parameters: [
            file, Parameter("output", .newFile("output"), required: true, "The name of the new recording."),
            Parameter("keep", .options("keep"), "Patterns of places whose values stay, such as /items/*/kind."),
            budget, timeout, whole,
        ]
    )

    /// The tool that compares this build with an old one.
    static func compare(_ builds: [String]) -> ModelContextTool {
        ModelContextTool(
            name: "compare",
            title: "Compare with the old build",
            description: """
                Runs recordings by the old build of the app that the server was \
                started with, and by this one, and lists what this one does differently, grouped by action, reducer and \
                place. It changes no file. Outcome "nothing compared": no action ran in both, or time was over.
                """,
            leading: builds,
            runsReducers: true,
            parameters: [recordings, budget, timeout, whole]
        )
    }
}
