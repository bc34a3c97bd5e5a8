import Foundation
import Testing

/// `hindsight dap` with the messages of a client on standard input.
@Suite struct DebugAdapterTests {
    private static let crash = "crashed/checkout-crash"

    /// Opens a recording of the fixtures, sends requests, and returns the responses to them and the events.
    private func session(
        _ requests: [(command: String, arguments: [String: Any])],
        of fixture: String = crash
    ) throws -> (bodies: [[String: Any]], events: [[String: Any]]) {
        let workshop = Workshop()
        let file = Workshop.package.appending(path: "Fixtures/\(fixture).hindsight")
        try FileManager.default.copyItem(at: file, to: workshop.url("c.hindsight"))
        let begin: [(command: String, arguments: [String: Any])] = [
            ("initialize", [:]), ("launch", [:]), ("configurationDone", [:]),
        ]
        var input = Data()
        for (index, request) in (begin + requests).enumerated() {
            let message: [String: Any] = [
                "seq": index + 1, "type": "request", "command": request.command, "arguments": request.arguments,
            ]
            let json = try JSONSerialization.data(withJSONObject: message)
            input += Data("Content-Length: \(json.count)\r\n\r\n".utf8) + json
        }
        let result = try workshop.hindsight("dap", "c.hindsight", input: input).expecting(code: 0)
        var rest = result.output[...]
        var bodies: [[String: Any]] = []
        var events: [[String: Any]] = []
        while let end = rest.range(of: Data("\r\n\r\n".utf8)) {
            let header = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
            let length = try #require(Int(header.drop { !$0.isNumber }))
            let message = try JSONSerialization.jsonObject(with: rest[end.upperBound...].prefix(length))
            rest = rest[end.upperBound...].dropFirst(length)
            let object = try #require(message as? [String: Any])
            let body = object["body"] as? [String: Any] ?? [:]
            if object["type"] as? String == "event" {
                events.append(body)
            } else {
                #expect(object["success"] as? Bool == true, "\(object)")
                bodies.append(body)
            }
        }
        return (Array(bodies.dropFirst(begin.count)), events)
    }

    @Test func `the console runs experiments on the recording`() throws {
        let (bodies, _) = try session([
            ("evaluate", ["expression": "shrink /cart/lines/0/quantity = 2", "context": "repl"]),
            ("evaluate", ["expression": "goto 8", "context": "repl"]),
            ("evaluate", ["expression": "cause /cart/lines/0/quantity", "context": "repl"]),
        ])
        let texts = bodies.map { $0["result"] as? String ?? "" }
        #expect(texts[0].hasPrefix("shrunk  c.hindsight  "), "\(texts)")
        #expect(texts[2].hasPrefix("with this build's reducers, /cart/lines/0/quantity is "), "\(texts)")
    }

    @Test(.enabled(if: Workshop.succeeds("command -v python3"), "needs python3"))
    func `a signal ends it at once, and also while an experiment runs`() throws {
        let workshop = Workshop()
        let file = Workshop.package.appending(path: "Fixtures/checkout.hindsight")
        try FileManager.default.copyItem(at: file, to: workshop.url("c.hindsight"))
        try workshop.write("#!/bin/sh\nexec sleep 30\n", to: "old.sh")
        try workshop.write(
            """
            import json, signal, subprocess, time
            def session(experiment):
                tool = subprocess.Popen(
                    ["hindsight", "dap", "c.hindsight"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                def send(seq, command, **arguments):
                    text = json.dumps({"seq": seq, "type": "request", "command": command, "arguments": arguments})
                    tool.stdin.write(b"Content-Length: %d\\r\\n\\r\\n%s" % (len(text), text.encode()))
                    tool.stdin.flush()
                for seq, command in enumerate(["initialize", "launch", "configurationDone"]): send(seq + 1, command)
                seen = b""
                while b'"stopped"' not in seen: seen += tool.stdout.read1()
                if experiment:
                    send(4, "evaluate", expression="compare ./old.sh", context="repl")
                    time.sleep(2)
                tool.send_signal(signal.SIGTERM)
                return tool.wait(5)
            print(session(False), session(True))

            """,
            to: "client.py"
        )
        let result = try workshop.shell("chmod +x old.sh; timeout 60 python3 client.py")
        #expect(result.text == "-15 -15\n", "\(result.text)\(result.errors)")
    }

