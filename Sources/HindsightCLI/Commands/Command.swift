/// One of the tool's commands.
protocol Command: Sendable {
    static var syntax: Syntax { get }

    /// Whether it runs an app's reducers or migrations, which may trap, on recorded actions and states.
    static func runsReducers(_ arguments: Arguments) -> Bool

    /// The remaining work after a reducer has ended the process that replayed one of several files.
    ///
    /// - Parameter file: The given path of that file.
    /// - Returns: The arguments for the remaining files; `nil` if there are none.
    static func remainder(of arguments: Arguments, after file: String) -> [String]?

    /// Runs the command.
    ///
    /// - Throws: ``UsageError``, ``Failure``, or an error of the modules below, for which ``Messages`` has the text.
    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode
}

extension Command {
    static func runsReducers(_ arguments: Arguments) -> Bool { false }

    static func remainder(of arguments: Arguments, after file: String) -> [String]? { nil }
}

extension Arguments {
    /// The words for the files after one of several, with the same options; `nil` if there are none.
    func remainder(of files: [String], after file: String) -> [String]? {
        guard let index = files.firstIndex(of: file), index + 1 < files.count else { return nil }
        let lists = lists.flatMap { name, values in values.map { "--\(name)=\($0)" } }
        let options = options.map { "--\($0.key)=\($0.value)" } + flags.map { "--" + $0 }
        return options + lists + ["--"] + files[(index + 1)...]
    }
}
