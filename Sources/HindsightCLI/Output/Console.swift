/// The output and the error stream of a command, and their style.
final class Console {
    let output: Output
    let errors: Output
    private(set) var terminal: Terminal
    private(set) var style: Style
    /// Whether lines that are wider than the terminal are wrapped. JSON must not be.
    var wraps = true
    /// Takes the lines of notes and errors, in place of the error stream.
    var relay: (([String]) -> Void)?
    private var shownProgress = 0
    private var hidesProgress = false

    init(output: Output, errors: Output, terminal: Terminal) {
        self.output = output
        self.errors = errors
        self.terminal = terminal
        style = Style(isOn: terminal.usesColor(.auto))
    }

    func choose(_ color: ColorChoice) {
        style = Style(isOn: terminal.usesColor(color))
    }

    /// Follows a window that has changed its size since.
    func measure(output descriptor: Int32) { terminal.measure(output: descriptor) }

    /// Whether the output still has a reader.
    var isOpen: Bool { output.isOpen }

    /// The output has lost its reader. A command that throws it has ended well.
    struct Closed: Error {}

    /// Ends a command whose output has lost its reader.
    func checkIsOpen() throws { if !isOpen { throw Closed() } }

    /// Prints a line, wrapped to the width of the output.
    ///
    /// - Parameter hanging: The indentation of lines after the first; `nil` for two columns more than the first.
    func print(_ line: String = "", hanging: Int? = nil) {
        guard wraps, terminal.isLimited else { return output.writeLine(line) }
        for line in line.wrapped(to: terminal.width, hanging: hanging) { output.writeLine(line) }
    }

    /// Prints a line that matters less.
    func print(faint line: String, hanging: Int? = nil) { print(style.faint(line), hanging: hanging) }

    /// Counts what is not listed, if there is more than what is: `… and 3 more places`.
    func printRest(_ count: Int, _ noun: String, plural: String? = nil, margin: String = "", _ end: String = "") {
        guard count > 0 else { return }
        let rest = Quantities.counted(count, "more \(noun)", plural.map { "more \($0)" })
        print(margin + style.faint("… and \(rest)\(end)"))
    }

    /// Prints a value after its label.
    ///
    /// - Parameters:
    ///   - columns: The width of the label.
    ///   - hangs: Whether lines after the first stand below the value.
    func row(
        _ label: String,
        _ value: String,
        margin: String = "  ",
        columns: Int = 8,
        gap: String = " ",
        hangs: Bool = true
    ) {
        let head = "\(margin)\(style.faint(label.padded(to: columns)))\(gap)"
        print(head + value, hanging: hangs ? margin.count + columns + gap.count : nil)
    }

    /// Writes parts of a text as they are made, until the output has lost its reader.
    func write(_ parts: ((String) throws -> Void) throws -> Void) throws {
        do {
            try parts { part in
                try checkIsOpen()
                output.write(part)
            }
        } catch is Closed {}
    }

    /// Prints text without wrapping, for other programs.
    func printExactly(_ text: String) {
        output.writeLine(text)
    }

    /// Prints a note on the error stream.
    func note(_ text: String) {
        clearProgress()
        output.flush()
        if let relay { return relay(text.split(separator: "\n").map(String.init)) }
        errors.writeLine(text)
        errors.flush()
    }

    /// Shows the progress of long work, on a terminal only. The next note replaces it.
    func progress(_ text: @autoclosure () -> String) {
        guard terminal.isErrorTerminal, !hidesProgress else { return }
        let text = text().clipped(to: max(1, (terminal.errorColumns ?? 80) - 1))
        let padding = String(repeating: " ", count: max(0, shownProgress - text.columns))
        shownProgress = text.columns
        errors.write("\r\(text)\(padding)")
        errors.flush()
    }

    func clearProgress() {
        guard shownProgress > 0 else { return }
        errors.write("\r\(String(repeating: " ", count: shownProgress))\r")
        errors.flush()
        shownProgress = 0
    }

    /// Shows no progress from now on, because the error stream is no terminal any more.
    func hideProgress() {
        clearProgress()
        hidesProgress = true
    }

    func finish() {
        clearProgress()
        output.flush()
        errors.flush()
    }
}

/// Colours, or none.
struct Style: Sendable {
    let isOn: Bool

    func added(_ text: String) -> String { paint(text, "32") }
    func removed(_ text: String) -> String { paint(text, "31") }
    func changed(_ text: String) -> String { paint(text, "36") }
    func faint(_ text: String) -> String { paint(text, "2") }
    func strong(_ text: String) -> String { paint(text, "1") }
    func good(_ text: String) -> String { paint(text, "32") }
    func bad(_ text: String) -> String { paint(text, "1;31") }

    private func paint(_ text: String, _ code: String) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
