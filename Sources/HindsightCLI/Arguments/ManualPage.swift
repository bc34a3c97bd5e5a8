import Foundation

/// The tool's manual page in roff, made from the declarations of the commands.
struct ManualPage {
    /// The tool's name, as it was called.
    let tool: String
    let version: String

    private var help: HelpText { HelpText(tool: tool) }

    /// - Parameter exitCodes: Each exit code, and what it means.
    func text(of commands: [Syntax], exitCodes: [(code: String, meaning: String)]) -> String {
        let title = Self.argument(tool.uppercased())
        var lines = [
            ".TH \(title) 1 \"\" \(Self.argument("\(tool) \(version)")) \"User Commands\"",
            // Long options and paths look worse with hyphens, or with wide spaces between them.
            ".nh", ".ad l",
            ".SH NAME",
            Self.escaped("\(tool)") + " \\- records and replays the store of a Swift app, and examines recordings",
            ".SH SYNOPSIS", ".B \(Self.escaped(tool))", "\\fICOMMAND ARGUMENT\\fR ...",
            ".SH DESCRIPTION",
        ]
        lines += paragraph(
            """
            \(tool) records every action of an app's store, and the state after each reducer, into one file. It shows what
            each action changed, jumps to any moment, compares any two, and replays the file through the app's reducers.
            """
        )
        lines += paragraph(HelpText.positions)
        lines.append(".SH COMMANDS")
        for syntax in commands { lines += section(of: syntax) }
        lines += definitions("EXIT STATUS", exitCodes.map { Self.sentence($0.code, $0.meaning) })
        lines += definitions("ENVIRONMENT", Self.environment)
        return lines.map { $0 + "\n" }.joined()
    }

    private static func sentence(_ code: String, _ meaning: String) -> (String, String) {
        (code, meaning.prefix(1).uppercased() + meaning.dropFirst().replacing("`", with: "") + ".")
    }

    private static let environment = [
        (
            "HINDSIGHT_PAGER, PAGER",
            """
            The pager for long output on a terminal, the first one that is set; 'less -FRX' by default. If it is empty or
            cat, there is no pager.
            """
        ),
        ("COLUMNS", "The width of a line, instead of the terminal's."),
        ("NO_COLOR", "If it is set and not empty, there is no colour unless --color always asks for it."),
        ("SWIFT_BACKTRACE", "swift-backtrace=FILE names the program that finds the place of a crash in a reducer."),
    ]

    private func section(of syntax: Syntax) -> [String] {
        var lines = [".SS \(Self.argument(syntax.name))"] + paragraph(syntax.abstract + ".")
        lines += [".PP", ".B \(Self.escaped("\(tool) \(syntax.name)"))"]
        lines += help.words(of: syntax).map(Self.line)
        for text in syntax.discussion.components(separatedBy: "\n\n") where !text.isEmpty { lines += paragraph(text) }
        for argument in syntax.positionals {
            lines += definition("\\fI\(Self.escaped(argument.name))\\fR", argument.help)
        }
        for option in syntax.named {
            lines += definition("\\fB\(Self.escaped(option.label))\\fR", option.help)
        }
        for (arguments, help) in syntax.examples {
            lines += definition("\\fB\(Self.escaped("\(tool) \(arguments)"))\\fR", help)
        }
        return lines + paragraph("With --json: \(syntax.jsonShape)")
    }

    private func definitions(_ title: String, _ rows: [(String, String)]) -> [String] {
        [".SH \(Self.argument(title))"] + rows.flatMap { definition("\\fB\(Self.escaped($0.0))\\fR", $0.1) }
    }

    private func definition(_ term: String, _ text: String) -> [String] {
        [".TP", Self.guarded(term)] + text.components(separatedBy: "\n").map(Self.line)
    }

    private func paragraph(_ text: String) -> [String] {
        let lines = text.components(separatedBy: "\n").filter { !$0.isEmpty }
        // Indented lines keep their breaks.
        let isFlowing = !lines.contains { $0.hasPrefix(" ") }
        return isFlowing ? [".PP"] + lines.map(Self.line) : [".PP", ".nf"] + lines.map(Self.line) + [".fi"]
    }

    /// A line of text.
    private static func line(_ text: String) -> String { guarded(escaped(text)) }

    /// The line with a zero-width character before a dot, which would make it a request.
    private static func guarded(_ line: String) -> String { line.hasPrefix(".") ? "\\&" + line : line }

    /// An argument of a request.
    private static func argument(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// Escapes what roff interprets, and all that is not ASCII.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case "\"": result += "\\(dq"
            case " "..."~": result.unicodeScalars.append(scalar)
            default: result += String(format: "\\[u%04X]", scalar.value)
            }
        }
    }
}
