import HindsightTree
import Testing

private enum Kind: String, Codable, CaseIterable, Sendable { case first, second, third }

private struct Part: Answer, Equatable {
    var at: Int64
    var kinds: [Kind] = []
    var run: ClosedRange<Int>?

    static let notes = ["at": "ns since 1970"]
}

private struct Whole: Answer {
    var name: String?
    @Nullable var kind: Kind? = nil
    @Nullable var part: Part? = nil
    var parts: [Part] = []
    var paths: [NodePath] = []
    @Nullable var value: Node? = nil
    var old: Node?
    @Nullable var patch: Patch? = nil
}

@Suite struct AnswerTests {
    private typealias Both = Joined<Part, Whole>

    @Test func `an answer's members come in order, null only where the type says so`() throws {
        let path = NodePath(["a/b", "0"])
        let part = Part(at: 5, kinds: [.second], run: 2...3)
        let patch = Patch([.remove(path: path, old: 1, at: nil)])
        let cases: [(Whole, String)] = [
            (Whole(), #"{"at":1,"kinds":[],"kind":null,"part":null,"parts":[],"paths":[],"value":null,"patch":null}"#),
            (
                Whole(name: "n", kind: .third, part: part, parts: [part], paths: [path], value: [1], old: .null),
                #"{"at":1,"kinds":[],"name":"n","kind":"third","part":{"at":5,"kinds":["second"],"run":[2,3]},"#
                    + #""parts":[{"at":5,"kinds":["second"],"run":[2,3]}],"paths":["/a~1b/0"],"value":[1],"old":null,"#
                    + #""patch":null}"#
            ),
            (
                Whole(value: ["$some": .null], old: ["$data": 1], patch: patch),
                #"{"at":1,"kinds":[],"kind":null,"part":null,"parts":[],"paths":[],"value":{"$some":null},"#
                    + #""old":\#((["$data": 1] as Node).json),"patch":\#(patch.json)}"#
            ),
        ]
        for (whole, json) in cases {
            let node = try Node(answer: Both(Part(at: 1), whole))
            #expect(node.json == json)
            let read = try NodeDecoder().decode(Both.self, from: Node(json: json))
            #expect(try Node(answer: read).json == json.replacing(#""old":null,"#, with: ""))
        }
    }

    @Test func `a shape names the members, their notes and what may be missing`() {
        let part = "{at (ns since 1970), kinds [first, second or third], run [first, last] (if any)}"
        #expect(Shape.text(of: Part.self) == part)
        #expect(
            Shape.text(of: Both.self)
                == part.dropLast()
                + ", name (if any), kind (first, second or third; or null), part \(part) (or null), parts [\(part)], "
                + "paths [path], value (or null), old (if any), patch [operation] (or null)}"
        )
        #expect(Shape.text(of: [Int].self) == "[number]")
    }
}
