import HindsightTree
import Testing

@testable import HindsightCLI

@Suite struct ActionTextTests {
    @Test(
        arguments: [
            (["toggle": ["id": 3]], "toggle(id: 3)"),
            (["clear": [:]], "clear"),
            (["add": ["_0": "Milk"]], #"add("Milk")"#),
            (["move": ["_0": 1, "to": 2]], "move(1, to: 2)"),
            (["set": ["_0": .null]], "set(nil)"),
            (["AddLine": ["sku": "A-1", "price": .number("12.50")]], #"AddLine(sku: "A-1", price: 12.50)"#),
            (["blob": ["_0": .data([0, 255])]], "blob(<2 bytes: 00ff>)"),
            (["say": ["_0": "a\u{1B}[2J"]], #"say("a\u001b[2J")"#),
            (["bad name\n": [:]], #""bad name\n""#),
            (["list": ["_0": [1, [2, 3], [:]]]], "list([1, [2, 3], {}])"),
            (["market": ["_0": ["quotes": [:]]]], "market(.quotes)"),
            (["market": ["_0": ["watch": ["_0": "X"]]]], #"market(.watch("X"))"#),
            (["market": ["_0": ["watch": ["symbol": "X"]]]], #"market(.watch(symbol: "X"))"#),
            (["app": ["_0": ["market": ["_0": ["quotes": [:]]]]]], "app(.market(.quotes))"),
            (["move": ["_0": ["left": [:]], "by": 2]], "move(.left, by: 2)"),
            (["both": ["_0": ["a": [:]], "_1": ["b": ["_0": 1]]]], "both(.a, .b(1))"),
            (["Market": ["watch": ["_0": "X"]]], #"Market(.watch("X"))"#),
            (["load": ["result": ["failed": ["_0": 404]]]], "load(result: .failed(404))"),
            // They look like a struct or a dictionary, so they stay unchanged.
            (["set": ["filter": ["done": [:]]]], "set(filter: {done: {}})"),
            (["set": ["_0": ["a": 1]]], "set({a: 1})"),
            (["set": ["_0": ["a": [:], "b": [:]]]], "set({a: {}, b: {}})"),
            (["set": ["_0": ["two words": [:]]]], #"set({"two words": {}})"#),
            (["pay": ["_0": .number("2e1"), "tip": .number("15e-1")]], "pay(20, tip: 15e-1)"),
            ("reset", #""reset""#),
            ([1, 2], "[1, 2]"),
        ] as [(Node, String)]
    )
    func `an action reads as in the source`(action: Node, text: String) {
        #expect(ActionText().text(of: action) == text)
    }

    @Test func `long strings are truncated with a count`() {
        let text = ActionText(budget: 43).text(of: ["add": ["_0": .string(String(repeating: "é", count: 1000))]])
        #expect(text == "add(\"\(String(repeating: "é", count: 40))…\" (+1,920 bytes))")
    }

    @Test func `long strings are cut at the end of a word if one is near`() {
        let words = String(repeating: "seven words ", count: 20)
        for (budget, start, missing) in [
            (43, "seven words seven words seven words", 205), (38, "seven words seven words seven words", 205),
        ] {
            let text = ActionText(budget: budget).text(of: ["add": ["_0": .string(words)]])
            #expect(text == "add(\"\(start)…\" (+\(missing) bytes))")
        }
    }

    @Test func `long containers are truncated with a count`() {
        let numbers = Node.array((0..<1000).map { .int($0) })
        #expect(ValueText(budget: 10).text(of: numbers) == "[0, 1, 2, 3, … +996]")
    }

    @Test func `nothing is truncated without a limit`() {
        let long = String(repeating: "é", count: 100_000)
        let key = String(repeating: "k", count: 100)
        let text = ActionText(budget: Terminal.unlimited).text(of: ["add": ["_0": .string(long), key: [1, 2, 3]]])
        #expect(text == "add(\"\(long)\", \(key): [1, 2, 3])")
        let numbers = Node.array((0..<1000).map { .int($0) })
        #expect(ValueText(budget: Terminal.unlimited).text(of: numbers).hasSuffix(", 998, 999]"))
        var deep: Node = 1
        for _ in 0..<20 { deep = .array([deep]) }
        let brackets = (String(repeating: "[", count: 20), String(repeating: "]", count: 20))
        #expect(ValueText(budget: Terminal.unlimited).text(of: deep) == brackets.0 + "1" + brackets.1)
    }

    @Test(
        arguments: [
            // Truncated texts, elements, members and data, which differ only behind that.
            (
                ["title": .string(a100 + "x"), "n": 1], ["title": .string(a100 + "y"), "n": 1],
                #"… /title: "…aaaaaaaax""#, #"… /title: "…aaaaaaaay""#
            ),
            (numbers(100), numbers(101), "… /100: nothing", "… /100: 100"),
            (["list": numbers(100), "b": 1], ["list": numbers(100), "b": 2], "… /b: 1", "… /b: 2"),
            (
                [.data(zeros + [1])], [.data(zeros + [2])], "… /0: <21 bytes, from 18: 000001>",
                "… /0: <21 bytes, from 18: 000002>"
            ),
            (.data(zeros), .data(zeros + [2]), "<20 bytes, from 18: 0000>", "<21 bytes, from 18: 000002>"),
            // The difference is among what is shown.
            (
                ["n": 1, "title": .string(a100 + "x")], ["n": 2, "title": .string(a100 + "y")],
                "{n: 1, title: \"\(a100.prefix(26))…\" (+75 bytes)}",
                "{n: 2, title: \"\(a100.prefix(26))…\" (+75 bytes)}"
            ),
            ([1], [2], "[1]", "[2]"), ([.number("2e1")], [20], "[2e1]", "[20]"),
        ] as [(Node, Node, String, String)]
    )
    func `two values are shown around their difference`(old: Node, new: Node, left: String, right: String) {
        let texts = ValueText(budget: 40, maxStringLength: 40).texts(of: old, new)
        #expect(texts.0 == left)
        #expect(texts.1 == right)
    }

    private static let a100 = String(repeating: "a", count: 100)
    private static let zeros = [UInt8](repeating: 0, count: 20)

    private static func numbers(_ count: Int) -> Node { .array((0..<count).map { .int($0) }) }

    @Test func `deep values are counted instead of shown`() {
        var node: Node = 1
        for _ in 0..<200 { node = .array([node]) }
        #expect(ValueText().text(of: node) == "[[[[[[[…1]]]]]]]")
    }
}

@Suite struct PatchTextTests {
    private func path(_ text: String) -> NodePath { NodePath(text) ?? NodePath() }

    private func lines(_ operations: [Patch.Operation], base: Node? = nil) -> [String] {
        PatchText().lines(of: Patch(operations), base: base)
    }

    @Test func `each operation has its own line`() {
        #expect(
            lines([
                .replace(path: path("/filter"), old: "all", new: "done"),
                .add(path: path("/name"), value: ["first": "Ann"], at: 2),
                .remove(path: path("/gone"), old: .null, at: nil),
                .splice(path: path("/items"), at: 2, remove: [1], insert: [2, 3]),
                .replace(path: path(""), old: 1, new: 2),
            ]) == [
                #"~ /filter  "all" → "done""#,
                #"+ /name  {first: "Ann"}"#,
                "- /gone  nil",
                "- /items/2  1",
                "+ /items/2  2",
                "+ /items/3  3",
                "~ (whole)  1 → 2",
            ]
        )
    }

    @Test func `decimals are written in plain notation, with their scale if only that differs`() {
        #expect(
            lines([
                .replace(path: path("/price"), old: .number("2e1"), new: .number("15e2")),
                .replace(path: path("/price"), old: 20, new: .number("2e1")),
                .add(path: path("/all"), value: [.number("-1e4"), .number("1e+16"), .number("12.50")], at: nil),
            ]) == ["~ /price  20 → 1500", "~ /price  20 → 2e1", "+ /all  [-10000, 1e+16, 12.50]"]
        )
    }

    @Test func `no change and no element is left out without a limit`() {
        let elements = (0..<20).map { Node.int($0) }
        let many = (0..<300).map { Patch.Operation.replace(path: path("/\($0)"), old: 0, new: 1) }
        let long = String(repeating: "x", count: 1000)
        let replaced = Patch([.replace(path: path("/text"), old: .string(long), new: .string(long + "y"))])
        #expect(
            PatchText(width: Terminal.unlimited).lines(of: replaced, base: nil) == [
                #"~ /text  "\#(long)" → "\#(long)y""#
            ]
        )
        let patch = Patch(many + [.splice(path: path("/a"), at: 0, remove: [], insert: elements)])
        #expect(PatchText(width: Terminal.unlimited).lines(of: patch, base: nil).count == 320)
    }

    @Test func `elements that take each other's places are shown around their difference`() {
        let long = String(repeating: "a", count: 200)
        let removed: [Node] = [.string(long + "x"), 1]
        #expect(
            lines([.splice(path: path("/notes"), at: 3, remove: removed, insert: [.string(long + "y")])]) == [
                #"- /notes/3  "…aaaaaaaax""#, "- /notes/4  1", #"+ /notes/3  "…aaaaaaaay""#,
            ]
        )
    }

    @Test func `a text edit shows its surroundings, in whole characters`() {
        let edit = EditText(room: 8)
        let text = Node.string("ééééhello world, ééé漢é")
        #expect(edit.text(at: 14, remove: "wor", insert: "Wor", in: text) == "…llo [-wor-]{+Wor+}ld, …")
        #expect(edit.text(at: 0, remove: "", insert: "x", in: text) == "{+x+}éé…")
        #expect(edit.text(at: 9, remove: "e", insert: "", in: text) == "…éh[-e-]llo …")
        #expect(edit.text(at: 99, remove: "e", insert: "", in: text) == "[-e-]")
        #expect(edit.text(at: .max, remove: "e", insert: "", in: text) == "[-e-]")
        #expect(edit.text(at: 1, remove: .data([1]), insert: .data([]), in: .data([0, 1])) == "[-<1 byte: 01>-]")
    }

    @Test func `unchanged parts are folded with a count`() {
        let base: Node = ["items": [1, 2, 3], "filter": "all", "next": 4]
        #expect(
            UnchangedParts(
                of: base,
                beside: Patch([.splice(path: path("/items"), at: 0, remove: [1], insert: [])])
            ).line == "unchanged: 2 members · /items: 2 elements"
        )
    }

    @Test func `long patches are truncated with a count`() {
        let many = (0..<300).map { Patch.Operation.replace(path: path("/\($0)"), old: 0, new: 1) }
        #expect(lines(many).last == "  … and 100 more changes (--json has all)")
        let elements = lines([.splice(path: path("/a"), at: 0, remove: [], insert: (0..<20).map { .int($0) })])
        #expect(elements.count == 13)
        #expect(elements.last == "  … and 8 more elements added")
        #expect(lines([.splice(path: path("/a"), at: .max, remove: [], insert: [1, 2])]).count == 2)
    }

    @Test func `control characters in paths are escaped`() {
        #expect(lines([.replace(path: path("/a\u{1B}[2J"), old: 0, new: 1)]) == [#"~ /a\u001b[2J  0 → 1"#])
    }
}

@Suite struct ChangedPathsTests {
    private let paths = ChangedPaths([
        Patch([
            .splice(path: NodePath(["items"]), at: 3, remove: [], insert: [1]),
            .replace(path: NodePath(["nextID"]), old: 3, new: 4),
        ]),
        Patch([
            .splice(path: NodePath(["lines"]), at: 0, remove: [1, 2], insert: []),
            .replace(path: NodePath(["nextID"]), old: 4, new: 5),
        ]),
    ])

    @Test func `each path is named once, truncated with a count`() {
        #expect(paths.text(width: 80) == "/items/3, /nextID, /lines")
        #expect(paths.text(width: 20) == "/items/3, /nextID +1")
        #expect(paths.text(width: 1) == "/items/3 +2")
        let long = ChangedPaths([
            Patch([.replace(path: NodePath(["a-long-name", "another-long-name", "the-last"]), old: 1, new: 2)])
        ])
        #expect(long.text(width: 24) == "/a-long-…g-name/the-last")
        #expect(long.text(width: Terminal.unlimited) == "/a-long-name/another-long-name/the-last")
    }

    @Test func `a place that was asked for stands first, with its values`() throws {
        var paths = paths
        let title = NodePath(["items", "3", "title"])
        paths.begin(with: [.init(path: title, old: nil, new: "Milk")])
        #expect(paths.text(width: 80) == #"/items/3/title  nothing → "Milk", /items/3, /nextID, /lines"#)
        paths.begin(with: [.init(path: NodePath(["nextID"]), old: 3, new: 5)])
        #expect(paths.text(width: 80) == "/nextID  3 → 5, /items/3/title, /items/3, /lines")
    }

    @Test func `what changed inside a container that was asked for stands first`() throws {
        var paths = paths
        paths.begin(with: [.init(path: NodePath(["lines"]), old: [1], new: [2])])
        #expect(paths.text(width: 80) == "/lines  [1] → [2], /items/3, /nextID")
        paths.begin(with: [.init(path: NodePath(["items"]), old: [1], new: [2])])
        #expect(paths.text(width: 80) == "/items/3, /lines, /nextID")
    }

    @Test(.timeLimit(.minutes(1)))
    func `what changed inside of many containers is found without looking at each pair`() {
        let containers = (0..<8000).map { NodePath(["points", String($0), "at"]) }
        let inside = containers.map { $0.appending("x") }
        var paths = ChangedPaths([Patch(inside.map { .replace(path: $0, old: 0, new: 1) })])
        paths.begin(with: containers.map { .init(path: $0, old: ["x": 0], new: ["x": 1]) })
        #expect(paths.paths == inside)
    }
}
