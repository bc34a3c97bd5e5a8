import HindsightFormat
import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

/// What `show` adds to an action.
struct ShowFacts: Answer {
    struct Step: Answer {
        let reducer: Int
        let name: String
        @Nullable var duration: Int64?
        @Nullable var patch: Patch?

        static let notes = ["reducer": "0: time travel", "duration": "ns", "patch": "null: changed nothing"]
    }

    struct Travel: Answer {
        @Nullable var to: Int?

        static let notes = ["to": "the action to whose state the app travelled, 0 for the initial state"]
    }

    @Nullable var steps: [Step]?
    let computed: Bool
    @Nullable var doubtful: DoubtfulStates?
    @Nullable var unknown: UnknownReason.Facts?
    @Nullable var crash: CrashFacts?
    @Nullable var travel: Travel?
    let children: ChildActions.Facts
    let notes: [RecordedNote]

    static let notes = [
        "computed": "whether the steps were computed, not recorded", "unknown": "why some steps are not known",
        "crash": "if the process ended in it",
    ]
}

/// `hindsight show FILE P`
enum ShowCommand: Command {
    static let position = Positional("P", help: SharedArguments.positionHelp)

    static let syntax = Syntax(
        "show",
        abstract: "Shows one action: payload, origin, the changes of each reducer, and the reducers without changes",
        discussion: """
            If changes were not recorded, as after a kill, and this tool has the app's reducers, it computes them in a
            separate process and marks them with ≈; it stops if a reducer runs longer than \(Int(StateComputation.maxStepSeconds)) seconds.
            If a reducer crashed in the action, these are the changes of the reducers before it.
            The actions that it led to, by middleware, subscribers or effects, are looked for among the
            \(Quantities.grouped(ChildActions.before)) actions before it and the \(Quantities.grouped(ChildActions.after)) after it.
            """,
        isPaged: true,
        arguments: [SharedArguments.file, position, SharedArguments.recordedOnly],
        examples: [
            "show session.hindsight 42": "Action 42 and all its changes.",
            "show session.hindsight 42.2": "Only the changes of its second reducer.",
            "show crashed.hindsight crash": "The action in which the process ended.",
        ],
        jsonShape: "one object, \(Shape.text(of: Joined<ActionFacts, ShowFacts>.self))"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        let position = try recording.position(try arguments.require(position), knownOnly: false)
        guard position.seq > recording.start.seq else {
            return try showStart(of: recording, arguments, tool)
        }
        let action = try recording.action(position.seq)
        let reader = StateReader(of: recording, tool, computingNothing: SharedArguments.refusal(arguments))
        let changes = reader.changes(of: action, recorded: try recording.steps(of: position.seq))
        if !changes.isWhole { reader.markUnknown(position.seq) }
        var steps = changes.steps
        if let reducer = position.reducer, reducer > 0 { steps?.removeAll { $0.reducer != reducer && $0.reducer != 0 } }
        if arguments[GlobalOptions.json] {
            let facts = ShowFacts(
                steps: steps?.map { step in
                    ShowFacts.Step(
                        reducer: step.reducer,
                        name: name(of: step.reducer, in: recording),
                        duration: changes.isComputed ? nil : step.durationInNanoseconds,
                        patch: step.patch
                    )
                },
                computed: changes.isComputed,
                doubtful: recording.doubt(in: position.seq),
                unknown: reader.unknown.first?.reason.facts(in: recording, tool),
                crash: recording.crash(in: action.seq),
                travel: action.isTravel ? ShowFacts.Travel(to: action.destination) : nil,
                children: ChildActions(of: action.seq, in: recording).facts,
                notes: try notes(at: position, recording)
            )
            tool.console.print(answer: Joined(ActionFacts(action), facts))
        } else {
            let lines = try lines(of: steps ?? [], changes, position, reader, tool)
            printHead(of: action, recording, tool)
            for note in try notes(at: position, recording) {
                tool.console.print("  " + NoteText.line(note, tool.console.style))
            }
            for line in lines { tool.console.print(line) }
        }
        return .fine
    }

    /// The notes at an action, or, for a position within it, at that position.
    private static func notes(at position: Recording.Position, _ recording: Recording) throws -> [RecordedNote] {
        try recording.notes().filter { note in
            note.position.seq == position.seq && (position.reducer == nil || note.position == position)
        }
    }

    /// Shows the first state, to which no action led.
    private static func showStart(of recording: Recording, _ arguments: Arguments, _ tool: Tool) throws -> ExitCode {
        let state = try recording.state(at: recording.start)
        try tool.print(arguments, json: printable(["seq": .int(recording.start.seq), "state": state, "steps": []])) {
            let budget = tool.console.terminal.width * 3
            let before =
                recording.droppedCount == 0
                ? "no action led to it" : "the actions before it were dropped because of the recording's limit"
            tool.console.print("Position \(recording.start): the start of the recording; \(before).")
            for note in try notes(at: recording.start, recording) {
                tool.console.print("  " + NoteText.line(note, tool.console.style))
            }
            tool.console.print("  state  \(ValueText(budget: budget).text(of: state))")
        }
        return .fine
    }

