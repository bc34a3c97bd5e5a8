import HindsightRecording
import HindsightSupport
import HindsightTree

/// `hindsight info FILE`
enum InfoCommand: Command {
    static let syntax = Syntax(
        "info",
        abstract: "Summarizes a recording: its app, ending and contents; or lists the recordings of a directory",
        arguments: [SharedArguments.file],
        examples: [
            "info session.hindsight": "App, time, ending, sizes, actions by frequency.",
            "info runs/": "A line for each recording in a directory, the newest first.",
        ],
        jsonShape: """
            one object, \(Shape.text(of: RecordingDescription.self)); of a directory, a line a recording, \
            \(Shape.text(of: RunLine.self)), or \(Shape.text(of: UnreadableRun.self)) if it cannot be read
            """
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let file = try arguments.require(SharedArguments.file)
        if RunDirectory.exists(at: file) {
            return try RunsText(of: file, tool).print(asJSON: arguments[GlobalOptions.json])
        }
        let recording = try tool.open(file)
        try tool.print(arguments, json: printable(answer: recording.describe())) {
            try printText(of: recording, in: tool)
        }
        return .fine
    }

    private static func printText(of recording: Recording, in tool: Tool) throws {
        let (summary, notes) = (try recording.summary(), try recording.notes())
        let console = tool.console
        func row(_ label: String, _ value: String) {
            console.row(label, value, margin: "", columns: 9, hangs: !label.isEmpty)
        }
        func rest(_ count: Int, _ noun: String, margin: String = "") {
            if count > 0 { row("", "\(margin)… and \(Quantities.counted(count, "more \(noun)")) (--json has all)") }
        }
        let version = recording.app.version.isEmpty ? "" : " " + brief(recording.app.version)
        let isFirst = recording.app.schema == AppInfo.firstSchema
        let schema = isFirst ? "" : ", schema \(recording.app.schema)"
        row("app", console.style.strong(brief(recording.app.name)) + version + schema)
        row(
            "file",
            "\(tool.shown(recording)), \(Quantities.bytes(Int(summary.bytes.file))), format \(recording.formatVersion)"
        )
        if let parent = recording.parent {
            let edits = parent.edits.isEmpty ? "no change" : Quantities.list(parent.edits.map { brief($0) }, most: 5)
            row("what-if", "of \(brief(parent.file)), after action \(Quantities.grouped(parent.kept)): \(edits)")
        }
        if let id = recording.id { row("id", id) }
        if !recording.app.installation.isEmpty { row("from", brief(recording.app.installation)) }
        if let origin = recording.cutOrigin { row("cut", origin.sentence) }
        row("platform", brief(recording.platform))
        row("recorded", Quantities.date(nanoseconds: recording.createdNanoseconds) + duration(of: recording))
        let ending = EndingText(recording: recording, style: console.style)
        row("ended", ending.sentence)
        for (number, frame) in ending.frames.prefix(20).enumerated() { row(number == 0 ? "frames" : "", frame) }
        rest(ending.frames.count - 20, "frame")
        if let command = ending.symbolising { row("names", command) }
        let gaps = summary.gaps > 0 ? ", \(Quantities.counted(summary.gaps, "gap")) (could not be encoded)" : ""
        let travels = summary.travels > 0 ? ", \(Quantities.grouped(summary.travels)) of them time travel" : ""
        if recording.end.seq < recording.lastFinished {
            let known = "known up to action \(Quantities.grouped(recording.end.seq))"
            row("states", known + (recording.ending == .open(live: true) ? "" : recording.computing("those after it")))
        }
        let skipped = recording.skipped.reduce(0) { $0 + $1.count }
        if skipped > 0 {
            let runs = Quantities.counted(recording.skipped.count, "run")
            let count = Quantities.counted(skipped, "action")
            let cause = "because the recorder was behind"
            row("left out", "the states of \(count) in \(runs), \(cause)" + recording.computing("them"))
        }
        if let text = recording.sentenceAboutDescriptions(summary) { row("described", text) }
        for states in recording.doubtful.prefix(5) {
            row("doubtful", console.style.bad(recording.clause(about: states)))
        }
        rest(recording.doubtful.count - 5, "range")
        if let text = recording.sentenceAboutComputedStates { row("computed", text) }
        if recording.unauditedCount > 0 {
            let count = Quantities.counted(recording.unauditedCount, "action")
            row("unaudited", "the states of \(count) were not compared with a keyframe when they were recorded")
        }
        if recording.ending != .open(live: true), !recording.sidecarFiles.isEmpty {
            let names = recording.sidecarFiles.map { brief($0) }.joined(separator: ", ")
            let command = ShellQuoting.command(tool.name, "recover", tool.quoted(recording))
            // What a recovery refuses is told above.
            row(
                "beside",
                EndingText.loss(in: recording) == nil ? "\(names), part of it until \(command) merges them" : names
            )
        }
        let described =
            summary.descriptions > 0 ? ", \(Quantities.counted(summary.descriptions, "description"))" : ""
        row("actions", Quantities.grouped(summary.actions) + travels + described + gaps)
        let width = summary.types.first.map { Quantities.grouped($0.count).count } ?? 0
        for type in summary.types.prefix(20) {
            for (depth, count, name) in type.lines(most: 20) {
                let margin = String(repeating: "  ", count: depth)
                row("", "  \(margin)\(Quantities.grouped(count).alignedRight(to: width))  \(brief(name))")
            }
        }
        rest(summary.types.count - 20, "type", margin: "  ")
        for (number, note) in notes.prefix(5).enumerated() {
            row(number == 0 ? "notes" : "", "\(note.position)  \(NoteText.text(of: note))")
        }
        if notes.count > 5 {
            let more = Quantities.counted(notes.count - 5, "more note")
            row("", "… and \(more): \(ShellQuoting.command(tool.name, "notes", tool.quoted(recording)))")
        }
        if let dropped = LimitText(recording: recording).dropped { row("dropped", dropped) }
        if let limit = LimitText(recording: recording).limit { row("limit", limit) }
        for (what, paths) in [("states", recording.redaction.states), ("actions", recording.redaction.actions)] {
            if !paths.isEmpty { row("redacted", "in \(what): \(RedactionText.list(paths))") }
        }
        for (what, paths) in [
            ("states", recording.redaction.unmetStates), ("actions", recording.redaction.unmetActions),
        ] {
            if paths.isEmpty { continue }
            row("unmet", "in \(what): \(RedactionText.list(paths)) matched nothing in the file; misspelt?")
        }
        row("reducers", "\(recording.reducers.count): " + recording.reducers.map { brief($0) }.joined(separator: ", "))
        row("changes", changes(of: recording, summary))
        let bytes = summary.bytes
        row(
            "stored",
            "actions \(Quantities.bytes(Int(bytes.actions))), patches \(Quantities.bytes(Int(bytes.patches))), "
                + "\(Quantities.counted(summary.keyframes, "keyframe")) \(Quantities.bytes(Int(bytes.keyframes)))"
        )
    }

