/// Where a command's words go: results, notes beside them, and how to style them.
final class Console {
    let output: Output
    let errors: Output
    let terminal: Terminal
    private(set) var style: Style
    private var shownProgress = 0

    init(output: Output, errors: Output, terminal: Terminal) {
        self.output = output
        self.errors = errors
        self.terminal = terminal
        style = Style(isOn: terminal.usesColor(.auto))
    }

    func choose(_ color: ColorChoice) {
        style = Style(isOn: terminal.usesColor(color))
    }

    /// Whether it still makes sense to print.
    var isOpen: Bool { output.isOpen }

    func print(_ line: String = "") {
        output.writeLine(line)
    }

    /// Says something on the error stream, beside the results.
    func note(_ text: String) {
        clearProgress()
        output.flush()
        errors.writeLine(text)
        errors.flush()
    }

    /// Shows how far long work has come, on a terminal only; the next note wipes it away.
    func progress(_ text: @autoclosure () -> String) {
        guard terminal.isErrorTerminal else { return }
        let text = String(text().prefix(terminal.width - 1))
        let padding = String(repeating: " ", count: max(0, shownProgress - text.count))
        shownProgress = text.count
        errors.write("\r\(text)\(padding)")
        errors.flush()
    }

    func clearProgress() {
        guard shownProgress > 0 else { return }
        errors.write("\r\(String(repeating: " ", count: shownProgress))\r")
        errors.flush()
        shownProgress = 0
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
