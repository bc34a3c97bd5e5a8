import HindsightRecording
import HindsightReplay
import HindsightTree

/// The arguments that say what a verification compares.
enum VerificationArguments {
    static let level = Option<VerificationOptions.Level>(
        "level",
        help: "Compare the state after each action, or the steps of each reducer; by default what the reducers allow."
    )
    static let isolated = Flag("isolated", help: "After a divergence, go on from the recorded state.")
    static let chained = Flag("chained", help: "After a divergence, go on from the replayed state.")
    static let ignore = Option<String>(
        "ignore",
        value: "PATH",
        expected: pattern,
        repeating: true,
        help:
            "Do not compare this path: /lastSeen, '/items/*/editedAt', '/cache/**'. /log/0 is one element. May be repeated."
    ) { Self.isPattern($0) ? $0 : nil }
    static let tolerance = Option<Tolerance>(
        "tolerance",
        value: "PATH=N",
        expected: "a path and a number or a percentage, such as '/items/*/price=0.01' or '/**/ratio=0.1%'",
        repeating: true,
        help: "Let the numbers at this path differ by N, or by N% of the larger one. May be repeated."
    ) { Self.tolerance($0) }
    static let upTo = Option<String>("up-to", value: "P", help: "The last action to compare; all by default.")
    static let final = Flag("final", help: "Compare only the state at the end.")

    static var declarations: [any Argument] {
        [level, isolated, chained, ignore, tolerance, upTo, final]
    }

    private static let pattern = "a path such as /items/0/title, with * for one name and ** for any number of names"

    private static func isPattern(_ text: String) -> Bool {
        text.hasPrefix("/") && NodePath(text) != nil
    }

    private static func tolerance(_ text: String) -> Tolerance? {
        guard let sign = text.lastIndex(of: "="), isPattern(String(text[..<sign])) else { return nil }
        let path = String(text[..<sign])
        let bound = text[text.index(after: sign)...]
        let isRelative = bound.hasSuffix("%")
        guard let number = Double(isRelative ? bound.dropLast() : bound), number >= 0, number.isFinite else {
            return nil
        }
        return isRelative ? Tolerance(path, relative: number / 100) : Tolerance(path, absolute: number)
    }

    /// The options, except for their end, which depends on the recording.
    static func options(_ arguments: Arguments) throws(UsageError) -> VerificationOptions {
        try arguments.checkAtMostOne(of: isolated, chained)
        try arguments.checkAtMostOne(of: final, level)
        return VerificationOptions(
            level: try arguments[level],
            afterDivergence: arguments[isolated] ? .isolated : arguments[chained] ? .chained : .stop,
            ignoredPaths: try arguments.all(ignore),
            tolerances: try arguments.all(tolerance),
            finalStateOnly: arguments[final]
        )
    }

    /// The last action to compare; `nil` for the end.
    static func end(_ arguments: Arguments, of recording: Recording) throws -> Recording.Position? {
        guard let text = try arguments[upTo] else { return nil }
        let position = try recording.position(text, knownOnly: false)
        try position.requireWhole("--up-to", "\(arguments.syntax.name) compares")
        return position
    }
}
