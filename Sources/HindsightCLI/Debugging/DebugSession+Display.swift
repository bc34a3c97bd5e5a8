import HindsightDebugger
import HindsightSupport

extension DebugSession {
    /// `display`, `display PATH|NAME|EXPR`
    func display(_ text: String) throws {
        if text.isEmpty {
            if displays.isEmpty { console.print("Nothing is displayed. display EXPR adds a value.") }
            return printDisplays()
        }
        // A mistake in it is told now, and not at each stop; what is missing here may be there later.
        let evaluation = try evaluate(text)
        displays.append((nextDisplay, text))
        nextDisplay += 1
        printDisplay(displays[displays.count - 1])
        if case .value = evaluation { return }
        try remark(on: try debugger.unknownNames(in: text))
    }

    /// `undisplay`, `undisplay N…`
    func undisplay(_ rest: String) throws {
        for word in rest.split(whereSeparator: { $0 == " " || $0 == "," }) {
            guard let index = displays.firstIndex(where: { "\($0.number)" == word }) else {
                throw Failure(.usage, "There is no displayed value \(brief(String(word))).", "info display lists them.")
            }
            displays.remove(at: index)
        }
        if rest.isEmpty { displays = [] }
    }

    func printDisplays() {
        for display in displays { printDisplay(display) }
    }

    private func printDisplay(_ display: (number: Int, text: String)) {
        let value: String
        do {
            value = try answer(try evaluate(display.text))
        } catch {
            value = style.faint(tool.failure(for: error).lines.first ?? "")
        }
        console.print("\(style.strong("\(display.number)"))  \(brief(display.text)) = \(value)", hanging: 4)
    }

    /// `info`, `info breakpoints|display|branches`
    func printInfo(_ rest: String) throws {
        let topics = ["breakpoints", "display", "branches", "watchpoints"]
        guard !rest.isEmpty else { return try run(InfoCommand.self, ["--", debugger.recording.url.relativePath]) }
        switch topics.first(where: { $0.hasPrefix(rest) }) {
        case "breakpoints"?, "watchpoints"?: printBreakpoints()
        case "display"?: try display("")
        case "branches"?: printBranches()
        default:
            throw Failure(.usage, "There is no info \(quote(rest)).", "info takes breakpoints, display or branches.")
        }
    }
}
