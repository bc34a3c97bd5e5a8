import Foundation

/// The process of `Tests/CrashingApp`.
final class Child {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// - Parameter end: How it is to end; see there.
    init(recordingTo file: URL, end: String) throws {
        process.executableURL = Self.products.appendingPathComponent("CrashingApp")
        process.arguments = [file.path, end]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
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
        _ = output.fileHandleForReading.availableData
    }

    /// All that it prints before it is killed, after some microseconds from when it began to print.
    func killAndRead(after microseconds: UInt32) -> Data {
        var data = output.fileHandleForReading.availableData
        usleep(microseconds)
        Foundation.kill(process.processIdentifier, SIGKILL)
        while true {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            data += more
        }
        waitForEnd()
        return data
    }

    /// How it ended.
    var status: Int32 { process.terminationStatus }

    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        waitForEnd()
    }

    /// Lets it close its recorder.
    func letClose() throws {
        try input.fileHandleForWriting.close()
        waitForEnd()
    }

    func waitForEnd() { process.waitUntilExit() }
}
