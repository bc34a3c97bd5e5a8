import Testing

@testable import HindsightTree

/// Members that are read at once, without the general path, give the same values and errors.
@Suite struct LeafReadingTests {
    struct Leaves: Codable, Equatable {
        var flag: Bool
        var count: Int
        var text: String
        var maybeFlag: Bool?
        var maybeCount: Int?
        var maybeText: String?
    }

    @Test func `Leaves of all forms are read`() throws {
        func node(_ members: [String: Node]) -> Node {
            let usual: [(String, Node)] = [("flag", true), ("count", 1), ("text", "a")]
            let given = usual.map { Node.Member($0.0, members[$0.0] ?? $0.1) }
            let more = members.filter { member in !usual.contains { $0.0 == member.key } }
            return .object(given + more.map { Node.Member($0.key, $0.value) })
        }
        let usual = Leaves(flag: true, count: 1, text: "a")
        func read(_ members: [String: Node]) throws -> Leaves {
            try NodeDecoder().decode(Leaves.self, from: node(members))
        }
        #expect(try read([:]) == usual)
        #expect(try read(["maybeFlag": .null, "maybeCount": .null, "maybeText": .null]) == usual)
        let all = Leaves(flag: true, count: 7, text: "a", maybeFlag: false, maybeCount: 3, maybeText: "é")
        #expect(
            try read(["count": .number("7"), "maybeFlag": false, "maybeCount": .number("3"), "maybeText": "é"]) == all
        )
        for (name, wrong) in [
            ("flag", 1), ("count", "1"), ("text", true), ("maybeFlag", "x"), ("maybeCount", .array([])),
            ("maybeText", 2), ("flag", .null), ("count", .number("1.5")),
        ] as [(String, Node)] {
            let error = #expect(throws: TreeError.self) { try read([name: wrong]) }
            #expect(error?.path == NodePath([name]))
        }
    }

    struct Refusal: Error {}

    /// Catches the error of one field, reads another, and throws an error without a path.
    struct Picky: Decodable {
        enum CodingKeys: CodingKey { case first, second }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            do {
                _ = try container.decode(Bool.self, forKey: .first)
            } catch {
                _ = try container.decode(String.self, forKey: .second)
            }
            throw Refusal()
        }
    }
    struct Outer: Decodable {
        var inner: Picky
    }

    @Test func `An error that the app caught does not give its path to a later one`() {
        let error = #expect(throws: TreeError.self) {
            try NodeDecoder().decode(Outer.self, from: ["inner": ["first": 1, "second": "text"]])
        }
        #expect(error?.path == NodePath(["inner"]))
    }
}
