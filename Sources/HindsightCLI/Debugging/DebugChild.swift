import Foundation
import HindsightSupport

/// Another run of this tool: for what needs the app's reducers, which may end their process, and for what reads long, so
/// that Ctrl-C can end it.
enum DebugChild {
    struct Result {
        let code: ExitCode
        /// What it printed, a line each, as it stands.
        let lines: [String]
        /// What it printed on its error stream, a line each, without `error:`. Escaped.
        let notes: [String]

        /// The failure that it reported.
        var failure: Failure {
            Failure(
                code,
                lines: notes.isEmpty ? ["The child process ended without an answer."] : Array(notes.prefix(6))
            )
        }
    }

    /// The microseconds between two looks at the process.
    private static let pause: UInt32 = 20_000
    /// The looks at a process that was told to end, after which it is killed.
    private static let mostLooks = 5

    /// Runs a command and waits for its end. Ctrl-C ends it.
    ///
    /// - Parameter title: What to show meanwhile.
    /// - Throws: ``Failure`` if it cannot be started, or was interrupted.
    static func run(_ words: [String], of tool: Tool, _ title: String) throws -> Result {
        try ActionFiles.with(words) { try runAsGiven($0, of: tool, title) }
    }

    private static func runAsGiven(_ words: [String], of tool: Tool, _ title: String) throws -> Result {
        guard tool.isProcess else {
            throw Failure(.doesNotFit, "This needs the tool as a process of its own, because reducers may end it.")
        }
        let files = [try CapturedFile(), try CapturedFile()]
        let handles = files.map { FileHandle(fileDescriptor: $0.descriptor, closeOnDealloc: false) }
        let process = Process()
        process.executableURL = try Isolation.executable(of: tool.name)
        process.arguments = words
        process.standardInput = FileHandle.nullDevice
        (process.standardOutput, process.standardError) = (handles[0], handles[1])
        // Without a width of its own, the answer is laid out for this terminal.
        var environment = ProcessInfo.processInfo.environment
        environment["COLUMNS"] = tool.console.terminal.columns.map { "\($0)" }
        process.environment = environment
        Interruption.take()
        try process.start()
        let begin = ContinuousClock.now
        while process.isRunning {
            if Interruption.isRequested { break }
            let seconds = Int((ContinuousClock.now - begin) / .seconds(1))
            if seconds > 0 { tool.console.progress("\(title): \(seconds) s") }
            usleep(pause)
        }
        // A terminal may have sent the signal to the child, too.
        let isStopped = Interruption.isRequested && (process.isRunning || process.terminationReason == .uncaughtSignal)
        if process.isRunning { end(process) }
        process.waitUntilExit()
        tool.console.clearProgress()
        if isStopped {
            Interruption.take()
            throw Failure(.usage, "Stopped. Nothing has changed.")
        }
        let texts = files.map { String(decoding: $0.read(), as: UTF8.self) }
        let code = process.terminationReason == .exit ? process.terminationStatus : ExitCode.crash.rawValue
        let errors = texts[1].split(separator: "\n").map { line in
            let text = line.hasPrefix("error: ") ? line.dropFirst("error: ".count) : line
            return escape(String(text).trimmingSpaces)
        }
        return Result(
            code: ExitCode(rawValue: code),
            lines: texts[0].split(separator: "\n").map(String.init),
            notes: errors
        )
    }

    /// Ends a process, first by asking it: then it removes its unfinished files.
    private static func end(_ process: Process) {
        process.terminate()
        for _ in 0..<mostLooks where process.isRunning { usleep(pause) }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }
}
