import Foundation
import HindsightSQLite
import TestSupport
import Testing

/// Runs every reading command on damaged and hostile recordings. Each must print an answer or an error, and change
/// nothing.
///
/// Runs a few mutants here. `make torture-mutants` runs 100,000, in processes with limits to memory and time that may
/// die without ending the test, and checks the answers in Python.
@Suite(.serialized) struct MutantTests {
    @Test(arguments: Seeded.runs(1, from: 20_261_120))
    func `each command answers or fails cleanly on a damaged recording`(seed: Seeded) throws {
        let trial = try Trial()
        let specimens = try Specimen.all(in: trial.scratch)
        for number in 0..<100 as Range<UInt64> {
            let mutant = Mutant(number, seed: seed.seed, of: specimens, scratch: trial.scratch)
            let outcome = try trial.ask(mutant)
            #expect(outcome.findings.isEmpty, "\(seed), mutant \(number): \(mutant.recipe)")
        }
    }

    @Test func `a reader stops at pages that form a cycle`() throws {
        let trial = try Trial()
        let todo = try #require(try Specimen.all(in: trial.scratch).first)
        // A command that looks for the last known steps reads all rows.
        let file = URL(filePath: trial.scratch + "/unknown.hindsight")
        try Data(try #require(todo.files[""])).write(to: file)
        try Connection(file.path, .readWrite)
            .execute("UPDATE action SET steps = NULL; DELETE FROM keyframe WHERE seq > 0")
        let bytes = [UInt8](try Data(contentsOf: file))
        unlink(file.path)
        for page in 2...9 {
            var mutant = bytes
            let recipe = PageDamage.maze(&mutant, page: page, size: 4096, levels: 17, fan: 256)
            let outcome = try trial.ask(["": mutant])
            #expect(outcome.findings.isEmpty, "\(recipe)")
        }
    }

    @Test func `commands answer on sound recordings`() throws {
        let trial = try Trial()
        for specimen in try Specimen.all(in: trial.scratch) {
            let outcome = try trial.ask(specimen.files)
            #expect(outcome.findings.isEmpty, "\(specimen.name)")
            // The shortest has no action 5, and not all have crashed.
            let answered = outcome.answers.count { $0.code <= 1 }
            #expect(answered >= 10, "\(specimen.name)")
        }
    }
}
