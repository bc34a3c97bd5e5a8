import Foundation
import TestSupport
import Testing

@testable import HindsightTree

private enum Level: String, Codable, CaseIterable { case low, high }
private enum Plan: Codable { case free, paid(card: String, months: Int), gift(Plain) }
private struct Plain: Codable {
    var text = "secret"
    var number = 7
}
/// An object whose keys are data.
private struct Bag: Codable {
    struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
    var names = ["secret"]
    init() {}
    init(from decoder: any Decoder) throws {
        names = try decoder.container(keyedBy: Key.self).allKeys.map(\.stringValue)
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for name in names { try container.encode(1, forKey: Key(stringValue: name)) }
    }
}
/// Containers in containers.
private struct Nested: Codable {
    enum Keys: CodingKey { case outer, list }
    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        var inner = container.nestedContainer(keyedBy: Keys.self, forKey: .outer)
        try inner.encode("secret", forKey: .outer)
        try inner.encode(Plain(), forKey: .list)
        var list = container.nestedUnkeyedContainer(forKey: .list)
        try list.encode("secret")
        try list.encode(["secret"])
        try list.encode(0.7)
    }
}
private struct All: Codable {
    var text = "secret"
    var small: UInt8 = 7
    var big = UInt64.max
    var ratio = 0.7
    var flag = true
    var money = Decimal(string: "12.50") ?? 0
    var date = Date(timeIntervalSince1970: 1_700_000_000)
    var id = UUID()
    var link = URL(string: "https://secret.example.org/secret")
    var bytes = Data("secret".utf8)
    var missing: Int?
    var maybe: Int? = 7
    var maybeMaybe: Int?? = .some(nil)
    var list = ["secret", "secret"]
    var table = ["secret": 7]
    var pairs = [Plain2(x: 7): "secret"]
    var set: Set = ["secret", "other"]
    var level = Level.high
    var plan = Plan.paid(card: "secret", months: 7)
    var plain = Plain()
    var bag = Bag()
    var nested = Nested()
    var range = 7..<9
    struct Plain2: Codable, Hashable { var x: Int }
}

