import Foundation
import HindsightDebugger
import HindsightTree

/// What was read from the actions of a branch, so that it is read again only if the branch or their number changes.
struct ReadActions<Value> {
    private var known: (branch: Int, actionCount: Int, value: Value)?

    mutating func value(of debugger: Debugger, _ read: (Recording) throws -> Value) rethrows -> Value {
        let (branch, count) = (debugger.branch, debugger.recording.actionCount)
        if let known, known.branch == branch, known.actionCount == count { return known.value }
        let value = try read(debugger.recording)
        known = (branch, count, value)
        return value
    }
}

/// The server of the Debug Adapter Protocol: messages in, messages out, and the debugger's machine between them.
///
/// It reads no descriptor and has no thread: ``DebugAdapterCommand`` feeds it, and calls ``advance()`` while it runs.
final class DebugAdapter {
    let tool: Tool
    /// Whether to stop a process that it waits for.
    let isStopped: () -> Bool
    /// The recording to open if the client names none.
    private let file: String?
    /// The folders of sources on the command line.
    private let sourceRoots: [String]
    var sources: SourceFiles
    /// The delay of the first progress event.
    var progressDelay: Duration = .milliseconds(500)
    /// About how many actions ``advance()`` looks at, so that a run can be paused soon.
    var budget = 16_384

    private(set) var debugger: Debugger?
    /// The run that goes on.
    var run: Run?
    /// The runs whose progress was shown.
    var shownRuns = 0
    private(set) var isEnded = false
    private(set) var isLive = false
    private(set) var openedFile: OpenedFile?
    /// What the client can do, and how it counts.
    private(set) var reportsProgress = false
    private(set) var firstLine = 1
    private(set) var firstColumn = 1
    private var isConfigured = false
    /// The request that opened the recording, whose arguments a restart repeats.
    private var launch: AdapterRequest?

    /// The frames that have numbers: those at the position, then those of other threads.
    var frames: [StackFrame?] = []
    /// The frames of each thread that was asked for.
    var framesByThread: [Int: Range<Int>] = [:]
    var references = ReferenceTable()
    /// The breakpoints by the requests that set them.
    var breakpointIDs: [BreakpointSource: [Int]] = [:]
    /// What breakpoints have beside what the machine looks for.
    var breakpointRules: [Int: BreakpointRule] = [:]
    /// The breakpoints that were answered as not verified, and have not hit since.
    var unverifiedBreakpoints: Set<Int> = []
    /// The threads and the lines that dispatched actions, as far as they were read.
    var recordedThreads = ReadActions<[(thread: DispatchingThread, first: Int)]>()
    var dispatchedLines = ReadActions<DispatchedLines>()
    let branchFiles = BranchFolder("hindsight-dap")

    /// The messages to send, in order.
    private var outgoing: [Node] = []
    /// The events to send after the response to the present request.
    private var events: [(name: String, body: Node)] = []
    private var nextSeq = 1

    /// A run to a breakpoint.
    struct Run {
        let direction: DebuggerDirection
        /// When its progress was reported last, or when it began.
        var lastReport = ContinuousClock.now
        var progressID: String?
        /// The number of positions at which a breakpoint was not known, before the breakpoints changed.
        var unknownCount = 0
    }

