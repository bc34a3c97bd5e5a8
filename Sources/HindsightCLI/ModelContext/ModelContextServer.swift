import HindsightTree

/// A Model Context Protocol server: JSON-RPC 2.0 messages, one on each line.
///
/// It reads, writes and runs nothing itself. Each event returns what is to be done, and times are those since the start
/// of the server.
struct ModelContextServer {
    enum Effect: Equatable {
        /// Write a message. It has no line feed.
        case send(String)
        /// Start the call of a tool, and report its end with ``end(_:with:)``.
        case start(Int, tool: String, arguments: Node)
        /// Stop a call. Its result is not needed.
        case stop(Int)
    }

    /// The versions of the protocol that it speaks, the newest first.
    static let versions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
    /// The time for calls to end after the end of the input.
    static let grace = Duration.milliseconds(500)

    private enum ErrorCode: Int {
        case badJSON = -32_700
        case badRequest = -32_600
        case noMethod = -32_601
        case badParameters = -32_602
        case busy = -32_000
    }

    private struct RequestError: Error {
        let code: ErrorCode
        let message: String
    }

    /// The answers to messages that came as one array. They leave together.
    private struct Batch {
        var answers: [Node] = []
        /// Whether all its messages were read.
        var isRead = false
    }

    /// The call of a tool that has no answer yet.
    private struct Call {
        let number: Int
        /// The id of the client's request.
        let id: Node
        /// The number of the batch that it belongs to.
        let batch: Int?
        let tool: String
        let arguments: Node
        /// `nil` if the client wants no progress.
        let progressToken: Node?
        /// When the request came.
        let begin: Duration
        /// Whether it runs. Otherwise it waits.
        var isRunning = false
        /// The last reported progress: the whole seconds since ``begin``.
        var reported = 0
    }

    /// The most calls that run at once.
    static let maxRunning = 4
    /// The most calls that are taken.
    static let maxCalls = 1_000
    private static let maxBatched = 100

    private let tools: [ModelContextTool]
    /// The calls that have no answer yet, the oldest first. Some run; the others wait in order.
    private var calls: [Call] = []
    private var batches: [Int: Batch] = [:]
    /// When the input ended.
    private var endOfInput: Duration?
    /// The number of the last call or batch.
    private var lastNumber = 0

    init(_ tools: [ModelContextTool]) { self.tools = tools }

    /// Whether the input has ended, and no call is left.
    var isOver: Bool { endOfInput != nil && calls.isEmpty }

    // MARK: Events

    /// Takes a line of the client.
    mutating func receive(_ line: ModelContextLines.Line, at now: Duration) -> [Effect] {
        guard case .line(let bytes) = line else {
            return reply(error(.badRequest, "The line is longer than 4 MB.", .null), in: nil)
        }
        let spaces: [UInt8] = [0x20, 0x09, 0x0D]
        if bytes.allSatisfy(spaces.contains) { return [] }
        let message: Node
        do throws(TreeError) {
            message = try Node(jsonBytes: bytes)
        } catch {
            let problem = "This line is no JSON: \(brief("\(error)", longest: 200))"
            return reply(self.error(.badJSON, problem, .null), in: nil)
        }
        guard case .array(let messages) = message else { return take(message, in: nil, now) }
        guard (1...Self.maxBatched).contains(messages.count) else {
            return reply(error(.badRequest, "A batch has 1 to \(Self.maxBatched) messages.", .null), in: nil)
        }
        let batch = newNumber()
        batches[batch] = Batch()
        var effects: [Effect] = []
        for message in messages { effects += take(message, in: batch, now) }
        batches[batch]?.isRead = true
        return effects + close(batch)
    }

    /// Takes the result of a call.
    mutating func end(_ number: Int, with result: Node) -> [Effect] {
        guard let call = remove(where: { $0.number == number }) else { return [] }
        return reply(["jsonrpc": "2.0", "id": call.id, "result": result], in: call.batch) + close(call.batch) + start()
    }

    /// Takes the end of the input. The calls have a moment to end.
    mutating func endInput(at now: Duration) { endOfInput = now }

    /// Reports the progress of calls, and stops them some time after the end of the input.
    mutating func tick(at now: Duration) -> [Effect] {
        if let endOfInput, now - endOfInput >= Self.grace {
            defer { calls = [] }
            return calls.filter(\.isRunning).map { .stop($0.number) }
        }
        var effects: [Effect] = []
        for index in calls.indices where calls[index].progressToken != nil {
            let seconds = Int((now - calls[index].begin).components.seconds)
            guard seconds > calls[index].reported else { continue }
            calls[index].reported = seconds
            effects.append(.send(printable(progress(of: calls[index]))))
        }
        return effects
    }

    // MARK: Messages

