extension Tool {
    #if Archive
        static let commands = usualCommands + ArchiveCommands.all
    #else
        static let commands = usualCommands
    #endif

    private static let usualCommands: [any Command.Type] = [
        RecordCommand.self, InfoCommand.self, LogCommand.self, TailCommand.self, ShowCommand.self, JumpCommand.self,
        DiffCommand.self, ViewCommand.self, DebugCommand.self, DebugAdapterCommand.self, BlameCommand.self,
        HistoryCommand.self, FindCommand.self, BisectCommand.self, SearchCommand.self, StatsCommand.self,
        WhatIfCommand.self, CauseCommand.self, ShrinkCommand.self, RacesCommand.self, ShakeCommand.self,
        InvariantsCommand.self, ScrubCommand.self, CompareCommand.self, PartCommand.self, CutCommand.self,
        TestCommand.self, NoteCommand.self, NotesCommand.self,
        SQLCommand.self, ReplayCommand.self, VerifyCommand.self, ReviewCommand.self, CheckCommand.self,
        MigrateCommand.self, ExportCommand.self, ImportCommand.self, RecoverCommand.self, DoctorCommand.self,
        ModelContextCommand.self, CompletionCommand.self,
    ]

    static let version = "0.1.0"

    /// Runs one command. Prints every failure on the error stream.
    ///
    /// - Parameter arguments: The arguments after the tool's name.
    func run(_ arguments: [String]) -> ExitCode { run(as: arguments) { try $0.dispatch(arguments) } }

    /// Does the task of a child process.
    ///
    /// - Parameter line: What the parent has sent.
    func run(task line: [UInt8], _ replies: ReplyWriter) -> ExitCode {
        do {
            let task = try Isolation.task(line, of: Self.tasks)
            return run(as: task.words) { try task.run(in: $0, replies) }
        } catch {
            return report(failure(for: error))
        }
    }

    private static var tasks: [any IsolatedTask.Type] {
        let usual: [any IsolatedTask.Type] = [
            CommandTask.self, ComputationTask.self, VerificationTask.self, ExaminationTask.self, AcceptanceTask.self,
            BranchTask.self, DivergenceTask.self, ShrinkTask.self, CauseTask.self, RaceTask.self,
            ShrunkenRecordingTask.self, DivergenceShrinkTask.self, ShakeTask.self, TestSourceTask.self, ScrubTask.self,
            ScrubbedRecordingTask.self, CompareTask.self, DecodingTask.self,
        ]
        #if Archive
            return usual + [ArchiveFindTask.self]
        #else
            return usual
        #endif
    }

    private func run(as words: [String], _ body: (Tool) throws -> ExitCode) -> ExitCode {
        var tool = self
        tool.words = words
        var code: ExitCode
        do {
            code = try body(tool)
        } catch is Console.Closed {
            code = .fine
        } catch {
            code = tool.report(tool.failure(for: error))
            // It failed because it was to end.
            if isProcess, let stopped = TerminationSignal.code { code = stopped }
        }
        console.finish()
        pager?.finish()
        if let failure = console.output.failure {
            console.note("Could not write the output: \(failure). Free some space or write elsewhere.")
            if code == .fine { code = .badFile }
        }
        return code
    }

    func dispatch(_ arguments: [String]) throws -> ExitCode {
        var arguments = arguments
        if arguments.first == "--no-pager" {
            pager?.isOff = true
            arguments.removeFirst()
        }
        guard let word = arguments.first else { throw UsageError(nil, .noCommand) }
        switch word {
        case "--help", "-h":
            return overview()
        case "help":
            guard let topic = arguments.dropFirst().first, !topic.hasPrefix("-") else { return overview() }
            if Syntax.groups(Self.syntaxes).contains(topic), arguments.count == 2 { return overview(of: topic) }
            return help(for: try command(Syntax.joined(Array(arguments.dropFirst()), Self.syntaxes)[0]))
        case "--version":
            console.print("\(name) \(Self.version)")
            return .fine
        case "--man":
            console.output.write(
                ManualPage(tool: name, version: Self.version).text(of: Self.syntaxes, exitCodes: ExitCode.meanings)
            )
            return .fine
        case Completer.word:
            return try Completer.run(Array(arguments.dropFirst()), in: self, Self.syntaxes)
        case ModelContextState.word:
            return try ModelContextState.run(Array(arguments.dropFirst()), in: self)
        case _ where Syntax.groups(Self.syntaxes).contains(word):
            let words = Syntax.joined(arguments, Self.syntaxes)
            if words.count == 1, words[0] == word { throw UsageError(word, .noCommand) }
            if ["--help", "-h"].contains(words.dropFirst().first), words[0] == word { return overview(of: word) }
            return try run(try command(words[0]), Array(words.dropFirst()))
        default:
            return try run(try command(word), Array(arguments.dropFirst()))
        }
    }

    private func run(_ command: any Command.Type, _ words: [String]) throws -> ExitCode {
        let arguments = try Parser(syntax: command.syntax).parse(words)
        if arguments[GlobalOptions.noPager] { pager?.isOff = true }
        if arguments[GlobalOptions.help] { return help(for: command) }
        if let color = try arguments[GlobalOptions.color] { console.choose(color) }
        console.wraps = !arguments[GlobalOptions.json]
        if command.syntax.isPaged { pager?.attach(to: console) }
        if command.runsReducers(arguments), let guarded = try CrashGuard(self) {
            // The child writes to the descriptor of this process.
            if command.syntax.isPaged { pager?.startForChild(console) }
            return try guarded.run(command, arguments, words)
        }
        return try command.run(arguments, in: self)
    }

    private func command(_ word: String) throws -> any Command.Type {
        if let command = Self.commands.first(where: { $0.syntax.name == word }) { return command }
        let known = Self.commands.map { $0.syntax.name }
        if word.hasPrefix("-") {
            throw UsageError(nil, .unknownOption(word, known: ["--help", "--version", "--man", "--no-pager"]))
        }
        throw UsageError(nil, .unknownCommand(word, known: known))
    }

    private func overview() -> ExitCode { show(helpText.overview(Self.syntaxes, apps: apps.map(\.name))) }

    /// Lists the commands of a group, such as `archive`.
    private func overview(of group: String) -> ExitCode {
        show(helpText.overview(Self.syntaxes.filter { $0.group == group }, apps: []))
    }

    static var syntaxes: [Syntax] { commands.map { $0.syntax } }

    private func help(for command: any Command.Type) -> ExitCode { show(helpText.help(for: command.syntax)) }

    /// Shows a text that may be long.
    private func show(_ text: String) -> ExitCode {
        pager?.attach(to: console)
        console.output.write(text)
        return .fine
    }

    private var helpText: HelpText {
        let width = console.terminal.isLimited ? console.terminal.width : HelpText.usual
        return HelpText(tool: name, width: min(width, HelpText.widest))
    }
}
