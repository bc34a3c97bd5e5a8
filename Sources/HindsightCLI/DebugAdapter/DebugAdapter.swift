import Foundation
import HindsightDebugger
import HindsightTree

/// The server of the Debug Adapter Protocol: messages in, messages out, and the debugger's machine between them.
///
/// It reads no descriptor and has no thread: ``DebugAdapterCommand`` feeds it, and calls ``advance()`` while it runs.
final class DebugAdapter {
    /// Runs another command of the tool, and returns the lines that it printed.
    typealias Runner = (_ words: [String], _ title: String) throws -> [String]

    let tool: Tool
    let runner: Runner
    /// The recording to open if the client names none.
    private let file: String?
    /// The folders of sources on the command line.
    private let sourceRoots: [String]
    var sources: SourceFiles
    /// How long a run takes before the client hears of its progress.
    var progressDelay: Duration = .milliseconds(500)
    /// About how many actions ``advance()`` looks at, so that a run can be paused soon.
    var budget = 16_384

    private(set) var debugger: Debugger?
    /// The run that goes on.
    var run: Run?
    private(set) var isEnded = false
    private(set) var isLive = false
    private var openedFile: OpenedFile?
    /// What the client can do, and how it counts.
    private(set) var reportsProgress = false
    private(set) var firstLine = 1
    private var isConfigured = false

    var frames: [StackFrame?] = []
    var references = ReferenceTable()
    /// The breakpoints by the requests that set them.
    var breakpointIDs: [BreakpointSource: [Int]] = [:]
    let branchFiles = BranchFolder("hindsight-dap")

    /// The messages to send, in order.
    private var outgoing: [Node] = []
    /// The events to send after the response to the present request.
    private var events: [(name: String, body: Node)] = []
    private var nextSeq = 1

    /// A run to a breakpoint.
    struct Run {
        let direction: DebuggerDirection
        let begin = ContinuousClock.now
        var lastReport = ContinuousClock.now
        var progressID: String?
    }

    init(file: String?, sourceRoots: [String], tool: Tool, runner: @escaping Runner) {
        (self.file, self.sourceRoots, self.tool, self.runner) = (file, sourceRoots, tool, runner)
        sources = SourceFiles(roots: sourceRoots.isEmpty ? ["."] : sourceRoots)
    }

    var isRunning: Bool { run != nil }

    /// The messages to send now.
    func takeOutgoing() -> [Node] {
        defer { outgoing = [] }
        return outgoing
    }

    // MARK: Messages

    /// Answers what arrived.
    func receive(_ item: MessageDecoder.Item) {
        guard !isEnded else { return }
        switch item {
        case .problem(let text): respond(to: 0, "", .failure(AdapterFailure(text)))
        case .message(let message):
            // No request of this server waits for a response.
            if message["type"]?.stringValue == "response" || message["type"]?.stringValue == "event" { return }
            guard let request = AdapterRequest(message) else {
                let seq = message["seq"]?.intValue ?? 0
                let command = message["command"]?.stringValue ?? ""
                respond(to: seq, command, .failure(AdapterFailure("A request needs type, seq and command.")))
                return
            }
            do {
                respond(to: request.seq, request.command, .success(try answer(to: request)))
            } catch {
                respond(to: request.seq, request.command, .failure(failure(for: error)))
            }
        }
        sendEvents()
    }

    /// Sends an event, after the response to the present request.
    func send(_ event: String, _ body: Node = [:]) { events.append((event, body)) }

    /// Shows the user a line.
    func say(_ text: String) { send("output", ["category": "console", "output": .string(text + "\n")]) }

    func failure(for error: any Error) -> AdapterFailure {
        if let failure = error as? AdapterFailure { return failure }
        var lines = tool.failure(for: error).lines
        // A mark below a text means nothing in one line, and the user has the text.
        if let mark = lines.firstIndex(where: { $0.trimmingSpaces == "^" }), mark > 0 {
            lines.removeSubrange(mark - 1...mark)
        }
        return AdapterFailure(lines.map(\.trimmingSpaces).joined(separator: " "))
    }

    func sendEvents() {
        for event in events { add("event", ["event": .string(event.name), "body": event.body]) }
        events = []
    }

    private func respond(to seq: Int, _ command: String, _ result: Result<Node?, AdapterFailure>) {
        let request: KeyValuePairs<String, Node?>
        switch result {
        case .success(let body):
            request = [
                "request_seq": .int(seq), "success": true, "command": .string(command), "body": body,
            ]
        case .failure(let failure):
            let error: Node = [
                "id": 1, "format": "{text}", "variables": ["text": .string(failure.text)], "showUser": true,
            ]
            request = [
                "request_seq": .int(seq), "success": false, "command": .string(command),
                "message": .string(failure.code ?? failure.text), "body": ["error": error],
            ]
        }
        add("response", Node.members(request))
    }

    private func add(_ type: String, _ message: Node) {
        guard case .object(let members) = message else { return }
        outgoing.append(.object([Node.Member("seq", .int(nextSeq)), Node.Member("type", .string(type))] + members))
        nextSeq += 1
    }

    // MARK: Requests