    private mutating func take(_ message: Node, in batch: Int?, _ now: Duration) -> [Effect] {
        guard case .object = message, message["jsonrpc"] == "2.0" else {
            return reply(error(.badRequest, "A message is an object with \"jsonrpc\": \"2.0\".", .null), in: batch)
        }
        guard case .string(let method)? = message["method"] else {
            // The server asks nothing, so this is an answer to another.
            if message["result"] != nil || message["error"] != nil { return [] }
            return reply(error(.badRequest, "The message has no method.", .null), in: batch)
        }
        let parameters = message["params"] ?? [:]
        guard let id = message["id"] else {
            return method == "notifications/cancelled" ? cancel(parameters["requestId"]) : []
        }
        switch id {
        case .string, .int, .number: break
        default: return reply(error(.badRequest, "id must be a text or a number.", .null), in: batch)
        }
        do throws(RequestError) {
            guard case .object = parameters else {
                throw RequestError(code: .badParameters, message: "params must be an object.")
            }
            if method == "tools/call" {
                try addCall(parameters, id, batch, now)
                return start()
            }
            guard let result = result(of: method, parameters) else {
                let message = "There is no method \(quote(String(method.prefix(80))))."
                throw RequestError(code: .noMethod, message: message)
            }
            return reply(["jsonrpc": "2.0", "id": id, "result": result], in: batch)
        } catch {
            return reply(self.error(error.code, error.message, id), in: batch)
        }
    }

    /// The result of a request that needs no call; `nil` if there is no such method.
    private func result(of method: String, _ parameters: Node) -> Node? {
        switch method {
        case "initialize": greeting(parameters)
        case "ping": [:]
        case "tools/list": ["tools": .array(tools.map(\.node))]
        default: nil
        }
    }

    private func greeting(_ parameters: Node) -> Node {
        let wanted = parameters["protocolVersion"]?.stringValue
        let version = Self.versions.first { $0 == wanted } ?? Self.versions[0]
        return [
            "protocolVersion": .string(version),
            "capabilities": ["tools": [:]],
            "serverInfo": ["name": "hindsight", "title": "Hindsight", "version": .string(Tool.version)],
            "instructions": .string(ModelContextTool.instructions),
        ]
    }

    // MARK: Calls

    private mutating func addCall(
        _ parameters: Node,
        _ id: Node,
        _ batch: Int?,
        _ now: Duration
    ) throws(RequestError) {
        guard case .string(let name)? = parameters["name"] else {
            throw RequestError(code: .badParameters, message: "params has no name.")
        }
        guard tools.contains(where: { $0.name == name }) else {
            let known = tools.map(\.name).joined(separator: ", ")
            let message = "There is no tool \(quote(String(name.prefix(80)))). There are \(known)."
            throw RequestError(code: .badParameters, message: message)
        }
        let arguments = parameters["arguments"] ?? .null
        var token = parameters["_meta"]?["progressToken"]
        switch token {
        case .string, .int: break
        default: token = nil
        }
        guard !calls.contains(where: { $0.id == id }) else {
            throw RequestError(code: .badRequest, message: "A call with this id has no answer yet.")
        }
        guard calls.count < Self.maxCalls else {
            let message = "\(Self.maxCalls) calls have no answer yet. Wait for some."
            throw RequestError(code: .busy, message: message)
        }
        let call = Call(
            number: newNumber(),
            id: id,
            batch: batch,
            tool: name,
            arguments: arguments == .null ? [:] : arguments,
            progressToken: token,
            begin: now
        )
        calls.append(call)
    }

    /// Lets the calls run that need not wait any more.
    private mutating func start() -> [Effect] {
        var running = calls.count(where: \.isRunning)
        var effects: [Effect] = []
        for index in calls.indices where !calls[index].isRunning && running < Self.maxRunning {
            calls[index].isRunning = true
            running += 1
            effects.append(.start(calls[index].number, tool: calls[index].tool, arguments: calls[index].arguments))
        }
        return effects
    }

    private mutating func remove(where matches: (Call) -> Bool) -> Call? {
        calls.firstIndex(where: matches).map { calls.remove(at: $0) }
    }

    /// A call that is cancelled gets no answer.
    private mutating func cancel(_ id: Node?) -> [Effect] {
        guard let id, let call = remove(where: { $0.id == id }) else { return [] }
        return (call.isRunning ? [.stop(call.number)] : []) + close(call.batch) + start()
    }

    private func progress(of call: Call) -> Node {
        let what = call.isRunning ? "runs" : "waits for other calls"
        return [
            "jsonrpc": "2.0", "method": "notifications/progress",
            "params": [
                "progressToken": .optional(call.progressToken), "progress": .int(call.reported),
                "message": .string("\(call.tool) \(what) (\(call.reported) s)"),
            ],
        ]
    }

    // MARK: Answers

    /// Sends an answer, or keeps it until all of its batch are there.
    private mutating func reply(_ answer: Node, in batch: Int?) -> [Effect] {
        guard let batch else { return [.send(printable(answer))] }
        batches[batch]?.answers.append(answer)
        return []
    }

    /// Sends the answers of a batch if none of its calls is left.
    private mutating func close(_ number: Int?) -> [Effect] {
        guard let number, let batch = batches[number], batch.isRead, !calls.contains(where: { $0.batch == number })
        else { return [] }
        batches[number] = nil
        return batch.answers.isEmpty ? [] : [.send(printable(.array(batch.answers)))]
    }

    private func error(_ code: ErrorCode, _ message: String, _ id: Node) -> Node {
        ["jsonrpc": "2.0", "id": id, "error": ["code": .int(code.rawValue), "message": .string(message)]]
    }

    private mutating func newNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}
