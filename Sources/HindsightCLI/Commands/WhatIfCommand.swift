import Foundation
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// `hindsight whatif FILE [--skip P]… [--edit P=JSON]… [--insert P=JSON]… [--move P=Q]… [--drop-type T]…
/// [--when EXPR]… [-o OUT]`
enum WhatIfCommand: Command {
    static let skip = Option<String>(
        "skip",
        text: "P",
        expected: "a position",
        repeating: true,
        help: "Leave action P out."
    )
    static let edit = Option<EditArgument>(
        "edit",
        value: "P=JSON",
        expected: #"a position and an action, such as 12={"toggle":{"id":3}}"#,
        repeating: true,
        help: "Run this action in place of action P; @FILE in place of JSON reads it from a file."
    ) { EditArgument($0) }
    static let insert = Option<EditArgument>(
        "insert",
        value: "P=JSON",
        expected: #"a position and an action, such as 12={"toggle":{"id":3}}"#,
        repeating: true,
        help: "Run this action after action P; after start, before all others."
    ) { EditArgument($0) }
    static let move = Option<EditArgument>(
        "move",
        value: "P=Q",
        expected: "two positions, such as 12=20",
        repeating: true,
        help: "Run action P after action Q instead of at its place."
    ) { EditArgument($0) }
    static let dropType = Option<String>(
        "drop-type",
        text: "T",
        expected: "the name of a type of actions",
        repeating: true,
        help: "Leave all actions of type T out; market.quotes are those inside market."
    )
    static let withChildren = Flag(
        "with-children",
        help: "Leave out, too, what was dispatched in answer to actions that are left out."
    )
    static let output = Option<String>(
        "output",
        short: "o",
        text: "OUT",
        help: "Write the changed log as a recording, as text if the name ends in .jsonl."
    )

    static let syntax = Syntax(
        "whatif",
        abstract: "Runs a recording with changed actions through this build's reducers, and shows what differs",
        discussion: """
            The recorded states up to the first change are taken as they are; from there, the reducers run. It shows
            where the states first differ from the recorded ones, the first of the next 10,000 actions that changes other
            places than it did, and what differs at the end. It exits with 1 if the ends differ, like diff.
            This is what reducers alone would do: no middleware runs. What it had dispatched in answer to an action
            stays, even if that action is left out; --with-children leaves it out too. Where an action could not be
            recorded, and at a time travel, the run goes on from the recorded state after it.
            In place of JSON, @PATH reads the action from the file at PATH; an action that is longer than 100 KB needs that.
            All positions are those of FILE, in all options. A note's name with = in it is a position too: P ends at the
            first = before a {, else before a @, or between two positions. Several actions that come after the same one run in the
            order of the options --insert, then --move. An action that is left out cannot be changed or moved as well.
            EXPR is an expression as find takes it, about FILE and not about the changed log. If it names the column
            reducer, --when leaves out each action in which it was true after a reducer.
            If the recorded process ended in an action, that one runs last, unless it is left out (--skip crash); if a
            reducer crashes, the exit code is 5, and OUT is not written.
            What FILE hides in actions is hidden in those of --edit and --insert too, and the reducers then run on the
            placeholders. If this build's reducers are not those that were recorded, their differences show as well:
            verify tells them apart.
            OUT names FILE and the changes, which info shows. Its actions are numbered anew, without gaps. It appears
            once it is complete. The next run with the same OUT removes the file that a killed run has left beside it.
            """,
        arguments: [
            SharedArguments.file, skip, edit, insert, move, dropType, when, ExpressionArguments.rules, withChildren,
            output, SharedArguments.force,
            SharedArguments.timeout,
        ],
        examples: [
            "whatif session.hindsight --skip 12": "If action 12 had not happened.",
            #"whatif session.hindsight --edit '12={"toggle":{"id":3}}' -o other.hindsight"#:
                "If it had been another one, as a recording.",
            "whatif session.hindsight --drop-type tick --move 40=12":
                "Without all ticks, and with action 40 right after 12.",
            "whatif session.hindsight --when \"type = 'Pay' and not changed(/payments)\"":
                "Without the payments that changed nothing.",
        ],
        jsonShape: """
            one object with file, edits [text], kept (the last action before the first change), equal (whether the ends
            are the same; null if the last recorded state is before the first change), first (null, or {position, actions
            [first, last], number (in the changed log), reducer, name, path, recorded, changed, reducersDiffer}), reaction
            (null, or {seq, number, reducer, name, recorded (patch), changed (patch)}), end {position, number, computed},
            difference (patch), numbers [{recorded [first, last], changed [first, last]}], orphans [seq], gaps [seq],
            travels [seq], redacted [pattern], unshared [pattern], migrations [schema], unfinished (seq), output, written
            (actions in it)
            """
    )

