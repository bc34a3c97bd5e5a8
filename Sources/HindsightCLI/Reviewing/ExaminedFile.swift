import HindsightRecording
import HindsightReplay
import HindsightTree

/// A recording, and how today's reducers differ from it, as the process that ran them reports it to the review.
struct ExaminedFile: Codable {
    /// Differences that look alike.
    struct Difference: Codable {
        /// The action's type; `nil` for the initial state.
        var type: String?
        /// The reducer's name; `nil` if it is not known.
        var reducer: String?
        /// The first differing path, as a pattern.
        var path: String
        /// The likely cause, as a raw value of `Divergence.Cause`.
        var cause: String
        /// The number of actions.
        var count: Int
        /// The first of them.
        var first: Example
    }

    /// One difference.
    struct Example: Codable {
        /// The number of the action, or 0.
        var seq: Int
        var position: Recording.Position
        /// The action; `nil` if there is none.
        var action: Node?
        /// The first differing path.
        var path: String
        /// The recorded value; `nil` if there was none.
        var expected: Node?
        /// Today's value; `nil` if there is none.
        var actual: Node?
        /// The change from the recorded state to today's.
        var patch: Patch
        var explanation: String?
    }

    /// Why a file has no differences to decide on.
    struct Problem: Codable {
        var code: Int32
        var lines: [String]
        /// Whether a reducer ended the process of the replay.
        var isCrash = false
        /// The type of the action that ended it, and the reducer.
        var type: String?
        var reducer: String?
        var seq: Int?

        init(_ failure: Failure) {
            code = failure.code.rawValue
            lines = failure.lines
        }

        var failure: Failure { Failure(ExitCode(rawValue: code), lines: lines) }
    }

    var file: String
    var app = ""
    /// What the file was before it was read, as a `FileFingerprint`.
    var fingerprint = ""
    /// The number of actions.
    var actions = 0
    var differences: [Difference] = []
    /// The action in which the recorded process ended, which was not run.
    var unfinished: Int?
    /// Whether it was not recorded as a value.
    var unfinishedIsGap = false
    var problem: Problem?
}

/// What a review compares.
struct ReviewOptions: Codable {
    var isIsolated = false
    var ignored: [String] = []
    var tolerances: [Tolerance] = []

    var verification: VerificationOptions {
        VerificationOptions(
            afterDivergence: isIsolated ? .isolated : .chained,
            ignoredPaths: ignored,
            tolerances: tolerances
        )
    }
}

extension ReviewOptions {
    init(_ arguments: Arguments) throws(UsageError) {
        isIsolated = arguments[VerificationArguments.isolated]
        ignored = try arguments.all(VerificationArguments.ignore)
        tolerances = try arguments.all(VerificationArguments.tolerance)
    }
}