    @Test func `the steps until the crash are computed, and marked`() throws {
        let steps = Array(repeating: ("stepIn", ["threadId": 1] as [String: Any]), count: 6)
        let (bodies, events) = try session(
            steps.map { (command: $0.0, arguments: $0.1) } + [
                ("stepBack", ["threadId": 1, "granularity": "instruction"]), ("stackTrace", ["threadId": 1]),
                ("scopes", ["frameId": 1]), ("variables", ["variablesReference": 2]),
                ("evaluate", ["expression": "/coupons/applied/percent/off", "context": "watch"]),
                ("evaluate", ["expression": "/cart/totals/gross + 1", "context": "watch"]),
                ("stepOut", ["threadId": 1]), ("exceptionInfo", ["threadId": 1]),
                ("evaluate", ["expression": "goto 12.5", "context": "repl"]),
            ]
        )
        let note = "computed by this build's reducers, not recorded"
        let rest = Array(bodies.dropFirst(steps.count + 1))
        let names = (rest[0]["stackFrames"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
        #expect(names.first == "coupons  reducer 5 of 9, \(note)", "\(names)")
        let changes = rest[2]["variables"] as? [[String: Any]] ?? []
        #expect(changes.map { $0["evaluateName"] as? String } == ["/coupons/applied"], "\(changes)")
        #expect(rest[3]["result"] as? String == "10" && rest[3]["type"] as? String == "integer, computed")
        #expect(rest[4]["result"] as? String == "49.35", "\(rest[4])")
        #expect(rest[6]["exceptionId"] as? String == "crash", "\(rest[6])")
        let stops = events.compactMap { $0["description"] as? String }
        #expect(stops.contains("Position 12.5, \(note)") && stops.contains("Position 12.6, \(note)"), "\(stops)")
        #expect(stops.last == "Position 12.5, \(note)", "\(stops)")
    }

    @Test func `values of states that were not recorded are computed, and marked`() throws {
        let (bodies, _) = try session(
            [
                ("evaluate", ["expression": "goto 45", "context": "repl"]),
                ("evaluate", ["expression": "/counts/open", "context": "watch"]),
                ("evaluate", ["expression": "counts.open", "context": "repl"]),
                ("evaluate", ["expression": "/counts", "context": "clipboard"]),
                ("evaluate", ["expression": "/counts/open > 1", "context": "watch"]),
            ],
            of: "partial"
        )
        for body in bodies[1...2] {
            #expect(body["result"] as? String == "5" && body["type"] as? String == "integer, computed", "\(body)")
        }
        #expect((bodies[3]["result"] as? String)?.contains(#""open": 5"#) == true, "\(bodies[3])")
        #expect((bodies[4]["result"] as? String)?.hasPrefix("not known") == true, "\(bodies[4])")
    }

    @Test func `a what-if on a crash says whether the crash is gone, in the words of whatif`() throws {
        // The first containers are the state, the changes, the action, and what is in the action.
        let (bodies, events) = try session([
            ("stackTrace", ["threadId": 1]), ("scopes", ["frameId": 1]), ("variables", ["variablesReference": 3]),
            ("setVariable", ["variablesReference": 4, "name": "code", "value": "FIVER"]),
        ])
        #expect(bodies.count == 4)
        let said = events.compactMap { $0["output"] as? String }
        let verdict = "Action 12 of the changed log, in which the recorded process ended, ran through: no crash.\n"
        #expect(said.contains(verdict), "\(said)")
    }
}
