import Foundation
import HindsightSupport

/// Runs a command of this executable in a child process, with a time limit: reducers may end their process, expressions
/// may never end, and a client may cancel a call.
final class ModelContextChild {
    struct End {
        let code: ExitCode
        let isTimedOut: Bool
    }

    private enum State {
        case running
        /// It was asked to end, so that it ends its own children and removes its unfinished files.
        case ending(since: ContinuousClock.Instant, isTimedOut: Bool)
    }

    /// The most bytes that it may print. They are in a file.
    private static let most = 128 << 20
    private static let mostErrors = 4_000
    /// The time after which a process that was asked to end is killed.
    private static let patience = Duration.milliseconds(200)

    private let process = Process()
    private let (output, errors): (CapturedFile, CapturedFile)
    private let files: ActionFiles
    private let begin = ContinuousClock.now
    private let limit: Duration
    private var state = State.running
    private var read = 0

    /// - Parameter seconds: The time limit.
    init(_ words: [String], of tool: Tool, seconds: Double) throws {
        (output, errors) = (try CapturedFile(), try CapturedFile())
        // The command's own limit comes first, and its message says which reducer ran.
        limit = .seconds(seconds + 2)
        files = try ActionFiles(words)
        process.executableURL = try Isolation.executable(of: tool.name)
        process.arguments = files.words
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(fileDescriptor: output.descriptor, closeOnDealloc: false)
        process.standardError = FileHandle(fileDescriptor: errors.descriptor, closeOnDealloc: false)
        do {
            try process.start()
        } catch {
            try files.remove()
            throw error
        }
    }

    /// Enforces the limits.
    ///
    /// - Returns: How it ended; `nil` if it runs. Then its output is complete.
    func advance() throws -> End? {
        let now = ContinuousClock.now
        if process.isRunning {
            switch state {
            case .running where now - begin > limit: end(isTimedOut: true)
            case .ending(let since, _) where now - since > Self.patience: kill(process.processIdentifier, SIGKILL)
            default: break
            }
            return nil
        }
        process.waitUntilExit()
        try files.remove()
        var isTimedOut = false
        if case .ending(_, let isLate) = state { isTimedOut = isLate }
        // Reducers run in a child of the command, so a signal is no crash of theirs. A shell adds 128, too.
        let base: Int32 = process.terminationReason == .exit ? 0 : 128
        return End(code: ExitCode(rawValue: base + process.terminationStatus), isTimedOut: isTimedOut)
    }

    /// Asks it to end. ``advance()`` says when it has.
    func end() { end(isTimedOut: false) }

    private func end(isTimedOut: Bool) {
        guard case .running = state else { return }
        state = .ending(since: .now, isTimedOut: isTimedOut)
        if process.isRunning { process.terminate() }
    }

    /// The output since the last call.
    func newOutput() -> [UInt8] {
        let bytes = output.read()
        read += bytes.count
        return bytes
    }

    /// Whether it has printed more than it may.
    var isTooLong: Bool { read > Self.most }

    /// What it printed on its error stream.
    func errorText() -> [UInt8] { errors.read(upTo: Self.mostErrors) }
}
