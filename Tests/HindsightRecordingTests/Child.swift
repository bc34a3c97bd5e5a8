import Foundation

@testable import HindsightFormat
@testable import HindsightRecorder
@testable import HindsightRecording

/// The process of `Tests/CrashingApp`.
final class Child {
    private let process: Spawned
    private let file: URL

    /// - Parameters:
    ///   - end: How it is to end; see there.
    ///   - marked: Whether it is to mark how it ends.
    ///   - shell: What a shell runs before it becomes the process.
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

    /// Where the build puts executables: beside the tests on Linux, beside the tests' bundle on a Mac.
    private static var products: URL {
        #if canImport(Darwin)
            Bundle(for: Child.self).bundleURL.deletingLastPathComponent()
        #else
            URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        #endif
    }

    /// Waits until it has printed something, or has ended.
    func waitForOutput() {
        _ = process.output.availableData
    }

    /// All that it prints before it is killed, after some microseconds from when it began to print.
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

    /// How it ended; see ``Spawned``.
    var status: Int32? { process.status }

    func kill() {
        Foundation.kill(process.id, SIGKILL)
        waitForEnd()
    }

    /// Lets go of those that wait for its input to end.
    func closeInput() throws { try process.input.close() }

    /// Lets it close its recorder.
    func letClose() throws {
        try process.input.close()
        waitForEnd()
    }

    /// Waits for its end and that of its lock, which comes a moment later where it has trapped: what wrote down the
    /// backtrace has its memory too.
    func waitForEnd() {
        process.waitForEnd()
        for _ in 0..<1000 {
            // Where there is nothing to look at, nobody waits.
            guard (try? JournalInspection.isLive(file.path)) == true else { return }
            usleep(5_000)
        }
    }
}
