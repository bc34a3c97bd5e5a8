import Foundation
import Testing

/// SQLite heeds no interrupt inside one function.
@Suite struct StuckQueryTests {
    static let endless = "instr(zeroblob(90000000), zeroblob(45000000) || x'01')"

    @Test(arguments: [
        ["sql", "t.hindsight", "SELECT \(endless)", "--timeout", "1"],
        ["find", "t.hindsight", "\(endless) = 0"],
        ["bisect", "t.hindsight", "\(endless) = 0"], ["whatif", "t.hindsight", "--when", "\(endless) = 0"],
        ["debug", "t.hindsight", "-x", "script"],
    ])
    func `a limit of time holds inside one function`(words: [String]) throws {
        let workshop = try Workshop()
        try workshop.record("todo", Sessions.todo, to: "t.hindsight")
        try workshop.write("break toggle if \(Self.endless) = 0\ncontinue\n", to: "script")
        let start = ContinuousClock.now
        let result = try workshop.hindsight(words)
        #expect(result.code == 2, "\(result)")
        #expect(result.errors.hasPrefix("error: It took too long inside one function of SQLite"), "\(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 2, "\(result.errors)")
        // The function alone takes minutes.
        #expect(ContinuousClock.now - start < .seconds(30))
    }
}
