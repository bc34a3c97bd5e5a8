import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HindsightTree

@Suite struct ChangeFinderTests {
    /// Checks a patch against the two full encodings, in both directions and through its text.
    private func expectExact<T: Codable>(
        _ patch: Patch,
        _ old: T,
        _ new: T,
        _ comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let (before, after) = (try NodeEncoder().encode(old), try NodeEncoder().encode(new))
        var node = before
        try patch.apply(to: &node)
        #expect(node == after, comment, sourceLocation: sourceLocation)
        try patch.undo(on: &node)
        #expect(node == before, comment, sourceLocation: sourceLocation)
        #expect(try Patch(json: patch.json) == patch, comment, sourceLocation: sourceLocation)
        #expect(patch.isEmpty == (before == after), comment, sourceLocation: sourceLocation)
    }

    @Test(arguments: Seeded.runs(20))
    func `Patches of random changes lead from one full encoding to the next and back`(random: Seeded) throws {
        var random = random
        var state = RandomState.random(using: &random)
        let finder = ChangeFinder<RandomState>()
        for round in 0..<60 {
            let old = state
            for _ in 0..<Int.random(in: 0...3, using: &random) { state.change(using: &random) }
            try expectExact(finder.patch(from: old, to: state), old, state, "round \(round), \(random)")
        }
    }

    private struct Pair: Codable, Hashable {
        var left: Int
        var right = "pair"
    }

    private func expectExactFollowing<T: Codable>(_ values: [T]) throws {
        let finder = ChangeFinder<T>()
        try finder.follow(from: values[0])
        for (old, new) in zip(values, values.dropFirst()) {
            let patch = try finder.patch(to: new)
            try expectExact(patch, old, new, "\(T.self)")
        }
    }

    @Test func `Changes of values that are no structs are exact too`() throws {
        let (few, many) = (Array(0..<50), Array(10..<70))
        try expectExactFollowing([few, many, [], few, [1]])
        try expectExactFollowing([Set(few), Set(many), [], Set(few)])
        try expectExactFollowing([few, many, [], few].map { Dictionary($0.map { ("\($0)", $0) }) { $1 } })
        try expectExactFollowing([few, many, few].map { Dictionary($0.map { ($0, "\($0)") }) { $1 } })
        try expectExactFollowing([few, many, few].map { Dictionary($0.map { (Pair(left: $0), $0) }) { $1 } })
        try expectExactFollowing([1, nil, 2, 3] as [Int?])
        try expectExactFollowing(["a text", "another text", ""])
    }

    private struct Holder: Codable {
        var maybe: Optionals?
        var all = Optionals(c: true)
    }

    @Test(arguments: [nil, "hidden"] as [Node?])
    func `Values that appear or disappear inside a redacted value stay redacted`(placeholder: Node?) throws {
        let values = [
            Optionals(c: true), Optionals(a: 1, c: true), Optionals(a: 1, b: "b", c: false, d: [1]),
            Optionals(c: false),
        ]
        func expectHidden<T: Codable>(_ values: [T], _ pattern: String) throws {
            let redactor = try Redactor([(pattern, placeholder)])
            let encoder = NodeEncoder(redactor: redactor)
            let finder = ChangeFinder<T>(redactor: redactor)
            try finder.follow(from: values[0])
            for (old, new) in zip(values, values.dropFirst()) {
                let (before, after) = (try encoder.encode(old), try encoder.encode(new))
                for patch in [
                    try finder.patch(to: new), try ChangeFinder(redactor: redactor).patch(from: old, to: new),
                ] {
                    var node = before
                    try patch.apply(to: &node)
                    #expect(node == after, "\(pattern)")
                    try patch.undo(on: &node)
                    #expect(node == before, "\(pattern)")
                    #expect(patch.isEmpty == (before == after), "\(pattern)")
                }
            }
        }
        try expectHidden(values, "")
        try expectHidden(values.map { Holder(maybe: $0) }, "/maybe")
        try expectHidden(values.map { Holder(maybe: nil, all: $0) }, "/all")
    }

