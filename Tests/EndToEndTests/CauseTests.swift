import Foundation
import TestSupport
import Testing

/// Holds what `cause` says against recordings of the app's real store without each of the actions.
@Suite struct CauseTests {
    private let workshop = Workshop()

    private static let tool = Workshop.built("PlantedTool")

    private func run(_ words: String..., planted: String = "", input: [String] = []) throws
        -> Finished
    {
        try workshop.run(
            URL(filePath: "/usr/bin/env"),
            ["PLANTED=\(planted)", Self.tool.path] + words,
            input: Data(input.map { $0 + "\n" }.joined().utf8)
        )
    }

    private func add(_ amount: Int) -> String { #"{"add":{"amount":\#(amount)}}"# }
    private func set(_ key: Int, _ weight: Int = 1) -> String { #"{"set":{"key":\#(key),"weight":\#(weight)}}"# }
    private func write(_ text: String) -> String { #"{"write":{"text":"\#(text)"}}"# }

    private func action(_ random: inout Seeded) -> String {
        switch random.below(6) {
        case 0: set(1 + random.below(3), 1 + random.below(5))
        case 1: #"{"clear":{"key":\#(1 + random.below(3))}}"#
        case 2: write(random.pick(["a", "b", "b"]))
        case 3: #"{"append":{"parts":["c"],"times":\#(1 + random.below(2))}}"#
        case 4: add(random.below(3))
        default: #"{"idle":{}}"#
        }
    }

    /// The state after some actions, by the app's store.
    private func state(after lines: [String]) throws -> [String: Any] {
        try #require(try run("record", "x.hindsight", "--force", input: lines).code == 0)
        return try run("jump", "x.hindsight", "end", "--json").expecting(code: 0).json()
    }

    /// The value at a path of a state; `nil` if nothing is there.
    private func value(_ path: String, in state: [String: Any]) throws -> String? {
        let names = path.split(separator: "/").map(String.init)
        return try json(names.reduce(state) { ($0 as? [String: Any])?[$1] })
    }

    private func json(_ value: Any?) throws -> String? {
        guard let value, !(value is NSNull) else { return nil }
        let data = try JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys])
        return String(decoding: data, as: UTF8.self)
    }

    @Test(arguments: Seeded.runs(4))
    func `Each action has the effect that a recording without it has`(seed: Seeded) throws {
        var random = seed
        let lines = (0..<14).map { _ in action(&random) } + [set(2), write("b"), add(1)]
        try #require(try run("record", "a.hindsight", input: lines).code == 0)
        let all = try state(after: lines)
        // The states of recordings without each of the actions.
        let others = try lines.indices.map { index in
            var rest = lines
            rest.remove(at: index)
            return try state(after: rest)
        }
        for path in ["/total", "/text", "/switches/2"] {
            let answer = try run("cause", "a.hindsight", path, "--json").json()
            let whole = try value(path, in: all)
            #expect(try json(answer["value"]) == whole, "\(path) \(seed)")
            #expect(answer["complete"] as? Bool == true && answer["stateIsRecorded"] as? Bool == true)
            var found: [Int: String?] = [:]
            for cause in try #require(answer["causes"] as? [[String: Any]]) {
                let seq = try #require((cause["actions"] as? [[String: Any]])?.first?["seq"] as? Int)
                found[seq] = .some(try json(cause["value"]))
                #expect((cause["without"] as? String == "nothing") == (try json(cause["value"]) == nil))
            }
            for (index, state) in others.enumerated() {
                let other = try value(path, in: state)
                let expected: String?? = other == whole ? nil : .some(other)
                #expect(found[index + 1] == expected, "\(path) without \(index + 1), \(seed)")
            }
        }
    }

    @Test(arguments: Seeded.runs(ProcessInfo.processInfo.environment["HINDSIGHT_LONG"] == nil ? 6 : 100))
    func `The planted action is the first cause`(seed: Seeded) throws {
        var random = seed
        var lines = (0..<60).map { _ in random.once(in: 2) ? add(random.below(90)) : action(&random) }
        let place = random.below(lines.count)
        lines.insert(add(-1000 - random.below(9000)), at: place)
        try #require(try run("record", "a.hindsight", input: lines).code == 0)
        let answer = try run("cause", "a.hindsight", "/total", "--json").json()
        let first = try #require((answer["causes"] as? [[String: Any]])?.first)
        #expect((first["actions"] as? [[String: Any]])?.first?["seq"] as? Int == place + 1, "\(seed)")
    }

