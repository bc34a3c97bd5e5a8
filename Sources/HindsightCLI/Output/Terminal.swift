import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// When colour is used.
enum ColorChoice: String, CaseIterable, Sendable {
    case auto, always, never
}

/// What is known about where the output goes. The only file that asks the platform.
struct Terminal: Sendable {
    var isOutputTerminal = false
    var isErrorTerminal = false
    /// Columns, where the output is a terminal.
    var columns: Int?
    /// Whether the surroundings ask for no colour (`NO_COLOR`, `TERM=dumb`).
    var refusesColor = false

    /// The columns to lay text out for: also a pipe's reader has a screen.
    var width: Int { max(40, columns ?? 120) }

    func usesColor(_ choice: ColorChoice) -> Bool {
        switch choice {
        case .always: true
        case .never: false
        case .auto: isOutputTerminal && !refusesColor
        }
    }

    /// This process's own.
    ///
    /// - Parameter errors: The descriptor of its error stream.
    static func current(errors: Int32 = STDERR_FILENO) -> Terminal {
        let environment = ProcessInfo.processInfo.environment
        var terminal = Terminal()
        terminal.isOutputTerminal = isatty(STDOUT_FILENO) == 1
        terminal.isErrorTerminal = isatty(errors) == 1
        terminal.refusesColor = !(environment["NO_COLOR"] ?? "").isEmpty || environment["TERM"] == "dumb"
        if terminal.isOutputTerminal {
            var size = winsize()
            let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
            terminal.columns = isKnown ? Int(size.ws_col) : 80
        }
        return terminal
    }

    /// Lets a reader that closes its end (`| head`) show as a failed write instead of a signal.
    static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }
}