    init(file: String?, sourceRoots: [String], tool: Tool, isStopped: @escaping () -> Bool = { false }) {
        (self.file, self.sourceRoots, self.tool, self.isStopped) = (file, sourceRoots, tool, isStopped)
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
        case .problem(let text): respond(to: AdapterRequest("", [:]), .failure(AdapterFailure(text)))
        case .message(let message):
            // No request of this server waits for a response.
            if message["type"]?.stringValue == "response" || message["type"]?.stringValue == "event" { return }
            guard let request = AdapterRequest(message) else {
                let command = message["command"]?.stringValue ?? ""
                let request = AdapterRequest(command, [:], seq: message["seq"]?.intValue ?? 0)
                respond(to: request, .failure(AdapterFailure("A request needs type, seq and command.")))
                return
            }
            do {
                respond(to: request, .success(try answer(to: request)))
            } catch {
                respond(to: request, .failure(failure(for: error)))
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

    private func respond(to request: AdapterRequest, _ result: Result<Node?, AdapterFailure>) {
        let response: KeyValuePairs<String, Node?>
        switch result {
        case .success(let body):
            response = [
                "request_seq": .int(request.seq), "success": true, "command": .string(request.command), "body": body,
            ]
        case .failure(let failure):
            let error: Node = [
                "id": 1, "format": "{text}", "variables": ["text": .string(failure.text)],
                "showUser": .bool(request.isByPerson),
            ]
            response = [
                "request_seq": .int(request.seq), "success": false, "command": .string(request.command),
                "message": .string(failure.code ?? failure.text), "body": ["error": error],
            ]
        }
        add("response", Node.members(response))
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
        case "restart": return try restart(request)
        case "disconnect", "terminate": return end(request)
        case "threads": return try threads()
        case "stackTrace": return try stackTrace(request)
        case "scopes": return try scopes(request)
        case "variables": return try variables(request)
        case "evaluate": return try evaluate(request)
        case "completions": return try completions(request)
        case "next", "stepIn", "stepOut", "stepBack": return try step(request)
        case "continue": return try begin(.forward)
        case "reverseContinue": return try begin(.backward)
        case "pause": return try pause()
        case "cancel": return try cancel(request)
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
        firstColumn = request.arguments["columnsStartAt1"]?.boolValue == false ? 0 : 1
        return Self.capabilities
    }

    private static let capabilities: Node = {
        let supported = [
            "supportsConfigurationDoneRequest", "supportsFunctionBreakpoints", "supportsConditionalBreakpoints",
            "supportsEvaluateForHovers", "supportsStepBack", "supportsSetVariable", "supportsRestartFrame",
            "supportsGotoTargetsRequest", "supportsExceptionFilterOptions", "supportsExceptionInfoRequest",
            "supportsDelayedStackTraceLoading", "supportsLoadedSourcesRequest", "supportsTerminateRequest",
            "supportsDataBreakpoints", "supportsSteppingGranularity", "supportsCancelRequest",
            "supportsClipboardContext", "supportsHitConditionalBreakpoints", "supportsLogPoints",
            "supportsCompletionsRequest", "supportsRestartRequest",
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
            supported.map { Node.Member($0, true) } + [
                Node.Member("exceptionBreakpointFilters", filters),
                Node.Member("completionTriggerCharacters", ["/", ".", " "]),
            ]
        )
    }()

    /// `launch` and `attach` open a recording. One that is still being recorded grows.
    private func open(_ request: AdapterRequest) throws -> Node? {
        guard debugger == nil else {
            throw AdapterFailure("A recording is open. Start another session for another one.")
        }
        let wanted = try wanted(by: request)
        let debugger = Debugger(on: wanted.recording)
        debugger.rules = wanted.rules
        try debugger.go(to: wanted.begin, by: tool)
        self.debugger = debugger
        noteOpening(wanted, by: request)
        // Breakpoints need the recording, so that the client sets them now.
        send("initialized")
        return nil
    }

    /// What the arguments of a launch name.
    private struct Wanted {
        let recording: Recording
        /// The position at which it begins.
        let begin: Recording.Position
        let rules: RuleBook
        let sourceRoots: [String]
    }

    private func wanted(by request: AdapterRequest) throws -> Wanted {
        guard let path = try request.string("program") ?? request.string("recording") ?? file else {
            throw AdapterFailure("\(request.command) needs program, the path of a recording.")
        }
        let roots = try request.strings("sourceRoot")
        let rules = try request.string("rules").map { try RuleBook(contentsOf: $0) } ?? RuleBook()
        let position = try request.stringOrInt("position")
        let recording = try tool.open(path)
        let machine = Debugger(on: recording)
        let begin = try position.map(machine.position(named:)) ?? machine.position
        return Wanted(recording: recording, begin: begin, rules: rules, sourceRoots: sourceRoots + roots)
    }

    private func noteOpening(_ wanted: Wanted, by request: AdapterRequest) {
        launch = request
        let roots = wanted.sourceRoots
        sources = SourceFiles(roots: roots.isEmpty ? ["."] : roots)
        let recording = wanted.recording
        (isLive, openedFile) = (recording.ending == .open(live: true), OpenedFile(of: recording))
        recordedThreads = ReadActions()
        dispatchedLines = ReadActions()
    }

    private func configurationDone() throws -> Node? {
        _ = try stopped()
        guard !isConfigured else { return nil }
        isConfigured = true
        stopAtEntry()
        return nil
    }

    private func stopAtEntry() {
        guard let debugger else { return }
        sendStop(
            isAtCrash ? "exception" : "entry",
            isAtCrash ? crashText : "Position \(debugger.position)\(computedMark)"
        )
    }

    /// `restart` opens the recording again, because it may have changed, and begins as `launch` did, by the arguments of
    /// the last launch or by new ones. Breakpoints stay, with what their rules say now, and their hits count from 0. It
    /// leaves a branch.
    private func restart(_ request: AdapterRequest) throws -> Node? {
        guard let debugger, let launch else { throw AdapterFailure.noRecording }
        var arguments = launch.arguments
        if case .object? = request.arguments["arguments"] { arguments = request.arguments["arguments"] ?? arguments }
        let request = AdapterRequest(request.command, arguments)
        let wanted = try wanted(by: request)
        stopRun()
        if debugger.branch != 0 { _ = try debugger.perform(.checkout(branch: 0)) }
        debugger.replaceRecording(with: wanted.recording, isSame: false)
        try debugger.go(to: wanted.begin, by: tool)
        replaceRules(of: debugger, by: wanted.rules)
        for id in breakpointRules.keys { breakpointRules[id]?.count = 0 }
        forgetReferences()
        noteOpening(wanted, by: request)
        stopAtEntry()
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
        (frames, framesByThread) = ([], [:])
    }

    /// Says what another program has done to the file of the recording.
    func noteFile() {
        if let change = openedFile?.change() { say(change) }
    }

    /// Reads what was recorded since, if the recording is live, and says what another program has done to its file.
    func refresh() {
        noteFile()
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
