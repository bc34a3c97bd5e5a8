/// The parsed arguments of a command.
struct Arguments: Sendable {
    let syntax: Syntax
    var positionals: [String] = []
    /// The values of each option, in order. Only an option that may be repeated has several.
    var options: [String: [String]] = [:]
    var flags: Set<String> = []

    subscript(flag: Flag) -> Bool {
        flags.contains(flag.declaration.name)
    }

    /// Whether an option or a flag is given.
    func isGiven(_ argument: any Argument) -> Bool {
        let name = argument.declaration.name
        return flags.contains(name) || options[name] != nil
    }

    /// Throws a usage error if more than one of some options and flags is given.
    func checkAtMostOne(of arguments: any Argument...) throws(UsageError) {
        let given = arguments.filter { isGiven($0) }.map { "--" + $0.declaration.name }
        if given.count > 1 { throw UsageError(syntax.name, .conflict(given[0], given[1])) }
    }

    /// Throws a usage error if an option or flag is given without the one to which it belongs.
    func check(_ argument: any Argument, needs other: any Argument) throws(UsageError) {
        guard isGiven(argument), !isGiven(other) else { return }
        let names = (argument.declaration.name, other.declaration.name)
        throw UsageError(syntax.name, .noEffect("--" + names.0, without: "--" + names.1))
    }

    /// The option's value; `nil` if it was not given.
    subscript<Value>(option: Option<Value>) -> Value? {
        get throws(UsageError) {
            let name = option.declaration.name
            guard let text = options[name]?.first else { return nil }
            return try value(text, of: option)
        }
    }

    /// All values of an option, in order.
    func all<Value>(_ option: Option<Value>) throws(UsageError) -> [Value] {
        var values: [Value] = []
        for text in options[option.declaration.name] ?? [] { values.append(try value(text, of: option)) }
        return values
    }

    private func value<Value>(_ text: String, of option: Option<Value>) throws(UsageError) -> Value {
        guard let value = option.read(text) else {
            let name = "--" + option.declaration.name
            throw UsageError(syntax.name, .badValue(text, of: name, expected: option.expected))
        }
        return value
    }

    /// The option's value, or a usage error if it was not given.
    func require<Value>(_ option: Option<Value>) throws(UsageError) -> Value {
        guard let value = try self[option] else {
            throw UsageError(syntax.name, .missingOption(option.declaration))
        }
        return value
    }

    /// The value of a required positional argument.
    func require(_ positional: Positional) throws(UsageError) -> String {
        guard let value = self[positional] else {
            throw UsageError(syntax.name, .missingArguments([positional.declaration.name]))
        }
        return value
    }

    /// The value of a positional argument; `nil` if it was not given.
    subscript(positional: Positional) -> String? {
        all(positional).first
    }

    /// The flags and the options as words.
    ///
    /// - Parameter names: Those to leave out.
    func words(without names: Set<String> = []) -> [String] {
        let given = options.filter { !names.contains($0.key) }
        return flags.subtracting(names).sorted().map { "--" + $0 }
            + given.sorted { $0.key < $1.key }.flatMap { name, values in values.map { "--\(name)=\($0)" } }
    }

    /// The values of a repeating positional argument.
    func all(_ positional: Positional) -> [String] {
        guard let index = syntax.positionals.firstIndex(of: positional.declaration) else { return [] }
        return Array(positionals.dropFirst(index))
    }
}
