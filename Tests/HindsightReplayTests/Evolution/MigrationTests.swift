import HindsightRecorder
import HindsightTree
import Testing

@testable import HindsightReplay

/// An operation of a migration, what it is given, and what it makes of it.
private struct Trial: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let build: @Sendable (inout Migration) -> Void
    let from: Node
    let to: [Node]

    init(_ name: String, _ from: Node, _ to: Node..., build: @escaping @Sendable (inout Migration) -> Void) {
        (testDescription, self.build, self.from, self.to) = (name, build, from, to)
    }
}

@Suite struct MigrationTests {
    private static let actions = [
        Trial("rename a case", ["addItem": ["id": 1]], ["add": ["id": 1]]) { $0.renameAction("addItem", to: "add") },
        Trial("rename another case", ["other": ["id": 1]], ["other": ["id": 1]]) {
            $0.renameAction("addItem", to: "add")
        },
        Trial("rename a case in a case", ["market": ["_0": ["quotes": [:]]]], ["market": ["_0": ["prices": [:]]]]) {
            $0.renameAction("market.quotes", to: "prices")
        },
        Trial("rename a case of a registered enum", ["Market": ["quotes": [:]]], ["Market": ["prices": [:]]]) {
            $0.renameAction("Market.quotes", to: "prices")
        },
        Trial(
            "rename a case beside another value",
            ["row": ["id": 7, "action": ["done": [:]]]],
            ["row": ["id": 7, "action": ["finished": [:]]]]
        ) { $0.renameAction("row.done", to: "finished") },
        Trial("rename a raw value", "reset", "clear") { $0.renameAction("reset", to: "clear") },
        Trial("label a payload", ["toggle": ["_0": 3]], ["toggle": ["id": 3]]) {
            $0.renameField("/_0", to: "id", in: "toggle")
        },
        Trial(
            "label a payload in a case",
            ["market": ["_0": ["watch": ["_0": "X"]]]],
            ["market": ["_0": ["watch": ["symbol": "X"]]]]
        ) { $0.renameField("/_0", to: "symbol", in: "market.watch") },
        Trial("leave the payload of another case", ["add": ["_0": 3]], ["add": ["_0": 3]]) {
            $0.renameField("/_0", to: "id", in: "toggle")
        },
        Trial("add a field", ["add": ["id": 1]], ["add": ["id": 1, "count": 1]]) {
            $0.addField("/count", default: 1, in: "add")
        },
        Trial("remove a field", ["add": ["id": 1, "count": 1]], ["add": ["id": 1]]) {
            $0.removeField("/count", in: "add")
        },
        Trial("convert a field", ["add": ["id": 1]], ["add": ["id": "1"]]) {
            $0.convertField("/id", in: "add") { .string($0.json) }
        },
        Trial("move a field", ["add": ["x": 1, "y": 2]], ["add": ["y": 2, "at": ["x": 1]]]) {
            $0.moveField("/x", to: "/at/x", in: "add")
        },
        Trial("split a case", ["addTwo": ["a": 1, "b": 2]], ["add": ["id": 1]], ["add": ["id": 2]]) {
            $0.splitAction("addTwo") { [["add": ["id": $0["a"] ?? .null]], ["add": ["id": $0["b"] ?? .null]]] }
        },
        Trial(
            "split a case in a case",
            ["f": ["_0": ["two": [:]]]],
            ["f": ["_0": ["one": [:]]]],
            ["f": ["_0": ["one": [:]]]]
        ) { $0.splitAction("f.two") { _ in [["one": [:]], ["one": [:]]] } },
        Trial("remove an action", ["ping": [:]]) { $0.removeAction("ping") },
        Trial("remove a case in a case", ["f": ["_0": ["ping": [:]]]]) { $0.removeAction("f.ping") },
        Trial("wrap all", ["add": ["id": 1]], ["todo": ["_0": ["add": ["id": 1]]]]) { $0.wrapActions(in: "todo") },
        Trial("wrap others", ["add": ["id": 1]], ["add": ["id": 1]]) { $0.wrapActions(["remove"], in: "todo") },
        Trial("wrap under a label", ["add": [:]], ["todo": ["action": ["add": [:]]]]) {
            $0.wrapActions(["add"], in: "todo", label: "action")
        },
        Trial("map", ["add": [:]], ["add": [:]], ["add": [:]]) { $0.mapActions { [$0, $0] } },
        Trial("operations in their order, on each part", ["two": [:]], ["b": ["id": 0]], ["b": ["id": 0]]) {
            $0.splitAction("two") { _ in [["a": [:]], ["a": [:]]] }
            $0.renameAction("a", to: "b")
            $0.addField("/id", default: 0, in: "b")
        },
        Trial("operations on states leave actions", ["add": ["name": 1]], ["add": ["name": 1]]) {
            $0.renameField("/add", to: "sub")
            $0.mapState { _ in .null }
        },
    ]

