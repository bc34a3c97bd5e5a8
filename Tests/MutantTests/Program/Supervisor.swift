import Foundation
import TestSupport

/// Distributes all mutants to workers, one worker per processor, and starts a new worker if one dies.
final class Supervisor: Sendable {
    private let count: UInt64
    private let seed: UInt64
    private let output: String
    /// The built tool. It repeats the command that ended a worker.
    private let tool: String?
    private let tally = Guarded(Tally())

    /// The work that is done so far.
    private struct Tally {
        /// The first mutant that no worker has.
        var next: UInt64 = 0
        var done: UInt64 = 0
        var findings: [String] = []
        var (answered, refused, different, reducers) = (0, 0, 0, 0)
    }

    /// A worker's progress.
    private struct Progress {
        var next: UInt64
        var command = ""
    }

    init(count: UInt64, seed: UInt64, output: String, tool: String?) {
        self.count = count
        self.seed = seed
        self.output = output
        self.tool = tool
    }

    /// - Returns: Whether there were no findings.
    func run() throws -> Bool {
        print("\(count) mutants, seed \(seed)")
        let workers = ProcessInfo.processInfo.activeProcessorCount
        let failure = Guarded<(any Error)?>(nil)
        DispatchQueue.concurrentPerform(iterations: workers) { _ in
            do {
                while let range = share() { try oversee(range) }
            } catch {
                failure.withLock { $0 = error }
            }
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
        let tally = tally.withLock { $0 }
        print(
            "\(count) mutants, \(Int(count) * Trial.commands.count) commands: \(tally.answered) answered, "
                + "\(tally.refused) refused; \(tally.different) answers other than the sound recording's; "
                + "\(tally.reducers) ended in a sample's reducer"
        )
        print(tally.findings.isEmpty ? "Nothing was found." : "\(tally.findings.count) findings:")
        for finding in tally.findings { print(finding) }
        return tally.findings.isEmpty && tally.done == count
    }

    /// The next mutants to run; `nil` if there are none. Limited per process, since a process keeps freed memory.
    private func share() -> Range<UInt64>? {
        tally.withLock { tally in
            guard tally.next < count else { return nil }
            defer { tally.next = min(count, tally.next + 1_000) }
            return tally.next..<min(count, tally.next + 1_000)
        }
    }

    private func oversee(_ range: Range<UInt64>) throws {
        var next = range.lowerBound
        while next < range.upperBound {
            let (status, progress) = try work(next..<range.upperBound)
            next = progress.next
            if status == 0, next >= range.upperBound { return }
            try died(at: progress, status)
            next += 1
        }
    }

    private func work(_ range: Range<UInt64>) throws -> (status: Int32, progress: Progress) {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = ["work", "\(range.lowerBound)", "\(range.upperBound)", "\(seed)", output]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        var progress = Progress(next: range.lowerBound)
        var rest = Data()
        while case let part = pipe.fileHandleForReading.availableData, !part.isEmpty {
            rest += part
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                take(String(decoding: rest[rest.startIndex..<end], as: UTF8.self), &progress)
                rest = Data(rest[(end + 1)...])
            }
        }
        process.waitUntilExit()
        return (process.terminationStatus, progress)
    }

    private func take(_ line: String, _ progress: inout Progress) {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        guard words.count == 3, let number = UInt64(words[1]) else { return print(line) }
        switch words[0] {
        case "at":
            progress = Progress(next: number, command: words[2])
        case "found":
            found("mutant \(number): \(words[2])")
        default:
            progress.next = number + 1
            let numbers = words[2].split(separator: " ").compactMap { Int($0) }
            guard numbers.count == 2 else { return }
            count { tally in
                tally.answered += numbers[0]
                tally.refused += Trial.commands.count - numbers[0]
                tally.different += numbers[1]
            }
        }
    }

    /// Counts a finished mutant.
    private func count(_ change: (inout Tally) -> Void) {
        let done = tally.withLock { tally in
            change(&tally)
            tally.done += 1
            return tally.done
        }
        guard done.isMultiple(of: 10_000) else { return }
        print("\(done) done")
        // A file would get it late otherwise.
        fflush(nil)
    }

    private func found(_ finding: String) {
        tally.withLock { $0.findings.append(finding) }
        print(finding)
        fflush(nil)
    }

    /// A worker has died. The tool reports whether it was in a reducer, since it runs reducers in a child process.
    private func died(at place: Progress, _ status: Int32) throws {
        let directory = "\(output)/found/\(place.next)"
        try run(CommandLine.arguments[0], ["show", "\(place.next)", "\(seed)", directory])
        let runsReducers = ["verify", "replay", "--replayed"].contains { place.command.contains($0) }
        if let tool, runsReducers {
            let words = place.command.split(separator: " ").map {
                $0 == "m.hindsight" ? "\(directory)/m.hindsight" : String($0)
            }
            if try run(tool, words) == 5 { return count { $0.reducers += 1 } }
        }
        found("mutant \(place.next): \(place.command): ended by \(status); see \(directory)")
        count { _ in }
    }

    @discardableResult
    private func run(_ path: String, _ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationReason == .uncaughtSignal ? -1 : process.terminationStatus
    }
}
