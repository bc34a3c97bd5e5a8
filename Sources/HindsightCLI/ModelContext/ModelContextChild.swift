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
        let (output, errors) = (try TemporaryFile(), try TemporaryFile())
        let process = Process()
        process.executableURL = try ReplayProcess.executable(of: tool.name)
        process.arguments = words
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(fileDescriptor: output.number, closeOnDealloc: false)
        process.standardError = FileHandle(fileDescriptor: errors.number, closeOnDealloc: false)
        try process.run()
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
        var text = errors.read(mostErrors)
        if isTimedOut { text += Array("\nIt was stopped after \(Int(seconds)) s. Ask for less.\n".utf8) }
        let isCut = output.size > most
        if isCut { text += Array("\nThe answer is longer than 8 MB, and was cut there.\n".utf8) }
        let isExit = process.terminationReason == .exit
        let code = isExit ? ExitCode(rawValue: process.terminationStatus) : isTimedOut ? .usage : .crash
        return Result(
            code: isCut ? .fine : code,
            output: output.read(most),
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

/// A file without a name, which is gone with this process, however that ends.
private final class TemporaryFile {
    let number: Int32

    init() throws(Failure) {
        let folder = FileManager.default.temporaryDirectory.path
        var path = Array("\(folder)/hindsight-mcp-XXXXXX".utf8CString)
        number = mkstemp(&path)
        guard number >= 0 else {
            throw Failure(
                .badFile,
                "No temporary file can be made in \(escape(folder)): \(Descriptor.lastError().message)."
            )
        }
        unlink(path)
    }

    deinit {
        if number >= 0 { close(number) }
    }

    var size: Int {
        var status = stat()
        return fstat(number, &status) == 0 ? Int(status.st_size) : 0
    }

    /// The first bytes of the file.
    func read(_ most: Int) -> [UInt8] {
        let count = min(most, size)
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                // Sound: the offset is within the buffer, and `pread` writes no more than the rest of it.
                let got = pread(number, buffer.baseAddress! + filled, count - filled, off_t(filled))
                guard got > 0 else { return }
                filled += got
            }
        }
    }
}