    @Test func `Two actions that do the same matter together`() throws {
        let lines = [write("old"), write("new"), add(5), write("new"), add(7)]
        try #require(try run("record", "a.hindsight", input: lines).code == 0)
        let text = try run("cause", "a.hindsight", "/text").text
        // The fourth action changed nothing, and would have.
        #expect(text.contains("/text is \"new\" because of two actions."), "\(text)")
        #expect(
            text.contains(
                "without both 2 write(text: \"new\") and 4 write(text: \"new\"): it would be \"old\"."
            ),
            "\(text)"
        )
        let other = [write("old"), write("x"), write("y"), write("x"), add(7)]
        try #require(try run("record", "b.hindsight", input: other).code == 0)
        #expect(try run("cause", "b.hindsight", "/text").text.contains("because of action 4 write(text: \"x\")"))
    }

    @Test func `An action without which the app crashes is told as such`() throws {
        let lines = [set(97), add(3), set(98, 5), add(4)]
        try #require(try run("record", "a.hindsight", input: lines).code == 0)
        let result = try run("cause", "a.hindsight", "/total")
        #expect(result.text.contains("/total is 7 because of action 4 add(amount: 4): without it, it would be 3."))
        #expect(result.text.contains("without 1 set(key: 97, weight: 1): the reducers would not run through."))
        #expect(result.text.contains("tried    4 actions"))
    }

    @Test func `A state that was lost with the process is computed`() throws {
        // The crash comes so early that no state is in the file.
        let lines = [set(3), add(4), set(1)]
        let planted = "3,1"
        #expect(try run("record", "a.hindsight", planted: planted, input: lines).code != 0)
        let result = try run("cause", "a.hindsight", "/total", planted: planted)
        #expect(result.text.contains("/total is 4 because of action 2"), "\(result.text)\(result.errors)")
        let nothing = try run("cause", "a.hindsight", "/nowhere", planted: planted)
        #expect(nothing.code == 2 && nothing.errors.contains("There is nothing at /nowhere after 2"), "\(nothing)")
        let crash = try run("cause", "a.hindsight", "/total", "--at", "3", planted: planted)
        #expect(crash.code == 5 && crash.errors.contains("in action 3"), "\(crash.text)\(crash.errors)")
    }

    @Test func `A process that is stopped is replaced once, and then what was found is the answer`() throws {
        // Without the third action, the fourth stops the process.
        let lines = [add(4), set(3), #"{"clear":{"key":3}}"#, set(1), write("a")]
        try #require(try run("record", "a.hindsight", input: lines).code == 0)
        func cause(_ kind: String, _ words: String...) throws -> Finished {
            let variables = ["PLANTED=3,1", "PLANTED_KIND=\(kind)"]
            let words = [Self.tool.path, "cause", "a.hindsight", "/total"] + words
            return try workshop.run(URL(filePath: "/usr/bin/env"), variables + words)
        }
        let whole = try cause("stop-once", "--json").expecting(code: 0).json()
        #expect(whole["complete"] as? Bool == true && (whole["causes"] as? [Any])?.count == 1)
        #expect(FileManager.default.fileExists(atPath: workshop.url("stopped").path))
        let part = try cause("stop", "--json").expecting(code: 128 + SIGTERM).json()
        #expect(part["complete"] as? Bool == false && part["tried"] as? Int == 3)
        #expect((part["causes"] as? [Any])?.count == 1)
        let text = try cause("stop").text
        #expect(text.contains("/total is 4 because of action 1 add(amount: 4)"), "\(text)")
        #expect(text.contains("3 actions of 5"), "\(text)")
        #expect(text.contains("was stopped by signal 15 twice, so the rest was not tried"), "\(text)")
    }

    @Test func `What has no cause is told, with what to do`() throws {
        try #require(try run("record", "a.hindsight", input: [add(3), add(4)]).code == 0)
        func failure(_ words: String...) throws -> (Int32, String) {
            let result = try workshop.run(Self.tool, ["cause", "a.hindsight"] + words)
            return (result.code, result.text + result.errors)
        }
        #expect(try failure("/alarms").1.contains("no single action is needed"))
        #expect(try failure("/totl").1.contains("Did you mean /total?"))
        #expect(try failure("/totl").0 == 2)
        #expect(try failure("/*").1.contains("many places"))
        #expect(try failure("/total", "--at", "1.2").1.contains("within an action"))
        #expect(try failure("/total", "--at", "1").1.contains("/total is 3 because of action 1"))
        // Before the first reducer of an action, and after the last, it is the same.
        #expect(try failure("/total", "--at", "2.0").1.contains("/total is 3 because of action 1"))
        #expect(try failure("/total", "--at", "1.3").1.contains("/total is 3 because of action 1"))
        #expect(try failure("/total", "--at", "start").1.contains("there is no action before it"))
        #expect(try failure().0 == 2)
        let stock = try workshop.hindsight("cause", "a.hindsight", "/total")
        #expect(stock.code == 4 && stock.errors.contains("planted"))
    }

    @Test func `A value that is another one each time is told, and no cause of it`() throws {
        let tool = Workshop.built("ImpureTool")
        let lines = [#"{"choose":{"names":["global"]}}"#] + (1...4).map { #"{"add":{"id":\#($0),"text":"a"}}"# }
        let input = Data(lines.map { $0 + "\n" }.joined().utf8)
        try #require(try workshop.run(tool, ["record", "a.hindsight"], input: input).code == 0)
        let unsteady = try workshop.run(tool, ["cause", "a.hindsight", "/results/global"]).expecting(code: 6)
        #expect(unsteady.text == "" && unsteady.errors.contains("something else at /results/global"), "\(unsteady)")
        #expect(unsteady.errors.contains("shake a.hindsight'"), "\(unsteady)")
        // What another reducer makes does not depend on it.
        let steady = try workshop.run(tool, ["cause", "a.hindsight", "/results/clock"]).expecting(code: 0)
        #expect(steady.text.hasPrefix("/results/clock is \"4 a\" because of action "), "\(steady.text)")
    }

    @Test func `A value that depends on the order of a set is told, and no cause of it`() throws {
        let tool = Workshop.built("ImpureTool").path
        let lines = [#"{"choose":{"names":["dictionary"]}}"#] + (1...20).map { #"{"add":{"id":\#($0),"text":"a"}}"# }
        try workshop.write(lines.joined(separator: "\n"), to: "in.jsonl")
        try workshop.shell("\(tool) record --input in.jsonl a.hindsight").expecting(code: 0)
        let command = "env -u SWIFT_DETERMINISTIC_HASHING \(tool) cause a.hindsight /results/dictionary"
        let result = try workshop.shell(command).expecting(code: 6)
        #expect(result.text == "" && result.errors.contains("something else at /results/dictionary"), "\(result)")
    }

    @Test func `A value of another build is told as such first`() throws {
        let counter = Workshop.built("CounterTool").path
        let lines = [3, 7].map { #"{"add":{"amount":\#($0)}}"# }
        try workshop.write(lines.joined(separator: "\n"), to: "in.jsonl")
        try workshop.shell("\(counter) record --input in.jsonl c.hindsight").expecting(code: 0)
        let result = try workshop.shell("COUNTER=doubling \(counter) cause c.hindsight /totals/sum").expecting(code: 0)
        let words = "with this build's reducers, /totals/sum is 17 because of action 2 "
        #expect(result.text.hasPrefix(words), "\(result.text)")
    }

    @Test func `Long values that look alike are told by the first place at which they differ`() throws {
        let lines = (10..<40).map { set($0) } + [set(39, 5)]
        try #require(try run("record", "a.hindsight", input: lines).code == 0)
        let text = try run("cause", "a.hindsight", "/switches").text
        let first = "because of action 31 set(key: 39, weight: 5): without it, /switches/39 would be 1.\n"
        #expect(text.hasPrefix("/switches is {10: 1, ") && text.contains(first), "\(text)")
        let same = String(repeating: "a", count: 100)
        try #require(try run("record", "b.hindsight", input: [write(same + "b"), write(same + "c")]).code == 0)
        let tail = try run("cause", "b.hindsight", "/text").text
        #expect(tail.contains("without it, it would be \"…aaaaaaaab\".\n"), "\(tail)")
        let whole = try run("cause", "a.hindsight", "").text
        #expect(whole.hasPrefix("the state is {switches: "), "\(whole)")
    }

    @Test func `If no action was left out in time, none is called needless`() throws {
        try #require(try run("record", "a.hindsight", input: [write("a"), write("b")]).code == 0)
        let result = try run("cause", "a.hindsight", "/text", "--budget", "0.000001").expecting(code: 0)
        let words = "It is not known which actions /text needs: none of them was left out.\n  tried    0 actions of 2 "
        #expect(result.text.hasPrefix(words), "\(result)")
    }
}
