import HindsightRecording
import HindsightStore
import HindsightTree
import Testing

@testable import HindsightReplay

@Suite("Recording sessions")
struct RecordingSessionTests {
    private let scratch = Scratch()

    @Test("A session dispatches nodes to a live store, and records the effects")
    func session() throws {
        let file = scratch.file("a.hindsight")
        let session = try BankRules().app.record(to: file)
        try session.dispatch(["deposit": ["amount": 4]], origin: Origin(file: "a.jsonl", line: 12))
        #expect(try session.state()["balance"] == 4)
        try session.close()
        try session.close()
        let recording = try Recording(at: file)
        #expect(recording.app == AppInfo(name: "bank"))
        #expect(recording.reducers == BankRules().app.reducers)
        let action = try recording.action(1)
        #expect(action.type == "deposit")
        #expect(action.origin == "a.jsonl:12")
        #expect(try recording.state(at: recording.end) == session.state())
    }

    @Test(
        "A node that is no action throws an error with the field, and nothing is dispatched",
        arguments: [
            (node: ["deposit": ["amount": "4"]], type: "deposit", path: "/deposit/amount"),
            (node: ["deposit": [:]], type: "deposit", path: "/deposit"),
            (node: ["deposti": ["amount": 4]], type: "deposti", path: nil),
            (node: 7, type: nil, path: nil),
            (node: [:], type: nil, path: nil),
        ] as [(node: Node, type: String?, path: String?)]
    )
    func badAction(node: Node, type: String?, path: String?) throws {
        let session = try BankRules().app.record(to: scratch.file("b.hindsight"))
        let origin = Origin(file: "a.jsonl", line: 1)
        let error = try #require(#expect(throws: ReplayError.self) { try session.dispatch(node, origin: origin) })
        #expect(error.code == .badAction)
        #expect(error.type == type)
        if let path { #expect(error.path.map { "\($0)" }?.hasPrefix(path) == true) }
        #expect(try session.state()["audit"]?["count"] == 0)
        try session.close()
    }

    @Test(
        "A typo in an action's name is recognised",
        arguments: [
            ("deposti", "deposit"), ("Deposit", "deposit"), ("DEPOSIT", "deposit"), ("depsit", "deposit"),
            ("deposit2", "deposit"), ("depozit", "deposit"), ("wihdraw", "withdraw"), ("jion", "join"),
            ("increment", nil), ("", nil), ("de", nil), (String(repeating: "x", count: 10_000), nil),
        ]
    )
    func slips(given: String, suggestion: String?) throws {
        #expect(ActionNames(of: BankAction.self).nearest(to: given) == suggestion)
        #expect(ActionNames(of: BankAction.self).isName(given) == false)
        #expect(ActionNames(["join", "deposit", "withdraw"]).nearest(to: given) == suggestion)
    }

    @Test("No name is suggested if the names are unknown")
    func unknownNames() {
        #expect(ActionNames(of: Int.self).isName("a") == nil)
        #expect(ActionNames(of: [String: Int].self).isName("a") == nil)
        #expect(ActionNames([]).nearest(to: "a") == nil)
        #expect(ActionNames(of: BankAction.self).isName("withdraw") == true)
    }

    @Test("Errors say what is wrong and what to do, with control characters escaped")
    func messages() throws {
        let session = try BankRules().app.record(to: scratch.file("c.hindsight"))
        func message(_ node: Node) throws -> String {
            let origin = Origin(file: "a.jsonl", line: 1)
            return try #require(#expect(throws: ReplayError.self) { try session.dispatch(node, origin: origin) })
                .description
        }
        #expect(try message(["jion": [:]]) == "there is no action type \"jion\".\nDid you mean \"join\"?")
        #expect(try message(["\u{1B}[31m": [:]]).hasPrefix("there is no action type \"\\u001b[31m\"."))
        let decodingFailure = "this does not decode as the action \"join\": expected a string"
        #expect(try message(["join": ["name": 3]]).hasPrefix(decodingFailure))
        #expect(try message(["join": ["name": 3]]).contains("/join/name"))
        #expect(try message(7).hasPrefix("this does not decode as an action: "))
        try session.close()
    }
}
