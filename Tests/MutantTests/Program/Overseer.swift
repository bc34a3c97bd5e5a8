import Foundation

/// Has workers ask everything of all mutants, and starts the next where one dies.
final class Overseer {
    private let count: UInt64
    private let seed: UInt64
    private let output: String
    /// The built tool. What ends a worker is asked of it once more.
    private let tool: String?

    private var next: UInt64 = 0
    private var command = ""
    private var findings: [String] = []
    private var (answered, refused, different, reducers) = (0, 0, 0, 0)

    init(count: UInt64, seed: UInt64, output: String, tool: String?) {
        self.count = count
        self.seed = seed
        self.output = output
        self.tool = tool
    }

    /// - Returns: Whether nothing was found.
    func run() throws -> Bool {
        print("\(count) mutants, seed \(seed)")
        while next < count {
            // Not too many in one process, which keeps what was freed.
            let end = min(count, next + 2_000)
            let status = try work(next..<end)
            if status == 0, next >= end { continue }
            try died(status)
            next += 1
        }
        print(
            "\(count) mutants, \(Int(count) * Trial.commands.count) commands: \(answered) answered, \(refused) refused; "
                + "\(different) answers other than the sound recording's; \(reducers) ended in a sample's reducer"
        )
        print(findings.isEmpty ? "Nothing was found." : "\(findings.count) findings:")
        for finding in findings { print(finding) }
        return findings.isEmpty
    }

    private func work(_ range: Range<UInt64>) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = ["work", "\(range.lowerBound)", "\(range.upperBound)", "\(seed)", output]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        var rest = Data()
        while case let part = pipe.fileHandleForReading.availableData, !part.isEmpty {
            rest += part
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                take(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                rest = Data(rest[(end + 1)...])
            }
        }
        process.waitUntilExit()
        return process.terminationStatus
    }

    private func take(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        guard words.count == 3, let number = UInt64(words[1]) else { return print(line) }
        switch words[0] {
        case "at":
            next = number
            command = words[2]
        case "found":
            found("mutant \(number): \(words[2])")
        default:
            next = number + 1
            let numbers = words[2].split(separator: " ").compactMap { Int($0) }
            guard numbers.count == 2 else { return }
            answered += numbers[0]
            refused += Trial.commands.count - numbers[0]
            different += numbers[1]
            if next.isMultiple(of: 10_000) { print("\(next) done") }
        }
    }

    private func found(_ finding: String) {
        findings.append(finding)
        print(finding)
    }

    /// A worker has died. Where that was in a reducer, the tool says so: reducers run in a process of their own there.
    private func died(_ status: Int32) throws {
        let directory = "\(output)/found/\(next)"
        try run(CommandLine.arguments[0], ["show", "\(next)", "\(seed)", directory])
        let runsReducers = ["verify", "replay", "--replayed"].contains { command.contains($0) }
        if let tool, runsReducers {
            let words = command.split(separator: " ").map {
                $0 == "m.hindsight" ? "\(directory)/m.hindsight" : String($0)
            }
            if try run(tool, words) == 5 {
                reducers += 1
                return
            }
        }
        found("mutant \(next): \(command): ended by \(status); see \(directory)")
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
