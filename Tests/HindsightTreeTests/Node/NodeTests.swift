import TestSupport
import Testing

@testable import HindsightTree

@Suite struct NodeTests {
    @Test(
        arguments: [
            ("é", "e\u{301}"), (1, .number("1.0")), (.number("1.0"), .number("1.00")), (0, .number("-0")),
            (["a": 1, "b": 2], ["b": 2, "a": 1]), ([], .object([])), (.null, false), ("QQ==", .data([65])),
            (["$data": "QQ=="], .data([65])), ("1", 1), ([1, [2]], [[1], 2]), ("a", "a\u{0}"),
            (["é": 1], ["e\u{301}": 1]),
        ] as [(Node, Node)]
    )
    func `nodes with different texts are not equal`(left: Node, right: Node) {
        #expect(left != right)
        #expect(!left.json.hasSameScalars(as: right.json))
        #expect(left.order(of: right) != 0)
    }

    @Test func `nodes are equal if and only if their texts are, with equal hashes`() {
        #expect(Node.int(5) == .number("5"))
        #expect(Set<Node>([5, .number("5"), .number("5.0")]).count == 2)
        for var random in Seeded.runs(500) {
            let node = random.node()
            let other = random.changed(node)
            #expect((node == other) == node.json.hasSameScalars(as: other.json), "\(random)")
            #expect((node.order(of: other) == 0) == (node == other), "\(random)")
            if node == other { #expect(node.hashValue == other.hashValue, "\(random)") }
        }
    }

    @Test func `equivalence disregards the order of members at any depth`() {
        let node: Node = ["a": 1, "b": [["c": 2, "d": "é"]]]
        #expect(node.isEquivalent(to: ["b": [["d": "é", "c": 2]], "a": 1]))
        #expect(!node.isEquivalent(to: ["b": [["d": "e\u{301}", "c": 2]], "a": 1]))
        #expect(!node.isEquivalent(to: ["a": 1]))
        #expect(!([1, 2] as Node).isEquivalent(to: [2, 1]))
    }

    @Test func `the canonical order goes by kind, then by content`() {
        let sorted: [Node] = [
            .null, false, true,
            .number("-1e999999999999999999999999"), .number("-1e400"), .int(.min), -10, .number("-9.99"), -1,
            .number("-1e-400"), .number("-0"), .number("-0.0"), 0, .number("0.0"), .number("0e5"),
            .number("1e-999999999999999999999999"), .number("1e-7"), .number("0.1"), .number("0.10"),
            .number("0.100000000000000000000000001"), 1, .number("1.0"), .number("1e0"), 2, .number("9.99"), 10,
            .int(.max - 1), .int(.max), .number("9223372036854775808"), .number("1e19"),
            .number("18446744073709551615"), .number("1E400"), .number("1e400"),
            "", "\u{0}", "A", "a", "a\u{0}", "aa", "b", "e\u{301}", "é", "\u{FFFF}", "😀",
            .data([]), .data([0]), .data([0, 1]), .data([1]),
            [], [.null], [1], [1, 2], [2], [[]],
            .object([]), ["a": 1], ["a": 1, "b": 1], ["a": 2], ["b": 0],
        ]
        for (left, first) in sorted.enumerated() {
            for (right, second) in sorted.enumerated() {
                #expect(first.precedes(second) == (left < right), "\(first) and \(second)")
            }
        }
    }

    @Test func `the canonical order is total`() {
        for var random in Seeded.runs(20) {
            let nodes = (0..<40).map { _ in random.node(depth: 2) }.sorted { $0.precedes($1) }
            for (left, first) in nodes.enumerated() {
                for second in nodes[left...] {
                    #expect(!second.precedes(first), "\(random)")
                }
            }
        }
    }

    @Test(arguments: [
        ("", true), ("/a", true), ("/a/1", true), ("/a/01", false), ("/a/-", false), ("/a/2", false), ("/a/+1", false),
        ("/a/99999999999999999999", false), ("/a//", false), ("/e\u{301}", true), ("/é", false), ("/x~1y", true),
        ("/~0", true), ("/", true), ("/a/1/b", false), ("/b", false), ("/a/١", false),
    ])
    func `a path leads to its value`(path: String, isThere: Bool) throws {
        let node: Node = ["a": [1, 2], "e\u{301}": 3, "x/y": 4, "~": 5, "": 6]
        #expect((node[try #require(NodePath(path))] != nil) == isThere)
    }

    @Test func `a member is found among many, sorted or not`() {
        for var random in Seeded.runs(20) {
            var members = (0..<200).map { Node.Member("\($0)", .int($0)) }
            if random.once(in: 2) { members = members.sortedByKey() } else { members.shuffle(using: &random) }
            let node = Node.object(members)
            #expect((0..<200).allSatisfy { node[NodePath(["\($0)"])] == .int($0) }, "\(random)")
            #expect(node[NodePath(["200"])] == nil)
        }
    }
}
