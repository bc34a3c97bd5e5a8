import Foundation
import Testing

/// Recordings with a limit, and directories of runs.
@Suite struct LimitTests {
    private let workshop = Workshop()
    private let lines = (1...600).map { #"{"add":{"title":"number \#($0)"}}"# } + [#"{"clearDone":{}}"#]

    private func input(_ lines: [String]) -> Data { Data(lines.map { $0 + "\n" }.joined().utf8) }

    @Test func `every reading command works on a recording whose start was dropped`() throws {
        let recorded = try workshop.hindsight(
            ["record", "--app", "todo", "--limit", "100,50MB,1h", "--json", "t.hindsight"],
            input: input(lines)
        )
        #expect(recorded.code == 0, "\(recorded.errors)")
        let dropped = try #require(try recorded.json()["dropped"] as? Int)
        #expect((300...501).contains(dropped))
        #expect(try recorded.json()["actions"] as? Int == 601)

        let info = try workshop.hindsight("info", "t.hindsight").text
        #expect(info.contains("the first \(dropped) actions, up to 20"))
        #expect(info.contains("the last 100 actions, 50 MB, 1 h"))
        // The lines below name the action types.
        let rows = info.split(separator: "\n").map { $0.prefix(9).trimmingCharacters(in: .whitespaces) }
        let actions = try #require(rows.firstIndex(of: "actions"))
        #expect(Array(rows[actions...].prefix(5)) == ["actions", "", "", "dropped", "limit"], "\(info)")
        let facts = try workshop.hindsight("info", "t.hindsight", "--json").json()
        #expect(facts["actions"] as? Int == 601 - dropped)
        #expect((facts["dropped"] as? [String: Int])?["actions"] == dropped)
        #expect((facts["limit"] as? [String: Int]) == ["actions": 100, "bytes": 50 << 20, "age": 3_600_000_000_000])

        let log = try workshop.hindsight("log", "t.hindsight", "--json")
        #expect(try log.json(line: 0)["seq"] as? Int == dropped + 1)
        #expect(log.text.split(separator: "\n").count == 601 - dropped)
        let items = try workshop.hindsight("jump", "t.hindsight", "start", "--path", "/items", "--json").text
        #expect(try JSONSerialization.jsonObject(with: Data(items.utf8)) as? [Any] != nil)
        #expect(try workshop.hindsight("jump", "t.hindsight", "550.1").code == 0)
        #expect(try workshop.hindsight("jump", "t.hindsight", "end", "--replayed").code == 0)
        #expect(try workshop.hindsight("show", "t.hindsight", "600").text.contains("number 600"))
        #expect(try workshop.hindsight("show", "t.hindsight", "start").text.contains("before it were dropped"))
        #expect(try workshop.hindsight("diff", "t.hindsight", "start", "end").code == 1)
        #expect(try workshop.hindsight("tail", "-n", "2", "t.hindsight").text.contains("clearDone"))
        let verified = try workshop.hindsight("verify", "t.hindsight", "--json").json()
        #expect(verified["equal"] as? Bool == true)
        #expect(verified["actions"] as? Int == 601 - dropped)
        #expect(try workshop.hindsight("replay", "t.hindsight").code == 0)
        let recovered = try workshop.hindsight("recover", "t.hindsight").text
        #expect(recovered == "whole  t.hindsight  \(601 - dropped) actions, nothing to recover\n", "\(recovered)")

        for arguments in [
            ["jump", "t.hindsight", "1"], ["show", "t.hindsight", "7"], ["log", "t.hindsight", "--from", "2"],
        ] {
            let refused = try workshop.hindsight(arguments).expecting(code: 2)
            #expect(refused.errors.contains("has dropped the first \(dropped) actions"), "\(refused.errors)")
            #expect(refused.errors.contains("Valid positions: \(dropped) to 601, start, end."))
        }
    }

    @Test(arguments: ["0", "-1", "5 apples", "1h,2h", "", "1h,", "99999999999GB", "MB"])
    func `record refuses an invalid limit`(text: String) throws {
        let result = try Workshop().hindsight(["record", "--app", "todo", "--limit=\(text)", "t.hindsight"])
        #expect(result.code == 2)
        #expect(result.errors.contains("such as 100000, 50MB, 1h"))
    }

    @Test func `a directory holds runs, and its name stands for the newest`() throws {
        try FileManager.default.createDirectory(at: workshop.url("runs"), withIntermediateDirectories: false)
        var names: [String] = []
        for number in 1...4 {
            let result = try workshop.hindsight(
                ["record", "--app", "todo", "--keep", "2", "--json", "runs"],
                input: input(Array(lines.prefix(number)))
            )
            #expect(result.code == 0, "\(result.errors)")
            names.append(try #require(try result.json()["file"] as? String))
        }
        #expect(names.allSatisfy { $0.hasPrefix("runs/todo_20") } && names[2] != names[3])

        let list = try workshop.hindsight("info", "runs").expecting(code: 0)
        let rows = list.text.split(separator: "\n")
        #expect(rows.count == 2 && rows[0].contains("4 actions") && rows[1].contains("3 actions"), "\(list.text)")
        let newest = try workshop.hindsight("info", "runs", "--json").json()
        #expect(newest["file"] as? String == String(names[3].dropFirst(5)))
        #expect(newest["ended"] as? String == "closed")

        let log = try workshop.hindsight("log", "runs/")
        #expect(log.text.split(separator: "\n").count == 4)
        #expect(log.errors == "runs/ is a directory; its newest recording is \(names[3]).\n")
        #expect(try workshop.hindsight("jump", "runs", "end").text == workshop.hindsight("jump", names[3], "end").text)
        #expect(try workshop.hindsight("diff", "runs:end", names[3] + ":end").code == 0)
        #expect(try workshop.hindsight("replay", "runs").code == 0)
        #expect(try workshop.hindsight("tail", "runs").text.split(separator: "\n").count == 4)
        let verified = try workshop.hindsight("verify", "runs").text.split(separator: "\n")
        #expect(verified.count == 2 && verified[0].contains("3 actions"))

        try Data("no recording".utf8).write(to: workshop.url("runs/x.hindsight"))
        let damaged = try Data(contentsOf: workshop.url(names[3])).prefix(5000)
        try damaged.write(to: workshop.url("runs/damaged.hindsight"))
        let mixed = try workshop.hindsight("info", "runs").expecting(code: 3)
        #expect(
            mixed.text.split(separator: "\n").count == 3 && mixed.text.contains("The recording is damaged: "),
            "\(mixed.text)"
        )
    }

    @Test func `a directory without recordings is reported as such`() throws {
        try FileManager.default.createDirectory(at: workshop.url("runs"), withIntermediateDirectories: false)
        for arguments in [["info", "runs"], ["log", "runs"], ["verify", "runs"], ["jump", "runs", "end"]] {
            let result = try workshop.hindsight(arguments).expecting(code: 3)
            #expect(result.errors.contains("runs is a directory without recordings"))
        }
        let result = try workshop.hindsight("record", "--app", "todo", "--keep", "2", "t.hindsight").expecting(code: 2)
        #expect(result.errors.contains("--keep 2 is for a directory"))
    }
}
