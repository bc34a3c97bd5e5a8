/// One of the tool's commands.
protocol Command: Sendable {
    static var syntax: Syntax { get }

    /// Whether it runs an app's reducers, which may trap, on recorded actions.
    static func runsReducers(_ arguments: Arguments) -> Bool

    /// What is left to do once a reducer has ended the process in which one of several files was replayed.
    ///
    /// - Parameter file: That file, as it was given.
    /// - Returns: The arguments to go on with; `nil` where there is nothing left.
    static func remainder(of arguments: Arguments, after file: String) -> [String]?

    /// Does it.
    ///
    /// - Throws: ``UsageError``, ``Failure``, or an error of the modules below, which ``Messages`` has words for.
    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode
}

extension Command {
    static func runsReducers(_ arguments: Arguments) -> Bool { false }

    static func remainder(of arguments: Arguments, after file: String) -> [String]? { nil }
}
