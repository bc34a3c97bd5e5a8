import Foundation
import HindsightSupport

/// A command in a process of its own: reducers may end it, and neither they nor an expression need ever end.
enum ModelContextChild {
    struct Result {
        let code: ExitCode
        let output: [UInt8]
        let errors: [UInt8]
        let isTimedOut: Bool
    }

    /// The client has gone, or a signal has ended the server.
    struct ClientGone: Error {}

    /// The most bytes of an answer that are kept.
    private static let most = 8 << 20
    private static let mostErrors = 4_000

    /// Runs a command of this executable, and waits for its end.
    ///
    /// - Parameter seconds: After these, it is killed.
    static func run(_ words: [String], of tool: Tool, seconds: Double) throws -> Result {
        try ActionFiles.with(words) { try runAsGiven($0, of: tool, seconds: seconds) }
    }

    private static func runAsGiven(_ words: [String], of tool: Tool, seconds: Double) throws -> Result {
        let (output, errors) = (try CapturedFile(), try CapturedFile())
        let process = Process()
        process.executableURL = try ReplayProcess.executable(of: tool.name)
        process.arguments = words
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(fileDescriptor: output.descriptor, closeOnDealloc: false)
        process.standardError = FileHandle(fileDescriptor: errors.descriptor, closeOnDealloc: false)
        try process.start()
        let begin = ContinuousClock.now
        // The command's own limit comes first, and its message says which reducer ran.
        let limit = Duration.seconds(seconds + 2)
        var isTimedOut = false
        while process.isRunning {
            let isWanted = TerminationSignal.wait(milliseconds: 2, output: tool.outputDescriptor)
            isTimedOut = ContinuousClock.now - begin > limit
            if isWanted, !isTimedOut, output.size <= most { continue }
            end(process)
            if !isWanted { throw ClientGone() }
        }
        process.waitUntilExit()
        var text = errors.read(upTo: mostErrors)
        if isTimedOut { text += Array("\nIt was stopped after \(Int(seconds)) s. Ask for less.\n".utf8) }
        let isCut = output.size > most
        if isCut { text += Array("\nThe answer is longer than 8 MB, and was cut there.\n".utf8) }
        let isExit = process.terminationReason == .exit
        let code = isExit ? ExitCode(rawValue: process.terminationStatus) : isTimedOut ? .usage : .crash
        return Result(
            code: isCut ? .fine : code,
            output: output.read(upTo: most),
            errors: text,
            isTimedOut: isTimedOut
        )
    }

    /// Ends a process, first by asking it: then it ends its own children.
    private static func end(_ process: Process) {
        process.terminate()
        for _ in 0..<100 where process.isRunning { usleep(10_000) }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }
}
