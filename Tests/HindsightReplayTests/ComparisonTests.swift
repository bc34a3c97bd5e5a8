import HindsightTree
import Testing

@testable import HindsightRecording
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
        let (left, right) = try states(after: words)
        var comparison = try plainComparison()
        var differing = DifferingPlaces()
        let touched = DifferingPlaces.places(touchedBy: words.expected + words.actual, in: [left, right])
        #expect(try differing.update(touched, left, right, by: &comparison).isEmpty == words.isSame)
        #expect(differing.isEmpty == words.isSame)
        let all = try comparison.differingPlaces(left, right, at: NodePath())
        #expect(Set(differing.paths) == Set(all))
    }

    private func states(after words: Words) throws -> (Node, Node) {
        var (left, right) = (Self.before, Self.before)
        try left.apply(Patch(words.expected))
        try right.apply(Patch(words.actual))
        return (left, right)
    }

    private func plainComparison(_ options: VerificationOptions = VerificationOptions()) throws -> StateComparison {
        let redaction = RecordedRedaction()
        return try StateComparison(redaction, today: redaction.stateRedactor(), options: options, unshared: [])
    }

    @Test(
        "Ignored and tolerated places do not differ",
        arguments: [
            ([], [:], ["/a", "/list/0/price", "/list/1/price", "/more"]),
            (["/a"], [:], ["/list/0/price", "/list/1/price", "/more"]),
            (["/list/0/price"], [:], ["/a", "/list/1/price", "/more"]),
            (["/list/1/**", "/list/2"], [:], ["/a", "/list/0/price", "/more"]),
            (["/list/*/price"], [:], ["/a", "/more"]),
            (["/**"], [:], []),
            (["/list/**", "/more"], [:], ["/a"]),
            ([], ["/list/1/price": 2], ["/a", "/list/0/price", "/more"]),
            ([], ["/list/*/price": 0.5], ["/a", "/list/1/price", "/more"]),
            ([], ["/**": 2], ["/a", "/more"]),
        ] as [([String], [String: Double], [String])]
    )
    func ignored(paths: [String], bounds: [String: Double], expected: [String]) throws {
        let left: Node = ["a": "x", "list": [["price": 1], ["price": .number("2.5")]], "same": 1]
        let right: Node = [
            "a": "y", "list": [["price": .number("1.25")], ["price": .number("4.5")]], "same": 1, "more": [1],
        ]
        let tolerances = bounds.map { Tolerance($0, absolute: $1) }
        var comparison = try plainComparison(VerificationOptions(ignoredPaths: paths, tolerances: tolerances))
        let places = try comparison.differingPlaces(left, right, at: NodePath())
        #expect(places.map { "\($0)" } == expected)
        #expect(try comparison.isSame(left, right) == expected.isEmpty)
        let (one, other) = try comparison.aligned(left, right)
        #expect(one.isEquivalent(to: other) == expected.isEmpty)
    }

    @Test("A patch to one ignored element is compared, because later ones move the element")
    func movedElement() throws {
        func insertion(_ value: Node) -> Patch {
            Patch([.splice(path: NodePath(["log"]), at: 0, remove: [], insert: [value])])
        }
        for (path, isSame) in [("/log/0", false), ("/log/*", true), ("/log", true), ("/log/1", false)] {
            var comparison = try plainComparison(VerificationOptions(ignoredPaths: [path]))
            #expect(try comparison.isSame(insertion("a"), insertion("b")) == isSame, "\(path)")
        }
        var comparison = try plainComparison(VerificationOptions(ignoredPaths: ["/log/3", "/log/4"]))
        comparison.notePatterns(in: [.splice(path: NodePath(["log"]), at: 2, remove: [], insert: ["a", "b"])])
        #expect(comparison.unusedPatterns == ["/log/4"])
    }

    @Test(
        "Ignored elements are neither shown as other values, nor do they shift the others",
        arguments: [
            (["/log/*"], ["a", "b"], ["x", "y", "z"], "/log/2", nil, "z"),
            (["/log/*"], ["a", "b"], ["x"], "/log/1", "b", nil),
            (["/log/0"], ["a", "b"], ["x", "c"], "/log/1", "b", "c"),
            (["/log/0"], [["id": 1]], [["id": 2], ["id": 3]], "/log/1", nil, ["id": 3]),
            (["/log/*/id"], [["id": 1, "on": 1]], [["id": 2, "on": 0]], "/log/0/on", 1, 0),
            (["/log/*/id"], [], [["id": 2, "on": 0]], "/log/0", nil, ["on": 0]),
        ] as [([String], [Node], [Node], String, Node?, Node?)]
    )
    func shownElements(
        paths: [String],
        left: [Node],
        right: [Node],
        path: String,
        expected: Node?,
        actual: Node?
    ) throws {
        var comparison = try plainComparison(VerificationOptions(ignoredPaths: paths))
        let (one, other) = try comparison.aligned(["log": .array(left)], ["log": .array(right)])
        let difference = try #require(one.firstDifference(from: other))
        #expect("\(difference.path)" == path)
        #expect(difference.left == expected && difference.right == actual)
    }

    @Test("A relative tolerance is a part of the larger number")
    func relative() {
        #expect(Tolerance("/a", relative: 0.1).allows(100, 90))
        #expect(Tolerance("/a", relative: 0.1).allows(-90, -100))
        #expect(!Tolerance("/a", relative: 0.1).allows(100, 89.9))
        #expect(!Tolerance("/a").allows(1, 1.000001))
        #expect(!Tolerance("/a", relative: 0.1).allows(.infinity, 5))
    }

    @Test("Whole numbers that a floating-point number rounds to the same differ by more than a tolerance")
    func largeNumbers() throws {
        let numbers: [(Node, Node)] = [
            (.int(.max), .int(.max - 1)), (.int(.min), .int(.max)),
            (.number("18446744073709551615"), .number("18446744073709551614")),
        ]
        for (left, right) in numbers {
            for (bound, isSame) in [(0.5, false), (1.0, left != .int(.min)), (2e19, true)] {
                let options = VerificationOptions(tolerances: [Tolerance("/id", absolute: bound)])
                var comparison = try plainComparison(options)
                #expect(try comparison.isSame(["id": left], ["id": right]) == isSame, "\(left), \(right), \(bound)")
            }
        }
    }

    @Test("A place that differed before, or is inside one, is not new")
    func known() throws {
        var comparison = try plainComparison()
        var differing = DifferingPlaces([NodePath(["a"])])
        let left: Node = ["a": ["x": 1, "y": 2], "b": 1]
        let right: Node = ["a": ["x": 1, "y": 3], "b": 2]
        let new = try differing.update([NodePath()], left, right, by: &comparison)
        #expect(new.map { "\($0)" } == ["/b"])
        #expect(Set(differing.paths.map { "\($0)" }) == ["/a/y", "/b"])
        let (one, other) = try comparison.aligned(left, right, differing: differing, new: DifferingPlaces(new))
        #expect(Patch(from: one, to: other).operations == [.replace(path: NodePath(["b"]), old: 1, new: 2)])
    }
}
