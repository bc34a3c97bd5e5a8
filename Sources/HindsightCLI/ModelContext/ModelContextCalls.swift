import HindsightFormat
import HindsightSupport
import HindsightTree

/// Runs the calls of tools, each in a process of its own, and lays their answers out in pages.
final class ModelContextCalls {
    let tools: [ModelContextTool]
    private let tool: Tool
    private let places: ModelContextPlaces
    /// The time limit of a process.
    private let seconds: Double
    private var running: [Running] = []
    /// The processes that were asked to end.
    private var ending: [SupervisedTask] = []
    /// The last answers, the newest last.
    private var kept: [Answer] = []
    private static let maxKept = 8
    /// The most bytes that a command may print. They are in a file.
    private static let most = 128 << 20

    /// What decides an answer, except for the files' content.
    private struct Question: Equatable {
        let words: [String]
        let shortens: Bool
    }

    private struct Running {
        /// The number of the call; `nil` if no call waits for the answer yet.
        var number: Int?
        var cursor: ModelContextCursor
        let called: ModelContextTool
        var answer: Answer
        let child: SupervisedTask
        let begin = ContinuousClock.now
        /// The bytes that it has printed.
        var read = 0
    }

    private struct Answer {
        let question: Question
        /// The files before they were read; `nil` if one may have been growing.
        let files: [FileFingerprint?]?
        var text: ModelContextAnswer
        var outcome = ModelContextAnswer.Outcome.ok
        var messages: [String] = []
    }

    /// - Parameter builds: The old build of the app's tool and this one, for comparisons; empty without an old one.
    init(_ tool: Tool, _ places: ModelContextPlaces, seconds: Double, allowsWrites: Bool, builds: [String]) {
        (self.tool, self.places, self.seconds) = (tool, places, seconds)
        tools = ModelContextTool.all(allowingWrites: allowsWrites, builds: builds)
    }

    // MARK: Running

    /// Whether processes run.
    var isRunning: Bool { !running.isEmpty || !ending.isEmpty }

    /// Starts a call.
    ///
    /// - Returns: Its result if it has ended already; `nil` if ``advance()`` will return it.
    func start(_ number: Int, _ name: String, _ arguments: Node) -> Node? {
        guard let called = tools.first(where: { $0.name == name }) else { return nil }
        do {
            return try begin(number, called, arguments)
        } catch {
            return result(of: called, failure: Messages.failure(for: error, tool: tool.name))
        }
    }

    /// Starts the call that a client begins with, so that its answer is there when it is asked for.
    func prepare() {
        let paths = places.recordings()
        guard tool.isProcess, paths.count == 1, FileSystem.size(of: paths[0]) <= Self.maxPrepared else { return }
        // The call itself reports an error.
        _ = try? begin(nil, .info, ["file": .string(places.name(of: paths[0]))])
    }

    private static let maxPrepared: Int64 = 1 << 30

    private func begin(_ number: Int?, _ called: ModelContextTool, _ arguments: Node) throws -> Node? {
        try called.check(arguments)
        let cursor = try cursor(in: arguments)
        if called.name == ModelContextTool.info.name, arguments["file"] ?? .null == .null { return list(from: cursor) }
        var paths: [String] = []
        var words = try called.words(
            arguments,
            all: { places.recordings().map(places.name) },
            path: { name in
                paths.append(try places.path(of: name))
                return paths[paths.count - 1]
            },
            newPath: places.newPath
        )
        if called.isList, cursor.index > 0 {
            words.removeAll { $0.hasPrefix("--from=") }
            words.insert("--from=\(cursor.index)", at: 0)
        }
        let command = called.command ?? called.name
        words = [command] + (called.command == nil ? ["--json"] : []) + words
        let question = Question(words: words, shortens: called.shortens(arguments))
        let files = Self.fingerprints(of: paths)
        if let known = kept.last(where: { $0.question == question }), serves(known, called, cursor, files) {
            return result(of: called, known, cursor)
        }
        if let index = running.firstIndex(where: { $0.number == nil && $0.answer.question == question }) {
            (running[index].number, running[index].cursor) = (number, cursor)
            return nil
        }
        let answer = Answer(question: question, files: files, text: ModelContextAnswer(shortening: question.shortens))
        guard tool.isProcess else { return run(called, answer, cursor) }
        let limit = called.runsReducers ? seconds : nil
        let child = try SupervisedTask(CommandTask(words: words, relays: true), of: tool, actionLimit: limit)
        running.append(Running(number: number, cursor: cursor, called: called, answer: answer, child: child))
        return nil
    }

