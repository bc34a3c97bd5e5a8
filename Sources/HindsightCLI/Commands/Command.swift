import HindsightTree

/// One of the tool's commands.
protocol Command: Sendable {
    static var syntax: Syntax { get }

    /// Whether it runs an app's reducers or migrations, which may trap, on recorded actions and states.
    static func runsReducers(_ arguments: Arguments) -> Bool

    /// Runs the command.
    ///
    /// - Throws: ``UsageError``, ``Failure``, or an error of the modules below, for which ``Messages`` has the text.
    static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode
}

extension Command {
    static func runsReducers(_ arguments: Arguments) -> Bool { false }
}

/// A command that does the same with each of several recordings.
protocol FilesCommand: Command {
    static var files: Positional { get }

    /// The JSON for a file that could not be processed.
    ///
    /// - Parameter crash: How a reducer ended the process; `nil` if none did.
    static func node(ofFailed file: String, because failure: Failure, _ crash: Node?) -> Node
}

extension FilesCommand {
    static func node(ofFailed file: String, because failure: Failure, _ crash: Node?) -> Node {
        ["file": .string(file), "error": .string(failure.lines.joined(separator: " "))]
    }

    /// The given files, and for each directory, the files in it.
    static func recordings(_ arguments: Arguments) throws -> [String] {
        try arguments.all(files).flatMap { try Tool.recordings(at: $0) }
    }

    /// Processes files one after the other. Reports those that fail, and continues with the others.
    ///
    /// - Returns: The highest exit code.
    static func runEach(
        _ files: [String],
        _ arguments: Arguments,
        in tool: Tool,
        _ process: (_ file: String) throws -> ExitCode
    ) -> ExitCode {
        let writer = Isolation.replies
        var worst = ExitCode.fine
        for file in files {
            // A reducer or a migration may end the process.
            if writer != nil { tool.console.output.flush() }
            // Must come before opening the file, which may end the process.
            writer?.beginFile(file)
            let code: ExitCode
            do {
                code = try process(file)
            } catch {
                let failure = tool.failure(for: error)
                if arguments[GlobalOptions.json] {
                    tool.console.print(json: node(ofFailed: file, because: failure, nil))
                }
                code = tool.report(failure)
            }
            writer?.endFile(code)
            worst = max(worst, code)
        }
        return worst
    }

    /// The remaining work after a reducer has ended the process that replayed one of the files.
    ///
    /// - Parameter file: The path of that file.
    /// - Returns: The words for the files after it, with the same options; `nil` if there are none.
    static func remainder(of arguments: Arguments, after file: String) -> [String]? {
        // `run` has reported a directory that cannot be listed.
        let all = (try? recordings(arguments)) ?? []
        guard let index = all.firstIndex(of: file), index + 1 < all.count else { return nil }
        return arguments.words() + ["--"] + all[(index + 1)...]
    }
}