@Suite("Redacting by path") struct RedactorTests {
    @Test(
        "A placeholder has the type of its value",
        arguments: [
            ("/text", #""[redacted]""#), ("/small", "0"), ("/big", "0"), ("/ratio", "0"), ("/flag", "false"),
            ("/money", "0"), ("/date", #""2001-01-01T00:00:00Z""#), ("/id", #""\#(Placeholder.uuid)""#),
            ("/link", #""https://redacted.invalid/""#), ("/bytes", #"{"$data":""}"#), ("/missing", nil),
            ("/maybe", "0"), ("/maybeMaybe", nil), ("/list", "[]"), ("/list/*", #"["[redacted]","[redacted]"]"#),
            ("/table", "{}"), ("/table/*", #"{"secret":0}"#), ("/pairs", "{}"),
            ("/pairs/*", #"[[{"x":7},"[redacted]"]]"#), ("/set", "[]"), ("/set/*", #"["[redacted]"]"#),
            ("/level", #""low""#), ("/plan", #"{"paid":{"card":"[redacted]","months":0}}"#),
            ("/plan/paid/card", #"{"paid":{"card":"[redacted]","months":7}}"#),
            ("/plain", #"{"text":"[redacted]","number":0}"#), ("/plain/text", #"{"text":"[redacted]","number":7}"#),
            ("/bag", "{}"),
            (
                "/nested",
                #"{"outer":{"outer":"[redacted]","list":{"text":"[redacted]","number":0}},"list":["[redacted]",[],0]}"#
            ),
            (
                "/nested/outer/list/text",
                #"{"outer":{"outer":"secret","list":{"text":"[redacted]","number":7}},"list":["secret",["secret"],0.7]}"#
            ),
            (
                "/nested/list/*",
                #"{"outer":{"outer":"secret","list":{"text":"secret","number":7}},"list":["[redacted]",[],0]}"#
            ),
            ("/range", "[0,0]"),
        ]
    )
    func typed(pattern: String, expected: String?) throws {
        let all = All()
        let encoder = NodeEncoder(redactor: try Redactor([(pattern, nil)]))
        let node = try encoder.encode(all)
        let field = try #require(NodePath(pattern)).components[0]
        if pattern != "/maybeMaybe" { #expect(node[field]?.json == expected) }
        // Everything else is unchanged.
        let plain = try NodeEncoder().encode(all)
        guard case .object(let members) = node, case .object(let plainMembers) = plain else { return }
        #expect(members.map(\.key) == plainMembers.map(\.key))
        for (member, plain) in zip(members, plainMembers) where member.key != field {
            #expect(member.value == plain.value)
        }
        let again = try NodeDecoder().decode(All.self, from: node)
        if field != "nested" { #expect(try encoder.encode(again) == node) }
    }

    @Test(
        "Some other placeholder decodes as the type too",
        arguments: [
            "/text", "/small", "/ratio", "/flag", "/money", "/date", "/id", "/link", "/bytes", "/maybe", "/list",
            "/list/*",
            "/table", "/table/*", "/set", "/plan/paid/card", "/plain", "/range",
        ]
    )
    func others(pattern: String) throws {
        func decodes(_ node: Node) -> Bool {
            do { _ = try NodeDecoder().decode(All.self, from: node) } catch { return false }
            return true
        }
        let redacted = try NodeEncoder(redactor: Redactor([(pattern, nil)])).encode(All())
        let mask = try RedactionMask([pattern])
        let others = (0..<Node.otherPlaceholderCount).map { number in
            mask.replacing(redacted) { $0.otherPlaceholder(number) }
        }
        #expect(others.contains { $0 != redacted && decodes($0) })
        #expect(others.allSatisfy { mask.masked($0) == mask.masked(redacted) })
    }

    @Test("The whole state can be redacted, and a placeholder can be given")
    func given() throws {
        let whole = try NodeEncoder(redactor: Redactor([("", nil)])).encode(All())
        #expect(!whole.json.contains("secret") && !whole.json.contains("7"))
        _ = try NodeDecoder().decode(All.self, from: whole)
        let redactor = try Redactor([
            ("/plan", "x"), ("/text", "Jane"), ("/missing", 3), ("/nested/outer", "n"), ("/small", 3),
            ("/nested/list/0", 1),
        ])
        let node = try NodeEncoder(redactor: redactor).encode(All())
        #expect(node["plan"] == "x" && node["text"] == "Jane" && node["missing"] == nil && node["small"] == 3)
        #expect(node["nested"]?.json == #"{"outer":"n","list":[1,1,1]}"#)
    }

    @Test("The given placeholder of an optional may be null, and decodes as nil")
    func givenNull() throws {
        struct Session: Codable, Equatable {
            var token: String? = "secret"
            var tokens: [String?] = ["secret", nil]
            var count = 7
        }
        let redactor = try Redactor([("/token", .null), ("/tokens/*", .null)])
        let node = try NodeEncoder(redactor: redactor).encode(Session())
        #expect(node.json == #"{"token":null,"tokens":[null,null],"count":7}"#)
        #expect(try NodeDecoder().decode(Session.self, from: node) == Session(token: nil, tokens: [nil, nil]))
        let patch = try ChangeFinder<Session>(redactor: redactor).patch(from: Session(), to: Session(token: "other"))
        #expect(patch.isEmpty)
    }

    @Test("A redacted number does not show whether it is finite", arguments: [1.5, .infinity, .nan] as [Float])
    func notFinite(value: Float) throws {
        struct Levels: Codable { var low: Float = 1, high: Double = 1 }
        let redactor = try Redactor([("/*", nil)])
        let levels = Levels(low: value, high: Double(value))
        let node = try NodeEncoder(redactor: redactor).encode(levels)
        #expect(node.json == #"{"low":0,"high":0}"#)
        #expect(try NodeDecoder().decode(Levels.self, from: node).low == 0)
        #expect(try ChangeFinder<Levels>(redactor: redactor).patch(from: Levels(), to: levels).isEmpty)
    }

    @Test("Redacted elements show neither that one moved nor where one came")
    func elements() throws {
        struct Deck: Encodable {
            var cards: [String]
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                for card in cards { try container.encode(card) }
            }
        }
        let redactor = try Redactor([("/*/*", nil)])
        let cards = (0..<20).map { "card \($0)" }
        let moved = Array(cards[1...]) + [cards[0]]
        let more = Array(cards[..<5]) + ["new"] + Array(cards[5...])
        let added = #"[{"op":"splice","path":"/deck","at":20,"remove":[],"insert":["[redacted]"]}]"#
        let lists = ChangeFinder<[String: [String]]>(redactor: redactor)
        #expect(try lists.patch(from: ["deck": cards], to: ["deck": moved]).isEmpty)
        #expect(try lists.patch(from: ["deck": cards], to: ["deck": more]).json == added)
        let decks = ChangeFinder<[String: Deck]>(redactor: redactor)
        #expect(try decks.patch(from: ["deck": Deck(cards: cards)], to: ["deck": Deck(cards: moved)]).isEmpty)
        #expect(try decks.patch(from: ["deck": Deck(cards: cards)], to: ["deck": Deck(cards: more)]).json == added)
    }

    static let patterns = [
        "/items/*/title", "/items/3/tags", "/items/*/due", "/items/*", "/items", "/screen", "/screen/**/tab",
        "/names/*",
        "/names", "/places", "/places/*", "/chosen", "/chosen/*", "/points/*/x", "/blob", "/link", "/optionals/*",
        "/**/title", "/maybe", "/maybeWrapped", "/levels/*/due", "/levels/7/title", "/range", "/matrix/*",
        "/matrix/*/*",
        "/text", "", "/contiguous/*", "/stock", "/stock/*", "/big", "/ratio", "/flags/*", "/**/0", "/screen/over/*",
    ]

    @Test("A redacted patch leads from one redacted encoding to the next, and back", arguments: Seeded.runs(12))
    func patches(random: Seeded) throws {
        var random = random
        let patterns = (0...random.below(4)).map { _ in random.pick(Self.patterns) }
        let redactor = try Redactor(patterns.map { ($0, nil) })
        let encoder = NodeEncoder(redactor: redactor)
        let finder = ChangeFinder<RandomState>(redactor: redactor)
        var state = RandomState.random(using: &random)
        for round in 0..<40 {
            let old = state
            if random.once(in: 10) {
                state = RandomState.random(using: &random)
            } else {
                for _ in 0..<Int.random(in: 0...3, using: &random) { state.change(using: &random) }
            }
            let (before, after) = (try encoder.encode(old), try encoder.encode(state))
            let patch = try finder.patch(from: old, to: state)
            var node = before
            try patch.apply(to: &node)
            #expect(node == after, "\(patterns), round \(round), \(random)")
            try patch.undo(on: &node)
            #expect(node == before, "\(patterns), round \(round), \(random)")
            let again = try NodeDecoder().decode(RandomState.self, from: after)
            #expect(try encoder.encode(again) == after, "\(patterns), round \(round), \(random)")
        }
    }

    @Test("Outside redacted paths, a redacted encoding equals the plain one", arguments: Seeded.runs(12))
    func outside(random: Seeded) throws {
        var random = random
        // Sets with changed members are sorted again, and a pair's key stays.
        let usable = Self.patterns.filter { pattern in
            !["/points", "/chosen/", "/places/*", "/**"].contains { pattern.hasPrefix($0) }
        }
        let patterns = (0...random.below(4)).map { _ in random.pick(usable) }
        let mask = try RedactionMask(patterns)
        let encoder = NodeEncoder(redactor: try Redactor(patterns.map { ($0, nil) }))
        for _ in 0..<10 {
            let state = RandomState.random(using: &random)
            let (plain, redacted) = (try NodeEncoder().encode(state), try encoder.encode(state))
            #expect(mask.masked(redacted) == mask.masked(plain), "\(patterns), \(random)")
            for place in mask.hiddenPaths(in: redacted) {
                guard let node = redacted[place] else { continue }
                #expect(node.isPlaceholder, "\(place) \(node.json), \(random)")
            }
        }
    }

    @Test("Nodes of other origin are redacted by their form, including keys")
    func untyped() throws {
        let redactor = try Redactor([("/*/a", nil), ("/*/b", "B")])
        let node: Node = [
            "x": ["a": ["secret": 1], "b": "secret", "c": "shown"], "y": ["a": "2026-11-20T15:16:00Z"],
            "z": ["a": "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"], "list": [1, ["a"]], "l": ["a": "https://secret/"],
            "m": ["a": .null, "b": .null],
        ]
        #expect(
            redactor.redacted(node).json
                == #"{"x":{"a":{},"b":"B","c":"shown"},"y":{"a":"2001-01-01T00:00:00Z"},"z":{"a":"\#(Placeholder.uuid)"},"#
                + #""list":[1,["a"]],"l":{"a":"https://redacted.invalid/"},"m":{"a":null,"b":null}}"#
        )
    }

    @Test("A mask removes exactly the redacted parts of nodes and patches")
    func mask() throws {
        let mask = try RedactionMask(["/user/mail", "/cards/*/number"])
        let node: Node = ["user": ["mail": "x", "name": "n"], "cards": [["number": 1, "kind": "k"]]]
        #expect(mask.masked(node).json == #"{"user":{"name":"n"},"cards":[{"kind":"k"}]}"#)
        #expect(mask.hiddenPaths(in: node).map(\.description) == ["/user/mail", "/cards/0/number"])
        let patch = Patch([
            .replace(path: NodePath(["user", "mail"]), old: "a", new: "b"),
            .edit(path: NodePath(["user", "mail"]), at: 0, remove: "a", insert: "b"),
            .replace(path: NodePath(["user"]), old: ["mail": 1], new: ["mail": 2]),
            .replace(path: NodePath(["user"]), old: ["mail": 1], new: .null),
            .splice(path: NodePath(["cards"]), at: 1, remove: [], insert: [["number": 2, "kind": "k"]]),
            .add(path: NodePath(["other"]), value: 1, at: 3),
            .add(path: NodePath(["cards", "x"]), value: ["number": 1], at: 3),
        ])
        #expect(
            mask.masked(patch).operations == [
                .replace(path: NodePath(["user"]), old: [:], new: .null),
                .splice(path: NodePath(["cards"]), at: 1, remove: [], insert: [["kind": "k"]]),
                .add(path: NodePath(["other"]), value: 1, at: 3),
                .add(path: NodePath(["cards", "x"]), value: [:], at: nil),
            ]
        )
    }
}

extension Node {
    /// Whether the node contains only placeholders, and names of fields and cases.
    fileprivate var isPlaceholder: Bool {
        switch self {
        case .null, .bool(false), .int(0), .number("0.0"), .data([]), .string("small"): true
        case .string(let text):
            [Placeholder.text, Placeholder.date, Placeholder.uuid, Placeholder.link].contains(text)
        case .array(let elements): elements.allSatisfy(\.isPlaceholder)
        case .object(let members): members.allSatisfy(\.value.isPlaceholder)
        default: false
        }
    }
}
