import Foundation
import HindsightRecorder
import HindsightRecording
import HindsightReplay
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
        ReplayProcess.endWithParent()
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
        if let writer = ReplayProcess.progressWriter {
            fflush(nil)
            writer.end(code)
            // Nothing runs behind the verdict, such as what an app has given to `atexit`.
            _exit(code.rawValue)
        }
        if let signal = TerminationSignal.received, code.rawValue == 128 + signal {
            // A shell's loop goes on behind a process that only exits.
            fflush(nil)
            TerminationSignal.endProcess(by: signal)
        }
        exit(code.rawValue)
    }

    /// Whether the command has run to its end.
    private static let isThrough = Atomic(false)

    /// Where an app's reducer or middleware calls `exit(0)` while it is recorded, the command has not done what it was
    /// asked.
    private static func refuseOtherExits() {
        guard ReplayProcess.progressWriter == nil else { return }
        _ = isThrough.load(ordering: .relaxed)
        atexit {
            if HindsightTool.isThrough.load(ordering: .sequentiallyConsistent) { return }
            let text = "error: The app called exit, or something that it calls did, before the command had ended.\n"
            _ = Array(text.utf8).withUnsafeBytes { Descriptor.write(STDERR_FILENO, from: $0) }
            _exit(ExitCode.crash.rawValue)
        }
    }
}
