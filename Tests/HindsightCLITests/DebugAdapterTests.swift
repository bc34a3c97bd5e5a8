import Foundation
import HindsightDebugger
import HindsightRecorder
import HindsightStore
import HindsightTree
import TestSupport
import Testing

@testable import HindsightCLI

/// A client of a debug adapter, with messages in memory.
private final class AdapterClient {
    let adapter: DebugAdapter
    private(set) var events: [Node] = []
    private var seq = 0

    init(_ file: String? = Fixtures.recording("checkout").path) {
        adapter = DebugAdapter(
            file: file,
            sourceRoots: [Fixtures.directory.path],
            tool: ToolHarness().tool()
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

    static func opened(_ file: String? = Fixtures.recording("checkout").path) throws -> AdapterClient {
        let client = AdapterClient(file)
        try client.open()
        return client
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

    /// Runs until nothing hits any more.
    ///
    /// - Returns: The actions of the stops at breakpoints.
    func runToEnd(_ command: String = "continue") throws -> [Int] {
        var actions: [Int] = []
        while try run(command)["hitBreakpointIds"] != nil { actions.append(try action()) }
        return actions
    }

    /// What the console shows.
    var said: [String] { events.compactMap { $0["body"]?["output"]?.stringValue } }

    /// The error of a request that fails.
    func failure(_ command: String, _ arguments: Node) -> Node? {
        let response = request(command, arguments)
        return response["success"] == false ? response["body"]?["error"] : nil
    }

    var lastStop: Node? { events.last { $0["event"]?.stringValue == "stopped" }?["body"] }

    /// The seq of the action on top of the stack, and its name.
    func action() throws -> Int {
        let frames = try self.frames()
        let name = frames.compactMap { $0["name"]?.stringValue }.first { $0.first?.isNumber ?? false }
        return Int(name?.prefix { $0.isNumber } ?? "") ?? 0
    }

    /// The stack of the thread that stopped last.
    func frames() throws -> [Node] {
        let thread = lastStop?["threadId"] ?? 1
        return try body("stackTrace", ["threadId": thread])["stackFrames"]?.arrayValue ?? []
    }

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
    private let scratch = Scratch()
    private let checkout = Fixtures.recording("checkout")

    @Test func `time travel is a stop without an action`() throws {
        let file = scratch.file("travels.jsonl")
        try Data(DebugTests.travels.utf8).write(to: file)
        let client = try AdapterClient.opened(file.path)
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

    /// The file of a recording that counts up once for each of some places in sources.
    @discardableResult
    private func counts(dispatchedAt origins: [String]) throws -> URL {
        var lines: [Node] = [
            [
                "hindsight": "recording", "text": 1, "app": "counter", "version": "1", "platform": "test",
                "created": 1, "facts": ["closed": 1], "reducers": ["count"], "state": ["count": 0],
            ]
        ]
        for (index, origin) in origins.enumerated() {
            let change: Node = [
                "op": "replace", "path": "/count", "old": .int(index), "value": .int(index + 1),
            ]
            lines.append([
                "action": "add", "payload": ["add": [:]], "changes": ["count": [change]], "origin": .string(origin),
                "at": .int(index + 2), "duration": 1, "times": [1],
            ])
        }
        lines.append(["end": true])
        let file = scratch.file("counts.jsonl")
        try Data(lines.map { $0.json + "\n" }.joined().utf8).write(to: file)
        return file
    }

    private static let wrongArguments: [(command: String, name: String, value: Node, wanted: String)] = [
        ("launch", "position", true, "a string or an integer"),
        // The number 41.10 is 41.1, which is another reducer.
        ("launch", "position", .number("41.1"), "a string or an integer"),
        ("launch", "program", 5, "a string"),
        ("launch", "sourceRoot", [5], "a string or a list of strings"),
        ("stackTrace", "levels", "2", "an integer"),
        ("setFunctionBreakpoints", "breakpoints", ["name": "Pay"], "a list"),
        ("evaluate", "expression", 5, "a string"),
    ]

    @Test(arguments: wrongArguments)
    func `an argument of a wrong type is an error that names it`(
        command: String,
        name: String,
        value: Node,
        wanted: String
    ) throws {
        let client = AdapterClient()
        if command != "launch" { try client.open() }
        let message = client.request(command, .object([Node.Member(name, value)]))["message"]
        #expect(message == .string("\(command) needs \(name) to be \(wanted), and got \(brief(value.json))."))
    }

    @Test func `a number is a position, null is nothing, and a breakpoint's members have types, too`() throws {
        let client = AdapterClient()
        _ = try client.body("launch", ["position": 5, "sourceRoot": .null])
        _ = try client.body("configurationDone")
        #expect(try client.action() == 5)
        for member in ["condition", "hitCondition", "name"] {
            let one = Node.object([Node.Member(member, 5)])
            let answer = try client.body("setFunctionBreakpoints", ["breakpoints": [one]])["breakpoints"]?[0]
            #expect(answer?["verified"] == false)
            let expected = "setFunctionBreakpoints needs \(member) to be a string, and got 5."
            #expect(answer?["message"]?.stringValue == expected)
        }
    }

    @Test func `a client is asked to show an error only if a person acted`() throws {
        let client = try AdapterClient.opened()
        let automatic: [(String, Node)] = [
            ("evaluate", ["expression": "frobnicate", "context": "hover"]),
            ("evaluate", ["expression": "1 +", "context": "watch"]), ("variables", ["variablesReference": 999]),
            ("scopes", ["frameId": 999]), ("exceptionInfo", [:]), ("completions", [:]), ("nonsense", [:]),
        ]
        for (command, arguments) in automatic {
            #expect(client.failure(command, arguments)?["showUser"] == false, "\(command)")
        }
        let byPerson: [(String, Node)] = [
            ("launch", [:]), ("goto", ["targetId": 10_000]), ("restartFrame", ["frameId": 999]),
            ("setVariable", ["variablesReference": 999, "name": "a", "value": "1"]),
        ]
        for (command, arguments) in byPerson {
            #expect(client.failure(command, arguments)?["showUser"] == true, "\(command)")
        }
    }

    private static let lines: [(path: String, line: Int, moved: Int?, note: String?, stops: [Int])] = [
        ("/app/Sources/PayKit/View.swift", 12, nil, nil, [2]),
        ("/app/Sources/PayKit/Pages/View.swift", 12, nil, nil, [2]),
        ("/app/Sources/CartKit/View.swift", 12, nil, nil, [1, 5]),
        ("/app/Sources/PayKit/View.swift", 27, 30, "Line 30 is the nearest that did.", [3, 4]),
        ("/app/Sources/PayKit/View.swift", 90, nil, "The nearest line that did is 30.", []),
        ("/app/Sources/ShopKit/View.swift", 12, nil, "No action was dispatched in View.swift so far.", []),
        ("/app/Sources/PayKit/Cell.swift", 12, nil, "No action was dispatched in Cell.swift so far.", []),
    ]

    @Test(arguments: lines)
    func `a breakpoint on a line is for the file with the longest match, and verified if the line dispatched`(
        path: String,
        line: Int,
        moved: Int?,
        note: String?,
        stops: [Int]
    ) throws {
        let origins = [
            "CartKit/View.swift:12", "PayKit/View.swift:12", "PayKit/View.swift:30", "PayKit/View.swift:30",
            "CartKit/View.swift:12",
        ]
        let file = try counts(dispatchedAt: origins)
        let client = try AdapterClient.opened(file.path)
        let source: Node = ["path": .string(path)]
        let answer = try client.body(
            "setBreakpoints",
            ["source": source, "breakpoints": [["line": .int(line)]]]
        )["breakpoints"]?[0]
        #expect(answer?["verified"] == .bool(note == nil || moved != nil))
        #expect(answer?["line"] == .int(moved ?? line))
        let message = answer?["message"]?.stringValue
        #expect(note.map { message?.hasSuffix($0) ?? false } ?? (message == nil), "\(message ?? "")")
        #expect(try client.runToEnd() == stops)
        let targets = try client.body("gotoTargets", ["source": source, "line": .int(moved ?? line)])["targets"]
        #expect(Set(targets?.arrayValue?.compactMap { $0["id"]?.intValue } ?? []) == Set(stops))
    }

    private static let matches: [(recorded: [String], path: String, expected: [String])] = [
        (["CartKit/View.swift", "PayKit/View.swift"], "/a/Sources/PayKit/Pages/View.swift", ["PayKit/View.swift"]),
        (["CartKit/View.swift"], "/a/Sources/PayKit/View.swift", []),
        // The package has the name of another module.
        (["PayKit/View.swift", "CartKit/View.swift"], "/PayKit/Sources/CartKit/View.swift", ["CartKit/View.swift"]),
        (["View.swift"], "/a/View.swift", ["View.swift"]),
        (["/ci/app/Sources/A/View.swift"], "/home/app/Sources/A/View.swift", ["/ci/app/Sources/A/View.swift"]),
        (["PayKit/View.swift"], "/a/PayKit/View.swift/Other.swift", []),
    ]

    @Test(arguments: matches)
    func `recorded files are found at a path by their last components`(
        recorded: [String],
        path: String,
        expected: [String]
    ) {
        #expect(SourceFiles(roots: ["/nowhere"]).files(recorded, at: path) == expected)
        // What may be recorded for a path later.
        let possible = SourceFiles(roots: ["/nowhere"]).possibleFiles(at: path)
        #expect(expected.allSatisfy { possible.contains($0) || $0.hasPrefix("/ci") })
    }

    private static let hitConditions: [(text: String, stops: [Int])] = [
        ("% 2", [2, 4, 6]), (">= 4", [4, 5, 6]), ("> 4", [5, 6]), ("<2", [1]), ("<= 2", [1, 2]), ("3", [3]),
        ("== 3", [3]), ("", [1, 2, 3, 4, 5, 6]),
    ]

    @Test(arguments: hitConditions)
    func `a breakpoint with a hit count stops at these hits only`(text: String, stops: [Int]) throws {
        let file = try counts(dispatchedAt: Array(repeating: "App/View.swift:1", count: 6))
        let client = try AdapterClient.opened(file.path)
        for command in ["setFunctionBreakpoints", "setDataBreakpoints", "setBreakpoints"] {
            for other in ["setFunctionBreakpoints", "setDataBreakpoints", "setBreakpoints"] {
                let breakpoint: Node = [
                    "name": "add", "dataId": "/count", "line": 1, "hitCondition": .string(text),
                ]
                let answer = try client.body(
                    other,
                    [
                        "source": ["path": "/App/View.swift"], "breakpoints": other == command ? [breakpoint] : [],
                    ]
                )
                if other == command { #expect(answer["breakpoints"]?[0]?["verified"] == true, "\(answer.json)") }
            }
            // Hits count from 0 after a restart.
            for _ in 1...2 {
                #expect(try client.runToEnd() == stops, "\(command)")
                _ = try client.body("restart")
                #expect(client.lastStop?["reason"] == "entry")
            }
        }
    }

    @Test func `hits go on counting if a client sends a breakpoint again, and a wrong count is refused`() throws {
        let file = try counts(dispatchedAt: Array(repeating: "App/View.swift:1", count: 6))
        let client = try AdapterClient.opened(file.path)
        let breakpoint: Node = ["line": 1, "hitCondition": ">= 3"]
        let arguments: Node = ["source": ["path": "/App/View.swift"], "breakpoints": [breakpoint]]
        _ = try client.body("setBreakpoints", arguments)
        _ = try client.run("continue")
        #expect(try client.action() == 3)
        _ = try client.body("setBreakpoints", arguments)
        _ = try client.run("continue")
        #expect(try client.action() == 4)
        for text in ["often", "% 0", ">= -1", "= = 3"] {
            let wrong: Node = ["name": "add", "hitCondition": .string(text)]
            let answer = try client.body("setFunctionBreakpoints", ["breakpoints": [wrong]])["breakpoints"]?[0]
            #expect(answer?["verified"] == false)
            #expect(answer?["message"]?.stringValue?.contains("is no count of hits") == true, "\(text)")
        }
    }

    @Test func `a logpoint says the values of its expressions, and does not stop`() throws {
        let file = try counts(dispatchedAt: ["App/View.swift:1", "App/View.swift:2", "App/View.swift:1"])
        let client = try AdapterClient.opened(file.path)
        let message = "\\{{/count}\\} after {type = 'add'}: {old(/count) = 0} {/nothing} {'}' = '}'}"
        let arguments: Node = [
            "source": ["path": "/App/View.swift"], "breakpoints": [["line": 1, "logMessage": .string(message)]],
        ]
        #expect(try client.body("setBreakpoints", arguments)["breakpoints"]?[0]?["verified"] == true)
        #expect(try client.runToEnd() == [])
        #expect(
            client.said == [
                "{1} after true: true (There is nothing at /nothing here.) true\n",
                "{3} after true: false (There is nothing at /nothing here.) true\n",
            ]
        )
        let output = client.events.first { $0["body"]?["output"] != nil }?["body"]
        #expect(output?["line"] == 1 && output?["source"]?["name"] == "View.swift", "\(output?.json ?? "")")
        for wrong in ["{/count", "{}", "{ }"] {
            let one: Node = ["line": 1, "logMessage": .string(wrong)]
            let answer = try client.body(
                "setBreakpoints",
                ["source": ["path": "/App/View.swift"], "breakpoints": [one]]
            )["breakpoints"]?[0]
            #expect(answer?["verified"] == false, "\(wrong)")
        }
    }

    @Test(arguments: [false, true])
    func `a run says at how many positions a breakpoint was not known, also if others change`(changes: Bool) throws {
        let client = try AdapterClient.opened(Fixtures.recording("partial").path)
        _ = try client.body("setDataBreakpoints", ["breakpoints": [["dataId": "=length(/items/0/title)"]]])
        _ = try client.body("setFunctionBreakpoints", ["breakpoints": [["name": "undo", "logMessage": "{seq}"]]])
        _ = try client.body("continue", ["threadId": 1])
        client.adapter.advance()
        if changes { _ = try client.body("setFunctionBreakpoints", ["breakpoints": []]) }
        while client.adapter.isRunning { client.adapter.advance() }
        _ = try client.body("threads")
        #expect(client.said.first == "38\n", "\(client.said)")
        let unknown = "Not known at 31 positions on the way, where a value was redacted, or not recorded.\n"
        #expect(client.said.last == unknown, "\(client.said)")
    }

    @Test func `a run with a logpoint says how far it is`() throws {
        let file = try counts(dispatchedAt: Array(repeating: "App/View.swift:1", count: 200))
        let client = AdapterClient(file.path)
        client.adapter.progressDelay = .zero
        _ = try client.body("initialize", ["supportsProgressReporting": true])
        _ = try client.body("launch")
        _ = try client.body("configurationDone")
        _ = try client.body("setFunctionBreakpoints", ["breakpoints": [["name": "add", "logMessage": "{/count}"]]])
        #expect(try client.runToEnd() == [])
        #expect(client.said == (1...200).map { "\($0)\n" })
        let parts = client.events.compactMap { $0["body"]?["percentage"]?.intValue }
        #expect(parts == parts.sorted() && parts.last == 100, "\(parts)")
    }

    @Test func `a restart reads the recording anew, and keeps breakpoints`() throws {
        let file = try counts(dispatchedAt: Array(repeating: "App/View.swift:1", count: 3))
        let client = AdapterClient(file.path)
        #expect(client.fails("restart"))
        _ = try client.body("launch", ["position": 2])
        _ = try client.body("configurationDone")
        _ = try client.body("setFunctionBreakpoints", ["breakpoints": [["name": "add"]]])
        #expect(try client.runToEnd() == [3])
        try counts(dispatchedAt: Array(repeating: "App/View.swift:1", count: 5))
        _ = try client.body("restart")
        #expect(try client.action() == 2)
        #expect(try client.runToEnd() == [3, 4, 5])
        _ = try client.body("restart", ["arguments": ["position": "start"]])
        #expect(try client.action() == 0)
    }

    @Test func `a restart takes its arguments as a whole, the rules of breakpoints included`() throws {
        let file = try counts(dispatchedAt: Array(repeating: "App/View.swift:1", count: 4))
        func rules(_ name: String, _ that: String) throws -> Node {
            let url = scratch.file("\(that).json")
            try Data(#"{"rules": [{"name": "\#(name)", "that": "\#(that)"}]}"#.utf8).write(to: url)
            return ["arguments": ["position": "start", "rules": .string(url.path)]]
        }
        let (two, three, other) = try (rules("few", "seq < 2"), rules("few", "seq < 3"), rules("many", "seq > 3"))
        let client = AdapterClient(file.path)
        _ = try client.body("launch", two["arguments"] ?? [:])
        _ = try client.body("configurationDone")
        let wanted: Node = ["breakpoints": [["name": "add", "condition": "not rule('few')"]]]
        let set = try client.body("setFunctionBreakpoints", wanted)
        let id = try #require(set["breakpoints"]?.arrayValue?.first?["id"]?.intValue)
        #expect(try client.runToEnd() == [2, 3, 4])
        _ = try client.body("restart", three)
        #expect(try client.runToEnd() == [3, 4])
        // A restart without arguments repeats those of the last launch.
        _ = try client.body("restart")
        #expect(try client.runToEnd() == [3, 4])
        _ = try client.body("restart", other)
        let event = client.events.last { $0["event"]?.stringValue == "breakpoint" }?["body"]?["breakpoint"]
        #expect(event?["id"]?.intValue == id && event?["verified"]?.boolValue == false)
        #expect(event?["message"]?.stringValue?.contains("'few'") == true)
        #expect(try client.runToEnd() == [])
        _ = try client.body("restart", two)
        let back = client.events.last { $0["event"]?.stringValue == "breakpoint" }?["body"]?["breakpoint"]
        #expect(back?["id"]?.intValue == id && back?["verified"]?.boolValue == true)
        #expect(try client.runToEnd() == [2, 3, 4])
    }

    private static let completions: [(text: String, column: Int, label: String, start: Int, length: Int)] = [
        ("/cart/to", 9, "/cart/totals", 1, 8), ("seq > 1 and old(/cart/li)", 25, "/cart/lines", 17, 8),
        ("cart.to", 8, "cart.totals", 1, 7), ("car", 4, "cart", 1, 3), ("pay", 4, "payload", 1, 3),
        ("/cart/total > 1", 9, "/cart/totals", 1, 8), ("goto en", 8, "end", 6, 2), ("checkout ", 10, "0", 10, 0),
        ("cause /cart/to", 15, "/cart/totals", 7, 8), ("shrink /cart/li", 16, "/cart/lines", 8, 8),
        ("che", 4, "checkout ", 1, 3), ("go", 3, "goto ", 1, 2), ("cha", 4, "changed(", 1, 3),
        // Columns are of UTF-16.
        ("'🕊' = /cart/to", 16, "/cart/totals", 8, 8),
    ]

    @Test(arguments: completions)
    func `the console completes paths, names, columns and commands`(
        text: String,
        column: Int,
        label: String,
        start: Int,
        length: Int
    ) throws {
        let client = AdapterClient()
        #expect(try client.body("initialize")["supportsCompletionsRequest"] == true)
        _ = try client.body("launch", ["position": 3])
        _ = try client.body("configurationDone")
        let body = try client.body("completions", ["text": .string(text), "column": .int(column)])
        let target = body["targets"]?.arrayValue?.first { $0["label"]?.stringValue == label }
        #expect(target?["start"]?.intValue == start && target?["length"]?.intValue == length, "\(body.json)")
    }

    @Test func `recorded threads are listed as they come, each with its last action`() throws {
        let client = try AdapterClient.opened(Fixtures.recording("threads").path)
        func go(to seq: Int) throws -> [(Int?, String?)] {
            _ = try client.body("goto", ["threadId": 1, "targetId": .int(seq)])
            let threads = try client.body("threads")["threads"]?.arrayValue ?? []
            return threads.map { ($0["id"]?.intValue, $0["name"]?.stringValue) }
        }
        func top(of thread: Int) throws -> String? {
            let frames = try client.body("stackTrace", ["threadId": .int(thread)])["stackFrames"]
            return frames?[0]?["name"]?.stringValue.map { String($0.prefix { $0 != " " }) }
        }
        #expect(try client.body("threads")["threads"] == [["id": 1, "name": "todo"]])
        #expect(try go(to: 10).map(\.1) == ["the main thread"])
        #expect(try go(to: 25).map(\.1) == ["the main thread", "thread 2 “sync”"])
        #expect(client.lastStop?["threadId"] == 2)
        #expect(try top(of: 2) == "25")
        #expect(try top(of: 1) == "19")
        let other = try client.body("stackTrace", ["threadId": 1])["stackFrames"]?[0]?["id"] ?? .null
        let scopes = try client.body("scopes", ["frameId": other])["scopes"]?.arrayValue ?? []
        #expect(scopes.map { $0["name"] } == ["Action"])
        #expect(try go(to: 35).map(\.1) == ["the main thread", "thread 2 “sync”", "thread 3"])
        #expect(try top(of: 2) == "30" && top(of: 3) == "35")
        #expect(try client.body("stackTrace", ["threadId": 9])["totalFrames"] == 0)
        // The thread of action 20 is not known.
        let threads = try go(to: 20)
        #expect(threads.map(\.1) == ["an unknown thread", "the main thread"])
        #expect(client.lastStop?["threadId"]?.intValue == threads.first?.0)
        #expect(try top(of: threads.first?.0 ?? 0) == "20")
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

    @Test(arguments: [(true, true), (true, false), (false, true)])
    func `lines and columns are counted as the client counts them`(lines: Bool, columns: Bool) throws {
        let client = AdapterClient()
        _ = try client.body("initialize", ["linesStartAt1": .bool(lines), "columnsStartAt1": .bool(columns)])
        _ = try client.body("launch", ["position": 3])
        _ = try client.body("configurationDone")
        let frame = try #require(try client.frames().first)
        #expect(frame["line"] == .int(lines ? 3 : 2) && frame["column"] == .int(columns ? 1 : 0), "\(frame.json)")
    }

    @Test func `steps move by action and by reducer, both ways`() throws {
        let client = try AdapterClient.opened()
        for _ in 1...3 { _ = try client.body("next") }
        #expect(try client.action() == 3)
        let frame = try #require(try client.frames().first)
        #expect(frame["line"] == 3)
        #expect(frame["source"]?["path"]?.stringValue?.hasSuffix("Fixtures/checkout.jsonl") == true, "\(frame.json)")
        #expect(frame["presentationHint"] == nil)
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
        let client = try AdapterClient.opened()
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
        let client = try AdapterClient.opened()
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
        let client = try AdapterClient.opened()
        let path = Node.string(Fixtures.directory.appending(path: "checkout.jsonl").path)
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

    @Test func `of many actions that a line dispatched, the nearest ones are targets`() throws {
        let file = try counts(dispatchedAt: Array(repeating: "CartKit/View.swift:12", count: 60))
        let client = try AdapterClient.opened(file.path)
        _ = try client.body("goto", ["threadId": 1, "targetId": 50])
        let source: Node = ["path": "/app/Sources/CartKit/View.swift"]
        let targets = try client.body("gotoTargets", ["source": source, "line": 12])["targets"]?.arrayValue ?? []
        let found = targets.compactMap { $0["id"]?.intValue }
        #expect(found.count == 20 && found.first == 50, "\(found)")
        #expect(Set(found.prefix(19)) == Set(41...59), "\(found)")
    }

    @Test func `variables are paged, and changed ones are marked`() throws {
        let client = try AdapterClient.opened()
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
        let client = try AdapterClient.opened()
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

    private static let expressions: [(text: String, expected: String, type: String?)] = [
        ("1+1", "2", "integer"), ("old(/cart/totals/gross)", "128.06", "number"),
        ("type", "\"ChooseShipping\"", "string"), ("seq / 2", "7", "integer"),
        ("payload", "{ChooseShipping: {method: \"express\"}}", "object"),
        ("old(/shipping/method)", "null: it has no value here", nil),
        // Conditions stay conditions.
        ("/cart/totals/gross > 100", "true", "boolean"), ("changed(/cart)", "true", "boolean"),
        ("type = 'Pay'", "false", "boolean"),
    ]

    @Test(arguments: expressions)
    func `an expression has its value, and a condition is true or false`(
        text: String,
        expected: String,
        type: String?
    ) throws {
        let client = AdapterClient()
        _ = try client.body("launch", ["position": 14])
        _ = try client.body("configurationDone")
        for context in ["watch", "repl", "variables"] {
            let arguments: Node = ["expression": .string(text), "context": .string(context)]
            let body = try client.body("evaluate", arguments)
            #expect(body["result"]?.stringValue == expected && body["type"]?.stringValue == type, "\(body.json)")
        }
        let copied = try client.value("payload", context: "clipboard") ?? ""
        #expect(try Node(json: copied) == ["ChooseShipping": ["method": "express"]])
        let values = try client.body("dataBreakpointInfo", ["name": "length(/shipping/method)"])
        #expect(values["description"] == "length(/shipping/method) changes")
        let conditions = try client.body("dataBreakpointInfo", ["name": "/audit/refusals > 6"])
        #expect(conditions["description"] == "/audit/refusals > 6 becomes true, or stops being true")
    }

    @Test(arguments: [(40, "string, doubtful", "boolean, doubtful"), (46, "string", "boolean")])
    func `the type of a value of a doubtful state says so`(position: Int, type: String, truth: String) throws {
        let client = AdapterClient(Fixtures.recording("doubtful").path)
        _ = try client.body("launch", ["position": .int(position)])
        _ = try client.body("configurationDone")
        for (text, expected) in [("/filter", type), ("/filter = 'done'", truth)] {
            let body = try client.body("evaluate", ["expression": .string(text), "context": "watch"])
            #expect(body["type"]?.stringValue == expected, "\(body.json)")
        }
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
        // The console goes from branch to branch, and a restart leaves them.
        for (command, branch) in [("checkout 0", 0), ("checkout branch-1", 1), ("checkout 2", 2)] {
            _ = try client.value(command, context: "repl")
            #expect(client.adapter.debugger?.branch == branch)
        }
        #expect(client.fails("evaluate", ["expression": "checkout 3", "context": "repl"]))
        #expect(try client.body("threads")["threads"]?[0]?["name"]?.stringValue?.hasSuffix(", branch-2") == true)
        _ = try client.body("restart")
        #expect(client.adapter.debugger?.branch == 0)
        #expect(try client.action() == 0)
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
        let client = try AdapterClient.opened()
        _ = try client.body("setDataBreakpoints", ["breakpoints": [["dataId": "=/cart/totals/gross > 1000000"]]])
        _ = try client.body("continue", ["threadId": 1])
        client.adapter.advance { true }
        #expect(!client.adapter.isRunning)
        #expect(client.adapter.takeOutgoing().isEmpty)
        _ = try client.body("pause", ["threadId": 1])
        #expect(client.lastStop?["reason"] == "pause")
    }

    @Test func `a mistake in an expression is one line, without a mark`() throws {
        let client = try AdapterClient.opened()
        let text = client.request("evaluate", ["expression": "seq; drop"])["message"]?.stringValue ?? ""
        #expect(text.contains("semicolon") && !text.contains("^") && !text.contains("\n"), "\(text)")
    }

    @Test func `a thousand breakpoints are set and replaced`() throws {
        let client = try AdapterClient.opened()
        let many = (0..<1_000).map { number -> Node in ["dataId": .string("/audit/entries/\(number)/gross")] }
        let answer = try client.body("setDataBreakpoints", ["breakpoints": .array(many)])
        #expect(answer["breakpoints"]?.arrayValue?.count == 1_000)
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
            "configurationDone", "completions", "restart",
        ]
        let names = [
            "frameId", "variablesReference", "start", "count", "filter", "expression", "context", "threadId", "name",
            "breakpoints", "source", "line", "targetId", "levels", "startFrame", "granularity", "program", "dataId",
            "condition", "path", "text", "column", "hitCondition", "logMessage", "arguments",
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
        let harness = ToolHarness(input: requests.map(MessageDecoder.encode).joined() + half).running(["dap"])
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
        let copy = scratch.file("copy.hindsight")
        try FileManager.default.copyItem(at: checkout, to: copy)
        let client = try AdapterClient.opened(copy.path)
        try FileManager.default.removeItem(at: copy)
        for command in ["next", "stackTrace", "stepBack", "continue"] {
            #expect(client.request(command, ["threadId": 1])["command"]?.stringValue == command)
        }
        while client.adapter.isRunning { client.adapter.advance() }
    }

    @Test func `a crashed recording opens at the crash, and runs back to it`() throws {
        let client = try AdapterClient.opened(Fixtures.recording("crashed/checkout-crash").path)
        #expect(client.lastStop?["reason"] == "exception")
        #expect(client.lastStop?["description"]?.stringValue?.hasPrefix("Position") == false)
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

    @Test func `computed steps until a crash are positions like others, and marked`() throws {
        let client = try AdapterClient.opened(Fixtures.recording("crashed/checkout-crash").path)
        let debugger = try #require(client.adapter.debugger)
        let path = NodePath(["coupons", "applied"])
        let steps = (1...6).map { reducer in
            let patch = reducer == 5 ? Patch([.add(path: path, value: "TEN", at: nil)]) : nil
            return RecordedStep(reducer: reducer, durationInNanoseconds: 0, patch: patch)
        }
        let before = try #require(try debugger.state())
        debugger.supply(try ComputedSteps(steps, of: 12, from: before))
        for _ in 1...5 { _ = try client.body("stepIn") }
        #expect(try client.frames().first?["name"]?.stringValue?.hasPrefix("coupons  reducer 5 of 9, computed") == true)
        #expect(client.lastStop?["description"]?.stringValue?.hasPrefix("Position 12.5, computed") == true)
        let coupons = try client.member("coupons", of: try client.scope("State"))
        #expect(coupons["type"] == "object, changed, computed", "\(coupons.json)")
        #expect(try client.variables(try client.scope("Changes")).count == 1)
        #expect(try client.value("coupons.applied") == "\"TEN\"")
        #expect(client.fails("exceptionInfo"))
        _ = try client.body("stepOut")
        #expect(client.lastStop?["description"]?.stringValue?.hasPrefix("Position 12.6") == true)
        #expect(try client.body("exceptionInfo")["exceptionId"] == "crash")
        // A restart forgets what was computed, because the recording may be another one.
        _ = try client.body("restart")
        #expect(client.lastStop?["reason"] == "exception")
        #expect(debugger.needsComputedSteps(for: .step(.forward, by: .reducer)))
    }

    @Test func `divergences are found by a replay`() throws {
        let client = try AdapterClient.opened()
        _ = try client.body("setExceptionBreakpoints", ["filters": ["divergence"]])
        // The samples do what was recorded.
        #expect(try client.run("continue")["reason"] == "step")
        #expect(client.adapter.debugger?.divergences?.isEmpty == true)
        #expect(try client.action() == 66)
    }

    @Test func `a live recording grows while it is open, and may end`() throws {
        let file = scratch.file("live.hindsight")
        let counter = try LiveCounter(at: file)
        try counter.count(5)

        let client = try AdapterClient.opened(file.path)
        #expect(client.adapter.isLive)
        _ = try client.run("continue")
        #expect(try client.action() == 5)
        try counter.count(5)
        _ = try client.body("next")
        #expect(try client.action() == 6)
        _ = try client.run("continue")
        #expect(try client.value("value") == "10")
        try counter.recorder.close()
        client.adapter.refresh()
        client.adapter.sendEvents()
        #expect(!client.adapter.isLive)
        let said = client.adapter.takeOutgoing().compactMap { $0["body"]?["output"]?.stringValue }
        #expect(said == ["The recording is complete: it ends at 10.\n"])
        _ = try client.body("stepBack")
        #expect(try client.value("value") == "9")
    }

    @Test func `a breakpoint on a line that a live recording reaches later becomes verified once`() throws {
        let file = scratch.file("live.hindsight")
        let counter = try LiveCounter(at: file)
        try counter.count(1)
        let client = try AdapterClient.opened(file.path)
        let line = #line + 1
        func reach() { counter.store.dispatch(.add(1)) }
        let arguments: Node = ["source": ["path": .string(#filePath)], "breakpoints": [["line": .int(line)]]]
        let waiting = try #require(try client.body("setBreakpoints", arguments)["breakpoints"]?[0])
        #expect(waiting["verified"] == false, "\(waiting.json)")
        func changes() -> [Node] {
            client.events.filter { $0["event"]?.stringValue == "breakpoint" }.compactMap { $0["body"] }
        }
        _ = try client.run("continue")
        #expect(changes().isEmpty)
        for _ in 1...2 { reach() }
        try counter.recorder.flush()
        for seq in 2...3 {
            _ = try client.run("continue")
            #expect(try client.action() == seq)
        }
        let id = try #require(waiting["id"])
        #expect(changes() == [["reason": "changed", "breakpoint": ["id": id, "verified": true]]])
        try counter.recorder.close()
    }

    @Test func `sources are looked for below the given folders only`() throws {
        let root = scratch.directory
        let deep = root.appending(path: "app/Sources/Shop/Cart")
        try FileManager.default.createDirectory(at: deep, withIntermediateDirectories: true)
        try Data().write(to: deep.appending(path: "CartView.swift"))
        try Data().write(to: root.appending(path: "secret.swift"))
        let sources = SourceFiles(roots: [root.appending(path: "app").path])
        #expect(sources.path(of: "Shop/CartView.swift")?.hasSuffix("/Sources/Shop/Cart/CartView.swift") == true)
        #expect(sources.path(of: "Shop/Cart/CartView.swift")?.hasSuffix("/Sources/Shop/Cart/CartView.swift") == true)
        // A name alone may be that of another module's file.
        try Data().write(to: root.appending(path: "app/CartView.swift"))
        let others = SourceFiles(roots: [root.appending(path: "app").path])
        #expect(others.path(of: "Shop/CartView.swift")?.hasSuffix("/Sources/Shop/Cart/CartView.swift") == true)
        for file in [
            "../secret.swift", "secret.swift", "Shop/../../secret.swift", "", "/", "Shop", "Shop/Nothing.swift",
        ] {
            #expect(sources.path(of: file) == nil, "\(file)")
        }
    }
}
