import Foundation
import HindsightFormat
import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

/// `hindsight invariants FILE…`
enum InvariantsCommand: Command {
    static let files = Positional("FILE", repeating: true, help: "Recordings of one app, or directories of them.")
    static let check = Option<String>(
        "check",
        text: "RULES.json",
        help: "Check the rules of this file, instead of looking for rules."
    )
    static let output = Option<String>(output: "RULES.json", help: "Also write the rules to this file.")
    static let force = Flag("force", help: "Replace RULES.json if it exists.")
    private static let usual = 10
    static let least = Option<Int>(
        "least",
        from: 1,
        help: "Only rules that could have failed N times; \(usual) by default."
    )

    static let syntax = Syntax(
        "invariants",
        abstract: "Finds what held in all recorded states, and checks such rules in other recordings",
        discussion: """
            Looks at the state at the start and after each action of all files, and lists what held everywhere: a value that
            is constant, has bounds, is not empty, never falls, or is one of a few; elements that are unique; a number that
            is the sum or the number of others; a value that is a key of a dictionary or one of the elements' values; a value
            that is null exactly if another one is something. In a place, * stands for each element of an array or each value
            of a dictionary. The number before a rule says how often it could have failed: how often a value that it reads
            was written; for rules that compare values, how often the value that they explain changed; for a constant,
            at how many positions it was there. Sums are compared to nine digits.
            A rule is what the recordings have in common, which need not be what the app promises: more recordings make the
            wrong ones fail. A bound counts if it is 0 or 1, or if the value came to it three times. Redacted values are not
            looked at.
            -o writes the rules as expressions with names, to be edited by hand. --check says where a recording breaks
            them, and so does verify --rules. With --rules, find, bisect, whatif and debug take them by name:
            "not rule('/total is at least 0')".
            Exits with 1 if a rule of --check is broken, and with 6 if there were no states to look at.
            """,
        isPaged: true,
        arguments: [files, check, output, force, least],
        examples: [
            "invariants Fixtures/*.hindsight": "What always held.",
            "invariants runs -o rules.json": "Write it, to choose from.",
            "invariants --check rules.json crashed.hindsight": "What did not hold in the recording of a crash.",
            "find crashed.hindsight --rules rules.json \"not rule('/cart/totals/gross is at least 0')\" --first":
                "Where a rule first failed.",
        ],
        jsonShape: """
            one object, \(Shape.text(of: InvariantsAnswer.self)); with --check, one object a file, \
            \(Shape.text(of: RulesAnswer.self))
            """
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let files = try Tool.recordings(below: arguments.all(files))
        if let rules = try arguments[check] {
            let others: [any Argument] = [output, least, force]
            for other in others { try arguments.checkAtMostOne(of: check, other) }
            return try check(files, try RuleBook(contentsOf: rules), arguments, tool)
        }
        return try mine(files, arguments, tool)
    }

    // MARK: Finding rules

    private static func mine(_ files: [String], _ arguments: Arguments, _ tool: Tool) throws -> ExitCode {
        let start = ContinuousClock.now
        let output = try arguments[output]
        if let output { try checkOutput(output, files, overwrite: arguments[force]) }
        let miner = InvariantMiner()
        var worst = ExitCode.fine
        var read: [String] = []
        var app: String?
        for (index, file) in files.enumerated() {
            tool.console.progress("Reading \(escape(file)): \(index + 1) of \(files.count)")
            do {
                let recording = try tool.open(file)
                if let app, app != recording.app.name {
                    throw Failure(
                        .usage,
                        "\(escape(file)) is a recording of \(escape(recording.app.name)), and those before it are of"
                            + " \(escape(app)).",
                        "Give the recordings of one app at once."
                    )
                }
                try miner.addShape(of: recording)
                app = recording.app.name
                read.append(file)
            } catch {
                let failure = tool.failure(for: error)
                if failure.code == .usage { throw failure }
                worst = max(worst, tool.report(failure))
            }
            if let code = TerminationSignal.code { return code }
        }
        var mined: [String] = []
        for (index, file) in read.enumerated() {
            tool.console.progress("Looking at \(escape(file)): \(index + 1) of \(read.count)")
            do {
                try miner.mine(try tool.open(file))
                mined.append(file)
            } catch {
                worst = max(worst, tool.report(tool.failure(for: error)))
            }
            // What was found so far holds for these recordings.
            if TerminationSignal.received != nil { break }
        }
        tool.console.clearProgress()
        let all = miner.rules()
        let least = try arguments[least] ?? usual
        let rules = all.filter { $0.checked ?? 0 >= least }
        let answer = InvariantsAnswer(
            app: app,
            files: mined,
            positions: miner.positions,
            rules: rules,
            weaker: all.count - rules.count,
            placesLeftOut: miner.placesLeftOut,
            rulesLeftOut: miner.rulesLeftOut,
            seconds: ((ContinuousClock.now - start) / .seconds(1) * 1000).rounded() / 1000
        )
        if let output {
            if mined.count == files.count {
                try write(RuleBook(rules, of: app), to: output, overwrite: arguments[force])
            } else {
                tool.console.note("\(escape(output)) was not written, since not all recordings could be read.")
            }
        }
        tool.print(arguments, json: printable(answer: answer)) {
            if mined.isEmpty { return }
            InvariantsReport(tool: tool).print(answer, least: least, of: read.count, output)
        }
        if let code = TerminationSignal.code { return code }
        return worst == .fine && miner.positions == 0 ? .nothingCompared : worst
    }

    private static func checkOutput(_ output: String, _ files: [String], overwrite: Bool) throws(Failure) {
        guard FileManager.default.fileExists(atPath: output) else { return try OutputFile.checkFolder(of: output) }
        let place = FileSystem.place(of: output)
        if files.contains(where: { FileSystem.place(of: $0) == place }) {
            throw Failure(
                .usage,
                "\(escape(output)) is one of the recordings.",
                "Write the rules to another path. No option replaces a recording."
            )
        }
        guard overwrite else {
            throw Failure(
                .usage,
                "\(escape(output)) exists already.",
                "Use another path, or add --force to replace it."
            )
        }
    }

    private static func write(_ book: RuleBook, to path: String, overwrite: Bool) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .withoutEscapingSlashes, .sortedKeys]
        let text = String(decoding: try encoder.encode(book), as: UTF8.self)
        try OutputFile.write(text + "\n", to: path, overwrite: overwrite)
    }

    // MARK: Checking rules

    private static func check(
        _ files: [String],
        _ book: RuleBook,
        _ arguments: Arguments,
        _ tool: Tool
    ) throws -> ExitCode {
        var (worst, seen) = (ExitCode.fine, false)
        for file in files {
            do {
                let recording = try tool.open(file)
                if let app = book.app, app != recording.app.name {
                    throw Failure(
                        .usage,
                        "\(escape(file)) is a recording of \(escape(recording.app.name)), and the rules are about"
                            + " \(escape(app))."
                    )
                }
                tool.console.progress("Checking \(escape(file))")
                let answer = try RulesAnswer(book, of: recording)
                tool.console.clearProgress()
                tool.print(arguments, json: printable(answer: answer)) {
                    InvariantsReport(tool: tool).print(answer, of: recording)
                }
                seen = seen || answer.saysSomething
                worst = max(worst, answer.isBroken ? .difference : .fine)
            } catch {
                worst = max(worst, tool.report(tool.failure(for: error)))
            }
            if let code = TerminationSignal.code { return code }
        }
        return worst == .fine && !seen ? .nothingCompared : worst
    }
}
