/// The declaration of an argument, with its type erased, for parsing and help.
struct Declaration: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        /// Identified by its position.
        case positional(required: Bool)
        /// `--name VALUE` or `--name=VALUE`.
        case option(value: String)
        /// `--name`.
        case flag
    }

    /// A positional's placeholder (`FILE`), or the name of an option or flag without its dashes.
    let name: String
    let kind: Kind
    let help: String
    /// The letter of an option or flag that may also be given as `-x`.
    var short: Character?
    /// Whether a positional or an option may be given more than once.
    var isRepeating = false

    var isPositional: Bool { if case .positional = kind { true } else { false } }

    /// An option with the placeholder of its value, or a flag.
    var longForm: String { if case .option(let value) = kind { "--\(name) \(value)" } else { "--\(name)" } }

    /// All forms of an option or flag.
    var label: String { (short.map { "-\($0), " } ?? "") + longForm }
}

/// An argument of a command.
protocol Argument: Sendable {
    var declaration: Declaration { get }

    /// Throws a usage error if one of the values that it was given is not as expected.
    func checkValues(in arguments: Arguments) throws(UsageError)
}

extension Argument {
    func checkValues(in arguments: Arguments) throws(UsageError) {}
}

/// An argument that is identified by its position.
struct Positional: Argument {
    let declaration: Declaration

    init(
        _ placeholder: String,
        required: Bool = true,
        repeating: Bool = false,
        help: String
    ) {
        declaration = Declaration(
            name: placeholder,
            kind: .positional(required: required),
            help: help,
            isRepeating: repeating
        )
    }
}

/// An argument with a name and a value. The value is checked before the command runs.
struct Option<Value: Sendable>: Argument {
    let declaration: Declaration
    /// Parses a value; `nil` if the text is not valid.
    let read: @Sendable (String) -> Value?
    /// The form of a value, for the message about one that is not valid.
    let expected: String

    init(
        _ name: String,
        short: Character? = nil,
        value placeholder: String,
        expected: String,
        repeating: Bool = false,
        help: String,
        read: @escaping @Sendable (String) -> Value?
    ) {
        declaration = Declaration(
            name: name,
            kind: .option(value: placeholder),
            help: help,
            short: short,
            isRepeating: repeating
        )
        self.read = read
        self.expected = expected
    }

    func checkValues(in arguments: Arguments) throws(UsageError) {
        _ = try arguments.all(self)
    }
}

extension Option where Value == String {
    /// An option whose value is any text.
    init(_ name: String, short: Character? = nil, value placeholder: String, help: String) {
        self.init(name, short: short, value: placeholder, expected: "a text", help: help) { $0 }
    }

    /// The option for the file that a command writes: `-o`, `--output`.
    init(output placeholder: String, expected: String = "a path", help: String) {
        self.init("output", short: "o", text: placeholder, expected: expected, help: help)
    }

    /// An option whose value is a text that is not empty, such as a path.
    init(
        _ name: String,
        short: Character? = nil,
        text placeholder: String,
        expected: String = "a path",
        repeating: Bool = false,
        help: String
    ) {
        self.init(name, short: short, value: placeholder, expected: expected, repeating: repeating, help: help) {
            $0.isEmpty ? nil : $0
        }
    }
}

extension Option where Value == Int {
    /// An option whose value is a number.
    ///
    /// - Parameters:
    ///   - least: The smallest one.
    ///   - most: The largest one.
    init(
        _ name: String,
        short: Character? = nil,
        value placeholder: String = "N",
        from least: Int,
        to most: Int = .max,
        help: String
    ) {
        let expected = "a number from \(least)" + (most < .max ? " to \(most)" : "")
        self.init(name, short: short, value: placeholder, expected: expected, help: help) { text in
            Int(text).flatMap { least...most ~= $0 ? $0 : nil }
        }
    }
}

extension Option where Value == Double {
    /// An option whose value is a number of seconds, with or without their unit.
    init(seconds name: String, help: String) {
        let expected = "a number of seconds above 0, such as 30 or 30s"
        self.init(name, value: "SECONDS", expected: expected, help: help) { text in
            let number = Double(text.hasSuffix("s") ? String(text.dropLast()) : text)
            return number.flatMap { $0 > 0 && $0 <= 1_000_000 ? $0 : nil }
        }
    }
}

extension Option where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// An option whose value is one of a few words.
    init(_ name: String, help: String) {
        let words = Value.allCases.map(\.rawValue)
        self.init(
            name,
            value: words.joined(separator: "|"),
            expected: words.dropLast().joined(separator: ", ") + " or " + (words.last ?? ""),
            help: help,
            read: Value.init(rawValue:)
        )
    }
}

/// An argument without a value.
struct Flag: Argument {
    let declaration: Declaration

    init(_ name: String, short: Character? = nil, help: String) {
        declaration = Declaration(name: name, kind: .flag, help: help, short: short)
    }
}
