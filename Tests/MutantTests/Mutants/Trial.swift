import Foundation
import Samples
import TestSupport

@testable import HindsightCLI

/// The tool's answer to one command.
struct Answer: Equatable, Sendable {
    var code: Int32
    var output: [UInt8]
    var errors: [UInt8]
}

/// Runs all commands on one recording after the other, in a directory of its own.
final class Trial {
    /// Every reading command, then `doctor`, which writes another file, and last `recover`, which writes in place.
    static let commands = [
        "info m.hindsight --json", "info m.hindsight", "log m.hindsight --json", "log m.hindsight",
        "log m.hindsight --path /items --from 50%", "show m.hindsight 3 --json", "show m.hindsight 5",
        "show m.hindsight crash", "jump m.hindsight end --json", "jump m.hindsight 50%", "jump m.hindsight 4.2",
        "jump m.hindsight here", "diff m.hindsight start end --json", "diff m.hindsight 3 6",
        "diff m.hindsight 2 end --format json-patch", "tail m.hindsight --json", "verify m.hindsight --json",
        "replay m.hindsight --to 8", "jump m.hindsight end --replayed --json",
        "doctor m.hindsight --json --salvage saved.hindsight --force", "recover m.hindsight --json",
    ]

    /// Bytes of the longest answer that a mutant's size can explain.
    static let longest = 100 << 20

    /// Exit codes that the tool documents. 5 is for a separate process.
    static let allowed: Set<Int32> = [0, 1, 2, 3, 4, 6]

    private static let parent =
        FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
    private static let own = "hindsight-mutants-\(ProcessInfo.processInfo.processIdentifier)"

    /// A file that hostile recordings name.
    static let bystander = "\(parent)/\(own)-bystander"

    let directory: String
    private var originals: [String: [Answer]] = [:]

    init() throws {
        directory = "\(Self.parent)/\(Self.own)"
        try FileManager.default.createDirectory(atPath: directory + "/work", withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: directory + "/scratch", withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: URL(filePath: Self.bystander))
    }

    deinit {
        // Remaining files are in a temporary directory.
        _ = try? FileManager.default.removeItem(atPath: directory)
        unlink(Self.bystander)
    }

    var scratch: String { directory + "/scratch" }
    var work: String { directory + "/work" }

    /// The result of one mutant.
    struct Outcome {
        /// Unexpected results; empty if all is well.
        var findings: [String] = []
        var answers: [Answer] = []
        /// The commands that answered otherwise than for the sound recording.
        var different: [String] = []
    }

    /// Runs all commands on a recording.
    ///
    /// - Parameter before: Called with each command before it runs.
    func ask(_ files: [String: [UInt8]], before: (String) -> Void = { _ in }) throws -> Outcome {
        try lay(files)
        var outcome = Outcome()
        for (index, command) in Self.commands.enumerated() {
            before(command)
            let answer = run(command)
            outcome.answers.append(answer)
            if !Self.allowed.contains(answer.code) {
                outcome.findings.append("\(command): exit code \(answer.code)")
            }
            if answer.code == 0 || answer.code == 1, !command.hasPrefix("recover"), answer.output.isEmpty,
                !command.hasPrefix("log"), !command.hasPrefix("tail"), !command.hasPrefix("diff")
            {
                outcome.findings.append("\(command): no answer and no error")
            }
            if answer.output.count > Self.longest { outcome.findings.append("\(command): no end of an answer") }
            if answer.code > 1, answer.errors.isEmpty, answer.output.isEmpty {
                outcome.findings.append("\(command): no words")
            }
            if command.hasPrefix("doctor") { outcome.findings += checkSaved() }
            let isWriting = command.hasPrefix("recover")
            // Once for several mutants, since it takes longer than they do.
            guard isWriting || index % 6 == 0 || index == Self.commands.count - 2 else { continue }
            outcome.findings += try changes(to: files, isWriting: isWriting).map { "\(command): \($0)" }
        }
        return outcome
    }

