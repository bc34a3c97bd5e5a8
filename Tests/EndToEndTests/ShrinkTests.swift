import Foundation
import TestSupport
import Testing

/// Shrinks recordings of an app with a planted crash, and holds what is left against runs of the app's real store.
@Suite struct ShrinkTests {
    private let workshop = Workshop()

    private static let tool = Workshop.built("PlantedTool")

    private func run(
        _ words: [String],
        planted: [Int] = [],
        kind: String = "trap",
        input: [String] = []
    ) throws -> Finished {
        let settings = ["PLANTED=\(planted.map { "\($0)" }.joined(separator: ","))", "PLANTED_KIND=\(kind)"]
        return try workshop.run(
            URL(filePath: "/usr/bin/env"),
            settings + [Self.tool.path] + words,
            input: Data(input.map { $0 + "\n" }.joined().utf8)
        )
    }

    /// Records lines of actions with the app's store, and says whether its process crashed with the planted crash.
    @discardableResult
    private func records(
        _ lines: [String],
        planted: [Int],
        kind: String = "trap",
        to name: String
    ) throws -> Bool {
        let result = try run(["record", name, "--force"], planted: planted, kind: kind, input: lines)
        return result.code != 0
    }

    private func set(_ key: Int, _ weight: Int = 1) -> String { #"{"set":{"key":\#(key),"weight":\#(weight)}}"# }

    /// A random log that ends in the planted crash, and in which some actions prevent other crashes.
    private func log(_ random: inout Seeded, planted: [Int]) -> [String] {
        let count = 20 + random.below(150)
        var lines = (0..<count).map { _ in
            switch random.below(6) {
            case 0, 1: set(20 + random.below(60), random.below(1000))
            case 2: #"{"clear":{"key":\#(20 + random.below(60))}}"#
            case 3: #"{"write":{"text":"\#(String(repeating: "né", count: random.below(8)))"}}"#
            case 4: #"{"append":{"parts":["a","b\#(random.below(9))"]}}"#
            default: #"{"add":{"amount":\#(random.below(100))}}"#
            }
        }
        var places = (0..<planted.count - 1).map { _ in random.below(count) }.sorted()
        places.append(count)
        for (offset, (place, key)) in zip(places, planted).enumerated() {
            lines.insert(set(key, 1 + random.below(900)), at: place + offset)
        }
        // Without the first, the second crashes in another place: with the same message, or in another reducer.
        for (guardian, trigger) in [(97, 98), (96, 99)] where random.once(in: 2) {
            let place = random.below(lines.count - 1)
            lines.insert(set(guardian), at: place)
            lines.insert(set(trigger, 5), at: place + 1 + random.below(lines.count - place - 1))
        }
        return lines
    }

    @Test(arguments: Seeded.runs(ProcessInfo.processInfo.environment["HINDSIGHT_LONG"] == nil ? 8 : 200))
    func `What is left crashes in the app, and without any single action it does not`(seed: Seeded) throws {
        var random = seed
        let kind = random.pick(["trap", "trap", "index", "exit", "overflow"])
        let planted = Array([3, 1, 4, 7].shuffled(using: &random).prefix(1 + random.below(4)))
        let lines = log(&random, planted: planted)
        try #require(try records(lines, planted: planted, kind: kind, to: "a.hindsight"), "\(seed)")
        let result = try run(["shrink", "a.hindsight", "--json"], planted: planted, kind: kind)
        try #require(result.code == 0, "\(result.errors) \(seed)")
        let answer = try result.json()
        #expect(answer["minimal"] as? Bool == true)
        let actions = try #require(answer["actions"] as? [[String: Any]])
        let left = try actions.map { action in
            let payload = try #require(action["payload"])
            return String(decoding: try JSONSerialization.data(withJSONObject: payload), as: UTF8.self)
        }
        let keys = try actions.map { action in
            let payload = try #require(action["payload"] as? [String: [String: Int]])
            return try #require(payload["set"]?["key"])
        }
        // The crash needs these switches and nothing else, whose last is set last.
        #expect(keys.sorted() == planted.sorted() && keys.last == planted.last, "\(keys) \(seed)")
        #expect(try records(left, planted: planted, kind: kind, to: "left.hindsight"), "\(seed)")
        for index in left.indices {
            var rest = left
            rest.remove(at: index)
            #expect(try !records(rest, planted: planted, kind: kind, to: "rest.hindsight"), "\(seed)")
        }
    }

    @Test func `A shrunken recording crashes in the same place, and its first actions are the recorded ones`() throws {
        var random = Seeded(seed: 11)
        try records(log(&random, planted: [3, 1]), planted: [3, 1], to: "a.hindsight")
        try workshop.hindsight("recover", "a.hindsight")
        let text = try run(["shrink", "a.hindsight", "-o", "small.hindsight"], planted: [3, 1]).expecting(code: 0)
        #expect(text.text.contains("are enough for the crash"))
        #expect(text.text.contains("Wrote 2 actions to small.hindsight."))
        let info = try workshop.hindsight("info", "small.hindsight").text
        #expect(info.contains("crashed in action 2, reducer 2 of 3 (plant)"))
        #expect(info.contains("shrink --until crash"))
        #expect(try run(["replay", "small.hindsight"], planted: [3, 1]).code == 5)
        // A build without the crash reaches the end.
        #expect(try run(["replay", "small.hindsight"]).code == 0)
        #expect(try workshop.hindsight("doctor", "small.hindsight").code == 0)
        let twice = try run(["shrink", "a.hindsight", "-o", "small.hindsight"], planted: [3, 1])
        #expect(twice.code == 2 && twice.errors.contains("small.hindsight exists"))
    }

    @Test func `A crash of today in a recording that has none is shrunk, too`() throws {
        let lines = [set(5), set(3), #"{"idle":{}}"#, set(1), set(6)]
        try records(lines, planted: [], to: "a.hindsight")
        let result = try run(["shrink", "a.hindsight", "-o", "small.jsonl", "--json"], planted: [3, 1])
        #expect(try result.json()["actions"].map { ($0 as? [Any])?.count } == 2)
        let info = try workshop.hindsight("info", "small.jsonl").text
        #expect(info.contains("crashed in action 2, reducer 2 of 3 (plant)"), "\(info)")
    }

    @Test func `The few actions of a sample session are found, and nothing is written beside it`() throws {
        let file = Workshop.package.appending(path: "Fixtures/todo.hindsight").path
        let result = try workshop.hindsight("shrink", file, "--until", "/counts/done >= 2", "--json")
        let answer = try result.json()
        let types = (answer["actions"] as? [[String: Any]])?.compactMap { $0["type"] as? String }
        #expect(types == ["add", "add", "toggle", "toggle"], "\(result.errors)")
        let done = try workshop.hindsight("shrink", file, "--until", "type = 'clearDone' and changed(/items)")
        #expect(done.text.contains("3 of "), "\(done.text)\(done.errors)")
    }

    @Test func `An expression is shrunk by the states of the lists`() throws {
        let lines = [set(5), #"{"add":{"amount":70}}"#, #"{"idle":{}}"#, #"{"add":{"amount":50}}"#, set(6)]
        try records(lines, planted: [], to: "a.hindsight")
        let answer = try run(["shrink", "a.hindsight", "--until", "/total >= 100", "--json"]).json()
        #expect(answer["of"] as? Int == 4 && answer["minimal"] as? Bool == true)
        let amounts = try #require(answer["actions"] as? [[String: Any]]).map { action in
            ((action["payload"] as? [String: [String: Int]])?["add"]?["amount"]) ?? 0
        }
        // One action with 100 would be enough, but payloads only become smaller.
        #expect(amounts == [70, 50] || amounts.reduce(0, +) == 100, "\(amounts)")
        let words = ["shrink", "a.hindsight", "--until", "type = 'add' and old(/total) > 0", "--json"]
        let typed = try run(words)
        #expect((try typed.json()["actions"] as? [Any])?.count == 2)
    }

    @Test func `Actions that are left as they were recorded, from the first on, are written once`() throws {
        try records([set(3, 0), set(1, 0), set(6, 0)], planted: [], to: "a.hindsight")
        let result = try run(["shrink", "a.hindsight", "-o", "small.hindsight"], planted: [3, 1])
        #expect(result.text.contains("Wrote 2 actions"), "\(result.text)\(result.errors)")
        #expect(try workshop.hindsight("info", "small.hindsight").text.contains("crashed in action 2, reducer 2 of 3"))
        #expect(try workshop.hindsight("doctor", "small.hindsight").code == 0)
    }

    @Test func `It begins after the last action that was not recorded as a value`() throws {
        let lines = [set(5), set(3), #"{"idle":{}}"#, set(6), set(1)]
        try records(lines, planted: [], to: "a.hindsight")
        try workshop.hindsight("export", "a.hindsight", "-o", "a.jsonl")
        let text = try String(contentsOf: workshop.url("a.jsonl"), encoding: .utf8)
        let payload = #""payload":{"idle":{}}"#
        #expect(text.contains(payload))
        try workshop.write(text.replacing(payload, with: #""problem":"a closure""#), to: "a.jsonl")
        let result = try run(["shrink", "a.jsonl", "-o", "small.jsonl"], planted: [3, 1])
        #expect(result.text.contains("1 of 2 actions is enough for the crash"), "\(result.text)\(result.errors)")
        let why = "since action 3 idle was not recorded as a value"
        #expect(result.text.contains("from     the recorded state after 3, \(why)"), "\(result.text)")
        #expect(try run(["replay", "small.jsonl"], planted: [3, 1]).code == 5)
        let cause = try run(["cause", "a.jsonl", "/order/3"], planted: [])
        #expect(cause.text.contains("/order/3 is 1 because of action 5"), "\(cause.text)\(cause.errors)")
    }

    @Test func `It begins after the last action that does not decode`() throws {
        let lines = [set(3), #"{"add":{"amount":4}}"#, set(5), set(1)]
        func text(planted: [Int]) throws -> String {
            try records(lines, planted: planted, to: "a.hindsight")
            try workshop.hindsight("recover", "a.hindsight")
            try workshop.hindsight("export", "a.hindsight", "-o", "a.jsonl", "--force")
            return try String(contentsOf: workshop.url("a.jsonl"), encoding: .utf8)
        }
        let sound = try text(planted: [])
        let payload = #"{"add":{"amount":4}}"#
        #expect(sound.contains(payload))
        try workshop.write(sound.replacing(payload, with: #"{"add":{"amount":"much"}}"#), to: "b.jsonl")
        let result = try run(["shrink", "b.jsonl"], planted: [3, 1])
        #expect(result.text.contains("1 of 2 actions is enough for the crash"), "\(result.text)\(result.errors)")
        let problem = "action 2 add does not decode: at /add/amount, expected a whole number, found \"much\""
        #expect(result.text.contains("from     the recorded state after 2, since \(problem)"), "\(result.text)")
        let fixed = try run(["shrink", "b.jsonl", "--json"], planted: [3, 1]).json()["fixed"] as? [String: Any]
        #expect(fixed?["reason"] as? String == "undecodable" && fixed?["seq"] as? Int == 2)
        let cause = try run(["cause", "b.jsonl", "/order/1"])
        #expect(cause.text.contains("/order/1 is 5 because of action 3"), "\(cause.text)\(cause.errors)")
        #expect(cause.text.contains("since \(problem)"), "\(cause.text)")
        let next = "whatif b.jsonl --skip "
        #expect(cause.text.contains(next + "3\n"), "\(cause.text)")
        // whatif would have to run the action that does not decode.
        let before = try run(["cause", "b.jsonl", "/order/0", "--at", "1"])
        #expect(before.code == 0 && before.text.contains("because of action 1"), "\(before)")
        #expect(!before.text.contains(next), "\(before.text)")
        let skipped = try run(["whatif", "b.jsonl", "--skip", "1"])
        #expect(skipped.errors.contains("at action 2"), "\(skipped)")
        let races = try run(["races", "b.jsonl"])
        #expect(races.text.contains("from     action 3 on, since \(problem)"), "\(races.text)\(races.errors)")
        let shake = try run(["shake", "b.jsonl"])
        #expect(shake.code == 0 && shake.text.contains("not run  \(problem)"), "\(shake.text)\(shake.errors)")
        // The crash needs an action that cannot run.
        let crashed = try text(planted: [3, 1])
        try workshop.write(crashed.replacing(#""key":1"#, with: #""key":"one""#), to: "c.jsonl")
        let none = try run(["shrink", "c.jsonl"], planted: [3, 1])
        let words = "The process ended in an action that cannot run, so no list has it: action 4 set does not decode"
        #expect(none.code == 4 && none.errors.contains(words), "\(none)")
        let scrub = try run(["scrub", "c.jsonl", "-o", "s.hindsight"], planted: [3, 1])
        #expect(
            scrub.code == 4 && scrub.errors.contains("does not decode as an action of this app at action 4"),
            "\(scrub)"
        )
        let last = try run(["cause", "c.jsonl", "/total", "--at", "4"])
        let needed = "It would be the one after 4, since action 4 set does not decode"
        #expect(last.code == 4 && last.errors.contains(needed), "\(last)")
        let unfinished = try run(["shake", "c.jsonl"])
        #expect(unfinished.text.contains("not run  action 4 set does not decode"), "\(unfinished)")
    }

    @Test func `Reducers that are not pure are told first, and nothing is called proved`() throws {
        let tool = Workshop.built("ImpureTool")
        let lines = [#"{"choose":{"names":["global"]}}"#] + (1...4).map { #"{"add":{"id":\#($0),"text":"a"}}"# }
        let input = Data(lines.map { $0 + "\n" }.joined().utf8)
        try #require(try workshop.run(tool, ["record", "a.hindsight"], input: input).code == 0)
        let words = ["shrink", "a.hindsight", "--until", #"/items/2 = 'a'"#]
        let result = try workshop.run(tool, words).expecting(code: 0)
        #expect(result.errors.contains("lead to something else at /results/global when they run again"), "\(result)")
        #expect(result.text.contains("the reducers are not pure") && !result.text.contains("is needed"), "\(result)")
        let answer = try workshop.run(tool, words + ["--json"]).json()
        #expect(answer["minimal"] as? Bool == false && answer["unsteady"] as? String == "/results/global")
        let chosen = lines.joined(separator: "\n").replacing("global", with: "random")
        let made = try workshop.run(tool, ["record", "b.hindsight"], input: Data((chosen + "\n").utf8))
        try #require(made.code == 0)
        let diverging = try workshop.run(tool, ["shrink", "b.hindsight", "--until", "diverge", "--json"]).json()
        #expect(diverging["minimal"] as? Bool == false && diverging["unsteady"] as? String == "/results/random")
    }

    #if os(Linux)
        @Test func `A crash that does not come back is told with what shake says of it`() throws {
            let tool = Workshop.built("ImpureTool").path
            func impure(_ settings: [String], _ words: [String], _ lines: [String] = []) throws -> Finished {
                let input = Data(lines.map { $0 + "\n" }.joined().utf8)
                return try workshop.run(URL(filePath: "/usr/bin/env"), settings + [tool] + words, input: input)
            }
            func lines(_ name: String) -> [String] {
                [#"{"choose":{"names":["\#(name)"]}}"#, #"{"add":{"id":1,"text":"a"}}"#]
            }
            try #require(try impure(["TZ=Asia/Tokyo"], ["record", "a.hindsight"], lines("trap")).code != 0)
            let zone = try impure(["TZ=UTC"], ["shrink", "a.hindsight"])
            #expect(zone.code == 1 && zone.errors.contains("It does not crash when this build's"), "\(zone)")
            let words = "Under another condition (time zone) they end the process in action 2: "
            #expect(zone.errors.contains(words), "\(zone)")
            let shake = try impure([], ["shake", "a.hindsight"]).expecting(code: 1).text
            #expect(shake.contains("  time zone  the reducers end the process in action 2, reducer trap\n"), "\(shake)")
            #expect(shake.contains("crash    does not come back: action 2, which did not end, runs"), "\(shake)")

            try #require(try impure(["IMPURE_UNTIL=9e12"], ["record", "b.hindsight"], lines("early")).code != 0)
            let until = Date().timeIntervalSince1970 + 0.1
            Thread.sleep(forTimeInterval: 0.3)
            let clock = try impure(["IMPURE_UNTIL=\(until)"], ["shrink", "b.hindsight"])
            let standing = "With a clock that stands at each action's time"
            #expect(clock.code == 1 && clock.errors.contains(standing), "\(clock)")
            let conditions = try impure(["IMPURE_UNTIL=\(until)"], ["shake", "b.hindsight"]).expecting(code: 1).text
            let survival = "  clock  the reducers run through action 2, which otherwise ends the process\n"
            #expect(conditions.contains(survival), "\(conditions)")
            #expect(conditions.contains("crash    in action 2 the reducers end the process"), "\(conditions)")

            // The reducers have been mended.
            try #require(try impure(["IMPURE_UNTIL=9e12"], ["record", "c.hindsight"], lines("early")).code != 0)
            let mended = try impure([], ["shrink", "c.hindsight"])
            #expect(mended.code == 1 && mended.errors.contains("so they have been mended since, or need"), "\(mended)")
        }
    #endif

    @Test func `An expression that is not true any more is told with what shake says`() throws {
        try records([#"{"add":{"amount":4}}"#, set(5)], planted: [], to: "a.hindsight")
        try workshop.hindsight("export", "a.hindsight", "-o", "a.jsonl")
        let text = try String(contentsOf: workshop.url("a.jsonl"), encoding: .utf8)
        try #require(text.contains(#"{"amount":4}"#))
        // The reducers make another state of it now.
        try workshop.write(text.replacing(#"{"amount":4}"#, with: #"{"amount":5}"#), to: "b.jsonl")
        let result = try run(["shrink", "b.jsonl", "--until", "/total = 4"]).expecting(code: 1)
        let words = "They do the same under "
        #expect(result.errors.contains("The expression is not true when") && result.errors.contains(words), "\(result)")
        #expect(result.errors.contains("so they have probably changed since."), "\(result)")
    }

    @Test func `What cannot be shrunk is told, with what to do`() throws {
        let lines = [set(3), set(1)]
        try records(lines, planted: [3, 1], to: "a.hindsight")
        func failure(_ words: String..., planted: [Int] = [3, 1], kind: String = "trap") throws -> (Int32, String) {
            let result = try run(["shrink", "a.hindsight"] + words, planted: planted, kind: kind)
            return (result.code, result.errors)
        }
        #expect(try failure(planted: []).0 == 1)
        #expect(try failure(planted: []).1.contains("does not crash when this build's reducers run"))
        #expect(try failure(planted: []).1.contains("shake a.hindsight' changes, so they have been mended since, or"))
        let words = ["test", "a.hindsight", "--constant", "Planted.app"]
        #expect(try run(words).errors.contains("do not crash in action 2 any more, so the test passes at once"))
        #expect(try run(words + ["--json"]).json()["differs"] as? Bool == true)
        #expect(try run(words, planted: [3, 1]).errors == "")
        // The calls of the crash take longer to find than a reducer may take.
        let calls = try run(["shrink", "a.hindsight", "--timeout", "0.3"], planted: [3, 1]).expecting(code: 0)
        #expect(calls.text.contains("each of these actions is needed"), "\(calls.text)")
        // Placeholders are no proof that a reducer was mended.
        let redacted = ["record", "r.hindsight", "--redact", "/*/key,/switches/*,/order"]
        #expect(try run(redacted, planted: [3, 1], input: lines).code != 0)
        let hidden = try run(["shrink", "r.hindsight"], planted: [3, 1])
        #expect(hidden.code == 1 && hidden.errors.contains("placeholders that it has for redacted values"), "\(hidden)")
        let shaken = try run(["shake", "r.hindsight"], planted: [3, 1]).text
        #expect(shaken.contains("redacted the reducers run on placeholders for "), "\(shaken)")
        #expect(try failure("--until", "/total > 5").0 == 2)
        #expect(try failure("--until", "/total = 0").1.contains("true at the start already"))
        #expect(try failure("--until", "seq = 1").1.contains("cannot use seq"))
        #expect(try failure("--until", "diverge").1.contains("Nothing of a.hindsight was compared"))
        #expect(try failure("--until", "/total >").0 == 2)
        #expect(try failure("--until", "crsh").1.contains("Did you mean crash?"))
        #expect(try failure("-o", "nowhere/out.hindsight").0 == 3)
        #expect(try failure("--budget", "no").0 == 2)
        #expect(try failure("-o", "out.hindsight").1.contains("needs recovery"))
        // Nobody has asked for the calls of the crash if there was no time to confirm the list.
        let brief = try run(["shrink", "a.hindsight", "--budget", "0.000001"], planted: [3, 1]).expecting(code: 0).text
        #expect(brief.contains("time is over") && !brief.contains("backtrace"), "\(brief)")
        let stock = try workshop.hindsight("shrink", "a.hindsight")
        #expect(stock.code == 4 && stock.errors.contains("planted"))
    }

    @Test func `Reducers that crash by chance are found out`() throws {
        try records([set(3), set(1)], planted: [3, 1], to: "a.hindsight")
        // Chance can seem to follow a condition in one of 70 runs.
        var blamed: [[String]] = []
        for _ in 0..<4 {
            let shaken = try run(["shake", "a.hindsight", "--json"], planted: [3, 1], kind: "random").json()
            let crashes = try #require(shaken["crashes"] as? [[String: Any]])
            blamed.append(crashes.compactMap { $0["condition"] as? String })
        }
        #expect(blamed.count { $0 == ["another process"] } >= 3, "\(blamed)")
        // Each attempt is a process of its own, which crashes if its number is even.
        var codes: Set<Int32> = []
        for _ in 0..<12 {
            codes.insert(try run(["shrink", "a.hindsight"], planted: [3, 1], kind: "random").code)
        }
        #expect(codes.contains(1))
    }

    @Test func `An attempt that hangs ends, and time that is over leaves the shortest list so far`() throws {
        try records([set(5), set(3), set(6), set(1)], planted: [], to: "a.hindsight")
        var answer: [String: Any] = [:]
        // Long enough for an action to be left out, however fast the machine is, and too short for the whole search.
        for seconds in [1, 2, 4, 8, 16, 32] where (answer["actions"] as? [Any])?.count ?? 9 >= 4 {
            let words = ["shrink", "a.hindsight", "--timeout", "0.3", "--budget", "\(seconds)s", "--json"]
            answer = try run(words, planted: [3, 1], kind: "hang").json()
        }
        #expect(answer["minimal"] as? Bool == false)
        let long = try run(["shrink", "a.hindsight", "--timeout", "0.3"], planted: [3, 1], kind: "hang")
        #expect(long.text.contains("each of these actions is needed"), "\(long.text)\(long.errors)")
        #expect((answer["actions"] as? [Any])?.count ?? 9 < 4)
        #expect((answer["crash"] as? [String: Any])?["timeout"] as? Double == 0.3)
    }

    @Test func `Ctrl-C ends it with the shortest list so far`() throws {
        try records([set(5), set(3), set(6), set(1)], planted: [], to: "a.hindsight")
        let shrink = "'\(Self.tool.path)' shrink a.hindsight --timeout 0.3"
        let words = "it was stopped, so there may be a shorter list"
        // The first of these times that is long enough for an action to be left out.
        let line = "for s in 1 2 4 8 16 32; do timeout -s INT $s \(shrink) >out; grep '\(words)' out && break; done"
        let result = try workshop.shell("export PLANTED=3,1 PLANTED_KIND=hang; \(line)")
        #expect(result.code == 0 && result.text.contains(words), "\(result)")
    }

    @Test func `A divergence needs the one action, unless a reducer keeps something elsewhere`() throws {
        func counter(_ words: [String], _ variant: String, input: String = "") throws -> Finished {
            try workshop.run(
                URL(filePath: "/usr/bin/env"),
                ["COUNTER=\(variant)", Workshop.built("CounterTool").path]
                    + words,
                input: Data(input.utf8)
            )
        }
        let lines = (1...9).map { #"{"add":{"amount":\#($0)}}"# + "\n" }.joined()
        try #require(try counter(["record", "a.hindsight"], "", input: lines).code == 0)
        let result = try counter(
            ["shrink", "a.hindsight", "--until", "diverge", "-o", "small.hindsight", "--json"],
            "doubling"
        )
        let answer = try result.json()
        #expect((answer["actions"] as? [[String: Any]])?.compactMap { $0["seq"] as? Int } == [7])
        #expect((answer["divergence"] as? [String: Any])?["name"] as? String == "totals.sum")
        #expect(try counter(["verify", "small.hindsight"], "doubling").code == 1)
        #expect(try counter(["verify", "small.hindsight"], "").code == 0)
    }
}
