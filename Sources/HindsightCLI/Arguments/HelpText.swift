/// Help, made from a command's syntax.
struct HelpText {
    /// The tool's name, as it was called.
    let tool: String

    /// How a command is called; what would be wider than a screen goes on below, under its first argument.
    func usage(of syntax: Syntax) -> String {
        let call = "Usage: \(tool) \(syntax.name)"
        let indentation = String(repeating: " ", count: call.count)
        var lines = [call]
        for word in words(of: syntax) {
            if lines[lines.count - 1].count + 1 + word.count > 100 { lines.append(indentation) }
            lines[lines.count - 1] += " " + word
        }
        return lines.joined(separator: "\n")
    }

    private func words(of syntax: Syntax) -> [String] {
        var words: [String] = []
        for declaration in syntax.named where !isCommon(declaration) {
            switch declaration.kind {
            case .option(let value, _): words.append("[--\(declaration.name) \(value)]")
            case .flag: words.append("[--\(declaration.name)]")
            case .positional: break
            }
        }
        for declaration in syntax.positionals {
            guard case .positional(let required, let repeating) = declaration.kind else { continue }
            let name = declaration.name + (repeating ? "…" : "")
            words.append(required ? name : "[\(name)]")
        }
        return words
    }

    func help(for syntax: Syntax) -> String {
        var text = "\(syntax.abstract).\n\n\(usage(of: syntax))\n"
        if !syntax.discussion.isEmpty { text += "\n\(syntax.discussion)\n" }
        text += "\nArguments:\n" + table(syntax.positionals.map { ($0.name, $0.help) })
        text += "\nOptions:\n" + table(syntax.named.map { (label(of: $0), $0.help) })
        text += "\nExamples:\n" + examples(syntax.examples)
        text += "\nWith --json: \(syntax.jsonShape)\n"
        return text
    }

    /// The whole tool's help.
    func overview(_ commands: [Syntax], apps: [String]) -> String {
        var text = """
            Records what a Swift app's store does, and travels through it: replay, diff, jump.

            Usage: \(tool) COMMAND ARGUMENT…

            Commands:

            """
        text += table(commands.map { ($0.name, $0.abstract) })
        text += """

            A position is a point in time: 42 (after action 42), 42.2 (after its 2nd reducer), start, end, crash, 50%.
            Apps that this tool can record and replay: \(apps.isEmpty ? "none" : apps.joined(separator: ", ")).

            Exit codes: 0 fine · 1 a difference was found · 2 usage · 3 file unreadable or damaged
                        4 recording does not fit this build · 5 a reducer ended the process, or took too long

            '\(tool) COMMAND --help' says more, with examples. '\(tool) --version' names the version.

            """
        return text
    }

    private func isCommon(_ declaration: Declaration) -> Bool {
        declaration == Common.color.declaration || declaration == Common.help.declaration
    }

    private func label(of declaration: Declaration) -> String {
        switch declaration.kind {
        case .option(let value, let short?): "-\(short), --\(declaration.name) \(value)"
        case .option(let value, nil): "--\(declaration.name) \(value)"
        case .flag(let short?): "-\(short), --\(declaration.name)"
        case .flag(nil), .positional: "--\(declaration.name)"
        }
    }

    private func examples(_ examples: [Syntax.Example]) -> String {
        examples.map { "  \(tool) \($0.arguments)\n      \($0.help)\n" }.joined()
    }

    /// Two columns; a row whose first column is long goes over two lines.
    private func table(_ rows: [(String, String)]) -> String {
        let width = min(rows.map(\.0.count).max() ?? 0, 24)
        return rows.map { left, right in
            let gap = left.count > width ? "\n  " + String(repeating: " ", count: width) : ""
            let padding = String(repeating: " ", count: max(0, width - left.count))
            return "  \(left)\(gap)\(padding)  \(right)\n"
        }.joined()
    }
}
