import Foundation
import Testing

/// What `show` says about the actions around one: those that it led to, and where time travel went.
@Suite(.enabled(if: Workshop.hasSQLiteShell, "needs the sqlite3 shell")) struct ShowTests {
    /// A recording of eight actions, changed by SQL.
    private func workshop(_ sql: String) throws -> Workshop {
        let workshop = Workshop()
        try Supplies.todo.put(into: workshop)
        try workshop.write(sql, to: "change.sql")
        try #require(workshop.shell("sqlite3 t.hindsight < change.sql").code == 0)
        return workshop
    }

    @Test func `show lists the actions that an action led to, before and after it`() throws {
        let workshop = try workshop("UPDATE action SET parent = 3 WHERE seq IN (2, 4, 7)")
        let text = try workshop.hindsight("show", "t.hindsight", "3").text
        #expect(
            text.contains(
                """
                  led to   2  add(title: "Bread", tags: ["shop", "soon"])
                           4  annotate(id: 2, text: "wholemeal")
                           7  undo

                """
            ),
            "\(text)"
        )
        let json = try workshop.hindsight("show", "t.hindsight", "3", "--json").json()
        let children = try #require(json["children"] as? [String: Any])
        #expect(children["actions"] as? [Int] == [2, 4, 7])
        #expect(children["searched"] as? [Int] == [1, 8])
        #expect(json["travel"] is NSNull)
        #expect(try workshop.hindsight("show", "t.hindsight", "4").text.contains("  parent   action 3\n"))
        let none = try workshop.hindsight("show", "t.hindsight", "5").text
        #expect(!none.contains("led to"), "\(none)")
    }

    @Test func `many are cut with a count`() throws {
        let workshop = Workshop()
        let lines = (1...40).map { #"{"add":{"title":"item \#($0)"}}"# }
        try workshop.record("todo", lines, to: "t.hindsight")
        #expect(try workshop.shell("sqlite3 t.hindsight 'UPDATE action SET parent = 1 WHERE seq > 1'").code == 0)
        let text = try workshop.hindsight("show", "t.hindsight", "1").text
        #expect(text.contains("  led to   2  add(title: \"item 2\")\n"), "\(text)")
        #expect(
            text.contains("           9  add(title: \"item 9\")\n           and 31 more, up to action 40\n"),
            "\(text)"
        )
        #expect(!text.contains("item 10"))
    }

    @Test(
        arguments: [
            ("The app travelled to action 3.", "to 3, the state after toggle(id: 1)", 3),
            ("The app travelled to the initial state.", "to 0, the initial state", 0),
            ("The app travelled to a given state.", "The app travelled to a given state.", nil),
            ("The app travelled to action 99.", "The app travelled to action 99.", nil),
            ("Somewhere \u{1B}[2J", #"Somewhere \u001b[2J"#, nil),
        ] as [(String, String, Int?)]
    )
    func `show says where time travel went`(problem: String, words: String, to: Int?) throws {
        let workshop = try workshop(
            "UPDATE action SET type = '@travel', payload = NULL, problem = '\(problem)', steps = '[[null]]' WHERE seq = 8"
        )
        let text = try workshop.hindsight("show", "t.hindsight", "8").text
        #expect(text.contains("  travel   \(words)\n"), "\(text)")
        let json = try workshop.hindsight("show", "t.hindsight", "8", "--json").json()
        #expect((json["travel"] as? [String: Any])?["to"] as? Int == to)
    }
}
