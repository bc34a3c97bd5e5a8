import Foundation
import TestSupport
import Testing

/// Looks for planted secrets in what `scrub` writes, and holds its behaviour against the recorded one.
@Suite struct ScrubTests {
    private let workshop = Workshop()

    /// The kinds and paths of the changes of each reducer in each action, from the exported text. Keys of dictionaries are
    /// left out.
    private func changes(in file: String) throws -> [String] {
        try #require(try workshop.hindsight("export", file, "-o", "\(file).jsonl", "--force").code == 0)
        let text = try String(contentsOf: workshop.url("\(file).jsonl"), encoding: .utf8)
        return try text.split(separator: "\n").dropFirst().flatMap { line -> [String] in
            let row = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            guard let changes = row?["changes"] as? [String: [[String: Any]]] else { return [] }
            return changes.sorted { $0.key < $1.key }.map { reducer, operations in
                let all = operations.map { operation -> String in
                    let kind = operation["op"] as? String ?? ""
                    let path = (operation["path"] as? String ?? "")
                        .replacing(#/(\/byTag\/|\/stock\/)[^\/]+/#) { $0.1 + "*" }
                    return "\(kind == "edit" ? "replace" : kind) \(path)"
                }
                return "\(row?["action"] ?? "") \(reducer) \(all.sorted())"
            }
        }
    }

    private func secrets(_ random: inout Seeded) -> [String] {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZæøå玉")
        return (0..<50).map { index in
            let word = String((0..<(5 + random.below(8))).map { _ in random.pick(letters) })
            switch index % 5 {
            case 0: return "\(word) \(random.below(1_000_000) + 100_000)"
            case 1: return "\(word)@example.com"
            case 2: return "+47 \(10_000_000 + random.below(90_000_000))"
            default: return word
            }
        }
    }

    @Test(arguments: Seeded.runs(3))
    func `None of fifty planted secrets is left, and the behaviour is the same`(seed: Seeded) throws {
        var random = seed
        let secrets = secrets(&random)
        func text(_ text: String) -> String { "\"\(text)\"" }
        var lines: [String] = []
        for (index, secret) in secrets.enumerated() {
            switch index % 4 {
            case 0, 1: lines.append(#"{"add":{"title":\#(text(secret)),"tags":[\#(text(random.pick(secrets)))]}}"#)
            case 2: lines.append(#"{"annotate":{"id":\#(1 + random.below(index / 2)),"text":\#(text(secret))}}"#)
            default: lines.append(#"{"tag":{"id":\#(1 + random.below(index / 2)),"name":\#(text(secret))}}"#)
            }
            if random.once(in: 3) { lines.append(#"{"toggle":{"id":\#(1 + random.below(index + 1))}}"#) }
            if random.once(in: 6) { lines.append(#"{"undo":{}}"#) }
            if random.once(in: 9) { lines.append(#"{"setFilter":{"to":"done"}}"#) }
        }
        try workshop.record("todo", lines, to: "a.hindsight")
        try #require(try workshop.hindsight("note", "a.hindsight", "3", "a note about \(secrets[0])").code == 0)
        let result = try workshop.hindsight("scrub", "a.hindsight", "-o", "b.hindsight", "--json")
        #expect(result.code == 0, "\(result.errors) \(seed)")
        let answer = try result.json()
        #expect(answer["replaced"] as? Int ?? 0 >= secrets.count && answer["notes"] as? Int == 1, "\(answer) \(seed)")
        let kept = try #require(answer["kept"] as? [[String: Any]])
        #expect(!kept.contains { ($0["values"] as? [String])?.contains { secrets.contains($0) } == true })
        let bytes = try Data(contentsOf: workshop.url("b.hindsight"))
        _ = try changes(in: "b.hindsight")
        let exported = try Data(contentsOf: workshop.url("b.hindsight.jsonl"))
        for secret in secrets {
            #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret) \(seed)")
            #expect(exported.range(of: Data(secret.utf8)) == nil, "\(secret) \(seed)")
        }
        #expect(try changes(in: "a.hindsight") == changes(in: "b.hindsight"), "\(seed)")
        let verified = try workshop.hindsight("verify", "a.hindsight", "b.hindsight")
        #expect(verified.code == 0 && verified.text.contains("equal  b.hindsight"))
        let doctor = try workshop.hindsight("doctor", "b.hindsight")
        #expect(doctor.code == 0, "\(doctor.text)")
    }

    @Test func `What the behaviour depends on stays, with the reason`() throws {
        let fixture = Workshop.package.appending(path: "Fixtures/checkout.hindsight").path
        let result = try workshop.hindsight("scrub", fixture, "-o", "b.hindsight", "--json").expecting(code: 0)
        let kept = try #require(try result.json()["kept"] as? [[String: Any]])
        let codes = try #require(kept.first { $0["path"] as? String == "/ApplyCoupon/code" })
        #expect(codes["reason"] as? String == "reducer" && codes["inAction"] as? Bool == true)
        #expect((codes["values"] as? [String])?.contains("WELCOME10") == true)
        let types = try #require(kept.first { $0["reason"] as? String == "type" && $0["inAction"] as? Bool == true })
        #expect((types["values"] as? [String])?.contains("express") == true)
        #expect(try changes(in: "b.hindsight").count > 100)
        #expect(try workshop.hindsight("verify", "b.hindsight").code == 0)
        // Each value that stays is needed: without it, the reducers write other places.
        let state = try workshop.hindsight("jump", "b.hindsight", "start", "--json").text
        #expect(!state.contains("TEA-001") && !state.contains("Sencha"))
        let open = try workshop.hindsight("scrub", fixture, "-o", "c.hindsight", "--keep", "/stock/**", "--json")
        #expect(open.code == 0)
        #expect(try workshop.hindsight("jump", "c.hindsight", "start", "--json").text.contains("Sencha"))
    }

    @Test func `A crash stays the same crash`() throws {
        let tool = Workshop.built("CheckoutTool")
        let input = Data(Sessions.crashingCheckout.map { $0 + "\n" }.joined().utf8)
        _ = try workshop.run(tool, ["record", "a.hindsight"], input: input)
        let result = try workshop.run(tool, ["scrub", "a.hindsight", "-o", "b.hindsight"])
        #expect(result.code == 0 && result.text.contains("and the same crash"), "\(result.text) \(result.errors)")
        #expect(result.text.contains("\"WELCOME10\""))
        #expect(try workshop.hindsight("info", "b.hindsight").text.contains("crashed in action 4, reducer 7 of 9"))
        let replayed = try workshop.run(tool, ["replay", "b.hindsight"])
        #expect(replayed.code == 5 && replayed.errors.contains("It crashed again"), "\(replayed.errors)")
        let bytes = try Data(contentsOf: workshop.url("b.hindsight"))
        // A build that does not crash cannot say on what the crash depends.
        let mended = try workshop.hindsight("scrub", "a.hindsight", "-o", "c.hindsight")
        #expect(mended.code == 4 && mended.errors.contains("run through action 4"), "\(mended.errors)")
        #expect(!FileManager.default.fileExists(atPath: workshop.url("c.hindsight").path))
        for word in ["TEA-001", "CUP-014", "Sencha"] { #expect(bytes.range(of: Data(word.utf8)) == nil, "\(word)") }
    }

    @Test func `Bad input is told, and nothing is written`() throws {
        try workshop.record("todo", Sessions.todo, to: "a.hindsight")
        #expect(try workshop.hindsight("scrub", "a.hindsight").code == 2)
        #expect(try workshop.hindsight("scrub", "a.hindsight", "-o", "a.hindsight").code == 2)
        #expect(try workshop.hindsight("scrub", "a.hindsight", "-o", "a.hindsight", "--force").code == 2)
        try workshop.write("x", to: "x.hindsight")
        #expect(try workshop.hindsight("scrub", "a.hindsight", "-o", "x.hindsight").code == 2)
        #expect(try workshop.hindsight("scrub", "x.hindsight", "-o", "b.hindsight").code == 3)
        // Before the time of a search is spent.
        let late = try workshop.hindsight("scrub", "a.hindsight", "-o", "none/b.hindsight", "--budget", "0.000001")
        #expect(late.code == 3 && late.errors.contains("there is no folder"), "\(late.errors)")
        #expect(try workshop.hindsight("scrub", "a.hindsight", "-o", "b.hindsight", "--keep", "items").code == 2)
        let brief = try workshop.hindsight("scrub", "a.hindsight", "-o", "b.hindsight", "--budget", "0.000001")
        #expect(brief.code == 1 && brief.errors.contains("Nothing was written"), "\(brief.errors)")
        #expect(!FileManager.default.fileExists(atPath: workshop.url("b.hindsight").path))
        let unused = try workshop.hindsight("scrub", "a.hindsight", "-o", "b.hindsight", "--keep", "/nowhere")
        #expect(unused.code == 0 && unused.errors.contains("/nowhere"), "\(unused.errors)")
        try #require(try workshop.hindsight("record", "--app", "checkout", "empty.hindsight").code == 0)
        let empty = try workshop.hindsight("scrub", "empty.hindsight", "-o", "f.hindsight")
        #expect(empty.code == 0 && empty.text.contains("in 0 actions"), "\(empty.text) \(empty.errors)")

        let counter = Workshop.built("CounterTool")
        let input = Data((1...5).map { #"{"add":{"amount":\#($0)}}"# + "\n" }.joined().utf8)
        try #require(try workshop.run(counter, ["record", "c.hindsight"], input: input).code == 0)
        let other = try workshop.run(
            URL(filePath: "/usr/bin/env"),
            ["COUNTER=resetting to 1", counter.path, "scrub", "c.hindsight", "-o", "d.hindsight"]
        )
        #expect(other.code == 0, "\(other.errors)")
        #expect(try workshop.hindsight("scrub", "c.hindsight", "-o", "e.hindsight").code == 4)
        #expect(!FileManager.default.fileExists(atPath: workshop.url("e.hindsight").path))
    }
}
