/// Formats help from the syntax of commands.
struct HelpText {
    /// The tool's name, as it was called.
    let tool: String
    /// The width of a line in columns.
    var width = widest

    /// The greatest width, because longer lines are hard to read.
    static let widest = 100
    /// The width where there is no terminal.
    static let usual = 80

    /// The usage of a command, wrapped under its first argument.
    func usage(of syntax: Syntax) -> String {
        let call = "Usage: \(tool) \(syntax.name)"
        let indentation = String(repeating: " ", count: min(call.count, width / 3))
        var lines = [call]
        for word in words(of: syntax).flatMap({ broken($0, to: width - indentation.count - 1) }) {
            if lines[lines.count - 1].count + 1 + word.count > width { lines.append(indentation) }
            lines[lines.count - 1] += " " + word
        }
        return lines.joined(separator: "\n")
    }

    /// The options and arguments of a command, in brackets if they may be left out.
    func words(of syntax: Syntax) -> [String] {
        let options = syntax.named.filter { !isCommon($0) }.map { "[\($0.longForm)]" }
        let positionals = syntax.positionals.map { declaration in
            let name = declaration.name + (declaration.isRepeating ? "…" : "")
            return declaration.kind == .positional(required: true) ? name : "[\(name)]"
        }
        return options + positionals
    }

    /// A word in pieces that fit, broken between the values that an option may have.
    private func broken(_ word: String, to columns: Int) -> [String] {
        guard word.count > columns else { return [word] }
        let choices = word.split(separator: "|", omittingEmptySubsequences: false)
        return choices.enumerated().reduce(into: [""]) { pieces, choice in
            let part = choice.element + (choice.offset < choices.count - 1 ? "|" : "")
            if pieces[pieces.count - 1].count + part.count > columns, pieces != [""] { pieces.append("") }
            pieces[pieces.count - 1] += part
        }
    }

    func help(for syntax: Syntax) -> String {
        var text = "\(paragraphs(syntax.abstract + "."))\n\n\(usage(of: syntax))\n"
        if !syntax.discussion.isEmpty { text += "\n\(paragraphs(syntax.discussion))\n" }
        text += "\nArguments:\n" + table(syntax.positionals.map { ($0.name, $0.help) })
        text += "\nOptions:\n" + table(syntax.named.map { ($0.label, $0.help) })
        text += "\nExamples:\n" + examples(syntax.examples)
        text += "\n\(paragraphs("With --json: \(syntax.jsonShape)"))\n"
        return text
    }

    /// The help of the whole tool.
    func overview(_ commands: [Syntax], apps: [String]) -> String {
        var text = paragraphs("Records the store of a Swift app, and replays, compares and examines the recordings.")
        text += "\n\nUsage: \(tool) COMMAND ARGUMENT…\n\nCommands:\n"
        text += table(commands.map { ($0.name, $0.abstract) })
        text += "\n" + paragraphs(more(apps)) + "\n"
        return text
    }

    /// What a position is, for the help and the documentation.
    static let positions = """
        A position is a point in time: 42 (after action 42), 42.2 (after its 2nd reducer), start, end, crash, 50%, a note's
        text, or a time: 14:03:22, +00:12.5 (after the start), -5s (before the end). A time stands for the last position
        that was reached at it, and in --from for the first one. A time without a fraction covers its whole second; it is
        local time, or has a zone: '2026-11-20 14:03:22 UTC'. The end is when the recording was closed, as info shows, or
        else its last action.
        """

    /// The paragraphs below the list of commands.
    private func more(_ apps: [String]) -> String {
        """
        \(Self.positions)

        Apps that this tool can record and replay: \(apps.isEmpty ? "none" : apps.joined(separator: ", ")).

        Exit codes: 0 success · 1 a difference was found · 2 usage
                    3 file unreadable or damaged · 4 recording does not fit this build
                    5 a reducer ended the process, or took too long · 6 nothing could be compared

        '\(tool) COMMAND --help' shows details and examples, '\(tool) --man' prints the manual page, and '\(tool) --version'
        the version.
        """
    }

    /// Wraps text that is already wrapped for a wide screen, if this screen is narrower.
    private func paragraphs(_ text: String) -> String {
        text.split(separator: "\n\n", omittingEmptySubsequences: false).map { paragraph in
            let lines = paragraph.split(separator: "\n", omittingEmptySubsequences: false)
            // An indented paragraph belongs to the line above it, and keeps its lines.
            if lines.allSatisfy({ String($0).columns <= width }) { return String(paragraph) }
            let isFlowing = !lines.contains { $0.hasPrefix(" ") }
            let whole = isFlowing ? [lines.joined(separator: " ")] : lines.map(String.init)
            return whole.flatMap { $0.wrapped(to: width, hanging: isFlowing ? 0 : nil) }.joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    private func isCommon(_ declaration: Declaration) -> Bool {
        [GlobalOptions.noPager.declaration, GlobalOptions.color.declaration, GlobalOptions.help.declaration]
            .contains(declaration)
    }

    private func examples(_ examples: KeyValuePairs<String, String>) -> String {
        examples.map { arguments, help in
            let lines =
                "  \(tool) \(arguments)".wrapped(to: width, hanging: 4)
                + "      \(help)".wrapped(to: width, hanging: 6)
            return lines.map { $0 + "\n" }.joined()
        }.joined()
    }

    /// Formats two columns. A row with a long first column takes two lines; on a narrow screen, every row does.
    private func table(_ rows: [(String, String)]) -> String {
        let isNarrow = width < 72
        let column = isNarrow ? 4 : min(rows.map(\.0.count).max() ?? 0, 24)
        return rows.map { left, right in
            let isLong = left.count > column
            let margin = String(repeating: " ", count: column)
            let first = isLong ? "  \(broken(left, to: width - 6).joined(separator: "\n      "))\n" : ""
            let rest = "  \(isLong ? margin : left.padded(to: column))  \(right)"
            return first + rest.wrapped(to: width, hanging: column + 4).map { $0 + "\n" }.joined()
        }.joined()
    }
}
