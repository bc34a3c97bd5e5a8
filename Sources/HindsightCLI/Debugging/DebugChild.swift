import Foundation
import HindsightSupport

/// Another run of this tool, for what needs the app's reducers: they may end their process.
enum DebugChild {
    struct Result {
        let code: ExitCode
        /// What it printed, a line each, as it stands.
        let lines: [String]
        fileprivate let errors: [String]

        /// The failure that it reported.
        var failure: Failure {
            Failure(code, lines: errors.isEmpty ? ["The child process ended without an answer."] : errors)
        }
    }

    /// The microseconds between two looks at the process.
    private static let pause: UInt32 = 20_000

    /// Runs a command and waits for its end. Ctrl-C ends it.
    ///
    /// - Parameter title: What to show meanwhile.
    /// - Throws: ``Failure`` if it cannot be started, or was interrupted.
    static func run(_ words: [String], of tool: Tool, _ title: String) throws -> Result {
        guard tool.isProcess else {
            throw Failure(.doesNotFit, "This needs the tool as a process of its own, because reducers may end it.")
        }
        let folder = FileManager.default.temporaryDirectory
        let files = [folder, folder].map { $0.appending(path: "hindsight-debug-\(UUID().uuidString).txt") }
        defer { for file in files { unlink(file.path) } }
        let handles = try files.map { file in
            guard
                FileManager.default.createFile(
                    atPath: file.path,
                    contents: nil,
                    attributes: [.posixPermissions: 0o600]
                ), let handle = FileHandle(forWritingAtPath: file.path)
            else { throw Failure(.badFile, "\(escape(file.path)) cannot be written.") }
            return handle
        }
        let process = Process()
        process.executableURL = try ReplayProcess.executable(of: tool.name)
        process.arguments = words
        process.standardInput = FileHandle.nullDevice
        (process.standardOutput, process.standardError) = (handles[0], handles[1])
        // Without a width of its own, the answer is laid out for this terminal.
        var environment = ProcessInfo.processInfo.environment
        environment["COLUMNS"] = tool.console.terminal.columns.map { "\($0)" }
        process.environment = environment
        Interruption.take()
        try process.run()
        let begin = ContinuousClock.now
        while process.isRunning {
            if Interruption.isRequested {
                Interruption.take()
                process.terminate()
                process.waitUntilExit()
                tool.console.clearProgress()
                throw Failure(.usage, "Stopped. Nothing has changed.")
            }
            let seconds = Int((ContinuousClock.now - begin) / .seconds(1))
            if seconds > 0 { tool.console.progress("\(title): \(seconds) s") }
            usleep(pause)
        }
        process.waitUntilExit()
        tool.console.clearProgress()
        let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
        let code = process.terminationReason == .exit ? process.terminationStatus : ExitCode.crash.rawValue
        let errors = texts[1].split(separator: "\n").map { line in
            let text = line.hasPrefix("error: ") ? line.dropFirst("error: ".count) : line
            return escape(String(text).trimmingSpaces)
        }
        return Result(
            code: ExitCode(rawValue: code),
            lines: texts[0].split(separator: "\n").map(String.init),
            errors: Array(errors.prefix(6))
        )
    }
}