    private func answer(to request: AdapterRequest) throws -> Node? {
        switch request.command {
        case "initialize": return initialize(request)
        case "launch", "attach": return try open(request)
        case "configurationDone": return try configurationDone()
        case "disconnect", "terminate": return end(request)
        case "threads": return ["threads": [["id": 1, "name": .string(threadName)]]]
        case "stackTrace": return try stackTrace(request)
        case "scopes": return try scopes(request)
        case "variables": return try variables(request)
        case "evaluate": return try evaluate(request)
        case "next", "stepIn", "stepOut", "stepBack": return try step(request)
        case "continue": return try begin(.forward)
        case "reverseContinue": return try begin(.backward)
        case "pause": return try pause()
        case "cancel": return cancel(request)
        case "gotoTargets": return try gotoTargets(request)
        case "goto": return try goto(request)
        case "setBreakpoints": return try setBreakpoints(request)
        case "setFunctionBreakpoints": return try setFunctionBreakpoints(request)
        case "setExceptionBreakpoints": return try setExceptionBreakpoints(request)
        case "setDataBreakpoints": return try setDataBreakpoints(request)
        case "dataBreakpointInfo": return try dataBreakpointInfo(request)
        case "exceptionInfo": return try exceptionInfo()
        case "setVariable": return try setVariable(request)
        case "restartFrame": return try restartFrame(request)
        case "loadedSources": return try loadedSources()
        default: throw AdapterFailure("\(tool.name) dap has no request \(quote(request.command)).")
        }
    }

    private func initialize(_ request: AdapterRequest) -> Node {
        reportsProgress = request.arguments["supportsProgressReporting"]?.boolValue ?? false
        firstLine = request.arguments["linesStartAt1"]?.boolValue == false ? 0 : 1
        return Self.capabilities
    }

    private static let capabilities: Node = {
        let supported = [
            "supportsConfigurationDoneRequest", "supportsFunctionBreakpoints", "supportsConditionalBreakpoints",
            "supportsEvaluateForHovers", "supportsStepBack", "supportsSetVariable", "supportsRestartFrame",
            "supportsGotoTargetsRequest", "supportsExceptionFilterOptions", "supportsExceptionInfoRequest",
            "supportsDelayedStackTraceLoading", "supportsLoadedSourcesRequest", "supportsTerminateRequest",
            "supportsDataBreakpoints", "supportsSteppingGranularity", "supportsCancelRequest",
            "supportsClipboardContext",
        ]
        let filters: Node = [
            [
                "filter": "crash", "label": "Crash", "default": true, "supportsCondition": false,
                "description": "Stops before the action that never finished.",
            ],
            [
                "filter": "divergence", "label": "Divergence", "default": false, "supportsCondition": true,
                "description": "Stops where today's reducers do something else than was recorded.",
            ],
        ]
        return .object(
            supported.map { Node.Member($0, true) } + [Node.Member("exceptionBreakpointFilters", filters)]
        )
    }()

    /// `launch` and `attach` open a recording. One that is still being recorded grows.
    private func open(_ request: AdapterRequest) throws -> Node? {
        guard debugger == nil else {
            throw AdapterFailure("A recording is open. Start another session for another one.")
        }
        guard let path = request.string("program") ?? request.string("recording") ?? file else {
            throw AdapterFailure("\(request.command) needs program, the path of a recording.")
        }
        var roots = request.list("sourceRoot").compactMap(\.stringValue)
        if let root = request.string("sourceRoot") { roots = [root] }
        let recording = try tool.open(path)
        let debugger = Debugger(on: recording)
        if let text = request.string("position") {
            _ = try debugger.perform(.go(text == "end" ? debugger.last : recording.position(text, knownOnly: false)))
        }
        if !roots.isEmpty { sources = SourceFiles(roots: sourceRoots + roots) }
        (self.debugger, isLive, openedFile) = (debugger, debugger.isLive, OpenedFile(of: recording))
        // Breakpoints need the recording, so that the client sets them now.
        send("initialized")
        return nil
    }

    private func configurationDone() throws -> Node? {
        let debugger = try stopped()
        guard !isConfigured else { return nil }
        isConfigured = true
        let isCrash = debugger.position == debugger.last && debugger.position.reducer == 0
        sendStop(isCrash ? "exception" : "entry", isCrash ? crashText : "Position \(debugger.position)")
        return nil
    }

    private func end(_ request: AdapterRequest) -> Node? {
        stopRun()
        if request.command == "terminate" {
            send("terminated")
            send("exited", ["exitCode": 0])
        } else {
            isEnded = true
        }
        return nil
    }

    /// Removes what the session has left. Call it when the client has gone.
    func close() {
        isEnded = true
        run = nil
        branchFiles.remove(tool.console)
    }

    private var threadName: String {
        guard let debugger else { return "no recording" }
        let name = brief(debugger.recording.app.name)
        return debugger.branch == 0 ? name : "\(name), \(brief(debugger.branches[debugger.branch].name))"
    }

    // MARK: The machine

    /// The machine, if it does not run.
    func stopped() throws(AdapterFailure) -> Debugger {
        guard let debugger else { throw .noRecording }
        if isRunning { throw .notStopped }
        return debugger
    }

    /// Forgets the frames and the values that clients have seen, because the position changes.
    func forgetReferences() {
        references.forget(frameCount: frames.count)
        frames = []
    }

    /// Reads what was recorded since, if the recording is live, and says what another program has done to its file.
    func refresh() {
        if let change = openedFile?.change() { say(change) }
        guard let debugger, isLive, !isRunning, debugger.branch == 0 else { return }
        do {
            for event in try debugger.refresh() {
                switch event {
                case .ended: say("The recording is complete: it ends at \(debugger.last).")
                case .dropped:
                    say("The recording's limit dropped the present position.")
                    forgetReferences()
                    sendStop("pause", "The first position that is left")
                default: break
                }
            }
            isLive = debugger.isLive
        } catch {
            isLive = false
            say("The recording does not grow any more here: \(failure(for: error).text)")
        }
    }
}
