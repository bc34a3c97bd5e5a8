import Foundation
import HindsightRecording
import HindsightTree
import TestSupport
import Testing

@testable import HindsightQuery
@testable import RandomRecordings

/// Holds the rules that the miner finds against the evaluator of expressions, and against rules that were planted.
@Suite struct InvariantTests {
    private let scratch = Scratch()

    // MARK: Any states

    @Test(arguments: Seeded.runs(6))
    func `Every rule that is found holds at all positions, as the evaluator says`(seed: Seeded) throws {
        let made = try (0..<3).map { try RandomRecording(seed: seed.seed &+ UInt64($0) &* 7919) }
        let recordings = try made.map { try $0.open() }
        let miner = InvariantMiner()
        for recording in recordings { try miner.addShape(of: recording) }
        for recording in recordings { try miner.mine(recording) }
        let rules = miner.rules()
        #expect(!rules.isEmpty, "\(seed)")
        for recording in recordings {
            for rule in rules {
                let verdict = try recording.verdict(on: rule)
                let isSound = verdict.broken == 0 && verdict.failure == nil
                #expect(isSound, "\(rule.name) at \(verdict.first ?? "?"): \(rule.that), \(seed)")
            }
        }
    }

    // MARK: Planted rules

    /// A shop whose state keeps some rules, but for those that a test breaks.
    private struct Shop {
        var random: Seeded
        let broken: String?
        var items: [(id: Int, price: Int, cents: Int, done: Bool, parent: Int?)] = []
        var (nextID, actions) = (1, 0)
        var selected: Int?
        var stock = ["TEA-1": 3, "CUP-2": 5, "POT-3": 9]
        var sku = "TEA-1"
        var failure: String?
        var log: [String] = []

        init(_ seed: Seeded, breaking broken: String?) { (random, self.broken) = (seed, broken) }

        /// Whether a rule is to fail now, once in a while.
        mutating func fails(_ rule: String) -> Bool { broken == rule && actions > 60 && random.once(in: 6) }

        mutating func act() {
            actions += 1
            log.append("a\(actions)")
            switch random.below(8) {
            case 0, 1:
                let parent = items.isEmpty || random.once(in: 2) ? nil : random.pick(items).id
                let item = (nextID, 1 + random.below(1000), random.below(100), random.once(in: 2), parent)
                items.insert(item, at: random.below(items.count + 1))
                nextID += 1 + random.below(2)
            case 2 where items.count > 3:
                let gone = items.remove(at: random.below(items.count)).id
                if selected == gone { selected = nil }
                for index in items.indices where items[index].parent == gone { items[index].parent = nil }
            case 3 where !items.isEmpty: items[random.below(items.count)].done.toggle()
            case 4: selected = items.isEmpty || random.once(in: 3) ? nil : random.pick(items).id
            case 5: failure = random.once(in: 2) ? nil : "e\(random.below(100))"
            case 6: sku = random.pick(Array(stock.keys).sorted())
            default: stock[sku, default: 0] += random.below(3) - (stock[sku] ?? 0 > 2 ? 1 : 0)
            }
        }

        mutating func state() -> Node {
            func failing(_ rule: String) -> Bool { fails(rule) }
            func node(_ number: Int?) -> Node { number.map { .int($0) } ?? .null }
            let prices = items.reduce(0) { $0 + $1.price } + (failing("sum") ? 1 : 0)
            let total = items.reduce(0.0) { $0 + Double($1.cents) / 100 } + (failing("cents") ? 0.01 : 0)
            let open = items.count { !$0.done } + (failing("open") ? 1 : 0)
            let count = items.count - (failing("count") ? 1 : 0)
            var list = items
            if failing("unique"), list.count > 1 { list[1].id = list[0].id }
            if failing("parent"), !list.isEmpty { list[0].parent = 100_000 }
            let phase = failure == nil ? "idle" : "failed"
            return [
                "items": .array(
                    list.map { item in
                        [
                            "id": .int(item.id), "price": .int(item.price), "done": .bool(item.done),
                            "share": .number("\(Double(item.cents) / 100)"), "parent": node(item.parent),
                        ]
                    }
                ),
                "totals": [
                    "prices": .int(prices), "open": .int(open), "count": .int(count),
                    "shares": .number("\(total)"), "both": .int(prices + open + (failing("both") ? 1 : 0)),
                ],
                "nextID": .int(failing("monotone") ? 0 : nextID),
                "selected": node(failing("selected") ? 90_000 : selected),
                "stock": .object(stock.sorted { $0.key < $1.key }.map { Node.Member($0.key, .int($0.value)) }),
                "wallet": .int(failing("wallet") ? -1 : random.once(in: 20) ? 0 : random.below(100_000)),
                "prices": .object(items.map { Node.Member("\($0.id)", .int($0.price)) }),
                "sku": .string(failing("key") ? "NO" : sku),
                "failure": failure.map { .string($0) } ?? .null,
                "phase": .string(failing("null") ? "idle" : phase),
                "title": .string(failing("empty") ? "" : "t\(actions % 9)"),
                "version": .int(failing("constant") ? 3 : 2),
                "log": .array((failing("log") ? [] : log).map { .string($0) }),
            ]
        }
    }

