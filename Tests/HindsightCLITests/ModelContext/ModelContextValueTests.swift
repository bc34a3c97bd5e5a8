import HindsightTree
import Testing

@testable import HindsightCLI

@Suite struct ModelContextValueTests {
    private static let accents = String(repeating: "é", count: 600)

    private static func part(_ bytes: Int, at offset: Int, _ text: String) -> Node {
        ["shortened": "string", "bytes": .int(bytes), "at": .int(offset), "part": .string(text)]
    }

    @Test(
        arguments: [
            // Texts that are compared are shown from shortly before their difference.
            (
                [
                    "path": "/text", "position": "3.1", "old": .string(accents + "old"),
                    "new": .string(accents + "new!"),
                ],
                [
                    "path": "/text", "position": "3.1",
                    "old": part(1203, at: 1170, String(repeating: "é", count: 15) + "old"),
                    "new": part(1204, at: 1170, String(repeating: "é", count: 15) + "new!"),
                ]
            ),
            // A text that was only prolonged ends where the other goes on.
            (
                ["op": "replace", "path": "", "value": .string(accents + "!"), "old": .string(accents)],
                [
                    "op": "replace", "path": "", "value": part(1201, at: 1170, String(repeating: "é", count: 15) + "!"),
                    "old": part(1200, at: 1170, String(repeating: "é", count: 15)),
                ]
            ),
            // No scalar is cut.
            (
                ["value": .string("a" + accents)],
                ["value": part(1201, at: 0, "a" + String(repeating: "é", count: 49))]
            ),
            // Parts of a value are shortened, if that is enough.
            (
                ["action": ["add": ["title": .string(accents), "tags": ["a"]]]],
                ["action": ["add": ["title": part(1200, at: 0, String(repeating: "é", count: 50)), "tags": ["a"]]]]
            ),
            (
                ["old": .array((100..<300).map(Node.int)), "new": .array((100..<200).map(Node.int))],
                [
                    "old": ["shortened": "array", "count": 200, "bytes": 801],
                    "new": ["shortened": "array", "count": 100, "bytes": 401],
                ]
            ),
            // A text is long wherever it stands.
            (
                ["edits": [.string("insert " + accents), "skip 3"]],
                ["edits": [part(1207, at: 0, "insert " + String(repeating: "é", count: 46)), "skip 3"]]
            ),
            // `part` has lines of a log in its sides.
            (
                [
                    "sides": [
                        ["action": ["seq": 3, "type": "add", "action": ["add": .string(accents)]], "parents": []]
                    ]
                ],
                [
                    "sides": [
                        [
                            "action": [
                                "seq": 3, "type": "add",
                                "action": ["add": part(1200, at: 0, String(repeating: "é", count: 50))],
                            ],
                            "parents": [],
                        ]
                    ]
                ]
            ),
        ] as [(Node, Node)]
    )
    func `A long value is shortened, and says how long it is`(line: Node, shortened: Node) {
        #expect(ModelContextValue.shortened(in: line) == shortened)
        #expect(ModelContextValue.shortened(in: shortened) == shortened)
    }

    @Test func `Short values, and lists that are no values, stay as they are`() {
        let paths = Node.array((0..<100).map { .string("/items/\($0)/title") })
        let lines: [Node] = [
            ["seq": 1, "type": "add", "changed": paths], ["old": .string(String(repeating: "x", count: 398))],
            ["numbers": [["recorded": [1, 2], "changed": [2, 3]]]], [], "text", .null,
        ]
        for line in lines { #expect(ModelContextValue.shortened(in: line) == line, "\(line.json)") }
    }

    @Test func `An answer takes lines that come in pieces, and keeps 8 MB`() throws {
        var answer = ModelContextAnswer(shortening: true)
        let long: Node = ["old": .string(Self.accents), "seq": 7]
        for byte in Array("no JSON\n\(long.json)\n{\"seq\"".utf8) { answer.append([byte]) }
        #expect(String(decoding: answer.bytes, as: UTF8.self).hasPrefix("no JSON\n{\"old\":{\"shortened\":\"string\""))
        #expect(answer.line(at: 0) == nil)
        #expect(answer.line(at: 8)?["seq"] == 7)
        let size = answer.bytes.count
        #expect(answer.line(at: size) == nil)
        answer.append(Array(":8}\n".utf8))
        #expect(answer.line(at: size) == ["seq": 8] && !answer.isTooLong)
        answer.append([UInt8](repeating: 0x20, count: ModelContextAnswer.most + 1))
        #expect(answer.isTooLong && answer.bytes.count < ModelContextAnswer.most)
    }
}