    @Test(arguments: actions) private func `an operation converts an action`(trial: Trial) throws {
        #expect(try Migration(to: 2, trial.build).action(trial.from) == trial.to)
    }

    private static let states = [
        Trial("rename", ["user": ["nmae": "Z"], "n": 1], ["user": ["name": "Z"], "n": 1]) {
            $0.renameField("/user/nmae", to: "name")
        },
        Trial("rename a missing one", ["user": [:]], ["user": [:]]) { $0.renameField("/user/nmae", to: "name") },
        Trial("rename below a missing one", ["user": .null], ["user": .null]) {
            $0.renameField("/user/nmae", to: "name")
        },
        Trial(
            "rename in elements",
            ["items": [["a": 1], ["b": 2], ["a": 3]]],
            ["items": [["x": 1], ["b": 2], ["x": 3]]]
        ) { $0.renameField("/items/*/a", to: "x") },
        Trial("rename in one element", ["items": [["a": 1], ["a": 3]]], ["items": [["a": 1], ["x": 3]]]) {
            $0.renameField("/items/1/a", to: "x")
        },
        Trial("rename at any depth", ["a": 1, "b": ["a": [["a": 2]]]], ["x": 1, "b": ["x": [["x": 2]]]]) {
            $0.renameField("/**/a", to: "x")
        },
        Trial("rename a key with a slash", ["a/b": 1], ["c": 1]) { $0.renameField("/a~1b", to: "c") },
        Trial("add", ["user": ["id": 1]], ["user": ["id": 1, "age": 0]]) { $0.addField("/user/age", default: 0) },
        Trial("add at the root", ["a": 1], ["a": 1, "b": []]) { $0.addField("/b", default: []) },
        Trial("add a present one", ["user": ["age": 7]], ["user": ["age": 7]]) { $0.addField("/user/age", default: 0) },
        Trial("add below a missing one", ["a": 1], ["a": 1]) { $0.addField("/user/age", default: 0) },
        Trial("add in elements", ["items": [[:], ["done": true]]], ["items": [["done": false], ["done": true]]]) {
            $0.addField("/items/*/done", default: false)
        },
        Trial("remove", ["a": 1, "b": 2], ["b": 2]) { $0.removeField("/a") },
        Trial("remove a missing one", ["b": 2], ["b": 2]) { $0.removeField("/a") },
        Trial("convert", ["items": [["n": 1], [:]]], ["items": [["n": "1"], [:]]]) {
            $0.convertField("/items/*/n") { .string($0.json) }
        },
        Trial("move into a child", ["count": 1, "name": "x"], ["name": "x", "counter": ["count": 1]]) {
            $0.moveField("/count", to: "/counter/count")
        },
        Trial("move into a present child", ["count": 1, "counter": ["a": 0]], ["counter": ["a": 0, "count": 1]]) {
            $0.moveField("/count", to: "/counter/count")
        },
        Trial("move up", ["counter": ["count": 1]], ["counter": [:], "count": 1]) {
            $0.moveField("/counter/count", to: "/count")
        },
        Trial("move a missing one", ["a": 1], ["a": 1]) { $0.moveField("/count", to: "/counter/count") },
        Trial("move in elements", ["items": [["x": 1], [:]]], ["items": [["at": ["x": 1]], [:]]]) {
            $0.moveField("/items/*/x", to: "/items/*/at/x")
        },
        Trial("map", 1, [1]) { $0.mapState { [$0] } },
        Trial("operations on actions leave states", ["add": [:]], ["add": [:]]) {
            $0.removeAction("add")
            $0.renameField("/a", to: "b", in: "add")
        },
    ]

