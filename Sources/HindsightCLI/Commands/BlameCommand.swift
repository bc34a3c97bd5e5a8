import HindsightFormat
import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

/// `hindsight blame FILE [PATH]`
enum BlameCommand: Command {
    static let path = Positional(
        "PATH",
        required: false,
        help: "The part of the state: /items/0, or '/items/*/title'. Without it, the whole state."
    )

    static let syntax = Syntax(
        "blame",
        abstract: "Shows who set each value: position, reducer, action and where it was dispatched, like git blame",
        discussion: """
            Elements of arrays are followed: if others are inserted, removed or moved, an element keeps its origin. A value
            that was written again unchanged does not count. Where actions have no recorded states, it names the actions
            of which one set the value. Redacted values are named as such, because their changes are not recorded.
            Large recordings get an index in your cache folder, so that the next question is answered at once.
            """,
        isPaged: true,
        arguments: [SharedArguments.file, path, PlaceArguments.at, PlaceArguments.noIndex],
        examples: [
            "blame session.hindsight /cart/total": "Who set the total.",
            "blame session.hindsight": "Who set each value of the last state.",
            "blame session.hindsight '/items/*/title' --at 42": "Who had set the titles when action 42 was done.",
        ],
        jsonShape: "a line a place, \(Shape.text(of: BlameLine.self))"
    )

    /// The most places to print on a terminal.
    private static let maxPlaces = 200

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let wanted = try PlaceArguments.path(path, arguments) ?? NodePath()
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        let (position, computed) = try PlaceArguments.computedPosition(arguments, in: recording, tool)
        let state = try computed?.state(at: position) ?? recording.state(at: position)
        let pattern = PlacePattern(wanted)
        let paths = state[wanted] != nil ? [wanted] : pattern.isOpen ? pattern.places(in: state).map(\.path) : []
        let index = try tool.index(of: recording, arguments)
        let recorded = computed.map { Recording.Position(seq: $0.seq, reducer: 0) } ?? position
        guard !paths.isEmpty else {
            throw pattern.isOpen
                ? tool.missing(wanted, in: state, position.description)
                : try tool.absent(wanted, in: state, at: min(position, recorded), of: recording, by: index)
        }
        let blame = try recording.blame(paths, in: state, at: position, by: index, computed: computed)
        if computed != nil { StateReader(of: recording, tool).noteComputed("\(position)") }
        if arguments[GlobalOptions.json] {
            for place in blame.places where tool.console.isOpen {
                tool.console.print(answer: try place.line(in: recording, computed: computed))
            }
        } else if blame.places.count == 1 {
            try printSentence(blame, recording, computed, tool)
        } else {
            try printTable(blame, wanted, recording, computed, tool)
        }
        return .fine
    }

    private static func printSentence(
        _ blame: Blame,
        _ recording: Recording,
        _ computed: ComputedSteps?,
        _ tool: Tool
    ) throws {
        let place = blame.places[0]
        let name = place.path.isRoot ? "The state" : escape(place.path.description)
        let value = ValueText(budget: tool.console.terminal.width, maxStringLength: 60).text(of: place.value)
        let text = OriginText(recording: recording, budget: tool.console.terminal.width, computed: computed)
        guard !place.isRedacted else {
            return tool.console.print("\(name) is redacted: its changes are not recorded, so who set it is not known.")
        }
        let strong = tool.console.style.strong(name)
        switch place.origin {
        case .start:
            tool.console.print("\(strong) is \(value) since the start: no recorded action changed it.")
        case .dropped(let last):
            tool.console.print(
                "\(strong) is \(value) since the recording begins: the limit has dropped the first "
                    + "\(Quantities.counted(last, "action")), and no later one changed it."
            )
        case .step, .oneOf:
            tool.console.print("\(strong) became \(value) \(try text.clause(of: place.origin)).")
        }
        guard let command = text.command(place.origin, tool) else { return }
        let file = tool.quoted(recording)
        tool.console.print("  \(tool.console.style.faint("the action     "))  \(command)")
        let path = ShellQuoting.quote(place.path.description)
        // An element, or something in one, may have been at another index.
        let follow = place.path.components.contains { Int($0) != nil } ? " --follow" : ""
        let position = computed == nil ? "" : " --at \(blame.position)"
        tool.console.print(
            "  \(tool.console.style.faint("all its changes"))  \(tool.name) history \(file) \(path)\(follow)\(position)"
        )
    }

    private static func printTable(
        _ blame: Blame,
        _ wanted: NodePath,
        _ recording: Recording,
        _ computed: ComputedSteps?,
        _ tool: Tool
    ) throws {
        let console = tool.console
        let isLimited = console.terminal.isLimited
        let shown = isLimited ? blame.places.prefix(maxPlaces) : blame.places[...]
        let origins = Set(blame.places.filter { !$0.isRedacted }.map(\.origin))
        let place = wanted.isRoot ? "" : " in \(escape(wanted.description))"
        let from = blame.places.contains { !$0.isRedacted && $0.origin == .start } ? " or the start" : ""
        let count = origins.subtracting([.start]).count
        console.print(
            "\(Quantities.counted(blame.places.count, "value"))\(place) at position \(blame.position), "
                + "set by \(Quantities.counted(count, "step"))\(from):"
        )
        let table = BlameTable(width: console.terminal.width, style: console.style)
        let budget = max(24, min(60, console.terminal.width / 3))
        let text = OriginText(recording: recording, budget: budget, computed: computed)
        for line in try table.lines(of: shown, by: text) {
            console.print(line, hanging: 4)
        }
        if shown.count < blame.places.count {
            let rest = Quantities.counted(blame.places.count - shown.count, "more value")
            console.print(faint: "… and \(rest) (--json has all, and PATH chooses a part)")
        }
        let last = blame.places.filter { !$0.isRedacted }.compactMap { place -> Recording.Position? in
            if case .step(let position) = place.origin { position } else { nil }
        }.max()
        if let last {
            console.print(
                console.style.faint("The last of these: ") + "\(tool.name) show \(tool.quoted(recording)) \(last)"
            )
        }
    }
}
