import Foundation
import HindsightTree
import TestSupport
import Testing

@testable import HindsightCLI

@Suite struct ModelContextServerTests {
    @Test(arguments: [
        ("2025-11-25", "2025-11-25"), ("2025-06-18", "2025-06-18"), ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2024-11-05"), ("1999-01-01", "2025-11-25"), ("2099-01-01", "2025-11-25"),
    ])
    func `The versions of the protocol are negotiated`(wanted: String, agreed: String) throws {
        let harness = try ModelContextHarness()
        let answer = try harness.request("initialize", ["protocolVersion": .string(wanted), "capabilities": [:]])
        #expect(answer["result"]?["protocolVersion"] == .string(agreed))
        #expect(answer["result"]?["capabilities"] == ["tools": [:]])
        #expect(harness.answer(to: #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#) == nil)
        #expect(try harness.request("ping")["result"] == [:])
    }

    @Test func `Every tool has a description and a schema, and only note and scrub write`() throws {
        let names = [
            "info", "log", "show", "state", "diff", "blame", "history", "find", "search", "bisect", "stats", "part",
            "whatif", "cause", "shrink", "races", "shake", "test", "invariants", "replay", "verify", "notes",
        ]
        for allowsWrites in [false, true] {
            let harness = try ModelContextHarness(allowsWrites: allowsWrites)
            guard case .array(let tools)? = try harness.request("tools/list")["result"]?["tools"] else {
                Issue.record("no list")
                return
            }
            let expected = names + (allowsWrites ? ["note", "scrub"] : [])
            #expect(tools.map { $0["name"] } == expected.map { .string($0) })
            for tool in tools {
                #expect(tool["inputSchema"]?["type"] == "object")
                #expect(tool["inputSchema"]?["additionalProperties"] == false)
                #expect(tool["inputSchema"]?["properties"]?["cursor"] != nil)
                #expect(tool["annotations"]?["readOnlyHint"] == .bool(!["note", "scrub"].contains(tool["name"])))
            }
        }
    }

