import Foundation
import HindsightSQLite
import TestSupport
import Testing

/// Damaged and hostile recordings through every command that reads: an error or an answer, and nothing changes on disk.
///
/// A few here; `make torture-mutants` asks the same of 100,000, in processes that may die without ending the test, with
/// limits to memory and time, and has the answers judged by Python.
@Suite(.serialized) struct MutantTests {
    @Test(arguments: Seeded.runs(1, from: 20_261_120))
    func `an error or an answer, whatever is done to a recording`(seed: Seeded) throws {
        let trial = try Trial()
        let specimens = try Specimen.all(in: trial.scratch)
        for number in 0..<100 as Range<UInt64> {
            let mutant = Mutant(number, seed: seed.seed, of: specimens, scratch: trial.scratch)
            let outcome = try trial.ask(mutant)
            #expect(outcome.findings.isEmpty, "\(seed), mutant \(number): \(mutant.recipe)")
        }
    }

    @Test func `pages that lead to one another for ever end the reading`() throws {
        let trial = try Trial()
        let todo = try #require(try Specimen.all(in: trial.scratch).first)
        // Whoever looks for the last steps that are known goes through all rows.
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

    @Test func `sound recordings are answered`() throws {
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