    @Test(arguments: states) private func `an operation converts a state`(trial: Trial) throws {
        #expect(try [Migration(to: 2, trial.build).state(trial.from)] == trial.to)
    }

    private struct Odd: Error, CustomStringConvertible { let description = "odd" }

    private static let failures = [
        Trial(
            "rename to a present field",
            ["a": ["x": 1, "y": 2]],
            #"the migration to schema 2 failed in renameField("/a/x", to: "y"): there is a field "y" already (at /a/x)"#
        ) { $0.renameField("/a/x", to: "y") },
        Trial(
            "move to a taken place",
            ["a": 1, "b": 2],
            #"the migration to schema 2 failed in moveField("/a", to: "/b"): the new place is taken (at /b)"#
        ) { $0.moveField("/a", to: "/b") },
        Trial(
            "move into a number",
            ["a": 1, "b": 2],
            #"the migration to schema 2 failed in moveField("/a", to: "/b/c"): the new place is taken by a value that is no object (at /b)"#
        ) { $0.moveField("/a", to: "/b/c") },
        Trial(
            "wildcards of a move that differ",
            ["a": [1]],
            #"the migration to schema 2 failed in moveField("/a/*", to: "/b"): both paths must be equal up to the last wildcard"#
        ) { $0.moveField("/a/*", to: "/b") },
        Trial(
            "no path",
            ["a": [1]],
            #"the migration to schema 2 failed in removeField("a"): "a" is no path such as "/user/name""#
        ) { $0.removeField("a") },
        Trial(
            "a closure that throws",
            ["a": ["n": 1]],
            #"the migration to schema 2 failed in convertField("/a/*"): odd (at /a/n)"#
        ) { $0.convertField("/a/*") { _ in throw Odd() } },
        Trial("a closure on the whole", ["a": 1], "the migration to schema 2 failed in mapState: odd") {
            $0.mapState { _ in throw Odd() }
        },
    ]

    @Test(arguments: failures) private func `a failure names the schema, the operation and the path`(trial: Trial)
        throws
    {
        let error = #expect(throws: MigrationError.self) { try Migration(to: 2, trial.build).state(trial.from) }
        #expect([.string("\(try #require(error))")] == trial.to)
    }

    @Test func `migrations apply one after the other, from the recorded schema on`() throws {
        let all = [
            Migration(to: 4) { $0.renameField("/c", to: "d") }, Migration(to: 2) { $0.renameField("/a", to: "b") },
            Migration(to: 3) { $0.renameField("/b", to: "c") },
        ]
        #expect(try MigrationChain(all, from: 1, to: 4).state(["a": 1]) == ["d": 1])
        #expect(try MigrationChain(all, from: 3, to: 4).state(["a": 1, "c": 2]) == ["a": 1, "d": 2])
        #expect(try MigrationChain(all, from: 4, to: 4).isEmpty)
    }

    @Test(arguments: [
        (schemas: [3], from: 1, to: 3, "it is of schema 1, this build's is 3, and there is no migration to 2"),
        (schemas: [2, 2], from: 1, to: 2, "there are two migrations to schema 2"),
        (schemas: [2, 2], from: 2, to: 2, "there are two migrations to schema 2"),
        (
            schemas: [1, 2], from: 1, to: 2,
            "no migration leads to schema 1: the first schema is 1, so the first migration leads to 2"
        ),
        (schemas: [2, 3], from: 1, to: 2, "the app's schema is 2, but it has a migration to schema 3"),
        (
            schemas: [2], from: 3, to: 2,
            "it was made by a newer version of the app: its schema is 3, and this build's is 2"
        ),
    ]) func `migrations that do not lead to the app's schema are refused`(
        schemas: [Int],
        from: Int,
        to: Int,
        message: String
    ) throws {
        let all = schemas.map { Migration(to: $0) { _ in } }
        let error = #expect(throws: MigrationError.self) { try MigrationChain(all, from: from, to: to) }
        #expect("\(try #require(error))" == message)
    }
}
