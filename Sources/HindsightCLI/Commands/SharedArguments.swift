import HindsightTree

/// Arguments that several commands take.
enum SharedArguments {
    static let file = Positional("FILE", help: "The recording; for a directory, the newest one in it.")

    static let path = Option<NodePath>(
        "path",
        value: "/PATH",
        expected: "a path such as /items/0/title, with ~1 for a slash and ~0 for a tilde in a name",
        help: "Only this part of the state: /items/0/title, '/items/*/title' or '/**/title'."
    ) { NodePath($0) }

    static let timeout = Option<Double>(
        seconds: "timeout",
        help: "Stop with exit code 5 if replaying one action takes longer than this. Without it, there is no limit."
    )

    static let recordedOnly = Flag("recorded", help: "Do not compute unrecorded states.")

    static let force = Flag("force", help: "Replace OUT if it exists.")

    /// Whether `--recorded` forbids computing.
    static func refusal(_ arguments: Arguments) -> ComputingObstacle? {
        arguments[recordedOnly] ? .notWanted : nil
    }

    static let positionHelp =
        "42, 42.2 (after its 2nd reducer), start, end, crash, 50%, a note, or a time: 14:03:22, -5s."
}