    private static func printHead(of action: RecordedAction, _ recording: Recording, _ tool: Tool) {
        let console = tool.console
        let text = action.payload.map { ActionText(budget: console.terminal.width * 3).text(of: $0) }
        console.print(
            "Action \(action.seq) of \(Quantities.grouped(recording.actionCount))  "
                + console.style.strong(text ?? (action.isTravel ? "time travel" : ValueText.key(action.type)))
        )
        let time = TimeText.utc(nanoseconds: action.nanosecondsSinceEpoch)
        console.row("at", "\(recording.elapsed(until: action))  (\(time))")
        console.row(
            "took",
            action.durationInNanoseconds.map { Quantities.duration(nanoseconds: $0) }
                ?? (recording.ending == .open(live: true) ? "it is running" : console.style.bad("it never finished"))
        )
        if let states = recording.doubt(in: action.seq) {
            console.row("doubtful", console.style.bad(recording.clause(about: states)))
        }
        if recording.crash(in: action.seq) != nil,
            let crash = EndingText(recording: recording, style: console.style).crash
        {
            console.row("ended", crash)
        }
        if let origin = action.origin { console.row("from", brief(origin)) }
        if let thread = action.thread { console.row("on", thread.shown) }
        if let parent = action.parent {
            console.row("parent", "action \(parent)" + (parent <= recording.droppedCount ? ", which was dropped" : ""))
        }
        let childActions = ChildActions(of: action.seq, in: recording).lines(console)
        for (index, line) in childActions.enumerated() { console.row(index == 0 ? "led to" : "", line) }
        if let problem = action.problem {
            console.row(
                action.isTravel ? "travel" : action.isDescribed ? "described" : "gap",
                action.isTravel
                    ? destination(of: action, recording, tool) ?? brief(problem) : console.style.bad(brief(problem))
            )
        }
    }

    /// Where an app travelled; `nil` if the recording does not say.
    private static func destination(of action: RecordedAction, _ recording: Recording, _ tool: Tool) -> String? {
        guard let seq = action.destination, seq < action.seq else { return nil }
        if seq < recording.start.seq { return "to action \(seq), which was dropped" }
        if seq == 0 { return "to 0, the initial state" }
        if seq == recording.start.seq { return "to \(seq), the start of the recording" }
        // If that action cannot be read, its number is still known.
        let target = try? recording.action(seq)
        let name = target.map { ActionLine.name(of: $0, width: tool.console.terminal.width - 40) }
        return "to \(seq)" + (name.map { ", the state after \($0)" } ?? "")
    }

    /// The changes of each reducer. Throws for a patch that does not fit the state.
    private static func lines(
        of steps: [RecordedStep],
        _ changes: Changes,
        _ position: Recording.Position,
        _ reader: StateReader,
        _ tool: Tool
    ) throws -> [String] {
        let console = tool.console
        let recording = reader.recording
        var lines: [String] = []
        let patches = PatchText(style: console.style, width: console.terminal.width - 4)
        var state: Node?
        if steps.contains(where: { $0.patch != nil }) { state = try reader.state(at: position.before).state }
        for step in steps {
            guard let patch = step.patch, !patch.isEmpty else { continue }
            let before = state
            do {
                if var next = state {
                    try patch.apply(to: &next)
                    state = next
                }
            } catch {
                throw recording.damaged(seq: position.seq, reducer: step.reducer, cause: error)
            }
            let name = console.style.strong(brief(name(of: step.reducer, in: recording)))
            lines.append("")
            let isTravel = step.reducer == 0
            let number = isTravel ? "\(position.seq)" : "\(position.seq).\(step.reducer)"
            let duration =
                isTravel || changes.isComputed
                ? "" : "  \(Quantities.duration(nanoseconds: step.durationInNanoseconds))"
            lines.append("  \(changes.isComputed ? ActionLine.computedMark : "")\(number) \(name)\(duration)")
            lines += patches.lines(of: patch, base: before).map { "    " + $0 }
        }
        let idle = steps.filter { $0.patch?.isEmpty ?? true }.map { brief(name(of: $0.reducer, in: recording)) }
        if !idle.isEmpty {
            lines.append("")
            lines.append("  " + console.style.faint("unchanged by \(idle.joined(separator: ", "))"))
        }
        return lines + remarks(changes, reader, tool)
    }

    /// The remarks about changes that were not recorded.
    private static func remarks(_ changes: Changes, _ reader: StateReader, _ tool: Tool) -> [String] {
        var remarks: [String] = []
        if changes.isComputed {
            let words = ActionLine.computedMark + ActionLine.computedNote(for: reader.recording)
            remarks.append("  " + tool.console.style.faint(words))
        }
        if let reason = reader.unknown.first?.reason {
            let what = changes.isComputed ? "what its other reducers changed" : "what its reducers changed"
            remarks.append("  \(tool.console.style.bad("Not known:")) \(what); \(reason.cause(in: reader.recording)).")
            remarks.append("  \(reason.remedy(in: reader.recording, tool))")
        }
        return remarks.isEmpty ? [] : [""] + remarks
    }

    private static func name(of reducer: Int, in recording: Recording) -> String {
        recording.name(ofReducer: reducer) ?? "?"
    }
}