    static func runsReducers(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        try arguments.check(ExpressionArguments.rules, needs: when)
        return try run(arguments, in: tool, saysWhatItWrote: true)
    }

    /// Whether the recorded process ended in an action that was not recorded as a value, and that was not replaced.
    private static func endsInGap(_ recording: Recording, _ log: ChangedLog) throws -> Bool {
        guard case .crashed(let seq, _) = recording.ending, let number = log.number(of: seq) else { return false }
        return try recording.action(seq).isGap && log.entry(number).entry.payload == nil
    }

    static func run(_ arguments: Arguments, in tool: Tool, saysWhatItWrote: Bool) throws -> ExitCode {
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        let app = try tool.app(of: recording)
        let output = try arguments[output]
        if output != nil { try tool.requireRecovered(recording, or: "leave -o out") }
        let log = try log(arguments, recording, app, tool, noting: true)
        if output != nil, tool.isProcess { TerminationSignal.removeDraftsAtEnd() }
        Isolation.replies?.beginFile(recording.url.relativePath)
        // Without a separate process, a crash would end the tool.
        let isGuarded = Isolation.replies != nil
        let runsCrash = try isGuarded && !Self.endsInGap(recording, log)
        let whatIf = try WhatIf(of: recording, by: app, running: log, runningUnfinished: runsCrash)
        whatIf.replayer.watch = Isolation.watch
        let writer = try output.map {
            try WhatIfWriter(of: whatIf, to: URL(filePath: $0), overwrite: arguments[SharedArguments.force])
        }
        defer { writer?.discard() }
        if let writer {
            while let action = try whatIf.next() { try writer.write(action) }
        }
        let result = try writer == nil ? whatIf.finish() : whatIf.result()
        let report = WhatIfReport(recording: recording, log: log, tool: tool)
        let (rest, asJSON) = (whatIf.replayer.nextSeq, arguments[GlobalOptions.json])
        var runsFatal = false
        if let rest, case .crashed(let seq, _) = recording.ending, let number = log.number(of: seq) {
            runsFatal = number >= rest && runsCrash
        }
        if !asJSON { try report.print(result, runsFatal: runsFatal) }
        // A crash must not lose the answer. With an output, the object says that it was written.
        if asJSON, output == nil { tool.console.print(json: try report.json(result, output: nil)) }
        if rest != nil, runsCrash || !isGuarded {
            tool.console.output.flush()
            try whatIf.runUnfinished { try writer?.write($0) }
        }
        if result.unfinished == nil, let verdict = CrashVerdict(of: recording, running: log) {
            tool.console.note("\(verdict)")
        }
        try writer?.finish()
        if asJSON {
            if output != nil { tool.console.print(json: try report.json(result, output: output)) }
        } else if let output, saysWhatItWrote {
            let count = Quantities.counted(log.lastNumber - log.start, "action")
            tool.console.print("Wrote \(count) to \(escape(output)).")
        } else if output == nil {
            report.printNext(words(arguments))
        }
        Isolation.replies?.endFile()
        return result.isSame ? .fine : .difference
    }

    /// The changed log of a command, given as words.
    static func log(_ words: some Sequence<String>, _ recording: Recording, _ tool: Tool) throws -> ChangedLog {
        try log(try Parser(syntax: syntax).parse(Array(words)), recording, tool.app(of: recording), tool, noting: false)
    }

