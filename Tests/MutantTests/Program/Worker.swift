import Foundation
import TestSupport

/// A process that runs the commands on some mutants, with limits that end it if a mutant takes too much.
struct Worker {
    /// Bytes of address space, which is more than the memory in use.
    static let memory: UInt = 1 << 30
    /// Seconds of processor time for one command, and of wall time.
    static let seconds = (processor: 10, time: 120)
    /// One in this many different answers is written to disk for `judge.py`.
    static let judged: UInt64 = 10

    let range: Range<UInt64>
    let seed: UInt64
    let output: String

    init(_ arguments: [String]) throws {
        range = (UInt64(arguments[2]) ?? 0)..<(UInt64(arguments[3]) ?? 0)
        seed = UInt64(arguments[4]) ?? 0
        output = arguments[5]
    }

    func run() throws {
        Limits.setMemory(Self.memory)
        let trial = try Trial()
        let specimens = try Specimen.all(in: trial.scratch)
        for number in range {
            let mutant = Mutant(number, seed: seed, of: specimens, scratch: trial.scratch)
            let outcome = try trial.ask(mutant) { command in
                say("at \(number) \(command)")
                Limits.setTime(processor: Self.seconds.processor, wall: Self.seconds.time)
            }
            for finding in outcome.findings { say("found \(number) \(finding): \(mutant.recipe)") }
            say("done \(number) \(outcome.answers.count { $0.code <= 1 }) \(outcome.different.count)")
            if !outcome.different.isEmpty, number % Self.judged == 0 { try note(mutant, outcome) }
        }
    }

    private func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line.replacing("\n", with: " ") + "\n").utf8))
    }

    /// Writes a mutant and the tool's answers for `judge.py`.
    private func note(_ mutant: Mutant, _ outcome: Trial.Outcome) throws {
        let directory = "\(output)/judged/\(mutant.number)"
        try Self.write(mutant, to: directory)
        for (index, command) in Trial.commands.enumerated() {
            let answer = outcome.answers[index]
            let text = "\(command)\n\(answer.code)\n" + String(decoding: answer.output, as: UTF8.self)
            try Data(text.utf8).write(to: URL(filePath: "\(directory)/answer-\(index)"))
        }
    }

    private static func write(_ mutant: Mutant, to directory: String) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        for (suffix, bytes) in mutant.files {
            try Data(bytes).write(to: URL(filePath: "\(directory)/m.hindsight\(suffix)"))
        }
        try Data(mutant.recipe.utf8).write(to: URL(filePath: "\(directory)/recipe"))
    }

    static func show(_ arguments: [String]) throws {
        let trial = try Trial()
        let specimens = try Specimen.all(in: trial.scratch)
        let (number, seed) = (UInt64(arguments[2]) ?? 0, UInt64(arguments[3]) ?? 0)
        let mutant = Mutant(number, seed: seed, of: specimens, scratch: trial.scratch)
        try write(mutant, to: arguments[4])
        print(mutant.recipe)
    }
}