    /// The rules of the shop, and which of its faults ends each.
    private static let planted = [
        "/totals/prices is the sum of /items/*/price": "sum",
        "/totals/shares is the sum of /items/*/share": "cents",
        "/totals/open is how often /items/*/done is false": "open",
        "/totals/count is the number of /items/*": "count",
        "/totals/both is /totals/prices + /totals/open": "both",
        "/items/*/id is unique": "unique",
        "/items/*/parent is one of /items/*/id": "parent",
        "/wallet is at least 0": "wallet",
        "/nextID never falls": "monotone",
        "/selected is one of /items/*/id": "selected",
        "/sku is a key of /stock": "key",
        "/selected is a key of /prices": "selected",
        "/failure is null exactly if /phase is 'idle'": "null",
        "/title is not empty": "empty",
        "/version is 2": "constant",
        "the number of /log never falls": "log",
    ]

    private func write(_ seed: Seeded, breaking broken: String?) throws -> Recording {
        var shop = Shop(seed, breaking: broken)
        var states = [shop.state()]
        for _ in 1...300 {
            shop.act()
            states.append(shop.state())
        }
        let patches = zip(states, states.dropFirst()).map { Patch(from: $0, to: $1) }
        return try scratch.recording(of: patches, after: states[0])
    }

    private func rules(of recordings: [Recording]) throws -> [Rule] {
        let miner = InvariantMiner()
        for recording in recordings { try miner.addShape(of: recording) }
        for recording in recordings { try miner.mine(recording) }
        return miner.rules().filter { $0.checked ?? 0 >= 5 }
    }

    @Test(arguments: Seeded.runs(ProcessInfo.processInfo.environment["HINDSIGHT_LONG"] == nil ? 1 : 20))
    func `Planted rules are found, and each ends with a recording that breaks it`(seed: Seeded) throws {
        let sound = try write(seed, breaking: nil)
        let found = try rules(of: [sound])
        for name in Self.planted.keys.sorted() {
            #expect(found.contains { $0.name == name }, "\(name) is not found, \(seed)")
        }
        for (fault, names) in Dictionary(grouping: Self.planted.keys, by: { Self.planted[$0] ?? "" }) {
            let broken = try write(Seeded(seed: seed.seed &+ 1), breaking: fault)
            let both = try rules(of: [sound, broken])
            for name in names {
                let rule = try #require(found.first { $0.name == name })
                #expect(try broken.verdict(on: rule).broken > 0, "\(name) holds, \(seed)")
                #expect(!both.contains { $0.name == name }, "\(name) is found in spite of \(fault), \(seed)")
            }
            let others = Self.planted.filter { $0.value != fault }.keys
            // What equals a broken sum is broken, too.
            let related = ["sum": ["both"], "open": ["both"], "unique": ["parent", "selected"]][fault] ?? []
            for other in others where !related.contains(Self.planted[other] ?? "") {
                #expect(both.contains { $0.name == other }, "\(other) ends with \(fault), \(seed)")
            }
        }
    }

    @Test func `More recordings end what one recording only seems to promise`() throws {
        let made = try (0..<12).map { try write(Seeded(seed: UInt64(4 + $0)), breaking: nil) }
        let one = Set(try rules(of: [made[0]]).map(\.name))
        let all = Set(try rules(of: made).map(\.name))
        #expect(all.isSuperset(of: Self.planted.keys), "\(Set(Self.planted.keys).subtracting(all))")
        #expect(all.count <= one.count, "\(all.subtracting(one).sorted())")
    }

    // MARK: Several changes at once

