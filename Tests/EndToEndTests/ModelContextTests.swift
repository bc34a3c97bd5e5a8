import Foundation
import Testing

/// `hindsight mcp` as a process.
@Suite struct ModelContextTests {
    private static func call(_ id: Int, _ tool: String, _ arguments: String = "{}") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"\#(tool)","arguments":\#(arguments)}}"#
    }

    private static let ping = #"{"jsonrpc":"2.0","id":0,"method":"ping"}"#

    /// The answers' texts, by the numbers of the calls.
    private func texts(_ finished: Finished) throws -> [Int: String] {
        var texts: [Int: String] = [:]
        for line in finished.text.split(separator: "\n").indices {
            let answer = try finished.json(line: line)
            let content = (answer["result"] as? [String: Any])?["content"] as? [[String: Any]]
            texts[try #require(answer["id"] as? Int)] = content?.first?["text"] as? String ?? ""
        }
        return texts
    }

    @Test func `Commands in processes of their own answer through the server`() throws {
        let workshop = try Workshop()
        try workshop.record("todo", Sessions.todo, to: "t.hindsight")
        let lines = [
            Self.call(1, "find", #"{"expression":"/counts/done > 0"}"#),
            Self.call(2, "bisect", #"{"expression":"seq > 3"}"#), Self.call(3, "verify"),
            Self.call(4, "whatif", #"{"skip":[3]}"#), Self.call(5, "find", #"{"expression":"nonsense"}"#),
            Self.call(6, "history", #"{"path":"/nextID"}"#), Self.ping,
        ]
        let finished = try workshop.hindsight("mcp", ".", input: Data((lines.joined(separator: "\n")).utf8))
        #expect(finished.code == 0 && finished.errors == "", "\(finished.errors)")
        let texts = try texts(finished)
        #expect(texts.count == 7)
        #expect(texts[1]?.contains(#""position":"3""#) == true, "\(texts)")
        #expect(texts[2]?.contains(#""found":"turns""#) == true, "\(texts)")
        #expect(texts[3]?.contains(#""equal":true"#) == true, "\(texts)")
        #expect(texts[4]?.contains(#""edits":["skip 3"]"#) == true, "\(texts)")
        #expect(texts[5]?.contains("There is no column nonsense.") == true, "\(texts)")
        #expect(texts[6]?.contains(#""path":"/nextID""#) == true, "\(texts)")
        #expect(texts[0] == "")
    }

    #if os(Linux)
        @Test func `A reducer that crashes does not end the server`() throws {
            let workshop = try Workshop()
            let actions = Sessions.crashingCheckout
            try workshop.write(actions.map { $0 + "\n" }.joined(), to: "session.jsonl")
            _ = try workshop.shell("CheckoutTool record --input session.jsonl crash.hindsight")
            #expect(try workshop.shell("CheckoutTool recover crash.hindsight").code == 0)
            let lines = [Self.call(1, "whatif"), Self.call(2, "info"), Self.call(3, "show", #"{"position":"crash"}"#)]
            try workshop.write((lines + [Self.ping]).joined(separator: "\n"), to: "requests")
            let finished = try workshop.shell("CheckoutTool mcp crash.hindsight <requests")
            let texts = try texts(finished)
            #expect(texts[1]?.contains(#""outcome":"crashed""#) == true, "\(texts)")
            #expect(texts[1]?.contains("cart.totals") == true, "\(texts)")
            // info without file lists; there is one, which show takes.
            #expect(texts[2]?.contains(#""file":"crash.hindsight""#) == true, "\(texts)")
            #expect(texts[3]?.contains(#""name":"cart.totals""#) == true, "\(texts)")
            #expect(texts[0] == "")
        }

        @Test func `An action that is too long for a command line runs`() throws {
            let workshop = try Workshop()
            try workshop.record("todo", Sessions.todo, to: "t.hindsight")
            let title = String(repeating: "x", count: 200_000)
            let call = Self.call(1, "whatif", #"{"insert":[{"position":1,"action":{"add":{"title":"\#(title)"}}}]}"#)
            let finished = try workshop.hindsight("mcp", ".", input: Data(call.utf8))
            let text = try #require(try texts(finished)[1])
            #expect(text.contains(#""outcome":"differs""#) && text.contains(#""next":""#), "\(finished.text)")
            // A position is no way to read a file.
            try workshop.write("x", to: #"f="x""#)
            let position = "1=@\(workshop.url("f").path)"
            let trick = Self.call(1, "whatif", #"{"insert":[{"position":"\#(position)","action":"x"}]}"#)
            let refused = try texts(try workshop.hindsight("mcp", ".", input: Data(trick.utf8)))[1]
            #expect(refused?.contains("bad request") == true, "\(refused ?? "")")
        }

        @Test func `The server ends when its client does not read any more, or by a signal`() throws {
            let workshop = try Workshop()
            try workshop.record("todo", Sessions.todo, to: "t.hindsight")
            // The reader ends at once, and standard input stays open.
            let gone = try workshop.shell("timeout 10 hindsight mcp . < <(sleep 20) | true; echo ${PIPESTATUS[0]}")
            #expect(gone.text == "0\n", "\(gone)")
            let ended = try workshop.shell(
                "hindsight mcp . < <(sleep 20) & server=$!; sleep 1; kill $server; wait $server; echo $?"
            )
            #expect(ended.text == "143\n", "\(ended)")
        }
    #endif
}
