import Foundation
import HindsightRecording
import HindsightReplay
import HindsightSupport

/// `hindsight review [DIR]`
enum ReviewCommand: Command {
    static let places = Positional(
        "DIR",
        required: false,
        repeating: true,
        help: "Recordings, or directories with some at any depth; by default, this directory."
    )
    static let accept = Option<String>(
        "accept",
        text: "CLASS",
        expected: classNames,
        repeating: true,
        help: "Accept this class, or all that are left. May be repeated, or have several with commas."
    )
    static let reject = Option<String>(
        "reject",
        text: "CLASS",
        expected: classNames,
        repeating: true,
        help: "Reject this class, or all that are left."
    )
    static let check = Flag("check", help: "Write nothing: exit code 1 if something is pending or stale.")
    static let references = Option<String>(
        "references",
        value: "FILE",
        help: "The recordings that tests used, as HINDSIGHT_REFERENCES=FILE lists them. Others are stale."
    )
    static let interactive = Flag("interactive", help: "Ask even if there is no terminal: a line an answer.")

    private static let classNames = "the name of a class, its beginning, or all"

    static let syntax = Syntax(
        "review",
        abstract: "Gathers how this build's reducers differ from recordings, and accepts what is meant",
        discussion: """
            Replays all recordings, goes on after differences, and puts those that look alike into a class: the same
            action type, reducer, path and cause. On a terminal it shows one class at a time, and waits for a key: a
            accepts it, r rejects it, s skips it, d shows more; A, R and S decide all that are left; q quits, and
            nothing is written. Without a terminal, or if CI is set, it prints the classes, and --accept and --reject
            decide.
            A recording is rewritten if all its classes are accepted. It gets the states of this build's reducers, and
            keeps its actions, times, parents and origins. Otherwise it is left as it is, and the tool names the class
            that it waits for. Each file is replaced at once. One that changed since it was examined is left as it is.
            With --isolated, each action is compared on the recorded state before it. States that follow from an
            accepted difference are then written, too. So are places that --ignore names. A recording of an earlier schema
            is migrated when it is rewritten.
            The exit code is 0 if nothing is left, 1 if a class is pending, skipped or rejected or a recording is stale,
            6 if a recording has nothing to compare, 3 or 4 if one could not be reviewed or written, and 5 if a reducer
            ended the replay of one.
            """,
        arguments: [
            places, accept, reject, check, references, interactive, VerificationArguments.isolated,
            VerificationArguments.ignore, VerificationArguments.tolerance, SharedArguments.timeout,
        ],
        examples: [
            "review Tests": "Decide about each class.",
            "review Tests --accept 3f9a02c1": "Accept one class.",
            "review Tests --check --references refs.txt": "A check for a server.",
        ],
        jsonShape: """
            {recordings (a number), pending, classes [{id, app, type (null: the initial state), name (of the reducer, or
            null), path (a pattern), cause (crash: a reducer ended the replay), count, decision (accepted, rejected,
            skipped, null), files, first {file, seq, position, action, path, expected, got, difference (patch)} (of a
            crash: {file, seq, error})}], rewritten [file], waiting [{file, classes [id]}], failed [{file, error}],
            notReviewed [{file, error}], unfinished [{file, seq}] (the action in which the recorded process ended, which
            was not run), stale [file] (null: not known)}
            """
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let accepted = try names(arguments, accept)
        let rejected = try names(arguments, reject)
        let asks = try asks(arguments, decides: !(accepted + rejected).isEmpty, tool)
        let given = arguments.all(places)
        let files = try Tool.recordings(below: given.isEmpty ? ["."] : given)
        let used = try arguments[references].map { try usedRecordings($0) }
        if tool.isProcess { TerminationSignal.observe(unlessIgnored: true) }
        let process = try ReviewProcess(tool, timeout: try arguments[SharedArguments.timeout])
        var review = Review(try process.examine(files, try ReviewOptions(arguments)))
        try decide(&review, accepted, rejected)

        let stale = used.map { used in files.filter { !used.contains(resolved($0)) } }
        if arguments[GlobalOptions.json] {
            let (written, failures) = !accepted.isEmpty ? try write(review, process, nil) : ([], [])
            tool.console.print(json: ReviewReport.json(review, written: written, failures: failures, stale: stale))
            return code(review, failures.map(\.failure), stale ?? [])
        }
        let report = ReviewReport(tool, review)
        report.printHead(review)
        var mayWrite = !accepted.isEmpty
        if asks {
            mayWrite = try ask(&review, report, tool)
        } else {
            for index in review.classes.indices { report.print(index, of: review) }
        }
        report.printUnreviewed(review)
        report.printUnfinished(review)
        let isDecided = review.undecided.count < review.classes.count
        if isDecided, mayWrite || !asks { report.printDecisions(review) }
        let failures = mayWrite ? try write(review, process, tool).failures : []
        if mayWrite || !asks { report.printRest(review) }
        if stale != nil || arguments[check] { report.printStale(stale) }
        return code(review, failures.map(\.failure), stale ?? [])
    }

