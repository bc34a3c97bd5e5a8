import Foundation

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

/// A process that runs `Tests/CrashingApp`.
final class Child {
    private let process: Spawned
    private let file: URL

    /// - Parameters:
    /// - end: The way to end; see `Tests/CrashingApp`.
    ///   - marked: Whether the process marks how it ends.
    ///   - shell: A shell command that runs before the process.
    init(recordingTo file: URL, end: String, marked: Bool = false, after shell: String? = nil) throws {
        self.file = file
        let program = Self.products.appendingPathComponent("CrashingApp").path
        let arguments = [file.path, end] + (marked ? ["marked"] : [])
        if let shell {
            process = try Spawned("/bin/sh", ["-c", "\(shell); exec \"$0\" \"$@\"", program] + arguments)
        } else {
            process = try Spawned(program, arguments)
        }
    }

    /// The directory of the built executables: on Linux beside the tests, on a Mac beside their bundle.
    private static var products: URL {
        #if canImport(Darwin)
            Bundle(for: Child.self).bundleURL.deletingLastPathComponent()
        #else
            URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        #endif
    }

    /// Waits until the process has printed something or has ended.
    func waitForOutput() {
        _ = process.output.availableData
    }

    /// All output until the process is killed, some microseconds after its first output.
    func killAndRead(after microseconds: UInt32) -> Data {
        var data = process.output.availableData
        usleep(microseconds)
        Foundation.kill(process.id, SIGKILL)
        while true {
            let more = process.output.availableData
            if more.isEmpty { break }
            data += more
        }
        waitForEnd()
        return data
    }

    /// How the process ended; see ``Spawned``.
    var status: Int32? { process.status }

    func kill() {
        Foundation.kill(process.id, SIGKILL)
        waitForEnd()
    }

    /// Closes the input, so that processes that wait for its end continue.
    func closeInput() throws { try process.input.close() }

    /// Lets the process close its recorder.
    func letClose() throws {
        try process.input.close()
        waitForEnd()
    }

    /// Waits until the process has ended and its lock is gone.
    func waitForEnd() {
        process.waitForEnd()
        for _ in 0..<12_000 {
            // Without a journal there is nothing to wait for.
            guard (try? JournalInspection.isLive(file.path)) == true else { return }
            usleep(5_000)
        }
    }
}
