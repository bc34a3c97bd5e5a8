import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightRecording
import HindsightReplay
import HindsightSQLite
import HindsightSupport
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
    ///   - apps: The apps whose recordings the tool replays. Everything else works on any recording.
    ///   - arguments: The tool's path and its arguments.
    public static func run(_ apps: ReplayableApp..., arguments: [String] = CommandLine.arguments) -> Never {
        run(apps, arguments: arguments)
    }

    /// Runs the tool with the apps that it can record and replay, and ends the process.
    public static func run(_ apps: [ReplayableApp], arguments: [String] = CommandLine.arguments) -> Never {
        Descriptor.openMissingStandardStreams()
        // Writing to a closed pipe (`| head`) fails instead of raising a signal.
        signal(SIGPIPE, SIG_IGN)
        // So does writing beyond the size that the system allows files (`ulimit -f`).
        signal(SIGXFSZ, SIG_IGN)
        var errors = STDERR_FILENO
        var isPaged = false
        if case .child(_, _, let own) = Isolation.role {
            errors = own
            isPaged = ProcessInfo.processInfo.environment[Pager.variable] != nil
        }
        Isolation.endWithParent()
        Recording.limitMemory()
        var terminal = Terminal.current(errors: errors)
        if isPaged { terminal.isOutputTerminal = true }
        let output = StdoutRedirection.take()
        let console = Console(
            output: Output(descriptor: output),
            errors: Output(descriptor: errors, capacity: 1),
            terminal: terminal
        )
        let path = arguments.first ?? "hindsight"
        var tool = Tool(
            name: escape(URL(filePath: path).lastPathComponent),
            apps: apps,
            console: console,
            input: { Descriptor.read(0, into: $0) },
            isProcess: true,
            outputDescriptor: output
        )
        if case .tool = Isolation.role, terminal.isOutputTerminal {
            tool.pager = Pager(output: output, errors: errors)
        }
        if let failure = refusal(tool.name) {
            let code = tool.report(failure)
            tool.console.finish()
            exit(code.rawValue)
        }
        refuseOtherExits()
        endStuckCalls()
        let code: ExitCode
        if case .child(let task, let replies, _) = Isolation.role {
            code = tool.run(task: task, replies)
        } else {
            code = tool.run(Array(arguments.dropFirst()))
        }
        hasEnded.store(true, ordering: .sequentiallyConsistent)
        if let writer = Isolation.replies {
            fflush(nil)
            writer.end(code)
            // Nothing may run after the verdict, such as the app's `atexit` functions.
            _exit(code.rawValue)
        }
        if let signal = TerminationSignal.received, code == .signal(signal) {
            // A shell's loop would continue after a plain exit.
            fflush(nil)
            TerminationSignal.endProcess(by: signal)
        }
        exit(code.rawValue)
    }

    /// Why the tool cannot run at all.
    private static func refusal(_ name: String) -> Failure? {
        if case .orphan = Isolation.role {
            return Failure(
                .badFile,
                "\(Isolation.variable) is set, but no parent process reads the results of this one.",
                "Only \(name) itself sets it: unset \(Isolation.variable), and run it again."
            )
        }
        return invalidArgument.map { argument in
            Failure(
                .usage,
                "\(argument) is not valid UTF-8, so \(name) cannot open a file of that name.",
                "Rename the file first: mv \(argument) NAME, or ln -s \(argument) NAME."
            )
        }
    }

    /// The first argument that is not valid UTF-8, in the shell's `$'…'` notation; `nil` if all are valid. Swift replaces
    /// invalid UTF-8, and the result would name another file.
    ///
    /// Sound: the arguments are NUL-terminated, and live as long as the process.
    private static var invalidArgument: String? {
        for index in 0..<Int(CommandLine.argc) {
            guard let bytes = CommandLine.unsafeArgv[index], String(validatingCString: bytes) == nil else { continue }
            return ShellQuoting.ansiC(UnsafeRawBufferPointer(start: bytes, count: strlen(bytes)))
        }
        return nil
    }

    /// Ends the process if SQLite does not return from one function.
    private static func endStuckCalls() {
        do {
            try StuckCalls.watch {
                let lines = [
                    "It took too long inside one function of SQLite, and was stopped.",
                    "Functions such as instr, replace, printf and like may take very long with large texts.",
                ]
                if Isolation.replies?.reportAtOnce(lines) != true { writeError(lines.joined(separator: "\n  ")) }
                RemovableDraft.remove()
                // The parent of a replay takes no other exit code for a verdict.
                Isolation.replies?.end(.usage)
                _exit(ExitCode.usage.rawValue)
            }
        } catch {
            // Without a thread, such a call is not noticed.
        }
    }

    /// Writes an error at once, past the console, which other threads may use.
    private static func writeError(_ text: String) {
        _ = Array("error: \(text)\n".utf8).withUnsafeBytes { Descriptor.write(STDERR_FILENO, from: $0) }
    }

    /// Whether the command has run to its end.
    private static let hasEnded = Atomic(false)

    /// Makes an `exit` of the app's reducers or middleware, which ends the command early, a failure.
    private static func refuseOtherExits() {
        guard Isolation.replies == nil else { return }
        _ = hasEnded.load(ordering: .relaxed)
        atexit {
            if HindsightTool.hasEnded.load(ordering: .sequentiallyConsistent) { return }
            HindsightTool.writeError("The app called exit, or code that it calls did, before the command had ended.")
            _exit(ExitCode.crash.rawValue)
        }
    }
}
