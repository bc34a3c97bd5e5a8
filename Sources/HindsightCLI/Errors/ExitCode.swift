/// The exit codes of the tool.
struct ExitCode: RawRepresentable, Equatable, Sendable {
    let rawValue: Int32

    /// Success.
    static let fine = ExitCode(rawValue: 0)
    /// A difference or a divergence was found, or `--keep-going` left something out.
    static let difference = ExitCode(rawValue: 1)
    /// The tool was called wrongly.
    static let usage = ExitCode(rawValue: 2)
    /// A file cannot be read or written, or is damaged.
    static let badFile = ExitCode(rawValue: 3)
    /// A recording does not fit the reducers that this tool was built with.
    static let doesNotFit = ExitCode(rawValue: 4)
    /// A crash of a reducer was reproduced.
    static let crash = ExitCode(rawValue: 5)
    /// Nothing could be compared, so it is not known whether there is a difference.
    static let nothingCompared = ExitCode(rawValue: 6)
    /// A signal ended the process: the code that a shell gives it.
    static func signal(_ number: Int32) -> ExitCode { ExitCode(rawValue: 128 + number) }
}

extension ExitCode: Comparable {
    /// By severity: a difference is worse than that nothing could be compared.
    static func < (left: ExitCode, right: ExitCode) -> Bool { left.severity < right.severity }

    private var severity: Int32 {
        switch self {
        case .fine: 0
        case .nothingCompared: 1
        default: rawValue + 1
        }
    }
}

/// The failure of a command: its exit code, and the lines to print.
struct Failure: Error, Equatable {
    let code: ExitCode
    /// One to three lines: what happened, where, what to do. Escaped.
    let lines: [String]

    init(_ code: ExitCode, _ lines: String...) {
        self.init(code, lines: lines)
    }

    init(_ code: ExitCode, lines: [String]) {
        self.code = code
        self.lines = lines
    }

    /// Refuses an empty argument, such as a variable that is not set leaves.
    ///
    /// - Parameter sentence: What is empty.
    static func checkNotEmpty(_ argument: String, _ sentence: String) throws(Failure) {
        if argument.isEmpty { throw Failure(.usage, sentence, "Is a variable of your shell not set?") }
    }
}

extension ExitCode {
    /// What each exit code means, for the manual page and the documentation.
    static let meanings: [(code: String, meaning: String)] = [
        ("0", "success"),
        (
            "1",
            """
            a difference, a divergence or a race was found, or a rule is broken; `shrink` \
            could not reproduce what it is to shrink; `review` left a class that is not accepted, or found a stale \
            recording; or `record --keep-going` skipped a line
            """
        ),
        ("2", "the tool was called wrongly, or the recording does not have the position, path or type"),
        (
            "3",
            """
            a file cannot be read or written, or is damaged; an input line is not an action; the process that runs \
            reducers cannot be started; or a signal from outside killed it while `verify` or `review` checked a file
            """
        ),
        (
            "4",
            """
            the recording does not fit this build: another app, other reducers, a newer schema, a migration that is \
            missing or fails, or an action or a state that does not decode
            """
        ),
        (
            "5",
            """
            a reducer crashed during a replay, ended the process in another way, or one action ran longer than \
            `--timeout`, or one reducer longer than 5 s where `jump` or `diff` computes a state; or the app called \
            `exit` while it was recorded
            """
        ),
        (
            "6",
            """
            `verify` or `review` had nothing to compare: the recording has no actions, no states, or no changes \
            outside its redacted paths, or the options leave out all of them; or `races` does not know all \
            threads; or `races` or `shrink --until diverge` ran out of time; or `shake` or `compare` did, or could run no \
            action; or the actions of `cause` or `races` lead to something else when they run again; or `invariants` had \
            no states to look at
            """
        ),
        (
            "128 + N",
            """
            signal N stopped the tool, or the replay of its only file: 130 after Ctrl-C; 137 after a kill, or if \
            memory ran out
            """
        ),
    ]
}
