import HindsightQuery
import HindsightRecording
import HindsightTree

/// The answer of `invariants`.
struct InvariantsAnswer: Answer {
    @Nullable var app: String?
    let files: [String]
    let positions: Int
    let rules: [Rule]
    let weaker: Int
    let placesLeftOut: Int
    let rulesLeftOut: Int
    let seconds: Double

    static let notes = [
        "files": "those that were read", "positions": "at how many positions a state was looked at",
        "weaker": "how many rules could have failed less often", "placesLeftOut": "beyond the most that are looked at",
        "rulesLeftOut": "likewise",
    ]
}

/// What one recording says of the rules in a file.
struct RulesAnswer: Answer {
    let file: String
    let rules: [RuleVerdict]

    init(_ book: RuleBook, of recording: Recording) throws {
        file = recording.url.relativePath
        rules = try book.rules.map { try recording.verdict(on: $0) }
    }

    var isBroken: Bool { rules.contains { $0.broken > 0 } }
    /// Whether a rule holds or fails at a position.
    var saysSomething: Bool { rules.contains { $0.broken + $0.held > 0 } }
}