    // Without reflection, a first look for instances encodes the value once more.
    @Test(.enabled(if: TypeMetadata.isRead)) func `Each value that is followed is encoded once`() throws {
        final class Counter: Sendable { let calls = Atomic(0) }
        struct Counted: Encodable {
            let counter: Counter
            var number: Int

            enum CodingKeys: CodingKey { case number }

            func encode(to encoder: any Encoder) throws {
                counter.calls.add(1, ordering: .relaxed)
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(number, forKey: .number)
            }
        }
        let (counter, finder) = (Counter(), ChangeFinder<Counted>())
        try finder.follow(from: Counted(counter: counter, number: 0))
        for number in 1...3 {
            #expect(try finder.patch(to: Counted(counter: counter, number: number)).operations.count == 1)
        }
        #expect(counter.calls.load(ordering: .relaxed) == 4)
    }

    /// Encodes other values each time.
    private struct Ticking: Encodable {
        private static let ticks = Atomic(0)
        var count: Int

        enum CodingKeys: CodingKey { case count, tick }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(count, forKey: .count)
            try container.encode(Self.ticks.add(1, ordering: .relaxed).newValue, forKey: .tick)
        }
    }

    @Test func `Patches continue from the encoded values, even if each encoding differs`()
        throws
    {
        let first = Ticking(count: 0)
        let start = try NodeEncoder().encode(first)
        let finder = ChangeFinder<Ticking>()
        finder.follow(from: first, writtenAs: start)
        var (node, patches) = (start, [Patch]())
        for count in 1...3 {
            patches.append(try finder.patch(to: Ticking(count: count)))
            try patches[count - 1].apply(to: &node)
            #expect(node["count"] == .int(count))
        }
        for patch in patches.reversed() { try patch.undo(on: &node) }
        #expect(node == start)
    }

    @Test(arguments: Seeded.runs(20))
    func `Patches between values that share no storage are exact`(random: Seeded) throws {
        var random = random
        let finder = ChangeFinder<RandomState>()
        for _ in 0..<20 {
            let (left, right) = (RandomState.random(using: &random), RandomState.random(using: &random))
            try expectExact(finder.patch(from: left, to: right), left, right, "\(random)")
        }
    }

    @Test(arguments: Seeded.runs(10))
    func `An equal value with new storage is no change, and one change in it is one`(random: Seeded) throws {
        var random = random
        let finder = ChangeFinder<RandomState>()
        for _ in 0..<20 {
            let state = RandomState.random(using: &random)
            var again = try NodeDecoder().decode(RandomState.self, from: NodeEncoder().encode(state))
            #expect(try finder.patch(from: state, to: again).isEmpty, "\(random)")
            again.counter += 1
            #expect(
                try finder.patch(from: state, to: again).json
                    == #"[{"op":"replace","path":"/counter","old":\#(state.counter),"value":\#(again.counter)}]"#
            )
            for _ in 0..<3 { again.change(using: &random) }
            try expectExact(finder.patch(from: state, to: again), state, again, "\(random)")
        }
    }

    struct Loose: Codable, Hashable {
        var id: Int
        var note: String
        static func == (left: Loose, right: Loose) -> Bool { left.id == right.id }
        func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }

    struct LooseState: Codable {
        var one = Loose(id: 1, note: "a")
        var list = [Loose(id: 1, note: "a"), Loose(id: 2, note: "b")]
        var set: Set<Loose> = [Loose(id: 1, note: "a")]
        var keyed = [Loose(id: 1, note: "a"): "x"]
        var text = "é"
        var named = ["é": 1]
        var zero = 0.0
    }

    @Test func `A type's own == is not used`() throws {
        let old = LooseState()
        var new = old
        new.one.note = "z"
        new.list[1].note = "z"
        new.set.update(with: Loose(id: 1, note: "z"))
        new.keyed = [Loose(id: 1, note: "z"): "x"]
        new.text = "e\u{301}"
        new.named = ["e\u{301}": 1]
        new.zero = -0.0
        let patch = try ChangeFinder<LooseState>().patch(from: old, to: new)
        try expectExact(patch, old, new)
        let paths = Set(patch.operations.map { "/" + $0.path.components[0] })
        #expect(paths == ["/one", "/list", "/set", "/keyed", "/text", "/named", "/zero"])
    }

    struct Optionals: Codable {
        var a: Int?
        var b: String?
        var c: Bool
        var d: [Int]?
    }

    /// Encodes what it can, and continues after errors.
    private struct Forgiving: Codable {
        var level = 0
        var part = Part()
        var note = ""
        enum CodingKeys: CodingKey { case level, part, fallback, note }

        struct Part: Codable {
            var limit = 3
            var level = 0
            struct TooHigh: Error {}
            init() {}
            init(from decoder: any Decoder) throws { self.init() }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                if level > limit { throw TooHigh() }
                try container.encode(level)
            }
        }

        init() {}
        init(from decoder: any Decoder) throws { self.init() }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(level, forKey: .level)
            do {
                try container.encode(part, forKey: .part)
            } catch {
                try? container.encode(part, forKey: .fallback)
                try container.encode("too high", forKey: .fallback)
            }
            try container.encode(note, forKey: .note)
        }
    }

    @Test func `A field whose error is caught is absent from patches, as from whole encodings`() throws {
        let finder = ChangeFinder<[String: [Forgiving]]>()
        var value = ["a": [Forgiving(), Forgiving()]]
        try finder.follow(from: value)
        for (level, limit) in [(1, 3), (4, 3), (4, 3), (5, 4), (2, 4), (9, 9)] {
            let old = value
            value["a"]?[1].part.level = level
            value["a"]?[1].part.limit = limit
            value["a"]?[1].note += "\(level)"
            try expectExact(try finder.patch(to: value), old, value)
            try expectExact(try ChangeFinder().patch(from: old, to: value), old, value)
        }
        // At the top level, where the output of one value is kept for the next.
        let top = ChangeFinder<Forgiving>()
        var state = Forgiving()
        try top.follow(from: state)
        for level in [1, 4, 5, 2, 8, 8, 0] {
            let old = state
            state.part.level = level
            state.note += "."
            try expectExact(try top.patch(to: state), old, state)
        }
    }

    @Test func `A field that appears or disappears keeps its place`() throws {
        let finder = ChangeFinder<Optionals>()
        let values = [
            Optionals(a: nil, b: nil, c: true, d: nil), Optionals(a: 1, b: nil, c: true, d: nil),
            Optionals(a: 1, b: "x", c: false, d: []), Optionals(a: nil, b: "x", c: false, d: [1]),
        ]
        for old in values {
            for new in values { try expectExact(finder.patch(from: old, to: new), old, new) }
        }
        let patch = try finder.patch(from: values[1], to: values[2])
        #expect(patch.operations.first == .add(path: NodePath(["b"]), value: "x", at: 1))
    }

    final class Box: Codable, @unchecked Sendable {
        var value: Int
        init(_ value: Int) { self.value = value }
    }
    struct Boxed: Codable {
        var boxes: [Box]
        var plain = 1
    }

    @Test func `An instance that changes behind its reference is detected`() throws {
        let state = Boxed(boxes: [Box(1), Box(2)])
        let finder = ChangeFinder<Boxed>()
        try finder.start(from: state)
        state.boxes[1].value = 3
        let patch = try finder.patch(from: state, to: state)
        #expect(patch.operations == [.replace(path: NodePath(["boxes", "1", "value"]), old: 2, new: 3)])
        #expect(try finder.patch(from: state, to: state).isEmpty)
    }

    struct Tree: Codable {
        var name: String
        var children: [Tree] = []
        var more: [String: Tree] = [:]
    }

    @Test func `A change deep in a state costs one operation`() throws {
        let old = Tree(
            name: "a",
            children: [Tree(name: "b"), Tree(name: "c", children: [Tree(name: "d")])],
            more: ["x": Tree(name: "y")]
        )
        var new = old
        new.children[1].children[0].name = "changed"
        new.more["x"]?.name = "z"
        let patch = try ChangeFinder<Tree>().patch(from: old, to: new)
        #expect(
            patch.operations == [
                .replace(path: NodePath(["children", "1", "children", "0", "name"]), old: "d", new: "changed"),
                .replace(path: NodePath(["more", "x", "name"]), old: "y", new: "z"),
            ]
        )
    }

    struct Big: Codable {
        var items: [RandomState.Item]
        var title = ""
        var text = ""
    }

    @Test(arguments: [
        "one in the middle changed", "one inserted in front", "one removed", "one moved",
        "one changed and one appended", "two far apart",
    ])
    func `A small change to a big array is a small patch`(change: String) throws {
        var random = Seeded(seed: 7)
        let old = Big(items: (0..<5_000).map { _ in .random(using: &random) })
        var new = old
        switch change {
        case "one in the middle changed": new.items[2_500].done.toggle()
        case "one inserted in front": new.items.insert(.random(using: &random), at: 0)
        case "one removed": new.items.remove(at: 1_234)
        case "one moved": new.items.append(new.items.remove(at: 10))
        case "one changed and one appended":
            new.items[4_999].level = 9
            new.items.append(.random(using: &random))
        default:
            new.items[1].level = 7
            new.items[4_998].level = 8
        }
        let patch = try ChangeFinder<Big>().patch(from: old, to: new)
        try expectExact(patch, old, new)
        #expect(patch.operations.count <= 2)
        #expect(patch.json.utf8.count < 3_000, "\(patch.json)")
    }

    @Test func `A keystroke in a long text costs only the keystroke`() throws {
        let old = Big(items: [], text: String(repeating: "All work and no play. é\n", count: 5_000))
        var new = old
        new.text.insert("x", at: new.text.index(new.text.startIndex, offsetBy: 60_000))
        let patch = try ChangeFinder<Big>().patch(from: old, to: new)
        try expectExact(patch, old, new)
        #expect(patch.json.utf8.count < 100)
    }

    struct Keyed: Codable {
        var words: [String: Int] = [:]
        var rows: [Int: RandomState.Item] = [:]
    }

    @Test(arguments: Seeded.runs(3))
    func `Big dictionaries that grow, shrink and change lead to exact patches`(random: Seeded) throws {
        var random = random
        var state = Keyed()
        let finder = ChangeFinder<Keyed>()
        for round in 0..<60 {
            let old = state
            for _ in 0..<[1, 1, 2, 40, 200].randomElement(using: &random)! {
                let number = Int.random(in: 0..<600, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: state.words["a key that is stored on the heap \(number)"] = round
                case 1: state.words["k\(number)"] = round
                case 2: state.words[state.words.keys.randomElement(using: &random) ?? ""] = nil
                case 3: state.rows[number] = .random(using: &random)
                default: state.rows[state.rows.keys.randomElement(using: &random) ?? 0] = nil
                }
            }
            try expectExact(finder.patch(from: old, to: state), old, state, "round \(round), \(random)")
        }
    }

    /// A struct behind a protocol, as apps keep their routes and sheets.
    private protocol Shape: Codable, Sendable {}
    private struct Circle: Shape { var radius: Double }
    private struct Square: Shape { var side: Int8; var note: String }
    private struct AnyShape: Codable, Sendable {
        var shape: any Shape

        init(_ shape: any Shape) { self.shape = shape }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            do { shape = try container.decode(Circle.self) } catch { shape = try container.decode(Square.self) }
        }

        func encode(to encoder: any Encoder) throws { try shape.encode(to: encoder) }
    }
    private struct Drawing: Codable, Sendable {
        var selected: AnyShape?
        var shapes: [AnyShape] = []
        var named: [String: AnyShape] = [:]
    }

    @Test func `Existentials in a state are compared by their contents`() throws {
        let finder = ChangeFinder<Drawing>()
        var drawing = Drawing()
        let changes: [(inout Drawing) -> Void] = [
            {
                $0.shapes = (0..<50).map { AnyShape(Square(side: Int8($0), note: "a note that is stored on the heap")) }
            },
            { $0.shapes[7] = AnyShape(Circle(radius: 1)) },
            { $0.shapes[7] = AnyShape(Circle(radius: 2)) },
            { $0.selected = $0.shapes[7] },
            { $0.named["a/b"] = $0.shapes[8] },
            { $0.shapes.remove(at: 3) },
            { $0.named["a/b"] = AnyShape(Circle(radius: .nan)) },
            { _ in },
        ]
        for change in changes {
            let old = drawing
            change(&drawing)
            try expectExact(finder.patch(from: old, to: drawing), old, drawing)
        }
    }
}
