/// The facts of a usage error; ``Messages`` has the text.
struct UsageError: Error, Equatable {
    enum Problem: Equatable {
        case noCommand
        case unknownCommand(String, known: [String])
        case unknownOption(String, known: [String])
        case missingValue(String, placeholder: String)
        case unexpectedValue(String)
        case repeatedOption(String)
        case badValue(String, of: String, expected: String)
        case missingOption(Declaration)
        case missingArguments([String])
        case unexpectedArgument(String)
        case conflict(String, String)
        case noEffect(String, without: String)
    }

    /// The command; `nil` if none was recognized.
    let command: String?
    let problem: Problem

    init(_ command: String?, _ problem: Problem) {
        self.command = command
        self.problem = problem
    }
}
