import HindsightRecorder
import Testing

@testable import HindsightCLI

/// One commit to the app, and what the tool says to a recording of Monday's.
struct Commit: Sendable, CustomTestStringConvertible {
    /// What a command prints.
    struct Answer: Sendable {
        var code = ExitCode.fine
        /// The whole text, in which the recording is FILE: the output, or, if there is none, the error.
        var text: String
    }

    /// The way forward.
    enum Way: Sendable {
        case nothing
        case declaration(ReplayableApp)
        case migration(ReplayableApp)
        case accept
    }

    let testDescription: String
    /// The app after the commit.
    let app: ReplayableApp
    let check: Answer
    let verify: Answer
    var way = Way.nothing
    /// The cell of the documentation's table: what to write.
    var write = "nothing"
    /// The answers once that is written; `nil` if they are the plain ones.
    var checkAfter: String?
    var verifyAfter: String?

    static let unlabelled = fragile("setLimit, remove")

    static func fragile(_ names: String) -> String {
        "  fragile   \(names): the payload has no label (_0); give it one before you add another\n"
    }

    /// The answer of `check` for a recording that fits.
    static func fits(_ rest: String = "") -> Answer {
        Answer(text: "fits  FILE  30 actions, schema 1\n" + unlabelled + rest)
    }

    static func fitsWithDefaults(_ rows: String, _ rest: String = "") -> Answer {
        Answer(text: "fits with defaults  FILE  30 actions, schema 1\n" + rows + unlabelled + rest)
    }

    static func doesNotFit(_ rows: String) -> Answer {
        Answer(code: .doesNotFit, text: "does not fit  FILE  30 actions, schema 1\n" + rows + unlabelled)
    }

    /// The answer of `verify` for a recording whose states are the same.
    static func equal(_ rest: String = "", steps: Int = 120) -> Answer {
        Answer(text: "equal  FILE  30 actions, \(steps) steps\n" + rest)
    }

    /// What `verify` adds if a migration applies.
    static let migrated = "  schema   1, migrated to 2: compared by states, because migrations apply\n"

    static func refused(_ error: String) -> Answer { Answer(code: .doesNotFit, text: "error: FILE: " + error) }

    static func migrates(_ rest: String = unlabelled) -> String {
        "fits  FILE  30 actions, schema 1, this build 2: migrates to 2\n" + rest
    }

    /// The row of the documentation's table.
    var row: String {
        let verdict = ["fits with defaults", "does not fit", "fits"].first { check.text.hasPrefix($0) } ?? ""
        let result =
            switch verify.code {
            case .fine: "equal"
            case .difference: "diverged"
            default: "refused"
            }
        return "| \(testDescription) | \(verdict) | \(result) | \(write) |"
    }
}

extension Commit {
    /// A commit after which the recording needs a migration.
    init<State: BookState, Action: BookAction>(
        _ description: String,
        _ initial: State,
        _ action: Action.Type,
        check: Answer,
        verify: Answer,
        write: String,
        checkAfter: String? = nil,
        verifyAfter: String? = nil,
        migration: Migration
    ) {
        self.init(
            testDescription: description,
            app: bookApp(initial, action),
            check: check,
            verify: verify,
            way: .migration(bookApp(initial, action, migration)),
            write: write,
            checkAfter: checkAfter,
            verifyAfter: verifyAfter
        )
    }
}