    /// Whether a kept answer serves a call: all pages belong to the same answer, and a new one would be no other.
    private func serves(
        _ known: Answer,
        _ called: ModelContextTool,
        _ cursor: ModelContextCursor,
        _ files: [FileFingerprint?]?
    ) -> Bool {
        if cursor != ModelContextCursor() { return true }
        guard let files, !called.runsReducers, !called.writes, !known.outcome.isError else { return false }
        return known.files == files
    }

    private static func fingerprints(of paths: [String]) -> [FileFingerprint?]? {
        guard paths.allSatisfy({ SidecarFiles.existing(beside: $0).isEmpty }) else { return nil }
        return paths.map { FileFingerprint(of: $0) }
    }

    private func cursor(in arguments: Node) throws(Failure) -> ModelContextCursor {
        guard let value = arguments["cursor"], value != .null else { return ModelContextCursor() }
        if case .string(let text) = value, let cursor = ModelContextCursor(text) { return cursor }
        throw Failure(.usage, "cursor is not one that this server gave.", "Take next of the last answer as it is.")
    }

    /// Stops a call.
    func stop(_ number: Int) {
        guard let index = running.firstIndex(where: { $0.number == number }) else { return }
        end(running.remove(at: index).child)
    }

    private func end(_ child: SupervisedTask) {
        child.process.terminate()
        ending.append(child)
    }

    /// Reads what processes have printed.
    ///
    /// - Returns: The results of the calls that have ended.
    func advance() -> [(number: Int, result: Node)] {
        // Nothing waits for the answer of one that fails.
        ending.removeAll { (try? $0.advance() != nil) ?? true }
        var ended: [(number: Int, result: Node)] = []
        for call in running.indices.reversed() {
            guard let result = advance(&running[call]) else { continue }
            if let number = running[call].number { ended.append((number, result)) }
            running.remove(at: call)
        }
        return ended.reversed()
    }

    /// - Returns: The result of a call; `nil` if it runs.
    private func advance(_ call: inout Running) -> Node? {
        let end: CrashGuard.Conclusion?
        do {
            // The limit of an action comes first, and its message says which reducer ran.
            if ContinuousClock.now - call.begin > .seconds(seconds + 2) { call.child.process.terminate() }
            end = try call.child.advance()
        } catch {
            return result(of: call.called, failure: Messages.failure(for: error, tool: tool.name))
        }
        let output = call.child.output.read()
        call.read += output.count
        call.answer.text.append(output)
        let isTooLong = call.answer.text.isTooLong || call.read > Self.most
        // The line after the page says where the next one begins.
        let isFull = call.called.isList && call.answer.text.bytes.count > call.cursor.offset + 4 * ModelContextPage.most
        guard end != nil || isTooLong || isFull else { return nil }
        if end == nil { self.end(call.child) }
        var messages = call.child.messages
        if let failed = end?.failed {
            messages += failed.failure.lines
            if let command = Tool.commands.first(where: { $0.syntax.name == call.called.name }),
                let node = failed.node(of: command)
            {
                call.answer.text.append(Array((printable(node) + "\n").utf8))
            }
        }
        conclude(&call.answer, call.called, isFull ? .fine : end?.code ?? .fine, messages)
        if end != nil, call.child.process.isAskedToEnd {
            call.answer.outcome = .timedOut
            call.answer.messages.append("It was stopped after \(Int(seconds)) s. Ask for less.")
        } else if isTooLong, !isFull {
            call.answer.outcome = .tooLong
            call.answer.messages.append("The answer is too long, and was cut here. Ask for less.")
        }
        return result(of: call.called, call.answer, call.cursor)
    }

