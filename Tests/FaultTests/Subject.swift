import Foundation
import TestSupport
import Testing

/// One run of `Tests/LedgerApp` in a temporary directory.
final class Subject {
    let directory: URL
    let recording: URL

    init() throws {
        // A file system in memory if there is one: the tests depend on the calls, not on the disk.
        let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
        let isThere = FileManager.default.isWritableFile(atPath: memory.path)
        let parent = isThere ? memory : FileManager.default.temporaryDirectory
        directory = parent.appendingPathComponent("hindsight-faults-\(UUID().uuidString)")
        recording = directory.appendingPathComponent("session.hindsight")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(at: directory)
        } catch {
            print("left behind: \(directory.path): \(error)")
        }
    }

    /// The result of a run.
    struct Outcome {
        /// The numbers of the actions whose `dispatch` returned.
        var returned: Int
        /// The facts that the process printed, each with its values.
        var facts: [(name: String, value: String)]
        /// The signal that ended the process; 0 if it exited.
        var signal: Int32
        /// Whether the process did not end in time.
        var hung = false
        /// The number of calls, points and failed calls, and of actions that returned before the first failure (or -1);
        /// `nil` if the process did not reach its end.
        var counts: [Int]?
        /// The names of the calls, with the files' suffixes.
        var calls: [Substring] = []

        subscript(name: String) -> [String] { facts.filter { $0.name == name }.map(\.value) }
    }

    /// Runs the process and waits for its end.
    ///
    /// - Parameters:
    /// - program: The program that starts it, if it is not started directly.
    /// - recording: The path of the recording, if it is not the default.
    func run(
        seed: UInt64 = 1,
        count: Int = 12,
        _ settings: [String] = [],
        fault: Fault? = nil,
        log: URL? = nil,
        by program: [String] = [],
        to recording: URL? = nil
    ) throws -> Outcome {
        let process = try Running(
            seed: seed,
            count: count,
            settings,
            fault: fault,
            log: log,
            by: program,
            to: recording ?? self.recording
        )
        return try process.outcome()
    }

    static let products: URL = {
        #if canImport(Darwin)
            Bundle(for: Subject.self).bundleURL.deletingLastPathComponent()
        #else
            URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        #endif
    }()

    static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
}

/// `Tests/LedgerApp` while it runs.
final class Running {
    private let process = Process()
    private let input = Pipe()
    private let ended = DispatchSemaphore(value: 0)
    private let work: URL
    private func file(_ name: String) -> URL { work.appendingPathComponent(name) }

    init(
        seed: UInt64,
        count: Int,
        _ settings: [String],
        fault: Fault? = nil,
        log: URL? = nil,
        by program: [String] = [],
        to recording: URL
    ) throws {
        work = FileManager.default.temporaryDirectory.appendingPathComponent("hindsight-run-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
        let app = Subject.products.appendingPathComponent("LedgerApp").path
        let command = program + [app, recording.path, "\(seed)", "\(count)"] + settings
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        var environment = ProcessInfo.environmentWithoutBacktraces
        if let fault, let library = Shim.library {
            let faults = fault.environment(for: recording, library: library, count: file("count"), log: log)
            environment.merge(faults) { $1 }
        }
        process.environment = environment
        for name in ["out", "err"] { try Data().write(to: file(name)) }
        process.standardInput = input
        let outputs = try ["out", "err"].map { try FileHandle(forWritingTo: file($0)) }
        (process.standardOutput, process.standardError) = (outputs[0], outputs[1])
        process.terminationHandler = { [ended] _ in ended.signal() }
        try process.run()
        // Foundation would leave them open, and dies after some thousand while it enumerates open descriptors.
        for output in outputs { try output.close() }
    }

    deinit {
        if process.isRunning { kill() }
        do {
            try FileManager.default.removeItem(at: work)
        } catch {
            print("left behind: \(work.path): \(error)")
        }
    }

    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Lets the process continue if it waits.
    func letGo() throws { try input.fileHandleForWriting.close() }

    /// Waits until `dispatch` has returned from `count` actions, or the process has ended.
    func wait(for count: Int) throws {
        while process.isRunning, try Data(contentsOf: file("out")).count / 8 < count { usleep(1_000) }
    }

    /// Waits for the process's end.
    func outcome() throws -> Subject.Outcome {
        try letGo()
        // A process that hangs is a failure, and must not stop the tests.
        let isInTime = ended.wait(timeout: .now() + 60) == .success
        if !isInTime { kill() }
        let lines = try String(contentsOf: file("err"), encoding: .utf8).split(separator: "\n")
        var outcome = Subject.Outcome(
            returned: try Data(contentsOf: file("out")).withUnsafeBytes { bytes in
                (0..<bytes.count / 8).count { bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Int64.self) > 0 }
            },
            facts: lines.map { line in
                let parts = line.split(separator: " ", maxSplits: 1)
                return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
            },
            signal: process.terminationReason == .uncaughtSignal ? process.terminationStatus : 0,
            hung: !isInTime
        )
        if let text = try? String(contentsOf: file("count"), encoding: .utf8) {
            let lines = text.split(separator: "\n")
            outcome.counts = lines[0].split(separator: " ").compactMap { Int($0) }
            outcome.calls = Array(lines.dropFirst())
        }
        return outcome
    }
}
