import HindsightQuery
import HindsightTree
import Testing

@testable import HindsightCLI

@Suite struct PlacePatternTests {
    private let state: Node = [
        "orders": [["id": 1, "lines": [["sku": "A"], ["sku": "B"]]], ["id": 2, "lines": []]],
        "user": ["name": "Ann", "password": "x", "a/b": 1],
        "*": "star",
    ]

    private func pattern(_ text: String) throws -> PlacePattern { PlacePattern(try #require(NodePath(text))) }

    @Test(
        arguments: [
            ("/orders/*/id", ["/orders/0/id", "/orders/1/id"]),
            ("/orders/0/lines/*", ["/orders/0/lines/0", "/orders/0/lines/1"]),
            ("/**/sku", ["/orders/0/lines/0/sku", "/orders/0/lines/1/sku"]),
            ("/**/lines", ["/orders/0/lines", "/orders/1/lines"]),
            ("/*", ["/orders", "/user", "/*"]), ("/user/**/password", ["/user/password"]), ("/**", [""]),
            ("/user/*/x", []), ("/nowhere", []), ("/user/name", ["/user/name"]),
        ]
    )
    func `a pattern matches paths by their names`(text: String, places: [String]) throws {
        #expect(try pattern(text).places(in: state).map(\.path.description) == places)
        #expect(try pattern(text).isMatched(in: state) == !places.isEmpty)
    }

    @Test func `a single path is no pattern`() throws {
        #expect(try !pattern("/orders/0").isOpen)
        #expect(try pattern("/orders/*").isOpen)
        #expect(try pattern("/**/x").isOpen)
        #expect(try !pattern("").isOpen)
    }

    @Test(
        arguments: [
            ("/ordrs", "Did you mean /orders?"), ("/ordrs/0/id", "Did you mean /orders/0/id?"),
            ("/ordrs/9/id", "Did you mean /orders or /orders/*/id?"), ("/usr/*", "Did you mean /user/*?"),
            ("/sku", "Did you mean /orders/*/lines/*/sku?"), ("/pasword", "Did you mean /user/password?"),
            ("/user/a~1c", "Did you mean /user/a~1b?"), ("/quite/other", nil),
        ] as [(String, String?)]
    )
    func `a path that does not exist is reported with similar ones`(text: String, question: String?) throws {
        var near = NearPaths(to: try #require(NodePath(text)))
        near.look(in: state)
        #expect(near.question.first == question)
    }

    @Test(arguments: [
        // A place is a path: an element that is inserted before others changes what is at each of their places.
        ("/items/*/id", ["replace /items/0/id", "replace /items/1/id", "add /items/2/id"]),
        ("/items/1/*", ["replace /items/1/id", "remove /items/1/note"]), ("/*/2", ["add /items/2"]),
        ("/**/note", ["remove /items/1/note"]), ("/*/5", ["remove /lines/5"]), ("/*/3", []), ("/*/name", []),
        ("/items/*", ["replace /items/0/id", "remove /items/1/note", "replace /items/1/id", "add /items/2"]),
    ])
    func `two states differ by the values at each place that matches in either`(place: String, lines: [String]) throws {
        let old: Node = [
            "items": [["id": 1], ["id": 2, "note": true]], "lines": [0, 1, 2, 3, 4, 5], "user": ["name": "Ann"],
        ]
        let new: Node = [
            "items": [["id": 3], ["id": 1], ["id": 2]], "lines": [0, 1, 2, 3, 4], "user": ["name": "Ann"],
        ]
        let operations = try pattern(place).differences(from: old, to: new).operations
        #expect(operations.map { "\($0.name) \($0.path)" } == lines)
        #expect(try pattern("/**").differences(from: old, to: new) == Patch(from: old, to: new))
    }
}
