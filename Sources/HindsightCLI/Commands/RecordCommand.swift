import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightReplay
import HindsightStore
import HindsightSupport
import HindsightTree

/// `hindsight record [--app NAME] [--input FILE|-] OUT.hindsight`
enum RecordCommand: Command {
    static let app = Option<String>(
        "app",
        value: "NAME",
        help: "The app whose store takes the actions. May be left out if the tool has one app."
    )
    static let input = Option<String>(
        "input",
        value: "FILE|-",
        help: "One JSON action a line; - is standard input, the default."
    )
    static let force = Flag("force", help: "Replace the output if it exists.")
    static let keepGoing = Flag(
        "keep-going",
        help: "Report and skip lines that are not actions; exit with 1 if there were any."
    )
    static let redact = Option<[String]>(
        "redact",
        value: "PATTERN,…",
        expected: "JSON Pointers with commas between them",
        help: "Paths in states and actions to redact, such as /user/email,/**/password."
    ) { text in
        let patterns = text.split(separator: ",").map(String.init)
        return !patterns.isEmpty && patterns.allSatisfy({ $0.hasPrefix("/") }) ? patterns : nil
    }
    static let limit = Option<RecordingLimit>(
        "limit",
        value: "LIMIT",
        expected: "numbers of actions, bytes and time, such as 100000, 50MB, 1h or 50MB,1h",
        help: "Keep only the last actions, bytes or hours, whichever limit is reached first (100000,50MB,1h)."
    ) { LimitText.read($0) }
    static let keep = Option<Int>(
        "keep",
        from: 1,
        help: "In a directory, keep the app's last N runs and delete older ones."
    )
    static let output = Positional(
        "OUT.hindsight",
        help: "The recording to create, as text if its name ends in .jsonl; for a directory, a new file in it."
    )

    static let syntax = Syntax(
        "record",
        abstract: "Dispatches actions to an app's store, and records the store",
        discussion: """
            An action is written as Swift's Codable writes it: {"toggle":{"id":3}} is .toggle(id: 3), and _0 is the
            key of a payload without a label. Empty lines are skipped. A line that is not an action ends the
            recording with exit code 3; everything recorded before it stays readable.
            If OUT ends in .jsonl, the recording is made in OUT.hindsight, which a crash leaves, and exported as text at
            the end.
            """,
        arguments: [app, input, force, keepGoing, redact, limit, keep, output],
        examples: [
            "record --app todo --input session.jsonl session.hindsight": "Records the actions of a file.",
            "record --app todo --input session.jsonl --redact '/**/title,/**/note' shared.hindsight":
                "Records the changes of the items, but not their texts.",
            "record --app notepad --force last.hindsight": "Records standard input, and replaces an earlier recording.",
            "record --app todo --limit 50MB --keep 10 runs/":
                "Records into a new file in the directory, of at most 50 MB, and keeps the last ten.",
        ],
        jsonShape: "one object with file, app, actions (their count), dropped (of these, by the limit), skipped (lines)"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let app = try tool.app(named: try arguments[Self.app])
        let given = try arguments.require(output)
        let text = given.hasSuffix(TextForm.suffix) && !RunDirectory.exists(at: given) ? given : nil
        let place = text.map { $0 + RunName.suffix } ?? given
        // Must be opened first, so that a missing input leaves no empty recording.
        let file = try InputFile(try arguments[input] ?? "-", standardInput: tool.input)
        for path in text == nil ? [place] : [given, place] { try check(path, beside: file) }
        if let text {
            try NewFile.check(text, overwrite: arguments[force])
            if !arguments[force], FileSystem.exists(place) { throw unexported(place, text, tool) }
        }
        let stopped = StopNotice()
        var options = RecorderOptions(overwrite: arguments[force]) { stopped.note($0) }
        let patterns = try arguments[redact] ?? []
        options.redaction = Redaction(states: patterns.map { .init($0) }, actions: patterns.map { .init($0) })
        options.limit = try arguments[limit] ?? .none
        let session = try session(of: app, place, arguments, options)
        let isRun = RunDirectory.exists(at: place)
        let output = isRun ? URL(filePath: place).appending(path: session.url.lastPathComponent).relativePath : place

        var feed = Feed(
            app: app,
            session: session,
            file: file,
            keepsGoing: arguments[keepGoing],
            stopped: stopped,
            tool: tool
        )
        do {
            try feed.run()
        } catch {
            let failure = tool.failure(for: error)
            // If the recorder had to stop, its error was reported.
            if case .recording = session.status { try session.close() }
            throw Failure(failure.code, lines: failure.lines.prefix(2) + [try remains(output, tool)])
        }
        try session.close()
        stopped.tell(tool.console)
        try stopped.check()
        if text != nil, tool.isProcess { TerminationSignal.removeDraftsAtEnd() }
        if let text { try export(output, to: text, overwrite: arguments[force]) }
        try finish(feed, text ?? output, arguments)
        return feed.skipped == 0 ? .fine : .difference
    }

