import HindsightReplay
import HindsightSupport
import HindsightTree

/// `hindsight check FILE…`
enum CheckCommand: FilesCommand {
    static let files = Positional("FILE", repeating: true, help: "Recordings to check.")

    static let syntax = Syntax(
        "check",
        abstract: "Checks, before anything runs, that this build's types can read recordings",
        discussion: """
            Decodes all actions and all states of each file, and runs no reducer. If a file has more than 10,000 states, or
            8 MB of them as JSON, it decodes the first, the last and an even part of the others, and says how many; if
            migrations apply, all of them are migrated, and what changes in them is decoded. The verdict is one of three: fits;
            fits with defaults, if the state lacks fields that this build needs, which get the values of its initial
            state, has fields that this build does not read, or values that it reads as other ones; or does not fit, with each action type, case and field
            that does not decode, and the line of a migration that may help. It also lists the migrations that apply,
            types that are not Codable, because of which recorded values are descriptions by reflection,
            reducers that were added, removed, renamed or reordered, and payloads without labels, whose names (_0) change if
            another one is inserted before them. For a directory, it checks all recordings in it.
            The exit code is 0 if all files fit, with or without defaults, 4 if one does not fit, and 3 if one cannot be
            read.
            """,
        arguments: [files],
        examples: [
            "check Fixtures/*.hindsight": "Whether this build can still read them.",
            "check session.hindsight --json": "The same for programs.",
        ],
        jsonShape: """
            a line a file, \(Shape.text(of: FitAnswer.self)); or {file, error} if it could not be checked
            """
    )

    static func runsReducers(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        runEach(try recordings(arguments), arguments, in: tool) { file in
            let recording = try tool.open(file)
            let hasApp = tool.apps.contains { $0.name == recording.app.name }
            let described = hasApp ? nil : try Fit(ofDescriptionsIn: recording)
            let fit =
                try described
                ?? tool.app(of: recording).fit(of: recording) { seq in
                    tool.showProgress(seq, of: recording.actionCount, in: file, each: 1000)
                }
            tool.console.clearProgress()
            tool.print(arguments, json: printable(answer: FitAnswer(FitVerdict(fit, of: recording), fit))) {
                FitReport(fit: fit, recording: recording, tool: tool).print()
            }
            return fit.verdict == .doesNotFit ? .doesNotFit : .fine
        }
    }
}
