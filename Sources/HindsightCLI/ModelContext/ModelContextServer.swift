import Foundation
import HindsightTree

/// A Model Context Protocol server: JSON-RPC 2.0 messages, one on each line. It reads and writes nothing itself.
final class ModelContextServer {
    /// The versions of the protocol whose messages it has, the newest first.
    static let versions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
    /// What it answers to a client that asks for a version it does not know.
    static let usualVersion = "2025-06-18"

    private enum ErrorCode: Int {
        case badJSON = -32_700
        case badRequest = -32_600
        case noMethod = -32_601
        case badParameters = -32_602
    }

    private struct RequestError: Error {
        let code: ErrorCode
        let message: String
    }

    private static let mostBatched = 100

    private let calls: ModelContextCalls

    init(_ calls: ModelContextCalls) { self.calls = calls }

    /// The answer to a line, without a line feed; `nil` if it needs none.
    ///
    /// - Throws: ``ModelContextChild/ClientGone`` alone.
    func answer(to line: ModelContextLines.Line) throws -> String? {
        guard case .line(let bytes) = line else {
            return printable(error(.badRequest, "The line is longer than 4 MB.", .null))
        }
        let spaces: [UInt8] = [0x20, 0x09, 0x0D]
        if bytes.allSatisfy(spaces.contains) { return nil }
        let message: Node
        do throws(TreeError) {
            message = try Node(jsonBytes: bytes)
        } catch {
            return printable(self.error(.badJSON, "This line is no JSON: \(brief("\(error)", longest: 200))", .null))
        }
        guard case .array(let batch) = message else { return try answer(to: message).map(printable) }
        guard (1...Self.mostBatched).contains(batch.count) else {
            return printable(error(.badRequest, "A batch has 1 to \(Self.mostBatched) messages.", .null))
        }
        var answers: [Node] = []
        for message in batch {
            if let answer = try answer(to: message) { answers.append(answer) }
        }
        return answers.isEmpty ? nil : printable(.array(answers))
    }

    private func answer(to message: Node) throws -> Node? {
        guard case .object = message, message["jsonrpc"] == "2.0" else {
            return error(.badRequest, "A message is an object with \"jsonrpc\": \"2.0\".", .null)
        }
        guard case .string(let method)? = message["method"] else {
            // The server asks nothing, so this is an answer to another.
            if message["result"] != nil || message["error"] != nil { return nil }
            return error(.badRequest, "The message has no method.", .null)
        }
        // Notifications need no answer; there is nothing that a client could change by one.
        guard let id = message["id"] else { return nil }
        switch id {
        case .string, .int, .number: break
        default: return error(.badRequest, "id must be a text or a number.", .null)
        }
        do {
            guard let result = try result(of: method, message["params"] ?? [:]) else {
                return error(.noMethod, "There is no method \(quote(String(method.prefix(80)))).", id)
            }
            return ["jsonrpc": "2.0", "id": id, "result": result]
        } catch let problem as RequestError {
            return error(problem.code, problem.message, id)
        }
    }

    /// The result of a request; `nil` if there is no such method.
    private func result(of method: String, _ parameters: Node) throws -> Node? {
        guard case .object = parameters else {
            throw RequestError(code: .badParameters, message: "params must be an object.")
        }
        switch method {
        case "initialize":
            return greeting(parameters)
        case "ping":
            return [:]
        case "tools/list":
            return ["tools": .array(calls.tools.map(\.node))]
        case "tools/call":
            guard case .string(let name)? = parameters["name"] else {
                throw RequestError(code: .badParameters, message: "params has no name.")
            }
            guard let called = calls.tools.first(where: { $0.name == name }) else {
                let known = calls.tools.map(\.name).joined(separator: ", ")
                let message = "There is no tool \(quote(String(name.prefix(80)))). There are \(known)."
                throw RequestError(code: .badParameters, message: message)
            }
            let arguments = parameters["arguments"] ?? .null
            return try calls.result(of: called, arguments == .null ? [:] : arguments)
        default:
            return nil
        }
    }

    private func greeting(_ parameters: Node) -> Node {
        var version = Self.usualVersion
        if case .string(let wanted)? = parameters["protocolVersion"], Self.versions.contains(wanted) {
            version = wanted
        }
        return [
            "protocolVersion": .string(version),
            "capabilities": ["tools": [:]],
            "serverInfo": ["name": "hindsight", "title": "Hindsight", "version": .string(Tool.version)],
            "instructions": .string(ModelContextTool.instructions),
        ]
    }

    private func error(_ code: ErrorCode, _ message: String, _ id: Node) -> Node {
        ["jsonrpc": "2.0", "id": id, "error": ["code": .int(code.rawValue), "message": .string(message)]]
    }
}
