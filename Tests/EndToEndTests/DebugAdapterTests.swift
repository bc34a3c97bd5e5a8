import Foundation
import Testing

/// `hindsight dap` with the messages of a client on standard input.
@Suite struct DebugAdapterTests {
    private static let crash = Workshop.package.appending(path: "Fixtures/crashed/checkout-crash.hindsight")

    /// Opens the recording of a crash, sends requests, and returns the responses to them and the events.
    private func session(_ requests: [(command: String, arguments: [String: Any])]) throws
        -> (bodies: [[String: Any]], events: [[String: Any]])
    {
        let workshop = try Workshop()
        try FileManager.default.copyItem(at: Self.crash, to: workshop.url("c.hindsight"))
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
        let result = try workshop.hindsight("dap", "c.hindsight", input: input)
        #expect(result.code == 0, "\(result.errors)")
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
