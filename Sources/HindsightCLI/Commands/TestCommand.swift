import Foundation
import HindsightFormat
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// `hindsight test FILE [P] [Q] [-o T.swift]`
enum TestCommand: Command {
    static let first = Positional("P", required: false, help: "The position with whose state the test begins.")
    static let last = Positional("Q", required: false, help: "The last position of the test.")
    static let output = Option<String>(output: "T.swift", help: "Write the test to this file, instead of showing it.")
    static let force = Flag("force", help: "Replace T.swift if it exists.")
    static let constant = Option<AppConstant>(
        "constant",
        value: "MODULE.NAME",
        expected: "a module and the name of a constant in it, such as Shop.shopApp",
        help: "Where the app is declared; by default it is looked for in the package around this folder."
    ) { AppConstant($0) }

    /// The answer in JSON.
    struct Written: Answer {
        let file: String
        @Nullable var output: String?
        let text: String
        let actions: Int
        let crashes: Bool
        @Nullable var differs: Bool?

        static let notes = [
            "differs": "whether the test expects another end than the recorded one; null if that is not known"
        ]
    }

    private static let maxActions = 200
    private static let maxBytes = 500_000

    static let syntax = Syntax(
        "test",
        abstract: "Writes recorded actions as a Swift test that needs no recording",
        discussion: """
            The test has the state at P as JSON, the actions after it up to Q as Swift expressions, and what the reducers
            of this build change with each. P is the start and Q the end if they are left out. An action whose type has
            no expression that is sure to compile, such as a structure, is JSON, too.
            If the recording ends in a crash and Q is the end, the test runs the actions in another process, and fails as
            long as that one crashes.
            The test expects what the reducers do today. If that is not the recorded end, a note says so.
            A test has at most \(maxActions) actions and \(maxBytes / 1000) KB; shrink --test makes one of the few that a longer
            recording needs.
            """,
        arguments: [SharedArguments.file, first, last, output, force, constant],
        examples: [
            "test session.hindsight 40 46": "Six actions as a test.",
            "test crashed.hindsight -o Tests/ShopTests/CrashTests.swift":
                "A test that fails until the crash is mended.",
        ],
        jsonShape: "one object, \(Shape.text(of: Written.self))"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        func position(_ text: String) throws -> Recording.Position { try recording.position(text, knownOnly: false) }
        let from = try arguments[first].map(position) ?? recording.start
        let to = try arguments[last].map(position)
        for position in [from, to].compactMap({ $0 }) where position.reducer != nil {
            throw Failure(
                .usage,
                "\(position) lies within action \(position.seq), and a test has whole actions.",
                "Give \(position.seq - 1) or \(position.seq)."
            )
        }
        let start = Recording.Position(seq: from.seq)
        let end = min(to?.seq ?? recording.actionCount, recording.actionCount)
        let crashes = end > recording.lastFinished
        guard start.seq < end else {
            throw Failure(.usage, "There is no action between \(start) and \(to.map { "\($0)" } ?? "the end").")
        }
        guard end - start.seq <= maxActions else {
            let count = Quantities.grouped(end - start.seq)
            throw Failure(
                .usage,
                "A test of \(count) actions would be long: at most \(maxActions) are written.",
                "Give positions, such as \(end - 10) \(end), or let shrink --test find the few that matter."
            )
        }
        let list = (start.seq + 1...end).map { LogShrinker.Entry(seq: $0) }
        if let gap = try list.map({ try recording.action($0.seq) }).last(where: { $0.replayable == nil }) {
            let what = gap.isTravel ? "is time travel" : "was not recorded as a value"
            var lines = ["Action \(gap.seq) \(what), so no test can have it."]
            if gap.seq < end {
                lines.append("Begin after it: give \(gap.seq) as the first position.")
            } else if gap.seq > start.seq + 1 {
                lines.append("End before it: give \(gap.seq - 1) as the last position.")
            }
            throw Failure(.doesNotFit, lines: lines)
        }
        let output = try arguments[output]
        if let output {
            try check(output, overwrite: arguments[force], for: recording, arguments[constant])
        }
        let file = try makeFile(
            of: list,
            from: start,
            crashes: crashes,
            of: recording,
            title: list.count == 1 ? "\(end)" : "\(start.seq + 1) to \(end)",
            comment: "The \((start.seq + 1...end).asActions) of \(recording.url.lastPathComponent).",
            try arguments[constant],
            tool
        )
        if let output { try OutputFile.write(file.text, to: output, overwrite: arguments[force]) }
        let survives = try crashes && !crashesAgain(list, from: start, recording, arguments, tool)
        let differs = survives ? true : file.source.differs
        if arguments[GlobalOptions.json] {
            let answer = Written(
                file: recording.url.relativePath,
                output: output,
                text: file.text,
                actions: list.count,
                crashes: crashes,
                differs: differs
            )
            tool.console.print(answer: answer)
        } else if let output {
            let label = tool.console.style.good("test")
            tool.console.print("\(label)  \(escape(output))  \(Quantities.counted(list.count, "action"))")
        } else {
            tool.console.print(file.text.trimmingCharacters(in: .newlines))
        }
        if let note = RedactionText.note(recording) { tool.console.note("In the test \(note).") }
        if survives {
            tool.console.note(
                "The reducers of this build do not crash in action \(Quantities.grouped(end)) any more, so the test passes at"
                    + " once. `\(tool.name) shrink \(tool.quoted(recording))` says more."
            )
        } else if differs == true {
            tool.console.note(
                "The reducers of this build do not lead to the recorded state, and the test expects what they do."
                    + " `\(tool.name) verify \(tool.quoted(recording))` shows the difference."
            )
        }
        return .fine
    }