    /// The recordings that tests have used, as the module HindsightTesting lists them: a path a line.
    private static func usedRecordings(_ list: String) throws(Failure) -> Set<String> {
        guard let data = FileManager.default.contents(atPath: list) else {
            throw Failure(
                .badFile,
                "\(escape(list)) cannot be read.",
                "Run the tests with HINDSIGHT_REFERENCES=\(ShellQuoting.quote(list)) first."
            )
        }
        return Set(String(decoding: data, as: UTF8.self).split(separator: "\n").map { resolved(String($0)) })
    }

    private static func resolved(_ path: String) -> String {
        URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }

    /// Whether to ask for decisions.
    private static func asks(_ arguments: Arguments, decides: Bool, _ tool: Tool) throws -> Bool {
        if decides {
            for decision in [accept, reject] { try arguments.checkAtMostOne(of: check, decision) }
        }
        let quiet = [check, GlobalOptions.json]
        for flag in quiet { try arguments.checkAtMostOne(of: interactive, flag) }
        if arguments[interactive] { return true }
        let isServer = !["", "0", "false"].contains((ProcessInfo.processInfo.environment["CI"] ?? "").lowercased())
        guard tool.isProcess, !quiet.contains(where: { arguments[$0] }), !decides, !isServer else { return false }
        return tool.console.terminal.isOutputTerminal && isatty(STDIN_FILENO) == 1
    }

    private static func names(_ arguments: Arguments, _ option: Option<String>) throws -> [String] {
        try arguments.all(option).flatMap { $0.split(separator: ",").map(String.init) }
    }

    /// Takes the decisions of the command line.
    private static func decide(_ review: inout Review, _ accepted: [String], _ rejected: [String]) throws {
        for (names, decision) in [(accepted, ReviewClass.Decision.accepted), (rejected, .rejected)] {
            for name in names where name != "all" {
                let index = try review.index(of: name)
                let id = review.classes[index].id
                if decision == .accepted, review.classes[index].isCrash {
                    throw Failure(.usage, "\(id) is a crash, which leaves no state to accept. Nothing was written.")
                }
                if let before = review.classes[index].decision, before != decision {
                    throw Failure(.usage, "\(id) is both accepted and rejected. Nothing was written.")
                }
                review.decide(index, decision)
            }
        }
        if accepted.contains("all"), rejected.contains("all") {
            throw Failure(.usage, "--accept all and --reject all cannot be combined.", "Nothing was written.")
        }
        guard accepted.contains("all") || rejected.contains("all") else { return }
        let decision = accepted.contains("all") ? ReviewClass.Decision.accepted : .rejected
        for index in review.undecided { review.decide(index, decision) }
    }

    /// Asks on the terminal, or by lines.
    ///
    /// - Returns: Whether all classes have a decision.
    private static func ask(_ review: inout Review, _ report: ReviewReport, _ tool: Tool) throws -> Bool {
        if review.classes.isEmpty { return false }
        let keys = tool.isProcess && tool.console.terminal.isOutputTerminal ? TerminalKeys(of: STDIN_FILENO) : nil
        defer { keys?.restore() }
        let lines = LineReader(longest: 1 << 16, source: tool.input)
        let prompt = ReviewPrompt(report: report, console: tool.console) {
            if let keys { return keys.next() }
            do throws(LineReader.Problem) {
                let line = try lines.next()
                return line.map { String(decoding: $0, as: UTF8.self).first ?? "\n" }
            } catch {
                switch error {
                case .unreadable(let error): tool.console.note("The answers cannot be read: \(error).")
                case .tooLong(let line): tool.console.note("The answers cannot be read: line \(line) is too long.")
                }
                return nil
            }
        }
        let isDecided = prompt.decide(&review)
        try TerminationSignal.check { _ in "The review was stopped. Nothing was written." }
        if !isDecided { tool.console.print("Nothing was written.") }
        return isDecided
    }

    /// Rewrites the accepted files, one by one.
    ///
    /// - Parameter shown: The tool that prints the names; `nil` to print nothing.
    private static func write(
        _ review: Review,
        _ process: ReviewProcess,
        _ shown: Tool?
    ) throws -> (written: [String], failures: [(file: String, failure: Failure)]) {
        var written: [String] = []
        var failures: [(file: String, failure: Failure)] = []
        for file in review.accepted {
            if let failure = try process.accept(file) {
                failures.append((file.file, failure))
                _ = shown?.report(failure)
            } else {
                written.append(file.file)
                shown.map { $0.console.print("\($0.console.style.good("rewritten"))  \(escape(file.file))") }
            }
        }
        return (written, failures)
    }

    private static func code(_ review: Review, _ failures: [Failure], _ stale: [String]) -> ExitCode {
        var codes = review.files.compactMap { $0.problem.map { ExitCode(rawValue: $0.code) } } + failures.map(\.code)
        if review.isPending || !stale.isEmpty { codes.append(.difference) }
        return codes.max() ?? .fine
    }
}
