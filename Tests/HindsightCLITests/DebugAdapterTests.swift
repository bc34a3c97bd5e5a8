import Foundation
import HindsightDebugger
import HindsightFormat
import HindsightRecorder
import HindsightStore
import HindsightTree
import TestSupport
import Testing

@testable import HindsightCLI

/// A client of a debug adapter, with messages in memory.
private final class AdapterClient {
    static let fixtures = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures")

    let adapter: DebugAdapter
    private(set) var events: [Node] = []
    private var seq = 0

    init(_ file: String? = AdapterClient.fixtures.appending(path: "checkout.hindsight").path) {
        adapter = DebugAdapter(
            file: file,
            sourceRoots: [Self.fixtures.path],
            tool: ToolHarness().tool(),
            runner: { words, _ in
                let harness = ToolHarness()
                let code = harness.run(words)
                guard code == .fine || code == .difference else { throw AdapterFailure(harness.errorText) }
                return harness.text.split(separator: "\n").map(String.init)
            }
        )
    }

    /// The response to a request.
    func request(_ command: String, _ arguments: Node = [:]) -> Node {
        seq += 1
        adapter.receive(
            .message(["seq": .int(seq), "type": "request", "command": .string(command), "arguments": arguments])
        )
        var response: Node = .null
        for message in adapter.takeOutgoing() {
            if message["type"]?.stringValue == "response" { response = message } else { events.append(message) }
        }
        return response
    }

    func body(_ command: String, _ arguments: Node = [:]) throws -> Node {
        let response = request(command, arguments)
        try #require(response["success"]?.boolValue == true, "\(response.json)")
        return response["body"] ?? [:]
    }

    func fails(_ command: String, _ arguments: Node = [:]) -> Bool {
        let response = request(command, arguments)
        return response["success"]?.boolValue == false && response["message"]?.stringValue?.isEmpty == false
    }

    func open() throws {
        _ = try body("initialize", ["adapterID": "hindsight"])
        _ = try body("launch")
        _ = try body("configurationDone")
    }

    /// Runs to the next stop, and returns it.
    func run(_ command: String) throws -> Node {
        _ = try body(command, ["threadId": 1])
        while adapter.isRunning { adapter.advance() }
        events += adapter.takeOutgoing()
        return try #require(lastStop)
    }

    var lastStop: Node? { events.last { $0["event"]?.stringValue == "stopped" }?["body"] }

    /// The seq of the action on top of the stack, and its name.
    func action() throws -> Int {
        let frames = try self.frames()
        let name = frames.compactMap { $0["name"]?.stringValue }.first { $0.first?.isNumber ?? false }
        return Int(name?.prefix { $0.isNumber } ?? "") ?? 0
    }

    func frames() throws -> [Node] { try body("stackTrace", ["threadId": 1])["stackFrames"]?.arrayValue ?? [] }

    func scope(_ name: String) throws -> Int {
        let frame = try #require(try frames().first?["id"])
        let scopes = try body("scopes", ["frameId": frame])["scopes"]?.arrayValue ?? []
        return try #require(scopes.first { $0["name"]?.stringValue == name }?["variablesReference"]?.intValue)
    }

    func variables(_ reference: Int, _ more: Node = [:]) throws -> [Node] {
        guard case .object(let members) = more else { return [] }
        let arguments = Node.object([Node.Member("variablesReference", .int(reference))] + members)
        return try body("variables", arguments)["variables"]?.arrayValue ?? []
    }

    func member(_ name: String, of reference: Int) throws -> Node {
        try #require(try variables(reference).first { $0["name"]?.stringValue == name })
    }

    func value(_ text: String, context: String = "watch") throws -> String? {
        try body("evaluate", ["expression": .string(text), "context": .string(context)])["result"]?.stringValue
    }
}

@Suite struct DebugAdapterTests {
    private let checkout = AdapterClient.fixtures.appending(path: "checkout.hindsight")

