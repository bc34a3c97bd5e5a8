import HindsightQuery
import HindsightRecording
import HindsightTree

/// `hindsight search FILE TEXT`
enum SearchCommand: Command {
    static let text = Positional("TEXT", help: "The text or number to look for.")
    static let scope = Option<SearchScope>("in", help: "Look only there; without it, in both.")
    static let all = Flag("all", help: "List all places, not only the first \(SearchReport.most).")

    static let syntax = Syntax(
        "search",
        abstract: "Finds where a text or number first appears: in actions, in the state, at which path",
        discussion: """
            A text appears in a string or a name that contains it; case and accents count. A number appears as a number of
            the same value: 1.5 finds 1.50, 100 finds 1E2, and 0 finds -0. In the state, it appears where a value has it
            after a reducer and did not have it before, so a text that is typed letter by letter appears with its last
            letter. An element that moves within an array appears again. Data (bytes), true, false and null are not
            searched.
            A row's position is one that other commands take. In an action, it is the one before the first reducer, such
            as 412.0. Below the list, it says which states and values it could not search. If a part of FILE is damaged, it
            searches the rest, says what it left out, and exits with 3.
            """,
        isPaged: true,
        arguments: [SharedArguments.file, text, scope, all],
        examples: [
            "search session.hindsight 'out of stock'": "Where this message comes from.",
            "search session.hindsight 64.99 --in actions": "The actions that carried this price.",
        ],
        jsonShape: """
            a line a place, \(Shape.text(of: SearchHitFacts.self)); then, if states or values could not be searched, the \
            event unknown, \(Shape.text(of: Joined<EventName, UnsearchedStates>.self))
            """
    )

    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
        let recording = try tool.open(try arguments.require(SharedArguments.file))
        let wanted = try arguments.require(text)
        try Failure.checkNotEmpty(wanted, "TEXT is empty, and would be everywhere.")
        let scopes: Set<SearchScope> = try arguments[scope].map { [$0] } ?? Set(SearchScope.allCases)
        let report = SearchReport(recording, for: wanted, in: scopes, listsAll: arguments[all], tool: tool)
        var unsearched: [UnsearchedPart] = []
        try recording.search(
            for: wanted,
            in: scopes,
            progress: report.show,
            unsearched: { unsearched.append($0) }
        ) { hit in
            try tool.print(arguments, json: printable(answer: hit.facts(in: recording))) { try report.add(hit) }
            return tool.console.isOpen
        }
        if !arguments[GlobalOptions.json] {
            try report.finish(isWhole: unsearched.isEmpty)
        } else if let states = report.unsearched {
            tool.console.print(answer: Joined(EventName(event: "unknown"), states))
        }
        guard let first = unsearched.first else { return .fine }
        report.note(unsearched)
        throw first.error
    }
}
