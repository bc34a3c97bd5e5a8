import Foundation
import HindsightTree
import TestSupport
import Testing

@testable import HindsightReplay

/// Holds placeholders against what is promised of them.
@Suite struct PlaceholdersTests {
    private func make(
        _ initial: Node,
        _ actions: [Node] = [],
        dictionaries: Set<NodePath> = [],
        keeping kept: String? = nil,
        seed: UInt64 = 5
    ) -> Placeholders {
        Placeholders(
            of: Placeholders.Source(initial, dictionaries: dictionaries),
            actions.map { Placeholders.Source($0, dictionaries: []) },
            keeping: { path, _ in path.description == kept },
            seed: seed
        )
    }

    private func applied(_ placeholders: Placeholders, _ node: Node, dictionaries: Set<NodePath> = []) -> Node {
        placeholders.applied(to: Placeholders.Source(node, dictionaries: dictionaries), all(placeholders))
    }

    private func all(_ placeholders: Placeholders) -> [Bool] { placeholders.values.map { _ in true } }

    /// What must not change: the kind of each scalar, and the case of ASCII letters.
    private func shape(_ text: String) -> [String] {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "0"..."9": "9"
            case "a"..."z": "a"
            case "A"..."Z": "A"
            default:
                scalar.isASCII || scalar.properties.isWhitespace || scalar == "…" || scalar == "’"
                    ? String(scalar) : "\(String(scalar).utf8.count)"
            }
        }
    }

    private static let texts = [
        "Åse Bjørnsdóttir", "ase@example.com", "+47 22 33 44 55", "x", "y", "Milk", "milk", "2 × 玉露, it’s… 🎁", "A1",
        "a-b_c/d",
        "0042", "é", "e\u{301}", "DE89 3704 0044 0532 0130 00", "https://example.com/a?b=c#d", "tab\tand\nline",
    ]

    @Test(arguments: Seeded.runs(20))
    func `Texts keep their shape, equal ones are equal, and different ones different`(seed: Seeded) throws {
        var random = seed
        let letters = Array("abcdefABCDEF0123456789 .-éø玉🎁".unicodeScalars)
        let made = (0..<200).map { _ in
            var text = String.UnicodeScalarView()
            for _ in 0..<(1 + random.below(12)) { text.append(random.pick(letters)) }
            return String(text)
        }
        let texts = Self.texts + made
        let node = Node.array(texts.map { .string($0) } + texts.map { .string($0) })
        let placeholders = make(node, seed: random.next())
        guard case .array(let others) = applied(placeholders, node) else {
            Issue.record("an array has become something else: \(seed)")
            return
        }
        var pairs: [[UInt8]: [UInt8]] = [:]
        for (old, new) in zip(texts + texts, others) {
            guard case .string(let text) = new else { throw CancellationError() }
            let like = shape(text).prefix(shape(old).count)
            #expect(Array(like) == shape(old) && text.utf8.count <= old.utf8.count + 1, "\(old) → \(text) \(seed)")
            if let known = pairs[Array(old.utf8)] { #expect(known == Array(text.utf8)) }
            pairs[Array(old.utf8)] = Array(text.utf8)
        }
        #expect(Set(pairs.values).count == pairs.count, "\(seed)")
        for value in placeholders.values { #expect(value.placeholder != value.node) }
        let none = placeholders.values.map { _ in false }
        #expect(placeholders.applied(to: Placeholders.Source(node, dictionaries: []), none) == node)
    }

    @Test(arguments: Seeded.runs(20))
    func `Numbers of a shape keep their order and their form`(seed: Seeded) throws {
        var random = seed
        let whole = (0..<120).map { _ in random.below(3) == 0 ? random.below(10) : random.below(1_000_000) - 500_000 }
        let fractions = (0..<80).map { _ in "\(Double(random.below(100_000)) / 100)" }
        let node = Node.array(whole.map { .int($0) } + fractions.map { .number($0) })
        let placeholders = make(node, seed: random.next())
        guard case .array(let others) = applied(placeholders, node) else {
            Issue.record("an array has become something else: \(seed)")
            return
        }
        var made: [Int: Int] = [:]
        for (old, new) in zip(whole, others) {
            guard case .int(let number) = new else { throw CancellationError() }
            #expect(
                String(number).count == String(old).count && (number < 0) == (old < 0),
                "\(old) → \(number) \(seed)"
            )
            if (-1...1).contains(old) { #expect(number == old) }
            made[old] = number
        }
        #expect(Set(made.values).count == made.count)
        let sorted = made.sorted { $0.key < $1.key }
        for (left, right) in zip(sorted, sorted.dropFirst()) where String(left.key).count == String(right.key).count {
            #expect(left.value < right.value, "\(left) \(right) \(seed)")
        }
        for (old, new) in zip(fractions, others.dropFirst(whole.count)) {
            guard case .number(let literal) = new else { throw CancellationError() }
            // A double is written with as few digits as it needs.
            #expect("\(try #require(Double(literal)))" == literal, "\(old) → \(literal) \(seed)")
            #expect(literal.count == old.count && literal.hasSuffix(".0") == old.hasSuffix(".0"), "\(old) → \(literal)")
        }
    }

    @Test func `Dates move together`() throws {
        let dates = ["2026-11-28T14:03:22Z", "2026-11-29T14:03:22.25Z", "2024-02-29T00:00:00Z"]
        let placeholders = make(.array(dates.map { .string($0) }))
        let seconds = try placeholders.values.map { value -> (Double, Double) in
            guard case .string(let old) = value.node, case .string(let new)? = value.placeholder else {
                throw CancellationError()
            }
            return (try #require(DateText.seconds(from: old)), try #require(DateText.seconds(from: new)))
        }
        #expect(seconds.count == 3 && placeholders.values.allSatisfy { $0.kind == .date })
        let offsets = Set(seconds.map { $0.0 - $0.1 })
        let offset = try #require(offsets.first)
        #expect(offsets.count == 1 && offset > 0 && offset.truncatingRemainder(dividingBy: 86_400) == 0)
    }

    @Test func `Keys of dictionaries change with equal texts, and names of members stay`() throws {
        let initial: Node = ["byName": ["ada": ["age": 36], "bob": ["age": 41]], "selected": "ada", "title": "age"]
        let action: Node = ["rename": ["from": "ada", "to": "eve", "notes": ["a b@c": 77]]]
        let placeholders = make(initial, [action], dictionaries: [NodePath(["byName"])])
        let new = applied(placeholders, initial, dictionaries: [NodePath(["byName"])])
        guard case .string(let ada)? = new["selected"] else { throw CancellationError() }
        #expect(ada != "ada" && new["byName"]?[ada]?["age"] != nil && new["title"] != "age")
        let changed = applied(placeholders, action)
        #expect(changed["rename"]?["from"] == .string(ada) && changed["rename"]?["notes"]?["a b@c"] == nil)
        #expect(
            placeholders.original(NodePath(["byName", ada, "age"]), in: new) == NodePath(["byName", "ada", "age"])
        )
    }

    @Test func `A value at a kept place stays everywhere`() throws {
        let initial: Node = ["sku": "TEA", "name": "TEA", "other": "CUP"]
        let placeholders = make(initial, keeping: "/sku")
        let new = applied(placeholders, initial)
        #expect(new["sku"] == "TEA" && new["name"] == "TEA" && new["other"] != "CUP")
    }

    @Test func `Bytes and long numbers change, and what says nothing stays`() throws {
        let card = "4111111111111111"
        let initial: Node = [
            "card": .int(Int(card) ?? 0), "photo": .data([1, 2, 3, 4, 5, 6, 7, 8]), "zero": 0, "one": 1, "less": -1,
            "no": false, "empty": "", "dots": "…", "nothing": .null, "none": .number("0.0"),
            "id": "5E0B5A2C-93A5-4C6B-8C51-0A7E0B4B2F11",
        ]
        let placeholders = make(initial)
        let new = applied(placeholders, initial)
        #expect(new["card"] != initial["card"] && new["photo"] != initial["photo"])
        guard case .string(let id)? = new["id"] else { throw CancellationError() }
        #expect(UUID(uuidString: id) != nil && new["id"] != initial["id"])
        for name in ["zero", "one", "less", "no", "empty", "dots", "nothing", "none"] {
            #expect(new[name] == initial[name], "\(name)")
        }
    }

    @Test func `A key that is a number goes with the number, and an index stays`() throws {
        let initial: Node = ["byID": ["4711": ["next": 4711]], "list": [3, 30, 300]]
        let placeholders = make(initial)
        let new = applied(placeholders, initial)
        guard case .object(let members)? = new["byID"], case .int(let next)? = members[0].value["next"] else {
            throw CancellationError()
        }
        #expect(members[0].key == String(next) && next != 4711)
        #expect(
            placeholders.original(NodePath(["byID", "\(next)", "next"]), in: new).components == [
                "byID", "4711", "next",
            ]
        )
        // An index may be the number of a placeholder.
        let long: Node = ["list": .array((0..<10).map { _ in 3 })]
        let short = make(long)
        guard case .int(let index)? = applied(short, long)["list"]?[0] else { throw CancellationError() }
        let path = NodePath(["list", String(index)])
        #expect(index != 3 && short.original(path, in: applied(short, long)) == path)
    }

    @Test func `A redacted value has a placeholder already, and its key has none`() throws {
        let initial: Node = [
            "byName": ["ada": "[redacted]", "bob": "[redacted]"], "names": ["ada", "[redacted]", "carl"],
        ]
        let source = Placeholders.Source(initial, dictionaries: [NodePath(["byName"])])
        let placeholders = Placeholders(
            of: source,
            [],
            keeping: { _, _ in false },
            redacted: { path, _ in path.components.count == 2 && path.components[0] == "byName" },
            seed: 3
        )
        let nodes = placeholders.values.map(\.node)
        #expect(nodes == ["ada", "bob", "[redacted]", "carl"] && placeholders.keptCount == 0)
        #expect(placeholders.values[0].place.path == "/byName/*")
    }

    @Test func `A text that is a number goes with the number, and tags do not stay`() throws {
        let flag = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}"
        let initial: Node = ["number": 4711, "text": "4711", "flag": .string(flag)]
        let placeholders = make(initial)
        let new = applied(placeholders, initial)
        guard case .int(let number)? = new["number"], case .string(let other)? = new["flag"] else {
            throw CancellationError()
        }
        #expect(number != 4711 && new["text"] == .string(String(number)))
        #expect(!other.unicodeScalars.elementsEqual(flag.unicodeScalars))
        #expect(Array(other.unicodeScalars.dropFirst().dropLast()) != Array(flag.unicodeScalars.dropFirst().dropLast()))
        #expect(other.utf8.count == flag.utf8.count)
    }

    @Test func `What has no other value of its shape is told`() throws {
        let initial: Node = [
            "all": .array((2...9).map { .int($0) }), "few": .array([20, 30]), "marks": "*****", "blank": " ", "old": 1,
        ]
        let placeholders = make(initial)
        let without = placeholders.values.filter { $0.placeholder == nil }.map(\.node)
        #expect(Set(without) == Set((2...9).map { .int($0) } + [.string("*****")]))
        #expect(applied(placeholders, initial)["all"] == initial["all"])
        #expect(applied(placeholders, initial)["few"] != initial["few"])
    }

    @Test(arguments: Seeded.runs(10))
    func `No placeholder is a value that occurs`(seed: Seeded) throws {
        var random = seed
        let numbers = (0..<300).map { _ in Node.int(random.below(2000)) }
        let bytes = (0..<20).map { Node.data([UInt8($0)]) }
        let placeholders = make(.array(numbers + bytes), seed: random.next())
        let old = Set(numbers + bytes)
        let new = placeholders.values.compactMap(\.placeholder)
        #expect(!new.contains { old.contains($0) } && Set(new).count == new.count, "\(seed)")
    }
}
