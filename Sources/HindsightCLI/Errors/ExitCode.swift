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
}
