import Foundation
import Testing

/// `hindsight mcp` as a process.
@Suite struct ModelContextTests {
    private let workshop = Workshop()

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

    /// Sends requests to a server, closes its input when so many messages have come, and waits for its end.
    ///
    /// - Parameter server: The command line.
    private func serve(
        _ requests: [String],
        by server: String = "hindsight mcp .",
        awaiting messages: Int,
        in workshop: Workshop
    ) throws -> Finished {
        try workshop.write(requests.map { $0 + "\n" }.joined(), to: "requests")
        return try workshop.shell(
            """
            rm -f in out; mkfifo in; : >out
            \(server) <in >out & server=$!
            exec 3>in; cat requests >&3
            for i in $(seq 1200); do [ "$(wc -l <out)" -ge \(messages) ] && break; sleep 0.1; done
            exec 3>&-; wait $server; code=$?; cat out; exit $code
            """
        )
    }

    @Test func `A question that is stuck inside one function of SQLite does not end the server`() throws {
        try Supplies.todo.put(into: workshop)
        let find = Self.call(1, "find", #"{"expression":"\#(StuckQueryTests.endless) = 0"}"#)
        let finished = try serve([find, Self.ping], awaiting: 2, in: workshop)
        #expect(finished.code == 0, "\(finished)")
        let text = try texts(finished)[1] ?? ""
        #expect(text.contains("It took too long inside one function of SQLite"), "\(finished)")
    }

    @Test func `Each tool answers through the server, from a process of its own`() throws {
        try Supplies.todo.put(into: workshop)
        let lines = [
            Self.call(1, "find", #"{"expression":"/counts/done > 0"}"#),
            Self.call(2, "bisect", #"{"expression":"seq > 3"}"#), Self.call(3, "verify"),
            Self.call(4, "whatif", #"{"skip":[3]}"#), Self.call(5, "find", #"{"expression":"nonsense"}"#),
            Self.call(6, "history", #"{"path":"/nextID"}"#), Self.call(7, "info", #"{"file":"t.hindsight"}"#),
            Self.call(8, "log", #"{"to":2}"#), Self.call(9, "show", #"{"position":3}"#),
            Self.call(10, "state", #"{"path":"/items"}"#), Self.call(11, "diff", #"{"from":1,"to":2}"#),
            Self.call(12, "blame", #"{"path":"/nextID"}"#), Self.call(13, "search", #"{"text":"Milk"}"#),
            Self.call(14, "stats"), Self.call(15, "part", #"{"other":"t.hindsight"}"#), Self.call(16, "replay"),
            Self.call(17, "notes"), Self.call(18, "test", #"{"from":0,"to":2,"constant":"Todo.app"}"#), Self.ping,
        ]
        let finished = try serve(lines, awaiting: 19, in: workshop)
        #expect(finished.code == 0 && finished.errors == "", "\(finished.errors)")
        let texts = try texts(finished)
        #expect(texts.count == 19)
        for id in 1...18 {
            let outcome = [4: "differs", 5: "bad request", 11: "differs"][id] ?? "ok"
            #expect(texts[id]?.contains(#""outcome":"\#(outcome)""#) == true, "\(id): \(texts[id] ?? "")")
        }
        #expect(texts[1]?.contains(#""position":"3""#) == true, "\(texts)")
        #expect(texts[2]?.contains(#""found":"turns""#) == true, "\(texts)")
        #expect(texts[3]?.contains(#""equal":true"#) == true, "\(texts)")
        #expect(texts[4]?.contains(#""edits":["skip 3"]"#) == true, "\(texts)")
        #expect(texts[5]?.contains("There is no column nonsense.") == true, "\(texts)")
        #expect(texts[6]?.contains(#""path":"/nextID""#) == true, "\(texts)")
        // The source is the answer, so none of it is left out.
        #expect(texts[18]?.contains(#".when(.add(title: \"Bread\", tags: [\"shop\", \"soon\"]))"#) == true, "\(texts)")
        #expect(texts[18]?.contains("shortened") == false, "\(texts)")
        #expect(texts[0] == "")
    }

    #if os(Linux)
        @Test func `A reducer that crashes does not end the server`() throws {
            let workshop = Workshop()
            let actions = Sessions.crashingCheckout
            try workshop.write(actions.map { $0 + "\n" }.joined(), to: "session.jsonl")
            _ = try workshop.shell("CheckoutTool record --input session.jsonl crash.hindsight")
            #expect(try workshop.shell("CheckoutTool recover crash.hindsight").code == 0)
            let lines = [
                Self.call(1, "whatif"), Self.call(2, "info"), Self.call(3, "show", #"{"position":"crash"}"#), Self.ping,
            ]
            let finished = try serve(lines, by: "CheckoutTool mcp crash.hindsight", awaiting: 4, in: workshop)
            let texts = try texts(finished)
            #expect(texts[1]?.contains(#""outcome":"crashed""#) == true, "\(texts)")
            #expect(texts[1]?.contains("cart.totals") == true, "\(texts)")
            // info without file lists; there is one, which show takes.
            #expect(texts[2]?.contains(#""file":"crash.hindsight""#) == true, "\(texts)")
            #expect(texts[3]?.contains(#""name":"cart.totals""#) == true, "\(texts)")
            #expect(texts[0] == "")
        }

        @Test func `verify says that it did not run the action that crashed, and replay runs it`() throws {
            let workshop = Workshop()
            let fixture = Workshop.package.appending(path: "Fixtures/crashed/checkout-crash.hindsight")
            try FileManager.default.copyItem(at: fixture, to: workshop.url("crash.hindsight"))
            let lines = [Self.call(1, "verify"), Self.call(2, "verify", #"{"to":11}"#), Self.call(3, "replay")]
            let texts = try texts(try serve(lines, by: "CheckoutTool mcp .", awaiting: 3, in: workshop))
            for (id, outcome) in [(1, "crash not run"), (2, "ok"), (3, "crashed")] {
                #expect(texts[id]?.contains(#""outcome":"\#(outcome)""#) == true, "\(texts[id] ?? "")")
            }
            #expect(texts[1]?.contains(#""equal":true"#) == true, "\(texts)")
            #expect(texts[3]?.contains("in action 12, reducer 7 of 9 (cart.totals)") == true, "\(texts)")
        }

        @Test func `An action that is too long for a command line runs`() throws {
            let workshop = Workshop()
            try Supplies.todo.put(into: workshop)
            let title = String(repeating: "x", count: 200_000)
            let call = Self.call(1, "whatif", #"{"insert":[{"position":1,"action":{"add":{"title":"\#(title)"}}}]}"#)
            let finished = try serve([call], awaiting: 1, in: workshop)
            let text = try #require(try texts(finished)[1])
            #expect(text.contains(#""outcome":"differs""#) && text.contains("200000"), "\(finished.text)")
            // A position is no way to read a file.
            try workshop.write("x", to: #"f="x""#)
            let position = "1=@\(workshop.url("f").path)"
            let trick = Self.call(1, "whatif", #"{"insert":[{"position":"\#(position)","action":"x"}]}"#)
            let refused = try texts(try serve([trick], awaiting: 1, in: workshop))[1]
            #expect(refused?.contains("bad request") == true, "\(refused ?? "")")
        }

        @Test func `A call that does not end holds up neither other requests nor the end of the server`() throws {
            let workshop = Workshop()
            let actions = [3, 5, 7].map { #"{"add":{"amount":\#($0)}}"# }
            try workshop.write(actions.joined(separator: "\n"), to: "in.jsonl")
            let recorded = try workshop.shell("CounterTool record --app counter --input in.jsonl c.hindsight")
            #expect(recorded.code == 0, "\(recorded.errors)")
            let slow = Self.call(1, "verify", #"{"mode":"isolated"}"#)
            let watched = slow.replacing(#""params":{"#, with: #""params":{"_meta":{"progressToken":"t"},"#)
            let cancel = #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#
            let pong = #"{"jsonrpc":"2.0","id":0,"result":{}}"#
            for (requests, message) in [
                ([slow, Self.ping], pong), ([slow, cancel, Self.ping], pong), ([watched], "notifications/progress"),
            ] {
                let start = ContinuousClock.now
                // The verification would take as long as the time limit.
                let server = "COUNTER=spinning CounterTool mcp --time-limit 600 c.hindsight"
                let finished = try serve(requests, by: server, awaiting: 1, in: workshop)
                #expect(ContinuousClock.now - start < .seconds(100))
                #expect(finished.code == 0, "\(finished.errors)")
                let lines = finished.text.split(separator: "\n")
                #expect(!lines.isEmpty && lines.allSatisfy { $0.contains(message) }, "\(finished.text)")
            }
            // The last process of the verification may end a moment after its parent.
            let left = try workshop.shell(
                """
                running() { for file in /proc/[0-9]*/cmdline; do
                    case "$({ tr '\\0' ' ' <"$file"; } 2>/dev/null)" in *verify*"$PWD"*) return 0 ;; esac
                done; return 1; }
                for i in $(seq 2400); do running || exit 0; sleep 0.1; done; exit 1
                """
            )
            #expect(left.code == 0, "a process is left")
        }

        @Test func `The server ends when its client does not read any more, or by a signal`() throws {
            let workshop = Workshop()
            try Supplies.todo.put(into: workshop)
            // The reader ends at once, and standard input stays open.
            let opening = "mkfifo in; exec 3<>in; "
            let leaving = "timeout 100 hindsight mcp . <in 3>&- | true"
            let gone = try workshop.shell("\(opening)\(leaving); echo ${PIPESTATUS[0]}")
            #expect(gone.text == "0\n", "\(gone)")
            try workshop.write(Self.ping + "\n", to: "request")
            let ended = try workshop.shell(
                """
                rm in; \(opening)hindsight mcp . <in >out 3>&- & server=$!; cat request >&3
                for i in $(seq 2400); do [ -s out ] && break; sleep 0.05; done
                kill $server; wait $server; echo $?
                """
            )
            #expect(ended.text == "143\n", "\(ended)")
        }
    #endif
}