    private static func log(
        _ arguments: Arguments,
        _ recording: Recording,
        _ app: ReplayableApp,
        _ tool: Tool,
        noting: Bool
    ) throws -> ChangedLog {
        try app.changedLog(of: recording, try edits(arguments, recording, app, tool, noting: noting))
    }

    /// The edits of the options, with the actions that rules select.
    private static func edits(
        _ arguments: Arguments,
        _ recording: Recording,
        _ app: ReplayableApp,
        _ tool: Tool,
        noting: Bool
    ) throws -> [ChangedLog.Edit] {
        var edits = try arguments.all(skip).map { ChangedLog.Edit.skip(try recording.editedAction($0, of: "--skip")) }
        for type in try arguments.all(dropType) {
            let edit = try ChangedLog.Edit.dropType(type, in: recording)
            if case .skipAll(let found, _) = edit, found.isEmpty {
                let known = try recording.summary().types.map(\.type)
                throw Failure(
                    .usage,
                    lines: ["--drop-type \(quote(type)): the recording has no action of that type."]
                        + Suggestion.question(type, in: known)
                )
            }
            edits.append(edit)
        }
        edits += try arguments.all(when).map { text in
            let rules = try ExpressionArguments.rules(arguments)
            return try edit(when: text, rules: rules, recording, tool, noting: noting)
        }
        for text in try arguments.all(edit).map(\.beforeAction) {
            let seq = try recording.editedAction(text.position, of: "--edit")
            if try recording.action(seq).isTravel {
                throw Failure(
                    .usage,
                    "--edit \(seq): action \(seq) is time travel, and not an action that can be edited.",
                    "Leave it out by --skip \(seq)."
                )
            }
            edits.append(.edit(seq, to: try text.action(of: app, "--edit", in: recording, near: seq)))
        }
        for text in try arguments.all(insert).map(\.beforeAction) {
            let moment = try recording.moment(text.position, of: "--insert")
            let node = try text.action(of: app, "--insert", in: recording, near: moment)
            edits.append(.insert(node, after: moment))
        }
        for text in try arguments.all(move).map({ $0.betweenPositions(recording.isPosition) }) {
            let seq = try recording.editedAction(text.position, of: "--move")
            edits.append(.move(seq, after: try recording.moment(text.value, of: "--move")))
        }
        if arguments[withChildren] {
            let children = try ChangedLog.Edit.skipChildren(of: edits, in: recording)
            edits.append(children)
        }
        return edits
    }

    /// The options that change actions, as words for a shell.
    private static func words(_ arguments: Arguments) -> [String] {
        let options = [
            skip.declaration, edit.declaration, insert.declaration, move.declaration, dropType.declaration,
            when.declaration, ExpressionArguments.rules.declaration,
        ]
        let words = options.flatMap { option in
            (arguments.options[option.name] ?? []).flatMap {
                ["--\(option.name)", ShellQuoting.quote($0, isPath: false)]
            }
        }
        return words + (arguments[withChildren] ? ["--with-children"] : [])
    }
}

/// The value of an option that changes an action: `P=JSON` or `P=Q`.
struct EditArgument: Sendable {
    private let text: String
    private let sign: String.Index

    init?(_ text: String) {
        guard let sign = text.dropFirst().firstIndex(of: "=") else { return nil }
        self.init(text, sign)
        if value.isEmpty { return nil }
    }

    private init(_ text: String, _ sign: String.Index) { (self.text, self.sign) = (text, sign) }

    var position: String { String(text[..<sign]) }
    var value: String { String(text[text.index(after: sign)...]) }

    /// Each way to take the text apart: the name of a note may contain `=`.
    private var readings: some Sequence<EditArgument> {
        text.indices.lazy.filter { $0 >= sign && text[$0] == "=" }.map { EditArgument(text, $0) }
    }

    /// Taken apart at the first `=` before a `{`, with which an action begins; else before a `@`, with which a file does;
    /// else at the first.
    var beforeAction: EditArgument {
        readings.first { $0.text[$0.text.index(after: $0.sign)...].first { $0 != " " } == "{" }
            ?? readings.first { $0.value.hasPrefix("@") } ?? self
    }