    @Test func `time travel is a stop without an action`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).jsonl")
        defer { unlink(file.path) }
        try Data(DebugTests.travels.utf8).write(to: file)
        let client = AdapterClient(file.path)
        try client.open()
        _ = try client.body("setDataBreakpoints", ["breakpoints": [["dataId": "/count"]]])
        _ = try client.run("continue")
        #expect(try client.run("continue")["description"] == "watch /count")
        let frame = try #require(try client.frames().first)
        #expect(frame["name"] == "2  time travel to the start" && frame["canRestart"] == false, "\(frame.json)")
        let identifier = frame["id"] ?? .null
        guard case .array(let scopes)? = try client.body("scopes", ["frameId": identifier])["scopes"] else {
            Issue.record("no scopes")
            return
        }
        let action = try #require(scopes.first { $0["name"] == "Action" })
        let reference = action["variablesReference"] ?? .null
        let variables = try client.body("variables", ["variablesReference": reference])["variables"]
        #expect(variables?[0]?["value"] == "Time travel is no action of the app.", "\(variables?.json ?? "")")
        let restart = client.request("restartFrame", ["frameId": identifier])
        #expect(restart["success"] == false)
        #expect(restart["message"]?.stringValue?.contains("is time travel") == true, "\(restart.json)")
        #expect(try client.run("continue")["description"] == "watch /count")
        #expect(try client.action() == 3)
    }

    @Test func `a session begins with capabilities, the event initialized, and a stop at the entry`() throws {
        let client = AdapterClient()
        #expect(try client.body("initialize")["supportsStepBack"]?.boolValue == true)
        #expect(client.events.isEmpty)
        _ = try client.body("launch")
        #expect(client.events.last?["event"] == "initialized")
        _ = try client.body("configurationDone")
        #expect(client.lastStop?["reason"] == "entry")
        #expect(try client.action() == 0)
    }

    @Test func `steps move by action and by reducer, both ways`() throws {
        let client = AdapterClient()
        try client.open()
        for _ in 1...3 { _ = try client.body("next") }
        #expect(try client.action() == 3)
        let frame = try #require(try client.frames().first)
        #expect(frame["line"] == 3)
        #expect(frame["source"]?["path"]?.stringValue?.hasSuffix("Fixtures/checkout.jsonl") == true, "\(frame.json)")
        _ = try client.body("stepBack")
        #expect(try client.action() == 2)
        _ = try client.body("stepIn")
        #expect(try client.frames().first?["name"]?.stringValue?.hasPrefix("problem ") == true)
        _ = try client.body("stepOut")
        #expect(try client.frames().first?["name"]?.stringValue?.hasPrefix("3 ") == true)
        _ = try client.body("stepBack", ["granularity": "instruction"])
        #expect(try client.frames().first?["name"]?.stringValue?.contains("reducer 8 of 9") == true)
    }

    @Test(arguments: [nil, "type = 'Pay'", "/audit/refusals > 10"])
    func `data breakpoints stop where find says that the value changed`(condition: String?) throws {
        let client = AdapterClient()
        try client.open()
        let info = try client.body("dataBreakpointInfo", ["name": "/audit/refusals"])
        let breakpoint = Node.members(["dataId": info["dataId"], "condition": condition.map(Node.string)])
        _ = try client.body("setDataBreakpoints", ["breakpoints": [breakpoint]])
        let suffix = condition.map { " and \($0)" } ?? ""
        let recording = try Recording(at: checkout)
        let expression = try RecordingExpression("changed(/audit/refusals)" + suffix)
        let expected = try (1...recording.actionCount).filter { seq in
            try ExpressionEvaluator(of: recording, where: expression).truth(at: Recording.Position(seq: seq)) == .yes
        }
        #expect(!expected.isEmpty)
        var forward: [Int] = []
        while try client.run("continue")["reason"] == "data breakpoint" { forward.append(try client.action()) }
        #expect(forward == expected)
        var backward: [Int] = []
        while try client.run("reverseContinue")["reason"] == "data breakpoint" { backward.append(try client.action()) }
        #expect(backward == expected.reversed())
        #expect(try client.action() == 0)
    }

    @Test func `function breakpoints stop at types of actions and at reducers`() throws {
        let client = AdapterClient()
        try client.open()
        let answer = try client.body(
            "setFunctionBreakpoints",
            ["breakpoints": [["name": "Refund"], ["name": "Rfund"], ["name": "Pay", "condition": "("], ["name": ""]]]
        )
        #expect(answer["breakpoints"]?.arrayValue?.map { $0["verified"]?.boolValue } == [true, false, false, false])
        #expect(answer["breakpoints"]?[1]?["message"]?.stringValue?.contains("Refund") == true)
        #expect(try client.run("continue")["reason"] == "function breakpoint")
        #expect(try client.action() == 32)
        _ = try client.body("setFunctionBreakpoints", ["breakpoints": [["name": "cart.gifts"]]])
        _ = try client.run("reverseContinue")
        let frame = try #require(try client.frames().first)
        #expect(frame["name"]?.stringValue?.hasPrefix("cart.gifts ") == true, "\(frame.json)")
    }

    @Test func `breakpoints on lines stop after the actions that were dispatched there`() throws {
        let client = AdapterClient()
        try client.open()
        let path = Node.string(AdapterClient.fixtures.appending(path: "checkout.jsonl").path)
        _ = try client.body("setBreakpoints", ["source": ["path": path], "breakpoints": [["line": 20], ["line": 9]]])
        _ = try client.run("continue")
        #expect(try client.action() == 9)
        _ = try client.run("continue")
        #expect(try client.action() == 20)
        let targets = try client.body("gotoTargets", ["source": ["path": path], "line": 12])["targets"]
        #expect(targets?.arrayValue?.map { $0["id"] } == [12])
        _ = try client.body("goto", ["threadId": 1, "targetId": 12])
        #expect(try client.action() == 12)
        #expect(try client.body("loadedSources")["sources"]?.arrayValue?.count == 1)
    }

    @Test func `variables are paged, and changed ones are marked`() throws {
        let client = AdapterClient()
        try client.open()
        for _ in 1...3 { _ = try client.body("next") }
        let state = try client.scope("State")
        let cart = try client.member("cart", of: state)
        #expect(cart["presentationHint"]?["attributes"]?.arrayValue?.contains("changed") == true)
        #expect(try client.member("payments", of: state)["type"]?.stringValue?.contains("changed") == false)
        let audit = try #require(try client.member("audit", of: state)["variablesReference"]?.intValue)
        let entries = try client.member("entries", of: audit)
        #expect(entries["indexedVariables"] == 3)
        let reference = try #require(entries["variablesReference"]?.intValue)
        let page = try client.variables(reference, ["filter": "indexed", "start": 1, "count": 1])
        #expect(page.map { $0["name"] } == ["1"])
        #expect(try client.variables(reference, ["filter": "named"]).isEmpty)
        #expect(try client.variables(reference, ["start": .int(.max), "count": .int(.max)]).isEmpty)
        #expect(try client.variables(try client.scope("Changes")).count == 9)
        // A number from before a step means nothing.
        _ = try client.body("next")
        #expect(client.fails("variables", ["variablesReference": .int(reference)]))
    }

    @Test func `a bare name means the value where the reducer works, then that in the state or the action`() throws {
        let client = AdapterClient()
        try client.open()
        _ = try client.body("evaluate", ["expression": "goto 3.7", "context": "repl"])
        #expect(try client.value("gross") == client.value("/cart/totals/gross"))
        #expect(try client.value("self.store.cart.totals.gross", context: "hover") == "61.64")
        #expect(try client.value("sku")?.contains("TEA-001") == true)
        #expect(try client.value("/cart/totals/gross > 61") == "true")
        #expect(try client.value("old(/cart/totals/gross) > 61") == "false")
        #expect(client.fails("evaluate", ["expression": "/nothing/here"]))
        #expect(client.fails("evaluate", ["expression": "1 +"]))
        #expect(client.fails("evaluate", ["expression": "type", "context": "hover"]))
        #expect(try client.value("/cart", context: "clipboard")?.hasPrefix("{\n") == true)
    }

    @Test func `another value of an action runs into a branch`() throws {
        let client = AdapterClient()
        defer { client.adapter.close() }
        try client.open()
        _ = try client.body("next")
        let payload = try client.member("AddLine", of: try client.scope("Action"))
        let reference = try #require(payload["variablesReference"])
        #expect(client.fails("setVariable", ["variablesReference": reference, "name": "quantity", "value": "many"]))
        #expect(client.fails("setVariable", ["variablesReference": reference, "name": "nothing", "value": "1"]))
        #expect(try client.value("/cart/lines/0/quantity") == "1")
        _ = try client.body("setVariable", ["variablesReference": reference, "name": "quantity", "value": "2"])
        #expect(try client.value("/cart/lines/0/quantity") == "2")
        #expect(client.adapter.debugger?.branch == 1)
        let frame = try #require(try client.frames().first?["id"])
        _ = try client.body("restartFrame", ["frameId": frame])
        #expect(client.lastStop?["reason"] == "restart")
        #expect(client.adapter.debugger?.branch == 2)
        #expect(try client.value("/cart/lines/0/quantity") == "2")
        let state = try client.scope("State")
        #expect(client.fails("setVariable", ["variablesReference": .int(state), "name": "cart", "value": "{}"]))
        let folder = try #require(client.adapter.branchFiles.folder)
        client.adapter.close()
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test func `a run can be paused, and reports its progress`() throws {
        let client = AdapterClient()
        client.adapter.progressDelay = .zero
        _ = try client.body("initialize", ["supportsProgressReporting": true])
        _ = try client.body("launch")
        _ = try client.body("configurationDone")
        _ = try client.body("setFunctionBreakpoints", ["breakpoints": [["name": "Refund"]]])
        client.adapter.budget = 1
        _ = try client.run("continue")
        #expect(try client.action() == 32)
        let progress = client.events.compactMap { $0["event"]?.stringValue }.filter { $0.hasPrefix("progress") }
        #expect(progress.first == "progressStart" && progress.last == "progressEnd", "\(progress)")
        _ = try client.body("goto", ["threadId": 1, "targetId": 1])
        _ = try client.body("continue", ["threadId": 1])
        #expect(client.adapter.isRunning)
        let refused = client.request("stackTrace", ["threadId": 1])
        #expect(refused["message"] == "notStopped")
        _ = try client.body("pause", ["threadId": 1])
        #expect(!client.adapter.isRunning)
        #expect(client.lastStop?["reason"] == "pause")
        // Breakpoints that are set during a run count from there on.
        _ = try client.body("continue", ["threadId": 1])
        _ = try client.body("setFunctionBreakpoints", ["breakpoints": [["name": "WrapAsGift"]]])
        while client.adapter.isRunning { client.adapter.advance() }
        #expect(try client.action() == 7)
    }

    @Test func `a run stops in the middle of a part if a request to pause waits, and says so after its response`()
        throws
    {
        let client = AdapterClient()
        try client.open()
        _ = try client.body("setDataBreakpoints", ["breakpoints": [["dataId": "=/cart/totals/gross > 1000000"]]])
        _ = try client.body("continue", ["threadId": 1])
        client.adapter.advance { true }
        #expect(!client.adapter.isRunning)
        #expect(client.adapter.takeOutgoing().isEmpty)
        _ = try client.body("pause", ["threadId": 1])
        #expect(client.lastStop?["reason"] == "pause")
    }

    @Test func `a mistake in an expression is one line, without a mark`() throws {
        let client = AdapterClient()
        try client.open()
        let text = client.request("evaluate", ["expression": "seq; drop"])["message"]?.stringValue ?? ""
        #expect(text.contains("semicolon") && !text.contains("^") && !text.contains("\n"), "\(text)")
    }

    @Test func `ten thousand breakpoints are set and replaced`() throws {
        let client = AdapterClient()
        try client.open()
        let many = (0..<10_000).map { number -> Node in ["dataId": .string("/audit/entries/\(number)/gross")] }
        let answer = try client.body("setDataBreakpoints", ["breakpoints": .array(many)])
        #expect(answer["breakpoints"]?.arrayValue?.count == 10_000)
        _ = try client.body("setDataBreakpoints", ["breakpoints": []])
        #expect(client.adapter.debugger?.breakpoints.isEmpty == true)
    }

    @Test func `requests out of order, and messages that are no requests, are answered with errors`() {
        let client = AdapterClient()
        for command in ["stackTrace", "next", "continue", "pause", "variables", "setBreakpoints", "nonsense", ""] {
            #expect(client.fails(command), "\(command)")
        }
        let messages: [Node] = [[], 1, .null, [:], ["type": "request"], ["seq": 1, "type": "request", "command": 5]]
        for message in messages {
            client.adapter.receive(.message(message))
            #expect(client.adapter.takeOutgoing().first?["success"]?.boolValue == false, "\(message.json)")
        }
        client.adapter.receive(.problem("no message"))
        #expect(client.adapter.takeOutgoing().first?["request_seq"] == 0)
    }

    @Test(arguments: Seeded.runs(60))
    func `any arguments are answered once`(seed: Seeded) throws {
        var random = seed
        let client = AdapterClient()
        defer { client.adapter.close() }
        if !random.once(in: 5) { try client.open() }
        // restartFrame and setVariable replay the whole recording, so they are elsewhere.
        let commands = [
            "stackTrace", "scopes", "variables", "evaluate", "next", "stepIn", "stepOut", "stepBack", "continue",
            "reverseContinue", "pause", "cancel", "gotoTargets", "goto", "setBreakpoints", "setFunctionBreakpoints",
            "setDataBreakpoints", "dataBreakpointInfo", "exceptionInfo", "threads", "loadedSources", "launch",
            "configurationDone",
        ]
        let names = [
            "frameId", "variablesReference", "start", "count", "filter", "expression", "context", "threadId", "name",
            "breakpoints", "source", "line", "targetId", "levels", "startFrame", "granularity", "program", "dataId",
            "condition", "path",
        ]
        func value(_ depth: Int, _ random: inout Seeded) -> Node {
            switch random.below(depth > 2 ? 6 : 8) {
            case 0: return .null
            case 1: return .bool(random.once(in: 2))
            case 2: return .int(random.pick([Int.min, -1, 0, 1, 2, 7, 66, Int.max]))
            case 3: return .number("1e400")
            case 4:
                return .string(random.pick(["", "/cart", "cart", "''", "=1", "=(", "\u{0}\u{1B}[31m", "../../etc"]))
            case 5:
                return .string(random.pick(["Pay", "type = 'Pay'", "old(/cart)", "gross", "named", "repl", "goto 3"]))
            case 6: return .array((0..<random.below(3)).map { _ in value(depth + 1, &random) })
            default: return object(depth + 1, &random)
            }
        }
        func object(_ depth: Int, _ random: inout Seeded) -> Node {
            let keys = Set((0..<random.below(6)).map { _ in random.pick(names) }).sorted()
            return .object(keys.map { Node.Member($0, value(depth, &random)) })
        }
        for _ in 0..<60 {
            let command = random.pick(commands)
            let response = client.request(command, random.once(in: 10) ? value(0, &random) : object(0, &random))
            #expect(response["command"]?.stringValue == command, "\(seed)")
            if random.once(in: 2) { client.adapter.advance() }
            _ = client.adapter.takeOutgoing()
        }
    }

    @Test func `the whole session runs through standard input and output, and ends with it`() {
        let requests: [Node] = [
            ["seq": 1, "type": "request", "command": "initialize", "arguments": [:]],
            ["seq": 2, "type": "request", "command": "launch", "arguments": ["program": .string(checkout.path)]],
            ["seq": 3, "type": "request", "command": "configurationDone"],
            ["seq": 4, "type": "request", "command": "next", "arguments": ["threadId": 1]],
        ]
        let half = "Content-Length: 100\r\n\r\n{\"seq\": 5"
        let harness = ToolHarness(input: requests.map(MessageDecoder.encode).joined() + half)
        #expect(harness.run(["dap"]) == .fine)
        var decoder = MessageDecoder()
        decoder.append(harness.output)
        var names: [String] = []
        while case .message(let message)? = decoder.next() {
            names.append((message["event"] ?? message["command"])?.stringValue ?? "?")
            #expect(message["seq"]?.intValue == names.count)
        }
        #expect(
            names == ["initialize", "launch", "initialized", "configurationDone", "stopped", "next", "stopped"],
            "\(harness.text)"
        )
    }

    @Test func `a recording that is no recording is an error, and another one may follow`() throws {
        let client = AdapterClient()
        #expect(client.fails("launch", ["program": "/nowhere/at/all.hindsight"]))
        #expect(client.fails("launch", ["program": .string(#filePath)]))
        try client.open()
    }

    @Test func `a recording may be deleted while it is open`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let copy = folder.appending(path: "copy.hindsight")
        try FileManager.default.copyItem(at: checkout, to: copy)
        let client = AdapterClient(copy.path)
        try client.open()
        try FileManager.default.removeItem(at: folder)
        for command in ["next", "stackTrace", "stepBack", "continue"] {
            #expect(client.request(command, ["threadId": 1])["command"]?.stringValue == command)
        }
        while client.adapter.isRunning { client.adapter.advance() }
    }

    @Test func `a crashed recording opens at the crash, and runs back to it`() throws {
        let client = AdapterClient(AdapterClient.fixtures.appending(path: "crashed/checkout-crash.hindsight").path)
        try client.open()
        #expect(client.lastStop?["reason"] == "exception")
        let crash = try client.body("exceptionInfo", ["threadId": 1])
        #expect(crash["exceptionId"] == "crash")
        let seq = try client.action()
        _ = try client.body("setExceptionBreakpoints", ["filters": ["crash"]])
        _ = try client.body("goto", ["threadId": 1, "targetId": 1])
        #expect(client.fails("exceptionInfo", ["threadId": 1]))
        #expect(try client.run("continue")["reason"] == "exception")
        #expect(try client.action() == seq)
        #expect(client.fails("dataBreakpointInfo", ["name": "nothing.of.this.name("]))
    }

    @Test func `divergences are found by a replay`() throws {
        let client = AdapterClient()
        try client.open()
        _ = try client.body("setExceptionBreakpoints", ["filters": ["divergence"]])
        // The samples do what was recorded.
        #expect(try client.run("continue")["reason"] == "step")
        #expect(client.adapter.debugger?.divergences?.isEmpty == true)
        #expect(try client.action() == 66)
    }

    private struct Count: Codable, Sendable {
        var value = 0
    }

    private enum CountAction: Codable, Sendable {
        case add(Int)
    }

    @Test func `a live recording grows while it is open, and may end`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "live.hindsight")
        let recorder = try Recorder<Count, CountAction>(to: file, app: AppInfo(name: "count", version: "1"))
        let reducer = Reducer<Count, CountAction>("add") { state, action in
            if case .add(let amount) = action { state.value += amount }
        }
        let store = Store(initial: Count(), reducer: reducer, middleware: [recorder.middleware])
        for _ in 0..<5 { store.dispatch(.add(1)) }
        try recorder.flush()

        let client = AdapterClient(file.path)
        try client.open()
        #expect(client.adapter.isLive)
        _ = try client.run("continue")
        #expect(try client.action() == 5)
        for _ in 0..<5 { store.dispatch(.add(1)) }
        try recorder.flush()
        _ = try client.body("next")
        #expect(try client.action() == 6)
        _ = try client.run("continue")
        #expect(try client.value("value") == "10")
        try recorder.close()
        client.adapter.refresh()
        client.adapter.sendEvents()
        #expect(!client.adapter.isLive)
        let said = client.adapter.takeOutgoing().compactMap { $0["body"]?["output"]?.stringValue }
        #expect(said == ["The recording is complete: it ends at 10.\n"])
        _ = try client.body("stepBack")
        #expect(try client.value("value") == "9")
        try FileManager.default.removeItem(at: folder)
    }

    @Test func `sources are looked for below the given folders only`() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let deep = root.appending(path: "app/Sources/Shop/Cart")
        try FileManager.default.createDirectory(at: deep, withIntermediateDirectories: true)
        try Data().write(to: deep.appending(path: "CartView.swift"))
        try Data().write(to: root.appending(path: "secret.swift"))
        let sources = SourceFiles(roots: [root.appending(path: "app").path])
        #expect(sources.path(of: "Shop/CartView.swift")?.hasSuffix("/Sources/Shop/Cart/CartView.swift") == true)
        #expect(sources.path(of: "Shop/Cart/CartView.swift")?.hasSuffix("/Sources/Shop/Cart/CartView.swift") == true)
        for file in [
            "../secret.swift", "secret.swift", "Shop/../../secret.swift", "", "/", "Shop", "Shop/Nothing.swift",
        ] {
            #expect(sources.path(of: file) == nil, "\(file)")
        }
        try FileManager.default.removeItem(at: root)
    }
}
