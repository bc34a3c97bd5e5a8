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
}
