import Foundation
import Testing

@Suite("Redaction on the command line") struct RedactionTests {
    private let workshop = Workshop()

    private func record(_ patterns: String) throws {
        let lines = Sessions.todo.map { $0 + "\n" }.joined()
        let result = try workshop.hindsight(
            "record",
            "--app",
            "todo",
            "--force",
            "--redact",
            patterns,
            "o.hindsight",
            input: Data(lines.utf8)
        )
        try #require(result.code == 0, "\(result.errors)")
    }

    @Test func `redacted values reach no file, and info lists the patterns`() throws {
        try record("/**/title,/**/text,/**/note,/**/tags,/counts/byTag")
        let bytes = try Data(contentsOf: workshop.url("o.hindsight"))
        for secret in ["Milk", "Bread", "wholemeal", "soon"] {
            #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret)")
        }
        let info = try workshop.hindsight("info", "o.hindsight")
        #expect(info.text.contains("redacted  in states: /**/title, /**/text,"), "\(info.text)")
        let show = try workshop.hindsight("show", "o.hindsight", "1")
        #expect(show.text.contains("add(title: [redacted])"), "\(show.text)")
        let verify = try workshop.hindsight("verify", "o.hindsight").expecting(code: 0)
        #expect(verify.text.contains("redacted 5 paths not compared: /**/title, /**/text,"), "\(verify.text)")
        let json = try workshop.hindsight("verify", "--json", "o.hindsight").json()
        #expect((json["redacted"] as? [String])?.count == 5)
    }

    @Test func `verify names a redacted value as the likely cause of a divergence`() throws {
        try record("/**/title,/**/tags")
        let verify = try workshop.hindsight("verify", "o.hindsight").expecting(code: 1)
        for words in [
            "/counts/byTag", "It is derived from a redacted value",
            "a placeholder for action /add/title, action /add/tags",
        ] { #expect(verify.text.contains(words), "\(verify.text)") }
    }

    @Test func `record and info report a pattern that matched nothing`() throws {
        let lines = Data(Sessions.todo.map { $0 + "\n" }.joined().utf8)
        let patterns = "/**/title,/itmes/*/note,/annotate/text,/add/title/x"
        let record = try workshop.hindsight(
            ["record", "--app", "todo", "--redact", patterns, "o.hindsight"],
            input: lines
        )
        #expect(record.code == 0)
        #expect(record.errors == "--redact /itmes/*/note matched nothing, so it hides nothing. Is it misspelt?\n")
        let info = try workshop.hindsight("info", "o.hindsight").text
        #expect(info.contains("unmet     in states: /itmes/*/note matched nothing"), "\(info)")
        let json = try workshop.hindsight("info", "--json", "o.hindsight").json()["redacted"] as? [String: Any]
        #expect(json?["unmetActions"] as? [String] == ["/itmes/*/note"])
        let fine = try workshop.hindsight(
            ["record", "--app", "todo", "--force", "--redact", "/**/title", "o.hindsight"],
            input: lines
        )
        #expect(fine.errors.isEmpty, "\(fine.errors)")
        #expect(try !workshop.hindsight("info", "o.hindsight").text.contains("unmet"))
    }

    @Test func `record refuses an invalid pattern and makes no file`() throws {
        let result = try workshop.hindsight("record", "--app", "todo", "--redact", "title", "o.hindsight")
        #expect(result.code == 2)
        #expect(result.errors.contains("--redact"))
        #expect(!FileManager.default.fileExists(atPath: workshop.url("o.hindsight").path))
    }
}