    private static func session(
        of app: ReplayableApp,
        _ place: String,
        _ arguments: Arguments,
        _ options: RecorderOptions
    ) throws -> RecordingSession {
        let kept = try arguments[keep]
        if RunDirectory.exists(at: place) {
            guard !options.overwrite else {
                throw Failure(
                    .usage,
                    "--force replaces a file, and \(quote(place)) is a directory.",
                    "Leave --force out: each run gets a new file there."
                )
            }
            return try app.record(in: URL(filePath: place), keep: Retention(runs: kept), options: options)
        }
        if let kept {
            throw Failure(
                .usage,
                "--keep \(kept) is for a directory, and \(quote(place)) is not a directory.",
                "Make it first, or leave --keep out."
            )
        }
        return try app.record(to: URL(filePath: place), options: options)
    }

    /// The failure if an earlier run has left the recording of a text.
    private static func unexported(_ place: String, _ text: String, _ tool: Tool) -> Failure {
        let file = ShellQuoting.quote(place)
        let recover = ShellQuoting.command(tool.name, "recover", file)
        let export = ShellQuoting.command(tool.name, "export", file, "-o", ShellQuoting.quote(text))
        return Failure(
            .usage,
            "\(escape(place)) exists: a run that is not over, or that has crashed, records into it.",
            "If it has crashed, keep its actions by \(recover) and \(export).",
            "Choose another name, or replace it with --force, which deletes these actions."
        )
    }

    /// Writes the recording as text, and removes it, unless another process reads it.
    private static func export(_ place: String, to text: String, overwrite: Bool) throws {
        let hasRemains = try {
            let recording = try Recording(at: URL(filePath: place))
            try recording.writeText(to: URL(filePath: text), overwrite: overwrite)
            return !recording.sidecarFiles.isEmpty
        }()
        if !hasRemains { NewFile.remove(place) }
    }

    /// Refuses to replace the input, or anything that is not a regular file.
    private static func check(_ output: String, beside input: InputFile) throws {
        var present = stat()
        guard lstat(output, &present) == 0 else { return }
        guard !input.isFile(at: output) else {
            throw Failure(
                .usage,
                "\(escape(output)) is the input itself.",
                "Choose another name for the recording."
            )
        }
        guard [S_IFREG, S_IFLNK, S_IFDIR].contains(present.st_mode & S_IFMT) else {
            throw Failure(
                .badFile,
                "\(escape(output)) cannot be written: it is not a regular file.",
                "Choose another name for the recording."
            )
        }
    }

    /// Describes the part of a recording that was kept after a failure.
    private static func remains(_ output: String, _ tool: Tool) throws -> String {
        let recording = try tool.open(output)
        let count = recording.lastFinished - recording.droppedCount
        let kept = Quantities.counted(count, "action is", "actions are")
        let end = recording.ending == .closed ? "is closed and readable" : "ends there and is readable"
        return "\(kept) in \(escape(output)), which \(end)."
    }