    @Test(
        arguments: [
            ("", nil), ("  \t", nil), ("{", -32_700), ("\u{0}", -32_700), ("[]", -32_600), ("7", -32_600),
            (#"{"id":1,"method":"ping"}"#, -32_600), (#"{"jsonrpc":"2.0","id":1}"#, -32_600),
            (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32_600), (#"{"jsonrpc":"2.0","id":1,"result":{}}"#, nil),
            (#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#, -32_601),
            (#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, -32_602),
            (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}"#, -32_602),
            (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, -32_602),
        ] as [(String, Int?)]
    )
    func `A message that is none has an error`(line: String, code: Int?) throws {
        let answer = try ModelContextHarness().answer(to: line)
        guard let code else {
            #expect(answer == nil)
            return
        }
        #expect(try Node(json: answer ?? "null")["error"]?["code"] == .int(code), "\(answer ?? "")")
    }

    @Test func `A batch has the answers of its requests`() throws {
        let harness = try ModelContextHarness()
        let batch = #"[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","method":"x"},3]"#
        let answer = try Node(json: harness.answer(to: batch) ?? "null")
        #expect(answer[0] == ["jsonrpc": "2.0", "id": "a", "result": [:]])
        #expect(answer[1]?["error"]?["code"] == -32_600)
        #expect(answer[2] == nil)
    }

    @Test func `Wrong arguments are named`() throws {
        let harness = try ModelContextHarness(["checkout", "todo"])
        let mistakes: [(String, Node, String)] = [
            ("show", ["file": "checkout.hindsight"], "position is missing"),
            ("show", ["file": "checkout.hindsight", "position": 1, "out": "x"], "has no argument"),
            ("show", ["file": "checkout.hindsight", "position": []], "position must be a text"),
            ("show", ["position": 1], "file is missing"),
            ("show", ["file": 3, "position": 1], "file must be a text"),
            ("show", ["file": "todo.hindsight", "position": 1, "whole": 1], "whole must be true or false"),
            ("part", ["file": "todo.hindsight"], "other is missing"),
            ("part", ["file": "todo.hindsight", "other": "/etc/passwd"], "There is no recording"),
            ("log", ["file": "checkout.hindsight", "cursor": "-1.0"], "cursor is not one"),
            ("log", ["file": "checkout.hindsight", "path": "items"], "--path"),
            ("find", ["file": "checkout.hindsight", "expression": "1", "only": "all"], "only must be first or last"),
            ("history", ["file": "checkout.hindsight", "path": "/cart", "last": 0], "last must be a number from 1"),
            ("whatif", ["file": "checkout.hindsight", "edit": [["position": 3]]], "position and action"),
            // No word may become an option of the command.
            ("show", ["file": "checkout.hindsight", "position": "--help"], "--help"),
            ("bisect", ["file": "checkout.hindsight", "expression": "--run=true"], "--run"),
            ("note", ["file": "checkout.hindsight", "position": 1, "text": "x"], ""),
        ]
        for (name, arguments, message) in mistakes {
            if name == "note" {
                let answer = try harness.request("tools/call", ["name": "note", "arguments": arguments])
                #expect(answer["error"]?["code"] == -32_602)
                continue
            }
            let answer = try harness.call(name, arguments)
            #expect(answer.isError && answer.text.contains(message), "\(name) \(arguments.json): \(answer.text)")
            #expect(!answer.text.contains("Usage:"))
        }
    }

    @Test func `Lines are found however they are cut, and after one that is too long`() throws {
        let long = String(repeating: "x", count: ModelContextLines.longest + 70_000)
        var rest = Array("a\n\(long)\n\nb".utf8)[...]
        var lines = ModelContextLines()
        var found: [ModelContextLines.Line] = []
        while !rest.isEmpty {
            lines.append(rest.prefix(50_000))
            rest = rest.dropFirst(50_000)
            while let line = lines.next() { found.append(line) }
        }
        #expect(lines.next() == nil)
        if let last = lines.end() { found.append(last) }
        #expect(found == [.line([97]), .tooLong, .line([]), .line([98])])
        #expect(lines.end() == nil)
        lines.append(Array((long + "\nc").utf8))
        #expect(lines.next() == .tooLong)
        #expect(lines.next() == nil)
        #expect(lines.end() == .line([99]))
        lines.append(Array(long.utf8))
        #expect(lines.next() == nil)
        #expect(lines.end() == .tooLong)
        #expect(try ModelContextHarness().answer(to: .tooLong)?.contains("-32600") == true)
    }

    @Test func `The command answers line by line, and ends with its input`() throws {
        let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
        let answer = #"{"jsonrpc":"2.0","id":1,"result":{}}"#
        let file = Fixtures.recording("todo").path
        let harness = ToolHarness(input: "\(ping)\n\nhalf\n\(ping)").running(["mcp", file])
        let lines = harness.text.split(separator: "\n")
        #expect(lines.count == 3 && lines[0] == answer && lines[2] == answer, "\(harness.text)")
        #expect(lines[1].contains("-32700"))
        #expect(ToolHarness(input: ping).run(["mcp", file], closedOutput: true) == .fine)
        #expect(ToolHarness().run(["mcp", "/nowhere"]) == .badFile)
        #expect(ToolHarness().run(["mcp", "--json", file]) == .usage)
    }

    @Test(arguments: Seeded.runs(3)) func `Garbage has answers, and does no harm`(seed: Seeded) throws {
        let harness = try ModelContextHarness(["todo"])
        var random = seed
        let tools = ModelContextTool.all(allowingWrites: false, builds: [])
        let values: [Node] = [
            .null, true, 0, -1, 42, "end", "crash", "", "-5s", "--help", "/items", "/items/*/title", "/counts/open > 1",
            "todo.hindsight", "../todo.hindsight", "\u{0}", "\u{1B}[31m", [], [:], ["position": 1, "action": [:]],
            [["position": 3, "action": ["toggle": ["id": 1]]]], [2, "x"], .number("1e999"), .data([0, 255]),
            .string(String(repeating: "/a", count: 3_000)), "0.100", "5.7+", "999999999999.0",
        ]
        for _ in 0..<150 {
            let called = random.pick(tools)
            var members: [Node.Member] = []
            for name in called.parameters.map(\.name) + ["cursor"] where !random.once(in: 3) {
                members.append(.init(name, name == "file" ? "todo.hindsight" : random.pick(values)))
            }
            let arguments: Node = random.once(in: 10) ? random.pick(values) : .object(members)
            let parameters: Node = ["name": .string(called.name), "arguments": arguments]
            let message: Node = ["jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters]
            var bytes = Array(message.json.utf8)
            if random.once(in: 2) {
                for _ in 0..<(1 + random.below(4)) where !bytes.isEmpty {
                    let place = random.below(bytes.count)
                    switch random.below(3) {
                    case 0: bytes[place] = UInt8(random.below(256))
                    case 1: bytes.remove(at: place)
                    default: bytes = Array(bytes[..<max(1, place)])
                    }
                }
            }
            guard let answer = harness.answer(to: .line(bytes)) else { continue }
            let node = try Node(json: answer)
            #expect(node["result"] != nil || node["error"] != nil || node[0] != nil, "\(seed) \(message.json)")
            #expect(answer.utf8.count < 20_000, "\(seed) \(message.json)")
            #expect(!answer.contains("\n") && !answer.contains("\u{1B}"), "\(seed)")
        }
        #expect(try harness.request("ping")["result"] == [:], "\(seed)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: harness.directory.path) == ["todo.hindsight"])
    }
}