    /// Whether a list of actions still ends the process, or that is not known.
    private static func crashesAgain(
        _ list: [LogShrinker.Entry],
        from base: Recording.Position,
        _ recording: Recording,
        _ arguments: Arguments,
        _ tool: Tool
    ) throws -> Bool {
        guard tool.isProcess, recording.absence(at: base) == nil else { return true }
        let process = try ExperimentArguments.process(arguments, for: recording, tool)
        let task = ShrinkTask(
            file: recording.url.relativePath,
            base: base,
            expression: nil,
            shrinker: LogShrinker(confirming: list),
            triesOnce: true
        )
        return try process.run(task, isBounded: false) { (_: ShrinkTask.Reply) in } != nil
    }

    /// Writes a list of actions as a test.
    ///
    /// - Throws: ``Failure`` if the app's constant is not found, the test is long, or the types have no names.
    static func makeFile(
        of list: [LogShrinker.Entry],
        from base: Recording.Position,
        crashes: Bool,
        of recording: Recording,
        title: String,
        comment: String,
        _ constant: AppConstant?,
        _ tool: Tool
    ) throws -> SwiftTestFile {
        let constant = try required(constant, for: recording)
        // The last known state before, from which the reducers compute the one at the base.
        var known = base
        if recording.absence(at: base) != nil { known = min(base, recording.end) }
        if recording.absence(at: known) != nil { known = recording.start }
        let task = TestSourceTask(
            file: recording.url.relativePath,
            base: known,
            lead: known.seq < base.seq ? Array(known.seq + 1...base.seq) : [],
            list: list,
            crashes: crashes
        )
        let source = try tool.answer(to: task, "Running the actions") { false }
        for name in [source.stateType, source.actionType] where name.contains("(") {
            throw Failure(
                .doesNotFit,
                "A test cannot name the type \(escape(name)), which is private.",
                "Make it internal, or use the recording as a fixture."
            )
        }
        let file = SwiftTestFile(
            app: constant,
            title: "\(recording.url.deletingPathExtension().lastPathComponent) \(title)",
            comment: comment,
            source: source,
            crashes: crashes
        )
        let count = file.text.utf8.count
        guard count <= maxBytes else {
            throw Failure(
                .doesNotFit,
                "The test would have \(Quantities.grouped(count)) bytes, too much for a source file: the state before it has"
                    + " \(Quantities.grouped(source.state.utf8.count)) of them.",
                "`\(tool.name) cut` writes the actions as a recording for a fixture."
            )
        }
        return file
    }

    /// Checks that a test can be written, before much time is spent.
    ///
    /// - Throws: ``Failure``, or `RecordingError` if the path is that of the recording, or exists.
    static func check(
        _ path: String,
        overwrite: Bool,
        for recording: Recording,
        _ constant: AppConstant?
    ) throws {
        var status = stat()
        if lstat(path, &status) == 0, ![S_IFREG, S_IFLNK, S_IFDIR].contains(status.st_mode & S_IFMT) {
            throw Failure(.usage, "\(escape(path)) is no file, so no test is written to it.")
        }
        try NewFile.check(path, overwrite: overwrite, from: recording.url.path)
        try OutputFile.checkFolder(of: path)
        _ = try required(constant, for: recording)
    }

    private static func required(_ constant: AppConstant?, for recording: Recording) throws -> AppConstant {
        let folder = FileManager.default.currentDirectoryPath
        if let constant = try constant ?? AppConstant.find(recording.app.name, around: folder) { return constant }
        throw Failure(
            .usage,
            "No source file of a package around this folder declares the app \(quote(recording.app.name)) as a"
                + " constant.",
            "Say where it is: --constant Shop.shopApp. A test cannot use what main.swift declares."
        )
    }
}
