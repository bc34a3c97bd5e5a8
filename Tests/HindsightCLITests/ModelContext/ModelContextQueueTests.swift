import HindsightTree
import Testing

@testable import HindsightCLI

/// The calls of a server, without processes: what is to be done after each event.
@Suite struct ModelContextQueueTests {
    private typealias Effect = ModelContextServer.Effect

    private func server() -> ModelContextServer {
        ModelContextServer(ModelContextTool.all(allowingWrites: false, builds: []))
    }

    private func line(_ node: Node) -> ModelContextLines.Line { .line(Array(node.json.utf8)) }

    private func call(_ id: Node, token: Node = .null) -> Node {
        let parameters: Node = ["name": "info", "_meta": ["progressToken": token]]
        return ["jsonrpc": "2.0", "id": id, "method": "tools/call", "params": parameters]
    }

    private func cancellation(of id: Node) -> Node {
        ["jsonrpc": "2.0", "method": "notifications/cancelled", "params": ["requestId": id, "reason": "late"]]
    }

    private let ping: Node = ["jsonrpc": "2.0", "id": "p", "method": "ping"]
    private let pong: Node = ["jsonrpc": "2.0", "id": "p", "result": [:]]

    private func answer(_ id: Node) -> Node { ["jsonrpc": "2.0", "id": id, "result": ["done": id]] }

    private func start(_ number: Int) -> Effect { .start(number, tool: "info", arguments: [:]) }

    /// A server with six calls, whose ids and numbers are 1 to 6.
    private func busyServer() -> ModelContextServer {
        var server = server()
        for id in 1...6 {
            let effects = server.receive(line(call(.int(id))), at: .zero)
            #expect(effects == (id <= 4 ? [start(id)] : []))
        }
        return server
    }

    @Test func `Four calls run at once, the others wait in order, and other requests wait for none`() {
        var server = busyServer()
        #expect(server.receive(line(ping), at: .zero) == [.send(pong.json)])
        #expect(server.end(2, with: ["done": 2]) == [.send(answer(2).json), start(5)])
        #expect(server.end(1, with: ["done": 1]) == [.send(answer(1).json), start(6)])
        #expect(server.end(6, with: ["done": 6]) == [.send(answer(6).json)])
        // It has its answer.
        #expect(server.end(6, with: [:]) == [])
    }

    @Test func `A cancelled call has no answer, and makes room`() {
        var server = busyServer()
        #expect(server.receive(line(cancellation(of: 3)), at: .zero) == [.stop(3), start(5)])
        #expect(server.end(3, with: [:]) == [])
        // This one never began.
        #expect(server.receive(line(cancellation(of: 6)), at: .zero) == [])
        #expect(server.end(1, with: ["done": 1]) == [.send(answer(1).json)])
        for id: Node in [3, 6, 7, "1", .null, [:]] {
            #expect(server.receive(line(cancellation(of: id)), at: .zero) == [], "\(id.json)")
        }
        #expect(server.receive(line(["jsonrpc": "2.0", "method": "notifications/cancelled"]), at: .zero) == [])
    }

    @Test func `Progress is reported each second, to those who ask for it`() throws {
        var server = server()
        let tokens: [Node] = ["a", .null, 7, [:], "waits"]
        for (id, token) in tokens.enumerated() { _ = server.receive(line(call(.int(id), token: token)), at: .zero) }

        func reports(at milliseconds: Int) throws -> [Node] {
            try server.tick(at: .milliseconds(milliseconds)).map { effect in
                guard case .send(let message) = effect else { return .null }
                let node = try Node(json: message)
                #expect(node["method"] == "notifications/progress" && node["id"] == nil)
                return node["params"] ?? .null
            }
        }
        func report(_ token: Node, _ seconds: Int, _ message: Node) -> Node {
            ["progressToken": token, "progress": .int(seconds), "message": message]
        }
        #expect(try reports(at: 999) == [])
        #expect(
            try reports(at: 1_001) == [
                report("a", 1, "info runs (1 s)"), report(7, 1, "info runs (1 s)"),
                report("waits", 1, "info waits for other calls (1 s)"),
            ]
        )
        #expect(try reports(at: 1_900) == [])
        #expect(server.end(1, with: [:]).count == 2)
        #expect(server.end(2, with: [:]).count == 1)
        #expect(try reports(at: 4_200) == [report(7, 4, "info runs (4 s)"), report("waits", 4, "info runs (4 s)")])
    }

    @Test func `After the end of the input, calls have a moment to end`() {
        var idle = server()
        #expect(!idle.isOver)
        idle.endInput(at: .seconds(9))
        #expect(idle.isOver)

        var server = busyServer()
        server.endInput(at: .seconds(9))
        #expect(server.tick(at: .seconds(9)) == [])
        #expect(server.end(2, with: ["done": 2]) == [.send(answer(2).json), start(5)])
        let late = Duration.seconds(9) + ModelContextServer.grace
        #expect(server.tick(at: late - .milliseconds(1)) == [])
        #expect(!server.isOver)
        #expect(server.tick(at: late) == [.stop(1), .stop(3), .stop(4), .stop(5)])
        #expect(server.isOver)
        #expect(server.end(3, with: [:]) == [])

        var quick = self.server()
        _ = quick.receive(line(call(1)), at: .zero)
        quick.endInput(at: .zero)
        #expect(quick.end(1, with: ["done": 1]) == [.send(answer(1).json)])
        #expect(quick.isOver)
    }

    @Test func `The answers of a batch leave together`() {
        var server = server()
        let batch: Node = [call("a"), ping, call("b"), cancellation(of: "none")]
        // The batch has a number, too.
        #expect(server.receive(line(batch), at: .zero) == [start(2), start(3)])
        #expect(server.end(3, with: ["done": "b"]) == [])
        let both: Node = [pong, answer("b"), answer("a")]
        #expect(server.end(2, with: ["done": "a"]) == [.send(both.json)])

        // A call that is cancelled keeps the others back no longer.
        #expect(server.receive(line([call("a"), call("b")]), at: .zero) == [start(5), start(6)])
        #expect(server.end(5, with: ["done": "a"]) == [])
        let one: Node = [answer("a")]
        #expect(server.receive(line(cancellation(of: "b")), at: .zero) == [.stop(6), .send(one.json)])
        // A batch without answers has none.
        #expect(server.receive(line([call("a")]), at: .zero) == [start(8)])
        #expect(server.receive(line([cancellation(of: "a")]), at: .zero) == [.stop(8)])
    }

    @Test func `An id that has no answer yet is not taken again, and too many calls are refused`() throws {
        var server = server()
        func code(_ effects: [Effect]) throws -> Node? {
            guard case .send(let message)? = effects.first, effects.count == 1 else { return nil }
            return try Node(json: message)["error"]?["code"]
        }
        #expect(server.receive(line(call(1)), at: .zero).count == 1)
        #expect(try code(server.receive(line(call(1)), at: .zero)) == -32_600)
        for id in 2...ModelContextServer.maxCalls { _ = server.receive(line(call(.int(id))), at: .zero) }
        #expect(try code(server.receive(line(call("more")), at: .zero)) == -32_000)
        #expect(server.receive(line(ping), at: .zero) == [.send(pong.json)])
    }
}
