import HindsightTree
import Testing

@testable import HindsightReplay

@Suite("Comparing states")
struct ComparisonTests {
    @Test(
        "The first difference is the path at which two states differ",
        arguments: [
            (["a": 1, "b": 2], ["b": 2, "a": 1], nil, nil, nil),
            (["a": ["b": [1, 2, 3]]], ["a": ["b": [1, 5, 3]]], "/a/b/1", 2, 5),
            ([1, 2, 3], [1, 3], "/1", 2, nil),
            ([1, 3], [1, 2, 3], "/1", nil, 2),
            ([1, 2], [1, 2, 3], "/2", nil, 3),
            ([1, 2, 3], [1, 2], "/2", 3, nil),
            ([1, 2, 3], [7, 8], "/0", 1, 7),
            ([], [1], "/0", nil, 1),
            ([1, 1], [1, 1, 1], "/2", nil, 1),
            (["a": 1], [:], "/a", 1, nil),
            (["a": 1], ["a": 1, "x/y": .null], "/x~1y", nil, .null),
            (["é": 1], ["e\u{301}": 1], "/é", 1, nil),
            ([[1], [2]], [[2], [1]], "", [[1], [2]], [[2], [1]]),
            ("a", "b", "", "a", "b"),
            (1, .number("1.0"), "", 1, .number("1.0")),
            ([1], ["0": 1], "", [1], ["0": 1]),
        ] as [(Node, Node, String?, Node?, Node?)]
    )
    func firstDifference(left: Node, right: Node, path: String?, expected: Node?, actual: Node?) {
        let difference = left.firstDifference(from: right)
        #expect(difference.map { "\($0.path)" } == path)
        #expect(difference?.left == expected)
        #expect(difference?.right == actual)
    }

    /// Two patches of `{"list": [1, 2, 2, 3], "name": "abba", "set": {"p": 1, "q": 2}}`.
    struct Words: Sendable {
        let expected: [Patch.Operation]
        let actual: [Patch.Operation]
        let isSame: Bool
    }

    static let before: Node = ["list": [1, 2, 2, 3], "name": "abba", "set": ["p": 1, "q": 2]]
    static let words: [Words] = {
        let (list, name, set) = (NodePath(["list"]), NodePath(["name"]), NodePath(["set"]))
        return [
            Words(
                expected: [.splice(path: list, at: 1, remove: [2], insert: [])],
                actual: [.splice(path: list, at: 2, remove: [2], insert: [])],
                isSame: true
            ),
            Words(
                expected: [.splice(path: list, at: 1, remove: [2], insert: [])],
                actual: [.replace(path: list, old: [1, 2, 2, 3], new: [1, 2, 3])],
                isSame: true
            ),
            Words(
                expected: [.edit(path: name, at: 1, remove: "b", insert: "")],
                actual: [.edit(path: name, at: 2, remove: "b", insert: "")],
                isSame: true
            ),
            Words(
                expected: [.replace(path: set, old: ["p": 1, "q": 2], new: ["q": 3, "p": 1])],
                actual: [.replace(path: set.appending("q"), old: 2, new: 3)],
                isSame: true
            ),
            Words(
                expected: [.replace(path: name, old: "abba", new: "x"), .replace(path: name, old: "x", new: "abba")],
                actual: [],
                isSame: true
            ),
            Words(expected: [], actual: [.replace(path: name, old: "abba", new: "e\u{301}")], isSame: false),
            Words(expected: [.replace(path: name, old: "abba", new: "b")], actual: [], isSame: false),
            Words(
                expected: [.splice(path: list, at: 1, remove: [2], insert: [])],
                actual: [.splice(path: list, at: 3, remove: [3], insert: [])],
                isSame: false
            ),
            Words(expected: [.remove(path: set.appending("p"), old: 1, at: 0)], actual: [], isSame: false),
        ]
    }()

    @Test("Patches with the same effect are equal", arguments: words)
    func otherWords(words: Words) throws {
        var after = Self.before
        try after.apply(Patch(words.expected))
        let comparison = StepComparison(
            before: Self.before,
            after: after,
            expected: Patch(words.expected),
            actual: Patch(words.actual)
        )
        let state = try comparison.differingState(or: { Self.before })
        #expect((state == nil) == words.isSame)
    }
}
