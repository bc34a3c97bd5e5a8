import Testing

@testable import HindsightTree

@Suite struct EnumCaseTests {
    private indirect enum Deep: Codable {
        case leaf
        case tagged(id: Int)
        case next(Deep)
        case both(Deep, by: Int)
    }

    private struct Point: Codable {
        var x = 1
        var y = 2
    }

    private enum Action: Codable {
        case deep(Deep)
        case point(Point)
        case text(String)
        case list([Deep])
        case none
    }

    private func nested(_ action: Action) throws -> [String] {
        try NodeEncoder().encode(action).nestedCases
    }

    @Test func `cases inside an action are found at any depth`() throws {
        #expect(try nested(.deep(.leaf)) == ["leaf"])
        #expect(try nested(.deep(.tagged(id: 3))) == ["tagged"])
        #expect(try nested(.deep(.next(.next(.leaf)))) == ["next", "next", "leaf"])
        #expect(try nested(.deep(.next(.both(.leaf, by: 3)))) == ["next", "both"])
    }

    @Test func `other payloads have none`() throws {
        #expect(try nested(.none) == [])
        #expect(try nested(.point(Point())) == [])
        #expect(try nested(.text("leaf")) == [])
        #expect(try nested(.list([.leaf])) == [])
        #expect(Node.string("leaf").nestedCases == [])
        #expect((["AddLine": ["sku": ["_0x": 1]]] as Node).nestedCases == [])
    }

    @Test func `an enum that is registered by its type has its case inside`() {
        #expect((["Market": ["watch": ["_0": "X"]]] as Node).nestedCases == ["watch"])
    }

    @Test(arguments: [("_0", true), ("_12", true), ("_", false), ("00", false), ("_a", false), ("_1a", false)])
    func `the key of a payload without a label is its position`(key: String, isPosition: Bool) {
        #expect(key.isPayloadPosition == isPosition)
    }

    @Test func `an object that is no case of an enum is reported with its key and a similar one`() throws {
        func error(_ node: Node) throws -> TreeError {
            try #require(#expect(throws: TreeError.self) { try NodeDecoder().decode(Action.self, from: node) })
        }
        let near = try error(["deep": ["_0": ["laef": [:]]]])
        #expect(near.path == NodePath(["deep", "_0", "laef"]))
        #expect(near.reason == #""laef" is no case of Deep, which has "leaf""#)
        #expect(try error(["elsewhere": [:]]).reason == #""elsewhere" is no case of Action"#)
        #expect(
            try error(["deep": ["_0": [:]]]).reason == "expected an object with one key, a case of Deep, found 0 keys"
        )
        #expect(try error(["none": [:], "text": ["_0": "x"]]).reason.hasSuffix("found 2 keys"))
    }
}