    /// Taken apart at the first `=` between two positions; else at the first.
    func betweenPositions(_ isPosition: (String) -> Bool) -> EditArgument {
        readings.first { isPosition($0.position) && isPosition($0.value) } ?? self
    }

    /// The action.
    ///
    /// - Parameter near: An action that may be an example of the form.
    /// - Throws: ``Failure`` that names the option, and the field that does not decode, and shows a recorded action.
    func action(of app: ReplayableApp, _ option: String, in recording: Recording, near seq: Int) throws -> Node {
        let json = value.hasPrefix("@") ? try text(ofFile: String(value.dropFirst())) : value
        return try app.action(json, at: "\(option) \(escape(position))") { type in
            try Self.example(of: type, in: recording, near: seq)
        }
    }

    /// The text of a file that is given in place of an action.
    private func text(ofFile path: String) throws(Failure) -> String {
        // The file is read by this process and by its child, so a pipe would be empty the second time.
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw Failure(.badFile, "\(escape(path)) cannot be read: \(SystemError.last).")
        }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= LineReader.maxLineLength else {
            throw Failure(
                .badFile,
                "\(escape(path)) is no plain file of at most \(Quantities.bytes(LineReader.maxLineLength)).",
                "Write the action into a file, and give its path after the @."
            )
        }
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw Failure(.badFile, "\(escape(path)) cannot be read: \(escape(error.localizedDescription))")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw Failure(.badFile, "\(escape(path)) is not UTF-8.", "One action, as JSON in UTF-8, is expected.")
        }
        return text
    }

    /// A line with a recorded action of a type; `nil` if there is none near, or among the first.
    private static func example(of type: String, in recording: Recording, near seq: Int) throws -> String? {
        let first = recording.start.seq + 1
        let candidates = [seq].filter { first...max(first, recording.actionCount) ~= $0 } + Array(first..<first + 1000)
        for seq in candidates where seq <= recording.actionCount {
            guard let payload = try recording.action(seq).payload, case .object(let members) = payload,
                members.first?.key == type
            else { continue }
            return "Action \(seq) of the recording is \(brief(payload.json))."
        }
        return nil
    }
}

extension ReplayableApp {
    /// Reads an action that a user gives.
    ///
    /// - Parameter example: Returns a line with an action of a type; `nil` if there is none.
    func action(
        _ json: String,
        at place: String,
        example: (_ type: String) throws -> String? = { _ in nil }
    ) throws -> Node {
        do {
            let node = try Node(json: json)
            try checkAction(node)
            return node
        } catch let error as ReplayError {
            var lines = LineError.notAnAction(error).lines(at: place, app: self)
            if !error.isUnknownType, let type = error.type, let line = try example(type) { lines.append(line) }
            throw Failure(.usage, lines: lines)
        } catch {
            throw Failure(.usage, lines: LineError.notJSON(error).lines(at: place, app: self))
        }
    }
}

/// Reads positions as whole actions.
extension Recording {
    fileprivate func isPosition(_ text: String) -> Bool {
        // What is wrong with it is told when it is used.
        (try? position(text, knownOnly: false)) != nil
    }

    /// The number of an action.
    fileprivate func editedAction(_ text: String, of option: String) throws -> Int {
        let position = try position(text, knownOnly: false)
        if text == "crash" { return position.seq }
        try position.requireWhole(option, "whatif changes")
        guard position.seq > start.seq else {
            throw Failure(
                .usage,
                "\(option) \(escape(text)): position \(position) is before the first action.",
                "Give an action from \(start.seq + 1) to \(actionCount)."
            )
        }
        return position.seq
    }

    /// The number of the action after which a position is.
    fileprivate func moment(_ text: String, of option: String) throws -> Int {
        let position = try position(text, knownOnly: false)
        if position.reducer == 0 { return position.seq - 1 }
        try position.requireWhole(option, "whatif changes")
        return position.seq
    }
}