    private static func finish(_ feed: Feed, _ output: String, _ arguments: Arguments) throws {
        let tool = feed.tool
        // The app's own middleware may have dispatched more than was read.
        let recording = try tool.open(output)
        // Each pattern applies to states and to actions. These matched nothing in either.
        for pattern in recording.redaction.unmetStates {
            tool.console.note("--redact \(escape(pattern)) matched nothing, so it hides nothing. Is it misspelt?")
        }
        if !recording.sidecarFiles.isEmpty {
            let names = recording.sidecarFiles.map { escape($0) }.joined(separator: ", ")
            tool.console.note(
                "Another process is reading the recording, so \(names) remain beside it and are part of it. "
                    + "\(tool.name) recover merges them."
            )
        }
        let (actions, dropped) = (recording.actionCount, recording.droppedCount)
        if arguments[GlobalOptions.json] {
            tool.console.print(json: [
                "file": .string(output), "app": .string(feed.app.name), "actions": .int(actions),
                "dropped": .int(dropped), "skipped": .int(feed.skipped),
            ])
            return
        }
        tool.console.print(
            "Recorded \(Quantities.counted(actions, "action")) of \(escape(feed.app.name)) in \(escape(output))."
        )
        if dropped > 0 {
            tool.console.print("The first \(Quantities.grouped(dropped)) of them were dropped because of the limit.")
        }
        if feed.skipped > 0 {
            tool.console.note("\(Quantities.counted(feed.skipped, "line was", "lines were")) skipped.")
        }
    }
}

/// The errors that a recorder reports.
private final class StopNotice: Sendable {
    /// The error that ended the recording, and those after which it continues.
    private let errors = Locked<(end: RecordingError?, remarks: [RecordingError])>((nil, []))

    /// Prints the remarks.
    func tell(_ console: Console) {
        for remark in errors.withLock({ $0.remarks }) { console.note(escapeLines(remark.description)) }
    }

    /// Keeps remarks, and the first error that ends the recording. A single action that cannot be encoded is a gap in
    /// it.
    func note(_ error: RecordingError) {
        if [.unencodableAction, .unregisteredAction, .unfitPlaceholder].contains(error.code) { return }
        errors.withLock { errors in
            if [.limitTooSmall, .notDeleted, .doubtfulStates, .impureEncoding, .impureReducer, .notComputable].contains(
                error.code
            ) {
                errors.remarks.append(error)
            } else {
                errors.end = errors.end ?? error
            }
        }
    }

    func check() throws {
        if let error = errors.withLock({ $0.end }) { throw error }
    }
}

/// Dispatches the lines of an input to a session.
private struct Feed {
    let app: ReplayableApp
    let session: RecordingSession
    let file: InputFile
    let keepsGoing: Bool
    let stopped: StopNotice
    let tool: Tool
    private(set) var dispatched = 0
    private(set) var skipped = 0

    mutating func run() throws {
        while let line = try file.nextLine() {
            if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) { continue }
            if dispatched + skipped == 0, line.starts(with: TextForm.beginning.utf8) { throw isRecording }
            do {
                try session.dispatch(try node(of: line), origin: Origin(file: file.name, line: file.line))
                dispatched += 1
            } catch let error as LineError {
                try skip(error)
            } catch let error as ReplayError where error.code == .badAction {
                try skip(.notAnAction(error))
            }
            try stopped.check()
            if dispatched.isMultiple(of: 1000) {
                tool.console.progress("recorded \(Quantities.counted(dispatched, "action"))")
            }
        }
    }

    /// The failure if the input is a recording in text.
    private var isRecording: Failure {
        Failure(
            .badFile,
            "\(escape(file.name)) is a recording in text, not a list of actions.",
            "To record its actions again, list them: \(tool.name) log --json FILE | jq -c 'select(.event == null and .parent == null) | .action'"
        )
    }

    /// Reports and skips a line.
    ///
    /// - Throws: ``Failure`` if such a line ends the recording.
    private mutating func skip(_ error: LineError) throws(Failure) {
        let lines = error.lines(at: "\(escape(file.name)):\(file.line)", app: app)
        guard keepsGoing else { throw Failure(.badFile, lines: lines) }
        skipped += 1
        tool.console.note("skipped: " + lines.joined(separator: "\n  "))
    }

    private func node(of line: [UInt8]) throws(LineError) -> Node {
        guard String(validating: line, as: UTF8.self) != nil else { throw .notText }
        do {
            return try Node(jsonBytes: line)
        } catch {
            throw .notJSON(error)
        }
    }
}
