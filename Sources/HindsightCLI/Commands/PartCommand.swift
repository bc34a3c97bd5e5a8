import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

/// `hindsight part FILE1 FILE2`
enum PartCommand: Command {
    static let first = Positional("FILE1", help: "A recording.")
    static let second = Positional("FILE2", help: "Another one, such as of the same steps with another build.")
    static let payload = Flag("payload", help: "Compare only the types and payloads of actions, or those too.")
    static let effect = Flag("effect", help: "Compare only what the actions changed, or that too.")
    static let time = Option<Double>(
        "time",
        value: "SECONDS",
        expected: "a number of seconds from 0",
        help: "Also compare the times since the start: they may differ by this much."
    ) { text in
        Double(text).flatMap { $0 >= 0 && $0 <= 1_000_000_000 ? $0 : nil }
    }

    static let syntax = Syntax(
        "part",
        abstract: "Shows the first action at which two recordings part, and what led there",
        discussion: """
            Compares the actions of both by their numbers: their types and payloads, and what they changed. --payload or
            --effect compares one of them alone; times are ignored, unless --time says by how much they may differ.
            Exits with 0 if the recordings do not part and with 1 if they do, like diff. Changes that are written in
            different ways count as the same if they lead to the same state. If a recording does not have an action's
            effect, the states are compared at the next action after which both have them.
            diff compares the states at two positions.
            """,
        isPaged: true,
        arguments: [first, second, payload, effect, time],
        examples: [
            "part good.hindsight bad.hindsight": "Where a session first went another way.",
            "part good.hindsight bad.hindsight --payload": "The first action that was dispatched in only one of them.",
        ],
        jsonShape: "one object, \(Shape.text(of: FirstDifferenceFacts.self))"
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let left = try tool.open(try arguments.require(first))
        let right = try tool.open(try arguments.require(second))
        let isAll = !arguments[payload] && !arguments[effect]
        let options = FirstDifferenceOptions(
            payloads: isAll || arguments[payload],
            effects: isAll || arguments[effect],
            nanoseconds: try arguments[time].map { Int64($0 * 1e9) }
        )
        let result = try left.firstDifference(from: right, options: options)
        tool.print(arguments, json: printable(answer: result.facts(left, right))) {
            FirstDifferenceReport(left: left, right: right, result: result, tool: tool).print()
        }
        return result.firstDifference == nil ? .fine : .difference
    }
}