    /// Runs all commands on a mutant, and compares with the answers for its sound original.
    func ask(_ mutant: Mutant, before: (String) -> Void = { _ in }) throws -> Outcome {
        let name = mutant.original.name
        let sound = try originals[name] ?? ask(mutant.original.files).answers
        originals[name] = sound
        var outcome = try ask(mutant.files, before: before)
        for (command, (answer, sound)) in zip(Self.commands, zip(outcome.answers, sound)) where answer.code <= 1 {
            if answer.code != sound.code || answer.output != sound.output { outcome.different.append(command) }
        }
        return outcome
    }

    /// Writes a recording's files into the directory, and nothing else.
    func lay(_ files: [String: [UInt8]]) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: work) { unlink("\(work)/\(name)") }
        for (suffix, bytes) in files { try Data(bytes).write(to: URL(filePath: "\(work)/m.hindsight\(suffix)")) }
    }

    private func run(_ command: String) -> Answer {
        var answer = Answer(code: 0, output: [], errors: [])
        let console = Console(
            output: Output { bytes in
                // No more than can be held. The answer is too long then, which is reported below.
                if answer.output.count <= Self.longest { answer.output += bytes }
                return .success(bytes.count)
            },
            errors: Output(capacity: 1) { bytes in
                answer.errors += bytes
                return .success(bytes.count)
            },
            terminal: Terminal()
        )
        let tool = Tool(name: "hindsight", apps: SampleApps.all, console: console, input: { _ in .success(0) })
        let places = ["m.hindsight": "\(work)/m.hindsight", "saved.hindsight": "\(scratch)/saved.hindsight"]
        let words = command.split(separator: " ").map { places[String($0)] ?? String($0) }
        answer.code = tool.run(words).rawValue
        return answer
    }

    /// The salvaged part of a damaged recording must be sound.
    private func checkSaved() -> [String] {
        let saved = "\(scratch)/saved.hindsight"
        guard FileManager.default.fileExists(atPath: saved) else { return [] }
        defer { unlink(saved) }
        return [
            "info saved.hindsight", "jump saved.hindsight end", "jump saved.hindsight start", "log saved.hindsight",
        ]
        .compactMap { command in
            let answer = run(command)
            let words = String(decoding: answer.errors, as: UTF8.self)
            return answer.code == 0 || words.contains("is empty")
                ? nil : "what doctor saved: \(command): \(answer.code) \(words)"
        }
    }

    /// The changes in the directory and around it. A writing command may change the recording, and remove its sidecar
    /// files.
    private func changes(to files: [String: [UInt8]], isWriting: Bool) throws -> [String] {
        var changes: [String] = []
        let names = Set(try FileManager.default.contentsOfDirectory(atPath: work))
        let expected = Set(files.keys.map { "m.hindsight" + $0 })
        // A writer's connection leaves a `-wal` if it could not checkpoint it.
        let allowed =
            isWriting ? expected.union(["m.hindsight-wal", "m.hindsight-shm", "m.hindsight-journal"]) : expected
        for name in names.subtracting(allowed).sorted() { changes.append("\(name) was made") }
        if !isWriting {
            for name in expected.subtracting(names).sorted() { changes.append("\(name) was removed") }
            for (suffix, bytes) in files {
                let now = FileManager.default.contents(atPath: "\(work)/m.hindsight\(suffix)")
                if now.map({ $0 == Data(bytes) }) == false { changes.append("m.hindsight\(suffix) was changed") }
            }
        }
        if FileManager.default.contents(atPath: Self.bystander) != Data("mine".utf8) {
            changes.append("a file elsewhere was changed")
            try Data("mine".utf8).write(to: URL(filePath: Self.bystander))
        }
        let around = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        if around != ["scratch", "work"] { changes.append("there is \(around)") }
        return changes
    }
}
