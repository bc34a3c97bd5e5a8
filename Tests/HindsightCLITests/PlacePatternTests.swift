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
        ("/*/3", true), ("/**", true), ("/*", true), ("/items/*/title", true), ("/**/title", true),
        ("/**/password", false), ("/items/*/done/*", false), ("/*/4", false), ("/**/5", true), ("/lines/1", true),
    ])
    func `wildcards match names, and an added or removed whole matches only by its contents`(
        place: String,
        isTouched: Bool
    ) throws {
        let item: Node = ["title": "Milk", "tags": [5, 6], "done": false]
        let operations: [Patch.Operation] = [
            .splice(path: NodePath(["items"]), at: 3, remove: [], insert: [item]),
            .splice(path: NodePath(["lines"]), at: 5, remove: [1, 2], insert: []),
            .edit(path: NodePath(["text"]), at: 0, remove: "", insert: "x"),
        ]
        #expect(operations.contains(where: try pattern(place).isTouched) == isTouched)
    }

    @Test(arguments: [
        ("/items", true), ("/items/3", true), ("/items/3/title", true), ("/items/4", false), ("", true),
        ("/next", false), ("/lines/7", true),
    ])
    func `a path is touched by changes above and below it`(place: String, isTouched: Bool) throws {
        let operations: [Patch.Operation] = [
            .splice(path: NodePath(["items"]), at: 3, remove: [], insert: [1]),
            .splice(path: NodePath(["lines"]), at: 0, remove: [1, 2], insert: []),
            .replace(path: NodePath(["nextID"]), old: 4, new: 5),
        ]
        #expect(operations.contains(where: try pattern(place).isTouched) == isTouched)
    }
}
