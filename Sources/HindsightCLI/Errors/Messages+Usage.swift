import HindsightSupport

/// The text of the tool's messages. The facts come from the errors.
enum Messages {
    /// A usage error in at most three lines: the problem, a suggestion, and where to read more.
    static func text(of error: UsageError, tool: String) -> [String] {
        var lines = [sentence(of: error.problem)]
        if case .unknownCommand("archive", _) = error.problem {
            lines.append("This build has no archives. Build it with 'swift build --traits Archive', which needs libpq.")
        } else if let suggestion = suggestion(for: error.problem) {
            lines.append("Did you mean \(escape(suggestion))?")
        }
        let help = error.command.map { "\(tool) \($0) --help" } ?? "\(tool) --help"
        lines.append("See '\(help)'.")
        return lines
    }

    private static func sentence(of problem: UsageError.Problem) -> String {
        switch problem {
        case .noCommand:
            "A command is missing."
        case .unknownCommand(let name, _):
            "There is no command \(quote(name))."
        case .unknownOption(let name, _):
            "There is no option \(escape(name))."
        case .missingValue(let name, let placeholder):
            "\(name) needs a value: \(name) \(placeholder) (or \(name)=\(placeholder) if the value begins with a dash)."
        case .unexpectedValue(let name):
            "\(name) takes no value."
        case .repeatedOption(let name):
            "\(name) is given more than once."
        case .badValue(let text, let name, let expected):
            "\(name) \(quote(text)) is not valid. Expected: \(expected)."
        case .missingOption(let declaration):
            "\(declaration.longForm) is missing. \(declaration.help)"
        case .missingArguments(let names):
            names.count == 1
                ? "\(names[0]) is missing."
                : "\(names.dropLast().joined(separator: ", ")) and \(names.last ?? "") are missing."
        case .unexpectedArgument(let argument):
            "Unexpected argument \(quote(argument))."
        case .conflict(let one, let other):
            "\(one) and \(other) cannot be combined."
        case .noEffect(let one, let other):
            "\(one) has no effect without \(other)."
        }
    }

    private static func suggestion(for problem: UsageError.Problem) -> String? {
        switch problem {
        case .unknownCommand(let name, let known), .unknownOption(let name, let known):
            Suggestion.nearest(to: name, in: known)
        default:
            nil
        }
    }
}