    /// Runs a call in this process, because it is a part of another program.
    private func run(_ called: ModelContextTool, _ answer: Answer, _ cursor: ModelContextCursor) -> Node {
        let (code, output, messages) = tool.captured(answer.question.words)
        var answer = answer
        answer.text.append(output)
        conclude(&answer, called, code, messages)
        return result(of: called, answer, cursor)
    }

    /// Sets the outcome and the messages of an answer that is complete.
    private func conclude(_ answer: inout Answer, _ called: ModelContextTool, _ code: ExitCode, _ messages: [String]) {
        answer.outcome = ModelContextAnswer.Outcome(code)
        if answer.outcome == .ok, let member = called.notRun, case .int? = answer.text.line(at: 0)?[member] {
            answer.outcome = .crashNotRun
        }
        answer.messages = messages
        if answer.outcome == .failed, answer.messages.isEmpty {
            answer.messages = ["The process ended with exit status \(code.rawValue), and did not say why."]
        }
    }

    // MARK: Pages

    private func result(of called: ModelContextTool, _ answer: Answer, _ cursor: ModelContextCursor) -> Node {
        // Of a list, only the beginning may be there.
        if !called.isList {
            kept.removeAll { $0.question == answer.question }
            kept.append(answer)
            if kept.count > Self.maxKept { kept.removeFirst() }
        }
        let page = ModelContextPage(of: answer.text.bytes, at: cursor)
        var next = page.next(after: cursor)
        if called.isList, let place = next, case .lines(let lines) = page.content, case .int? = lines.last?["seq"],
            case .int(let seq)? = answer.text.line(at: place.offset)?["seq"]
        {
            next = ModelContextCursor(index: seq)
        }
        return result(of: called, answer.outcome, page.content, next, answer.messages)
    }

    private func result(of called: ModelContextTool, failure: Failure) -> Node {
        result(of: called, ModelContextAnswer.Outcome(failure.code), nil, nil, failure.lines)
    }

    private func result(
        of called: ModelContextTool,
        _ outcome: ModelContextAnswer.Outcome,
        _ content: ModelContextPage.Content?,
        _ next: ModelContextCursor?,
        _ messages: [String]
    ) -> Node {
        var members: [Node.Member] = [
            .init(
                "hindsight",
                [
                    "tool": .string(called.name), "outcome": .string(outcome.rawValue),
                    "next": .optional(next.map { .string("\($0)") }),
                ]
            )
        ]
        switch content {
        case .lines(let lines)?: members.append(.init("recorded", .array(lines)))
        case .fragment(let text)?: members.append(.init("fragment", .string(text)))
        case nil: break
        }
        if !messages.isEmpty { members.append(.init("messages", .array(messages.map { .string(brief($0)) }))) }
        let text = Node.string(printable(.object(members)))
        return ["content": [["type": "text", "text": text]], "isError": .bool(outcome.isError)]
    }

    /// Lists the recordings of the places.
    private func list(from cursor: ModelContextCursor) -> Node {
        var text = ModelContextAnswer(shortening: false)
        for path in places.recordings() {
            let bytes = Node.int(Int(FileSystem.size(of: path)))
            text.append(Array((printable(["file": .string(places.name(of: path)), "bytes": bytes]) + "\n").utf8))
        }
        let page = ModelContextPage(of: text.bytes, at: cursor)
        return result(of: .info, .ok, page.content, page.next(after: cursor), [])
    }

    // MARK: Ending

    /// Ends all processes.
    func close() {
        for call in running { end(call.child) }
        running = []
        while !ending.isEmpty {
            _ = advance()
            if !ending.isEmpty { Isolation.wait(for: ending.map(\.process)) }
        }
    }
}