    /// A list whose total is right, and a change that breaks one rule in a way that only one look finds.
    private struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let rule: String
        let breaks: [Patch.Operation]
    }

    private static func item(_ id: Int, _ price: Int, parent: Int? = nil, part: Int = 1) -> Node {
        [
            "id": .int(id), "price": .int(price), "done": false, "parent": parent.map { .int($0) } ?? .null,
            "parts": .array([["n": .int(part)]]),
        ]
    }

    private static func path(_ text: String) -> NodePath { NodePath(text) ?? NodePath() }

    private static func replace(_ text: String, _ old: Node, _ new: Node) -> Patch.Operation {
        .replace(path: path(text), old: old, new: new)
    }

    private static func insert(_ node: Node, at: Int) -> Patch.Operation {
        .splice(path: path("/items"), at: at, remove: [], insert: [node])
    }

    /// After the base, the items are 1 at 5, 2 at 6 with the parent 1, and 3 at 7 with the parent 2.
    private static let cases = [
        Case(
            testDescription: "an element goes to which another one refers",
            rule: "/items/*/parent is one of /items/*/id",
            breaks: [
                .splice(path: path("/items"), at: 0, remove: [item(1, 5)], insert: []),
                replace("/total", 18, 13),
            ]
        ),
        Case(
            testDescription: "an element is written, and then moves",
            rule: "/items/*/price is at least 1",
            breaks: [replace("/items/1/price", 6, -6), insert(item(4, 12), at: 0)]
        ),
        Case(
            testDescription: "an element comes, and another one is written",
            rule: "/total is the sum of /items/*/price",
            breaks: [replace("/items/0/done", false, true), insert(item(4, 9), at: 3)]
        ),
        Case(
            testDescription: "an element comes with elements of its own",
            rule: "/items/*/parts/*/n is at least 1",
            breaks: [insert(item(4, 0, part: -3), at: 0)]
        ),
    ]

    @Test(arguments: cases)
    private func `A rule ends wherever an action breaks it`(one: Case) throws {
        let base: [[Patch.Operation]] = [
            [Self.insert(Self.item(1, 5), at: 0), Self.replace("/total", 0, 5)],
            [Self.insert(Self.item(2, 6, parent: 1, part: 2), at: 1), Self.replace("/total", 5, 11)],
            [Self.insert(Self.item(3, 7, parent: 2, part: 3), at: 2), Self.replace("/total", 11, 18)],
        ]
        func found(_ changes: [[Patch.Operation]]) throws -> Set<String> {
            let recording = try scratch.recording(of: changes.map { Patch($0) }, after: ["items": [], "total": 0])
            let miner = InvariantMiner()
            try miner.addShape(of: recording)
            try miner.mine(recording)
            return Set(miner.rules().map(\.name))
        }
        let sound = try found(base)
        #expect(sound.contains(one.rule), "\(sound.sorted())")
        let broken = try found(base + [one.breaks])
        #expect(!broken.contains(one.rule), "\(broken.sorted())")
    }

    // MARK: Rules by name

    private func error(_ text: String, _ rules: RuleBook = RuleBook()) -> ExpressionError? {
        do {
            _ = try RecordingExpression(text, rules: rules)
            return nil
        } catch { return error }
    }

    @Test func `An expression names rules`() throws {
        let book = RuleBook([
            Rule(name: "it's cheap", that: "/a < 3 or /b = 1 -- cheap"), Rule(name: "b", that: "/b = 1"),
        ])
        let expression = try RecordingExpression("not rule('it''s cheap') and RULE ( 'b' ) or /c = 2", rules: book)
        #expect(expression.paths.map(\.description) == ["/a", "/b", "/c"])
        #expect(try RecordingExpression("/rule = 'rule(''b'')'", rules: book).paths.map(\.description) == ["/rule"])
        let unknown = error("rule('c')", book)
        #expect(unknown?.code == .unknownName && unknown?.offset == 5 && unknown?.allowed == ["it's cheap", "b"])
        #expect(error("rule('b')")?.reason.contains("no file of rules is given") == true)
        #expect(error("rule(/b)", book) != nil && error("rule", book) != nil)
    }

    @Test func `A file of rules is read, and a wrong one is told`() throws {
        func book(_ text: String) throws -> RuleBook {
            let file = scratch.directory.appending(path: "rules.json")
            try Data(text.utf8).write(to: file)
            return try RuleBook(contentsOf: file.path)
        }
        let own = try book(#"{"rules": [{"name": "a", "that": "/a > 1"}]}"#)
        #expect(own[name: "a"]?.that == "/a > 1" && own[name: "b"] == nil)
        let wrong = [
            "x": "no JSON", "[]": "another kind", "{}": #"no "rules" at the top"#,
            #"{"rules": [{"name": "a"}]}"#: #"no "that" at /rules/0"#,
            #"{"rules": [{"name": "a", "that": "/a >"}]}"#: "rule 'a'",
            #"{"rules": [{"name": "a", "that": "/a + 1"}]}"#: "no condition",
            #"{"rules": [{"name": "", "that": "/a > 1"}]}"#: "empty name",
            #"{"rules": [{"name": "a", "that": "/a > 1"}, {"name": "a", "that": "/b > 1"}]}"#: "Two rules",
        ]
        for (text, reason) in wrong {
            do {
                _ = try book(text)
                Issue.record("\(text) was read")
            } catch let error as RuleError {
                #expect(error.description.contains(reason), "\(error)")
            }
        }
        #expect(throws: RuleError.self) { try RuleBook(contentsOf: scratch.directory.path + "/none.json") }
    }
}
