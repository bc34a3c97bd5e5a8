/// One of the tool's commands.
protocol Command: Sendable {
    static var syntax: Syntax { get }

    /// Whether it runs an app's reducers, which may trap, on recorded actions.
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
