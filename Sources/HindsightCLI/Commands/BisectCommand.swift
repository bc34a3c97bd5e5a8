import Foundation
import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

/// `hindsight bisect FILE EXPR`, `hindsight bisect FILE --run CMD`
enum BisectCommand: Command {
    static let expression = Positional(
        "EXPR",
        required: false,
        help: "A condition, in quotes: '/cart/totals/gross < 0'."
    )
    static let run = Option<String>(
        "run",
        value: "CMD",
        help: "Run this shell command instead. It gets the state as JSON on its standard input."
    )

    static let syntax = Syntax(
        "bisect",
        abstract: "Finds the first position at which an expression is true, or a command fails, by binary search",
        discussion: """
            This needs about twenty looks for a million actions. It is exact if EXPR is false at first, and stays true once
            it is; the answer says whether it does, as far as it was checked. It looks after whole actions, and then names
            the reducer, so EXPR cannot have the column reducer: use find.
            CMD exits as for 'git bisect run': with 0 if the state is good, with 1 to 127 if it is bad, and with 125 if
            that cannot be said; another code stops the search. HINDSIGHT_POSITION is the position.
            \(ExpressionArguments.discussion)
            """,
        arguments: [
            SharedArguments.file, expression, run, FindCommand.from, FindCommand.to, ExpressionArguments.rules,
            PlaceArguments.noIndex,
        ],
        examples: [
            "bisect session.hindsight '/cart/totals/gross < 0'": "Since when it is negative.",
            "bisect session.hindsight --run \"jq -e '.items | length < 10'\"":
                "The first state that jq does not accept.",
        ],
        jsonShape: """
            one object with found ("turns", "between", "atBeginning", "notAtEnd" or "unknown"), position (where it is true
            or bad first, or not known), reducer (its number, if one is named), before (the last position before it),
            staysTrue (true, false, or null if not all positions were checked; doubtful states as recorded),
            trueBefore (a position before it where it is true, too), tests, doubtful (whether the range has doubtful
            states), redacted [path] (placeholders there, or below)
            """
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let (text, command) = (arguments[expression], try arguments[run])
        if text != nil, command != nil { throw UsageError(syntax.name, .conflict("EXPR", "--run")) }
        if command != nil, arguments.isGiven(ExpressionArguments.rules) {
            throw UsageError(syntax.name, .conflict("--run", "--rules"))
        }
        guard text != nil || command != nil else { throw UsageError(syntax.name, .missingArguments(["EXPR"])) }
        let expression = try text.map {
            try RecordingExpression($0, rules: try ExpressionArguments.rules(arguments))
        }
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        let ends = try FindCommand.ends(arguments, in: recording, knownOnly: true)
        let (from, to) = (ends.first ?? recording.start, ends.last ?? recording.end)
        let (first, last) = (from.seq, recording.lastWhole(upTo: to))
        guard first <= last else {
            throw Failure(
                .usage,
                "No position after a whole action is from \(from) to \(to), and bisect looks at no others."
            )
        }
        if let expression, expression.granularity == .reducer {
            try tool.note(expression.unknownNames(in: recording), in: recording)
            throw Failure(
                .usage,
                "bisect looks after whole actions, where reducer is NULL.",
                "To look after each reducer: \(tool.name) find \(tool.quoted(recording)) "
                    + "\(ShellQuoting.quote(expression.text, isPath: false)) --by reducer"
            )
        }
        let range = Recording.Position(seq: first)...Recording.Position(seq: last)
        var tests = 0
        let outcome: Bisection.Outcome
        if let expression {
            let evaluator = try ExpressionEvaluator(of: recording, where: expression)
            outcome = try Bisection.outcome(in: recording, range) { position in
                tests += 1
                switch try evaluator.truth(at: position) {
                case .yes: return true
                case .no, .null: return false
                case .unknown: return nil
                }
            }
        } else {
            outcome = try Bisection.outcome(in: recording, range) { position in
                guard recording.absence(at: position) == nil else { return nil }
                tests += 1
                tool.console.progress("Running the command at \(position)")
                return try isBad(position, of: recording, by: command ?? "")
            }
            tool.console.clearProgress()
        }
        let report = BisectionReport(
            outcome: outcome,
            tests: tests,
            range: range,
            expression: expression,
            recording: recording,
            tool: tool
        )
        let isTrueNowhere = try report.print(asJSON: arguments[GlobalOptions.json])
        guard let expression else { return .fine }
        var names = UnknownNames()
        switch outcome {
        case .failsAtEnd, .holdsAtBeginning: names = try expression.unknownNames(in: recording)
        // What is nowhere is NULL everywhere, which may make it true.
        default: names.paths = try expression.paths.filter { try !recording.has($0) }
        }
        let isMistaken = try tool.note(names, in: recording)
        // If it is true nowhere, it may be misspelt.
        return isMistaken && isTrueNowhere ? .usage : .fine
    }

    /// Whether the command of `--run` finds the state at a position bad; `nil` if it cannot say.
    private static func isBad(
        _ position: Recording.Position,
        of recording: Recording,
        by command: String
    ) throws -> Bool? {
        let state = try recording.state(at: position)
        // A file, since a command that does not read its input would break a pipe.
        let json = Array((state.json + "\n").utf8)
        let input = try CapturedFile(allocating: json.count)
        try FileSystem.writeAll(json[...], to: input.descriptor)
        lseek(input.descriptor, 0, SEEK_SET)
        let process = SpawnedProcess()
        // This process ignores SIGPIPE, and a pipeline in the command would too.
        process.restoreDefault(of: SIGPIPE)
        process.give(input.descriptor, as: 0)
        // The standard output is for the answer.
        process.give(STDERR_FILENO, as: 1)
        var environment = ProcessInfo.processInfo.environment
        environment["HINDSIGHT_POSITION"] = position.description
        let shell = process.start("/bin/sh", ["sh", "-c", command], environment: environment)
        // It must not be closed before the shell has it.
        withExtendedLifetime(input) {}
        guard shell.error == 0 else { throw SystemError(number: shell.error) }
        let status = SpawnedProcess.wait(for: shell.id)
        let (ending, code) = (status & 0x7F, status >> 8 & 0xFF)
        guard ending == 0, code < 128 else {
            let how = ending == 0 ? "exited with \(code)" : "was ended by signal \(ending)"
            throw Failure(
                .usage,
                "The command \(how) at position \(position), so the search stopped.",
                "It exits with 0 for a good state, 1 to 127 for a bad one, and 125 if it cannot say."
            )
        }
        return code == 125 ? nil : code != 0
    }
}
