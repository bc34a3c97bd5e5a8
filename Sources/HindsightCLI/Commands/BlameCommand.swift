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
                : try tool.absent(wanted, in: state, at: recorded, of: recording, by: index)
        }
        let blame = try recording.blame(paths, in: state, at: position, by: index, computed: computed)
        if computed != nil { StateReader(of: recording, tool).noteComputed("\(position)") }
        if arguments[GlobalOptions.json] {
            for place in blame.places where tool.console.isOpen {
                tool.console.print(answer: try place.line(in: recording, computed: computed))
            }
        } else {
            try BlameReport(blame: blame, wanted: wanted, recording: recording, computed: computed, tool: tool).print()
        }
        return .fine
    }
}
