import Foundation
import HindsightSupport

/// The properties of the terminal, or of the pipe or file in its place.
struct Terminal: Sendable {
    var isOutputTerminal = false
    var isErrorTerminal = false
    /// The columns that lines may take: `COLUMNS`, or the terminal's width; `nil` if nothing limits them, as in a pipe.
    var columns: Int?
    /// The width of the terminal that errors go to; `nil` if they go elsewhere.
    var errorColumns: Int?
    /// Whether `COLUMNS` gave the width.
    var isWidthGiven = false
    /// Whether the environment asks for no colour (`NO_COLOR`, `TERM=dumb`).
    var refusesColor = false

    /// The columns to lay text out for. Without a limit it is more than any line has, so that nothing is cut or
    /// wrapped.
    var width: Int { columns.map { max(Self.narrowest, $0) } ?? Self.unlimited }

    /// Whether lines have to fit into ``width``.
    var isLimited: Bool { columns != nil }

    /// The width that is assumed for narrower terminals.
    static let narrowest = 20
    /// Small enough to multiply without overflow, and too large to reach, even a fraction of it.
    static let unlimited = 1 << 40

    /// Whether a number of columns is a limit: ``unlimited`` and its fractions are none.
    static func isLimit(_ columns: Int) -> Bool { columns < unlimited >> 16 }

    func usesColor(_ choice: ColorChoice) -> Bool {
        switch choice {
        case .always: true
        case .never: false
        case .auto: isOutputTerminal && !refusesColor
        }
    }

    /// The terminal of this process.
    ///
    /// - Parameter errors: The descriptor of its error stream.
    static func current(errors: Int32) -> Terminal {
        let environment = ProcessInfo.processInfo.environment
        var terminal = Terminal()
        terminal.isOutputTerminal = isatty(STDOUT_FILENO) == 1
        terminal.isErrorTerminal = isatty(errors) == 1
        terminal.refusesColor = !(environment["NO_COLOR"] ?? "").isEmpty || environment["TERM"] == "dumb"
        let asked = asked(environment["COLUMNS"])
        terminal.isWidthGiven = asked != nil
        terminal.columns = asked ?? (terminal.isOutputTerminal ? width(of: STDOUT_FILENO) : nil)
        terminal.errorColumns = terminal.isErrorTerminal ? asked ?? width(of: errors) : nil
        return terminal
    }

    /// Reads the widths again, because a window may have another size now.
    ///
    /// - Parameter output: The descriptor of the output.
    mutating func measure(output: Int32) {
        if isWidthGiven { return }
        if isOutputTerminal { columns = Self.width(of: output) }
        if isErrorTerminal { errorColumns = Self.width(of: STDERR_FILENO) }
    }

    /// The width that `COLUMNS` asks for; `nil` if it is missing or not a positive number.
    static func asked(_ text: String?) -> Int? {
        text.flatMap { Int($0) }.flatMap { (1...10_000).contains($0) ? $0 : nil }
    }

    private static func width(of descriptor: Int32) -> Int {
        var size = winsize()
        let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : 80
    }
}
