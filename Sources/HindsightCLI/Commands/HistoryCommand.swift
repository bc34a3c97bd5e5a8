import HindsightFormat
import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

/// `hindsight history FILE PATH`
enum HistoryCommand: Command {
    static let path = Positional("PATH", help: "The place in the state: /items/0/title.")
    static let follow = Flag("follow", help: "Follow the element that is there at the end, not its index.")
    static let limit = Option<Int>(
        "limit",
        from: 1,
        help: "At most the last N changes; by default \(usual), and all with --json."
    )

    private static let usual = 50

    static let syntax = Syntax(
        "history",
        abstract: "Lists every change of one place: position, reducer, action, old → new",
        discussion: """
            The place is a path. If other elements are inserted before an element, another one is there; --follow follows
            the element through insertions, removals and moves, back to where it was inserted. A value that was written
            again unchanged is no change. Where actions have no recorded states, or doubtful ones, it names the actions of
            which one made the change; the place may have changed more often there, or changed back. It has the steps of
            the action in which the process ended, too, if this tool has the app's reducers: it computes those before the
            crash, and marks them with ≈. It says if values there are redacted, whose changes are not recorded.
            """,
        isPaged: true,
        arguments: [SharedArguments.file, path, follow, PlaceArguments.at, limit, PlaceArguments.noIndex],
        examples: [
            "history session.hindsight /cart/total": "All values that the total had.",
            "history session.hindsight /items/3 --follow": "What became of the item that is the fourth one now.",
        ],
        jsonShape: """
            a line a change, the first one first, \(Shape.text(of: HistoryLine.self)). With --limit, the event cut stands \
            before them if there are more, \(Shape.text(of: Joined<EventName, EarlierChanges>.self)). Then comes the \
            event unknown if changes in some actions were not recorded one by one, \
            \(Shape.text(of: Joined<EventName, UnrecordedChanges>.self))
            """
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let wanted = try PlaceArguments.path(path, arguments) ?? NodePath()
        let most = try arguments[limit]
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        if PlacePattern(wanted).isOpen, try !recording.has(wanted) {
            throw Failure(
                .usage,
                "history follows one place, and * stands for many.",
                "All of them: \(tool.name) log \(tool.quoted(recording)) --path \(ShellQuoting.quote(wanted.description))"
            )
        }
        let (position, computed) = try PlaceArguments.computedPosition(
            arguments,
            in: recording,
            tool,
            reachesCrash: true
        )
        let index = try tool.index(of: recording, arguments)
        let isJSON = arguments[GlobalOptions.json]
        let state = try computed?.state(at: position) ?? recording.state(at: position)
        let history = try recording.history(
            of: wanted,
            in: state,
            at: position,
            following: arguments[follow],
            limit: most ?? (isJSON ? .max : usual),
            by: index,
            computed: computed
        )
        if history.changes.isEmpty, history.first == nil {
            let recorded = computed.map { Recording.Position(seq: $0.seq, reducer: 0) } ?? position
            throw try tool.absent(wanted, in: state, at: recorded, of: recording, by: index)
        }
        let showsComputed = history.changes.contains { change in
            if case .step(let step) = change.origin { step.seq == computed?.seq } else { false }
        }
        let namesPosition = try arguments[PlaceArguments.at] != nil
        if computed != nil, namesPosition || showsComputed {
            StateReader(of: recording, tool).noteComputed("\(position)")
        }
        let text = HistoryText(
            history: history,
            wanted: wanted,
            recording: recording,
            computed: computed,
            isRedacted: try !recording.redacted([wanted]).isEmpty,
            tool: tool
        )
        if isJSON { try text.printJSON() } else { try text.print() }
        try tool.noteRedacted(wanted, in: recording)
        return .fine
    }
}
