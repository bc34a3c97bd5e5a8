import HindsightQuery
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// `hindsight verify FILE…`
enum VerifyCommand: FilesCommand {
    static let files = Positional("FILE", repeating: true, help: "Recordings to check.")

    static let rules = Option<String>(
        "rules",
        text: "RULES.json",
        help: "Also check that these rules, as invariants writes them, hold in the recorded states."
    )

    static let syntax = Syntax(
        "verify",
        abstract: "Checks, in many files, that this build's reducers make the recorded changes",
        discussion: """
            Prints a line for each file, and the first divergence in full: action, reducer, path, recorded and present
            value. For a directory, it checks all recordings in it.
            If the reducers are the recorded ones, it compares the changes of each. If some were added, removed, renamed,
            split or moved, it compares the state after each action. A reducer that declares its earlier name with
            `formerly:` counts as the recorded one.
            If the recorded process ended in an action, that action is not run: it has no recorded state to compare. The
            line of the file says so; the exit code is that of the actions before it, so that the recording of a fixed
            crash can be a test. replay runs the action.
            It stops at the first divergence of a file. With --isolated or --chained, it goes on, and prints a table of
            all kinds of differences.
            In the paths of --ignore and --tolerance, * is one name, ** any number of names, and a number one element of
            an array, unlike in a redaction.
            --jobs runs several processes, and prints the same in the order of the files. A recording of 10,000 actions
            or more is split at its keyframes, unless it has redacted values, is a text, or only a part of its states is
            compared. --shard takes a part of the recordings: each machine that has the same files finds the same parts.
            --report writes JUnit XML, or a line of JSON a recording. Lines of several reports may be put into one file.
            The tool reports a file that it cannot check, and continues with the others. The exit code is that of the
            worst file: 6 if nothing could be compared, 1 if the changes differ, 3 or 4 if the file could not be checked
            or its process was killed from outside, and 5 if a reducer ended its process or one action ran longer than
            --timeout.
            """,
        arguments: [files] + VerificationArguments.declarations + [rules, SharedArguments.timeout]
            + CorpusArguments.declarations,
        examples: [
            "verify Fixtures/*.hindsight": "Every fixture, as a test.",
            "verify --isolated a.hindsight": "All actions that a change affects.",
            "verify --ignore /lastSeen --tolerance '/**/price=0.01' a.hindsight":
                "All but one field, and prices to a cent.",
            "verify --jobs auto --shard 2/3 --report junit:verify.xml Fixtures":
                "The second of three machines, all cores, with a report for the CI system.",
        ],
        jsonShape: """
            a line a file, {file, app, equal (null: nothing could be compared), actions, steps, gaps [seq], travels [seq],
            skipped [[first, last]] (states left out), doubtful [[first, last]] (states that a later keyframe
            contradicts), unknown [first, last] (states not recorded), redacted [pattern],
            unfinished (seq of the action in which the recorded process ended, which was not run),
            lacksActions (whether actions after the last one may be lost), initialDifference (patch), level (states, steps),
            reducers {added [name], removed [name], renamed [[recorded, now]], reordered} (null: the recorded ones),
            migrations [schema], removed [seq] (by a migration), conversions [{path, recorded, read}],
            unstable [{seq, name, path}] (fields only of this build, with another value in each run),
            ignored [pattern], tolerances [{path, absolute, relative}], unusedPatterns [pattern],
            divergence {scope (initialState, reducer, action, run, end), seq, actions [first, last] (if their
            states were not recorded, it began in one of these; or null), type, reducer, name, recordedBy, nowBy (the
            reducers that wrote the path in the recording and now, if name is null), path, expected, got, inputWasRecorded, isRepeatable, cause, redacted [pattern], difference (patch)}, divergenceCount,
            divergedActions (a number), classes [{type, name, path (a pattern), cause, count, seqs, first (divergence)}],
            agreements [seq], finalDifference (patch; --chained),
            rules [\(Shape.text(of: RuleVerdict.self))] (with --rules)};
            or {file, equal: false, error, crash} if it could not be checked: crash as replay prints it, or null.
            A line of --report json: {file, verdict (equal, diverged, unknown, failed), exit (code), seconds, text (what
            verify prints), result (as above)}
            """
    )

    static func runsReducers(_ arguments: Arguments) -> Bool { true }

    static func node(ofFailed file: String, because failure: Failure, _ crash: Node?) -> Node {
        [
            "file": .string(file),
            "equal": false,
            "error": .string(failure.lines.joined(separator: " ")),
            "crash": .optional(crash),
        ]
    }

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        // A wrong file of rules is told once, and not for each recording.
        _ = try book(arguments)
        if CorpusArguments.areGiven(arguments) { return try runHere(arguments, in: tool) }
        let options = try VerificationArguments.options(arguments)
        return runEach(try recordings(arguments), arguments, in: tool) { file in
            try verify(file, options, arguments, tool, makesNode: false).code
        }
    }

    /// The rules of `--rules`.
    static func book(_ arguments: Arguments) throws -> RuleBook? {
        try arguments[rules].map { try RuleBook(contentsOf: $0) }
    }

    /// Verifies many recordings in this process, because it is a part of another program.
    private static func runHere(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let run = try CorpusRun(arguments, in: tool)
        for index in run.files.indices {
            let (captured, text) = tool.capturing()
            var details = VerificationTask.Details()
            let code = VerificationTask.verify(run.files[index], .init(), arguments, captured, &details)
            captured.console.finish()
            run.end(index, CorpusRun.Result(code: code, output: text.output, errors: text.errors, node: details.result))
        }
        return try run.finish()
    }

    /// Verifies a file, and prints the result.
    ///
    /// - Parameter makesNode: Whether to return the JSON of the result, too.
    static func verify(
        _ file: String,
        _ options: VerificationOptions,
        _ arguments: Arguments,
        _ tool: Tool,
        makesNode: Bool
    ) throws -> (code: ExitCode, result: Node?) {
        let recording = try tool.open(file)
        let app = try tool.app(of: recording)
        let book = try book(arguments)
        var options = options
        options.end = try VerificationArguments.end(arguments, of: recording)
        let verification = try Verification(of: recording, by: app, options: options)
        verification.watch = Isolation.watch
        let result = try verification.run { seq in
            tool.showProgress(seq, of: recording.actionCount, in: file, each: 500)
        }
        tool.console.clearProgress()
        let report = VerificationReport(recording: recording, tool: tool, options: options)
        let isJSON = arguments[GlobalOptions.json]
        let verdicts = try book.map { try RulesAnswer($0, of: recording) }
        let node = isJSON || makesNode ? try report.json(result, rules: verdicts) : nil
        if isJSON, let node {
            tool.console.print(json: node)
        } else {
            report.print(result)
            if let verdicts { InvariantsReport(tool: tool).print(verdicts, of: recording) }
        }
        let isBroken = verdicts?.isBroken ?? false
        let code: ExitCode =
            isBroken ? .difference : result.comparedNothing ? .nothingCompared : result.matches ? .fine : .difference
        return (code, node)
    }
}