    /// The number of steps that changed something, in the actions whose changes were recorded.
    private static func changes(of recording: Recording, _ summary: Recording.Summary) -> String {
        let (known, all) = (recording.actionsWithChanges, recording.actionCount - recording.start.seq)
        if known == 0, all > 0 { return "not known" }
        let steps = "\(Quantities.counted(summary.changes, "step")) changed something"
        if known == all { return steps }
        return "\(steps) (in \(Quantities.grouped(known)) of \(Quantities.counted(all, "action")); "
            + "the changes of the others were not recorded)"
    }

    private static func duration(of recording: Recording) -> String {
        guard let closed = recording.closedNanoseconds else { return "" }
        let created = recording.createdNanoseconds
        guard closed >= created else { return ", with the clock set back meanwhile" }
        return ", over \(Quantities.duration(nanoseconds: max(0, Quantities.interval(from: created, to: closed))))"
    }
}

extension Recording {
    /// What a recording with descriptions of types that are not `Codable` is good for; `nil` if nothing is described.
    fileprivate func sentenceAboutDescriptions(_ summary: Summary) -> String? {
        guard !summary.describedTypes.isEmpty || summary.descriptions > 0 else { return nil }
        let hasStates = !typesOfDescribedStates.isEmpty
        let count = Quantities.counted(summary.descriptions, "action")
        let what = hasStates ? "states" + (summary.descriptions > 0 ? " and \(count)" : "") : count
        let replay =
            hasStates
            ? "nothing can be replayed"
            : "no replay runs \(summary.descriptions == 1 ? "it" : "them")"
        let names = summary.describedTypes.prefix(5).map { brief($0.type, longest: 60) }
        let more = summary.describedTypes.count - names.count
        let types = names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
        return "\(what): \(replay)" + (names.isEmpty ? "" : "; not Codable: \(types)")
    }
}

extension Recording.Summary.TypeCount {
    /// This type and those inside it, the most frequent first, each with its depth.
    fileprivate func lines(most: Int, depth: Int = 0) -> [(depth: Int, count: Int, name: String)] {
        var lines = [(depth, count, type)]
        for type in nested.prefix(most) { lines += type.lines(most: most, depth: depth + 1) }
        if nested.count > most {
            let rest = nested.dropFirst(most)
            let more = "… \(Quantities.counted(rest.count, "more type")) (--json has all)"
            lines.append((depth + 1, rest.reduce(0) { $0 + $1.count }, more))
        }
        return lines
    }
}
