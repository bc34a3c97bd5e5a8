/// Reads a command's arguments by its syntax. Errors are the facts of a ``UsageError``, without text.
struct Parser {
    let syntax: Syntax

    /// - Parameter arguments: The arguments after the command's name.
    func parse(_ arguments: [String]) throws(UsageError) -> Arguments {
        var result = Arguments(syntax: syntax)
        var rest = arguments[...]
        var onlyPositionals = false
        while let argument = rest.popFirst() {
            if onlyPositionals || Self.isValue(argument) {
                result.positionals.append(argument)
            } else if argument == "--" {
                onlyPositionals = true
            } else {
                try parseNamed(argument, rest: &rest, into: &result)
            }
        }
        if result[GlobalOptions.help] { return result }
        try checkPositionals(result.positionals)
        try syntax.checkValues(in: result)
        return result
    }

    private func parseNamed(
        _ argument: String,
        rest: inout ArraySlice<String>,
        into result: inout Arguments
    ) throws(UsageError) {
        let (name, attached) = split(argument)
        guard let declaration = syntax.declaration(of: name) else {
            throw UsageError(syntax.name, .unknownOption(name, known: syntax.named.map { "--" + $0.name }))
        }
        switch declaration.kind {
        case .flag:
            if attached != nil { throw UsageError(syntax.name, .unexpectedValue("--" + declaration.name)) }
            result.flags.insert(declaration.name)
        case .option(let placeholder):
            guard let value = attached ?? nextValue(from: &rest) else {
                throw UsageError(syntax.name, .missingValue("--" + declaration.name, placeholder: placeholder))
            }
            guard declaration.isRepeating || result.options[declaration.name] == nil else {
                throw UsageError(syntax.name, .repeatedOption("--" + declaration.name))
            }
            result.options[declaration.name, default: []].append(value)
        case .positional:
            break
        }
    }

    /// The next argument, unless it is an option: in `--app --force`, the name of the app is missing.
    private func nextValue(from rest: inout ArraySlice<String>) -> String? {
        guard let next = rest.first, Self.isValue(next) else { return nil }
        rest.removeFirst()
        return next
    }

    /// Whether an argument is no option: `-` is a file, `-5s` a position, `-seq < -5` an expression, and `-- all of them` a
    /// comment of SQL.
    ///
    /// The name of an option has letters, digits and dashes. A value may follow it after `=`, or after one letter.
    static func isValue(_ argument: String) -> Bool {
        guard argument.hasPrefix("-"), argument != "-" else { return true }
        let isLong = argument.hasPrefix("--")
        let rest = argument.dropFirst(isLong ? 2 : 1)
        let name = rest.prefix { $0 != "=" }
        let isName = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
        if isLong { return !isName }
        return !(isName && name.first?.isLetter ?? false && (name.count == 1 || name.count == rest.count))
    }

    /// Splits `--name=value`.
    private func split(_ argument: String) -> (name: String, value: String?) {
        guard argument.hasPrefix("--"), let sign = argument.firstIndex(of: "=") else { return (argument, nil) }
        return (String(argument[..<sign]), String(argument[argument.index(after: sign)...]))
    }

    private func checkPositionals(_ given: [String]) throws(UsageError) {
        let declared = syntax.positionals
        let required = declared.filter { $0.kind == .positional(required: true) }
        if given.count < required.count {
            throw UsageError(syntax.name, .missingArguments(required.dropFirst(given.count).map(\.name)))
        }
        if given.count > declared.count, declared.last?.isRepeating != true {
            throw UsageError(syntax.name, .unexpectedArgument(given[declared.count]))
        }
    }
}
