import Foundation
import HindsightTree
import TestSupport
import Testing

@Suite struct JSONTests {
    @Test func `reading written text returns the same node`() throws {
        for var random in Seeded.runs(500) {
            let node = random.node()
            #expect(try Node(json: node.json) == node, "\(random)")
            #expect(try Node(json: node.prettyJSON(indent: 3)) == node, "\(random)")
            #expect(try Node(json: node.json).json == node.json, "\(random)")
        }
    }

    @Test(
        arguments: [
            (#"{"$data":"AAEC"}"#, Node.data([0, 1, 2])),
            (#"{"$data":""}"#, .data([])),
            (#"{"$$data":"AAEC"}"#, ["$data": "AAEC"]),
            (#"{"$$$data":1}"#, ["$$data": 1]),
            (#"{"$data":1,"a":2}"#, ["$data": 1, "a": 2]),
            (#"{"$some":null}"#, ["$some": .null]),
            (#"{"$$some":null}"#, ["$$some": .null]),
            (#"{"$":1}"#, ["$": 1]),
            (#"{"$datax":1}"#, ["$datax": 1]),
            (#"{"data":1}"#, ["data": 1]),
        ] as [(String, Node)]
    )
    func `data differs from objects that look like it`(text: String, node: Node) throws {
        #expect(try Node(json: text) == node)
        #expect(node.json == text)
    }

    @Test(arguments: [
        ("0", Node.int(0)), ("-1", .int(-1)), ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
        ("9223372036854775808", .number("9223372036854775808")),
        ("-9223372036854775809", .number("-9223372036854775809")),
        ("-0", .number("-0")), ("-0.0", .number("-0.0")), ("1.0", .number("1.0")), ("1e999999", .number("1e999999")),
        ("1E+2", .number("1E+2")), ("0e1", .number("0e1")), ("12.50", .number("12.50")),
    ])
    func `numbers keep every digit`(text: String, node: Node) throws {
        let read = try Node(json: " \(text)\n")
        #expect(read == node)
        switch (read, node) {
        case (.int, .int), (.number, .number): break
        default: Issue.record("\(read) is another case than \(node)")
        }
        #expect(read.json == text)
    }

    @Test func `integers of any length are kept`() throws {
        let digits = String(repeating: "9", count: 100_000)
        #expect(try Node(json: digits) == .number(digits))
    }

    @Test func `escapes are read as their characters`() throws {
        let node = try Node(json: #""\"\\\/\b\f\n\r\tA\u00e9\u00E9\ud83d\uDE00\u0000""#)
        #expect(node == .string("\"\\/\u{8}\u{C}\n\r\tAéé😀\u{0}"))
    }

    @Test func `characters that control a terminal or the text direction are escaped`() {
        #expect(Node.string("\u{1B}[0m\u{7F}\u{80}\u{9F}\u{A0}").json == "\"\\u001b[0m\\u007f\\u0080\\u009f\u{A0}\"")
        #expect(
            Node.string("\u{200D}\u{200E}\u{202E}\u{2066}\u{2029}\u{61C}").json
                == "\"\u{200D}\\u200e\\u202e\\u2066\\u2029\\u061c\""
        )
        #expect(Node.string("a/\"\\\n\t\r\u{8}\u{C}\u{0}\u{FEFF}").json == #""a/\"\\\n\t\r\b\f\u0000\ufeff""#)
        #expect((["\u{202E}": 1] as Node).json == #"{"\u202e":1}"#)
    }

    @Test func `every scalar survives, and no control character below U+00A0 is written raw`() throws {
        var all = ""
        for code in UInt32(0)...0x10FFFF {
            if let scalar = UnicodeScalar(code) { all.unicodeScalars.append(scalar) }
        }
        let text = Node.string(all).json
        #expect(try Node(json: text) == .string(all))
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
    }

    @Test(arguments: [
        ("", 0), ("  ", 2), ("nul", 0), ("nulll", 4), ("[1,]", 3), ("[1 2]", 3), ("{", 1), (#"{"a"}"#, 4),
        (#"{"a":1,}"#, 7), (#"{a:1}"#, 1), ("01", 0), ("-", 1), ("1.", 2), (".5", 0), ("1e", 2), ("+1", 0), ("1 2", 2),
        (#""abc"#, 4), ("\"a\nb\"", 2), ("\"a\u{0}b\"", 2), (#""\x""#, 2), (#""\u12G4""#, 5), (#""\ud800""#, 1),
        (#""\udc00""#, 1), (#""\ud800A""#, 1), (#""\ud800\ud800""#, 1), ("NaN", 0), ("Infinity", 0), ("'a'", 0),
        ("\u{FEFF}1", 0), (#"{"a":1,"a":2}"#, 7), (#"{"a":1,"\u0061":2}"#, 7), (#"{"$data":1}"#, 0),
        (#"{"$data":"A"}"#, 0), (#"{"$data":"AAE"}"#, 0), (#"{"$data":"AB=="}"#, 0), (#"{"$data":"A==="}"#, 0),
        (#"[{"$data":"AA==\n"}]"#, 1), ("//a\n1", 0), ("\u{C}1", 0), ("1\u{0}", 1),
    ])
    func `invalid JSON throws an error with the offset`(text: String, offset: Int) {
        let error = #expect(throws: TreeError.self) { try Node(json: text) }
        #expect(error?.code == .badJSON)
        #expect(error?.offset == offset)
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0x5C, 0x6E, 0x80, 0x22], [0x80], [0x22, 0x5C],
            [0x22, 0x5C, 0x75, 0x64, 0x38, 0x30, 0x30, 0x5C],
        ] as [[UInt8]]
    )
    func `invalid UTF-8 throws`(bytes: [UInt8]) {
        #expect(throws: TreeError.self) { try Node(jsonBytes: bytes) }
    }

    @Test func `a duplicate key is found among many`() throws {
        for count in [31, 32, 33, 34, 5000] {
            var keys = (0..<count).map { "key \($0)" }
            keys.shuffle()
            let text = { (keys: [String]) in "{" + keys.map { #""\#($0)":0"# }.joined(separator: ",") + "}" }
            #expect(throws: Never.self) { try Node(json: text(keys)) }
            #expect(throws: TreeError.self) { try Node(json: text(keys + [keys[count / 2]])) }
        }
        #expect(throws: Never.self) { try Node(json: "{\"é\":1,\"e\u{301}\":2}") }
    }

    @Test(arguments: ["[", "{\"a\":", "[[{\"$data\":"])
    func `deep nesting throws and does not overflow`(opening: String) throws {
        let error = #expect(throws: TreeError.self) { try Node(json: String(repeating: opening, count: 100_000)) }
        #expect(error?.code == .tooDeep)
    }

    @Test func `nesting is read up to the limit and eight more`() throws {
        func text(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try Node(json: text(TreeLimits.depth + 8)).json == text(TreeLimits.depth + 8))
        let error = #expect(throws: TreeError.self) { try Node(json: text(TreeLimits.depth + 9)) }
        // The documented limit.
        #expect(error?.description.hasPrefix("more than 512 containers stand one inside the other") == true)
    }

    @Test func `no damage to a text makes the reader trap`() throws {
        for var random in Seeded.runs(300) {
            var bytes = Array(random.node().json.utf8)
            #expect(throws: TreeError.self) { try Node(jsonBytes: bytes + [UInt8(ascii: "]")]) }
            for _ in 0..<20 {
                guard !bytes.isEmpty else { break }
                let at = random.below(bytes.count)
                switch random.below(3) {
                case 0: bytes[at] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.removeSubrange(at...)
                default: bytes.insert(random.pick(Array(#"[]{}":,\0-.e$u"#.utf8)), at: at)
                }
                if let node = try? Node(jsonBytes: bytes) {
                    #expect(try Node(json: node.json) == node, "\(random)")
                }
            }
        }
    }

    @Test func `pretty text is indented and keeps empty containers on one line`() {
        let node: Node = ["a": [1, "b"], "c": [], "d": .object([]), "e": .data([1])]
        #expect(
            node.prettyJSON() == """
                {
                  "a": [
                    1,
                    "b"
                  ],
                  "c": [],
                  "d": {},
                  "e": {"$data":"AQ=="}
                }
                """
        )
    }

    @Test func `Foundation reads written text`() throws {
        for var random in Seeded.runs(200) {
            let text = random.node().json
            // Foundation refuses numbers that no Double is close to.
            guard !text.contains("e400") else { continue }
            #expect(throws: Never.self, "\(random)") {
                try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
            }
        }
    }

    @Test(.enabled(if: Python.has("json"), "python3 is not here"))
    func `Python reads the same strings`() throws {
        for var random in Seeded.runs(3) {
            let texts = (0..<200).map { _ in random.text() }
            let script = "import json,sys;print(json.dumps(json.load(open(sys.argv[1],encoding='utf-8'))))"
            let node = Node.array(texts.map { .string($0) })
            #expect(try Node(json: Python.run(script, input: node.json)) == node, "\(random)")
        }
    }
}
