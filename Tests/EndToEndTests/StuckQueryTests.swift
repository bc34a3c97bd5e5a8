import Foundation
import Testing

/// SQLite heeds no interrupt inside one function.
@Suite struct StuckQueryTests {
    private let workshop = Workshop()

    static let endless = "instr(zeroblob(90000000), zeroblob(45000000) || x'01')"

    @Test(arguments: [
        ["sql", "t.hindsight", "SELECT \(endless)", "--timeout", "1"],
        ["find", "t.hindsight", "\(endless) = 0"],
        ["bisect", "t.hindsight", "\(endless) = 0"], ["whatif", "t.hindsight", "--when", "\(endless) = 0"],
        ["debug", "t.hindsight", "-x", "script"],
    ])
    func `a limit of time holds inside one function`(words: [String]) throws {
        try Supplies.todo.put(into: workshop)
        try workshop.write("break toggle if \(Self.endless) = 0\ncontinue\n", to: "script")
        let start = ContinuousClock.now
        let result = try workshop.hindsight(words)
        #expect(result.code == 2, "\(result)")
        #expect(result.errors.hasPrefix("error: It took too long inside one function of SQLite"), "\(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 2, "\(result.errors)")
        // The function alone takes minutes.
        #expect(ContinuousClock.now - start < .seconds(90))
    }

    @Test func `a state to which one action adds many members is no stuck query`() throws {
        let tags = (0..<20_000).map { "\"tag \($0)\"" }.joined(separator: ",")
        try workshop.record("todo", [#"{"add":{"title":"Milk","tags":[\#(tags)]}}"#], to: "t.hindsight")
        for (words, expected) in [
            (["bisect", "t.hindsight", "/counts/open > 0"], "is true from 1.7 on, in counts"),
            (["stats", "t.hindsight"], "/counts/byTag "), (["doctor", "t.hindsight"], "sound"),
            (["show", "t.hindsight", "1"], "+ /counts/byTag/tag 19999  1"),
            (["log", "t.hindsight"], "/counts/byTag/tag 19999"),
            (["log", "t.hindsight", "--path", "/counts/byTag/*"], "/counts/byTag/tag 19999  nothing → 1"),
            (["search", "t.hindsight", "tag 1999", "--in", "state"], "\"tag 1999\" first appears in"),
        ] {
            let start = ContinuousClock.now
            let result = try workshop.hindsight(words)
            #expect(
                result.code == 0 && result.text.contains(expected),
                "\(words): \(result.text.prefix(300))\(result.errors)"
            )
            // Each took minutes when each added member was compared with all others.
            #expect(ContinuousClock.now - start < .seconds(90), "\(words)")
        }
    }
}
