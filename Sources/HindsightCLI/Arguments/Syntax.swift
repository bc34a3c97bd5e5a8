/// The name, the arguments and the description of a command, for parsing and for help.
struct Syntax: Sendable {
    let name: String
    /// One sentence without a full stop.
    let abstract: String
    /// Paragraphs that are already wrapped.
    let discussion: String
    let arguments: [Declaration]
    /// Whether its output may be long, and goes through the user's pager on a terminal.
    let isPaged: Bool
    /// The arguments after the tool's name, and what they are for.
    let examples: KeyValuePairs<String, String>
    private let shape: @Sendable () -> String
    private let all: [any Argument]

    init(
        _ name: String,
        abstract: String,
        discussion: String = "",
        isPaged: Bool = false,
        arguments: [any Argument],
        examples: KeyValuePairs<String, String>,
        jsonShape: @autoclosure @escaping @Sendable () -> String
    ) {
        self.name = name
        self.abstract = abstract
        self.discussion = discussion
        self.isPaged = isPaged
        let common: [any Argument] = [GlobalOptions.json, GlobalOptions.color, GlobalOptions.help]
        all = arguments + (isPaged ? [GlobalOptions.noPager] : []) + common
        self.arguments = all.map { $0.declaration }
        self.examples = examples
        shape = jsonShape
    }

    /// The shape of what `--json` prints. Only help needs it.
    var jsonShape: String { shape() }

    var positionals: [Declaration] { arguments.filter(\.isPositional) }

    /// Throws a usage error if the value of an option is not as expected.
    func checkValues(in arguments: Arguments) throws(UsageError) {
        for argument in all { try argument.checkValues(in: arguments) }
    }

    /// The first word of a name that has two, such as `archive` of `archive push`.
    var group: String? { name.contains(" ") ? name.split(separator: " ").first.map(String.init) : nil }

    /// The first words of the commands whose names have two.
    static func groups(_ commands: [Syntax]) -> Set<String> { Set(commands.compactMap(\.group)) }

    /// The words of a command line with the name of the command as one word.
    static func joined(_ words: [String], _ commands: [Syntax]) -> [String] {
        guard words.count > 1, groups(commands).contains(words[0]), !words[1].hasPrefix("-") else { return words }
        return [words[0] + " " + words[1]] + words.dropFirst(2)
    }

    /// The options and the flags.
    var named: [Declaration] { arguments.filter { !$0.isPositional } }

    /// The option or flag that a word names; `nil` if there is none.
    func declaration(of word: String) -> Declaration? {
        named.first { declaration in
            if word == "--" + declaration.name { return true }
            return declaration.short.map { word == "-\($0)" } ?? false
        }
    }
}

/// When colour is used.
enum ColorChoice: String, CaseIterable, Sendable {
    case auto, always, never
}

/// Options of every command.
enum GlobalOptions {
    static let json = Flag("json", help: "Print JSON for programs instead of text for people.")
    static let color = Option<ColorChoice>("color", help: "Use colour: auto does on a terminal unless NO_COLOR is set.")
    static let noPager = Flag("no-pager", help: "Do not send the output through a pager.")
    static let help = Flag("help", short: "h", help: "Show this help.")
}
