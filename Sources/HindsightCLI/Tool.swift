import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightReplay
import Synchronization

/// The `hindsight` tool, for an app's own executable.
///
/// A recording is replayed through the app's own reducers, so an app ships its own build of the tool:
///
/// ```swift
/// import HindsightCLI
/// import MyApp
///
/// HindsightTool.run(MyApp.replayable)
/// ```
public enum HindsightTool {
    /// Runs the tool with the apps that it can record and replay, and ends the process.
    ///
    /// - Parameters:
    ///   - apps: Whatever recordings this tool shall replay. All else works on any recording.
    ///   - arguments: The tool's path and what it was called with.
    public static func run(_ apps: ReplayableApp..., arguments: [String] = CommandLine.arguments) -> Never {
        run(apps, arguments: arguments)
    }

    /// Runs the tool with the apps that it can record and replay, and ends the process.
    public static func run(_ apps: [ReplayableApp], arguments: [String] = CommandLine.arguments) -> Never {
        Descriptor.holdStandardOnes()
        Terminal.ignoreBrokenPipes()
        var errors = STDERR_FILENO
        if case .child(_, let own) = ReplayProcess.role { errors = own }
        CrashGuard.endWithParent()
        Recording.limitMemory()
        let terminal = Terminal.current(errors: errors)
        let output = StdoutRedirection.take()
        let console = Console(
            output: Output(descriptor: output),
            errors: Output(descriptor: errors, capacity: 1),
            terminal: terminal
        )
        let path = arguments.first ?? "hindsight"
        let tool = Tool(
            name: escape(URL(filePath: path).lastPathComponent),
            apps: apps,
            console: console,
            input: { Descriptor.read(0, into: $0) },
            isProcess: true,
            outputDescriptor: output
        )
        if case .orphan = ReplayProcess.role {
            let code = tool.report(
                Failure(
                    .badFile,
                    "\(ReplayProcess.variable) is set, but no process waits for what this one finds.",
                    "Only \(tool.name) itself sets it: unset \(ReplayProcess.variable), and run it again."
                )
            )
            tool.console.finish()
            exit(code.rawValue)
        }
        if let invalid = ArgumentBytes.invalid {
            let code = tool.report(
                Failure(
                    .usage,
                    "\(invalid) is not valid UTF-8, and so no name that \(tool.name) can open.",
                    "Give the file another one first: mv \(invalid) NAME, or ln -s \(invalid) NAME."
                )
            )
            tool.console.finish()
            exit(code.rawValue)
        }
        refuseOtherExits()
        let code = tool.run(Array(arguments.dropFirst()))
        isThrough.store(true, ordering: .sequentiallyConsistent)
        if let mark = CrashGuard.mark {
            fflush(nil)
            mark.end(code)
            // Nothing runs behind the verdict, such as what an app has given to `atexit`.
            _exit(code.rawValue)
        }
        if let signal = Waiting.signal, code.rawValue == 128 + signal {
            // A shell's loop goes on behind a process that only exits.
            fflush(nil)
            Waiting.die(of: signal)
        }
        exit(code.rawValue)
    }

    /// Whether the command has run to its end.
    private static let isThrough = Atomic(false)

    /// Where an app's reducer or middleware calls `exit(0)` while it is recorded, the command has not done what it was asked.
    private static func refuseOtherExits() {
        guard CrashGuard.mark == nil else { return }
        _ = isThrough.load(ordering: .relaxed)
        atexit {
            if HindsightTool.isThrough.load(ordering: .sequentiallyConsistent) { return }
            let text = "error: The app called exit, or something that it calls did, before the command had ended.\n"
            _ = Array(text.utf8).withUnsafeBytes { Descriptor.write(STDERR_FILENO, from: $0) }
            _exit(ExitCode.crash.rawValue)
        }
    }
}

/// The tool without the process around it.
struct Tool {
    /// What commands run as.
    static let commands: [any Command.Type] = [
        RecordCommand.self, InfoCommand.self, LogCommand.self, TailCommand.self, ShowCommand.self, JumpCommand.self,
        DiffCommand.self, ReplayCommand.self, VerifyCommand.self, RecoverCommand.self, DoctorCommand.self,
    ]

    static let version = "0.1.0"

    let name: String
    let apps: [ReplayableApp]
    let console: Console
    /// What `-` reads.
    let input: LineReader.Source
    /// Whether this is the whole process, and not a part of a test's.
    var isProcess = false
    /// Where the output goes; -1 where that is no file.
    var outputDescriptor: Int32 = -1

    /// Runs one command. Every failure has been said on the error stream when this returns.
    ///
    /// - Parameter arguments: What stands behind the tool's name.
    func run(_ arguments: [String]) -> ExitCode {
        var code = attempt(arguments)
        console.finish()
        if let failure = console.output.failure {
            console.note(
                "Could not write the output: \(failure.words). Free some space or write elsewhere."
            )
            if code == .fine { code = .badFile }
        }
        return code
    }

    private func attempt(_ arguments: [String]) -> ExitCode {
        do {
            return try dispatch(arguments)
        } catch {
            return report(Messages.failure(for: error, tool: name))
        }
    }

    /// Says a failure on the error stream.
    func report(_ failure: Failure) -> ExitCode {
        let label = Style(isOn: console.terminal.isErrorTerminal && console.style.isOn).bad("error:")
        let lines = [label + " " + (failure.lines.first ?? "")] + failure.lines.dropFirst().map { "  " + $0 }
        console.note(lines.joined(separator: "\n"))
        return failure.code
    }

    private func dispatch(_ arguments: [String]) throws -> ExitCode {
        guard let word = arguments.first else { throw UsageError(nil, .noCommand) }
        switch word {
        case "--help", "-h":
            return overview()
        case "help":
            guard let topic = arguments.dropFirst().first, !topic.hasPrefix("-") else { return overview() }
            return help(for: try command(topic))
        case "--version":
            console.print("\(name) \(Self.version)")
            return .fine
        case StateWorker.word:
            return try StateWorker.run(Array(arguments.dropFirst()), in: self)
        default:
            return try run(try command(word), Array(arguments.dropFirst()))
        }
    }

    private func run(_ command: any Command.Type, _ words: [String]) throws -> ExitCode {
        let arguments = try Parser(syntax: command.syntax).parse(words)
        if arguments.isHelpRequested { return help(for: command) }
        if let color = try arguments[Common.color] { console.choose(color) }
        console.wraps = !arguments[Common.json]
        if command.runsReducers(arguments), let guarded = try CrashGuard(self) {
            return try guarded.run(command, arguments, words)
        }
        return try command.run(arguments, in: self)
    }

    private func command(_ word: String) throws -> any Command.Type {
        if let command = Self.commands.first(where: { $0.syntax.name == word }) { return command }
        let known = Self.commands.map { $0.syntax.name }
        if word.hasPrefix("-") {
            throw UsageError(nil, .unknownOption(word, known: ["--help", "--version"]))
        }
        throw UsageError(nil, .unknownCommand(word, known: known))
    }

    private func overview() -> ExitCode {
        console.output.write(helpText.overview(Self.commands.map { $0.syntax }, apps: apps.map(\.name)))
        return .fine
    }

    private func help(for command: any Command.Type) -> ExitCode {
        console.output.write(helpText.help(for: command.syntax))
        return .fine
    }

    private var helpText: HelpText {
        HelpText(tool: name, width: min(console.terminal.width, HelpText.widest))
    }
}

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
