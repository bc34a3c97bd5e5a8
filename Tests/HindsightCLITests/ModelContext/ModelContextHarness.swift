import Foundation
import HindsightTree
import Samples

@testable import HindsightCLI

/// A server over a directory of its own, and a client that calls it in memory.
final class ModelContextHarness {
    private let scratch = Scratch()
    var directory: URL { scratch.directory }
    private let session: ModelContextSession
    private let sent: Sent
    private let tool = ToolHarness()
    private var calls = 0

    /// - Parameter fixtures: The fixtures that are copied into the directory.
    init(_ fixtures: [String] = ["checkout"], allowsWrites: Bool = false) throws {
        for name in fixtures {
            let file = Fixtures.recording(name)
            try FileManager.default.copyItem(at: file, to: scratch.file(file.lastPathComponent))
        }
        let places = try ModelContextPlaces([scratch.directory.path])
        let calls = ModelContextCalls(tool.tool(), places, seconds: 30, allowsWrites: allowsWrites, builds: [])
        let sent = Sent()
        self.sent = sent
        session = ModelContextSession(calls) { sent.messages.append($0) }
    }

    private final class Sent {
        var messages: [String] = []
    }

    func answer(to line: String) -> String? { answer(to: .line(Array(line.utf8))) }

    /// The message that the server sends in answer to a line.
    func answer(to line: ModelContextLines.Line) -> String? {
        sent.messages = []
        session.receive(line)
        return sent.messages.first
    }

    /// The answer to a request.
    func request(_ method: String, _ parameters: Node = [:]) throws -> Node {
        calls += 1
        let message: Node = ["jsonrpc": "2.0", "id": .int(calls), "method": .string(method), "params": parameters]
        let answer = try Node(json: answer(to: message.json) ?? "null")
        guard answer["id"] == .int(calls) else { throw Mismatch() }
        return answer
    }

    /// An answer of a tool.
    struct Answer {
        let text: String
        let node: Node
        let isError: Bool

        var recorded: [Node] {
            guard case .array(let lines)? = node["recorded"] else { return [] }
            return lines
        }
        var fragment: String? {
            guard case .string(let text)? = node["fragment"] else { return nil }
            return text
        }
        var next: Node? {
            guard let next = node["hindsight"]?["next"], next != .null else { return nil }
            return next
        }
        var outcome: Node? { node["hindsight"]?["outcome"] }
    }

    func call(_ name: String, _ arguments: Node = [:]) throws -> Answer {
        let result = try request("tools/call", ["name": .string(name), "arguments": arguments])["result"]
        guard case .string(let text)? = result?["content"]?[0]?["text"], case .bool(let isError)? = result?["isError"]
        else { throw Mismatch() }
        return Answer(text: text, node: try Node(json: text), isError: isError)
    }

    /// All pages of an answer.
    func pages(_ name: String, _ arguments: [Node.Member]) throws -> [Answer] {
        var pages = [try call(name, .object(arguments))]
        while let next = pages[pages.count - 1].next, pages.count < 2_000 {
            pages.append(try call(name, .object(arguments + [Node.Member("cursor", next)])))
        }
        return pages
    }

    /// What a command prints with `--json`.
    func printed(_ words: String...) -> [String] {
        let harness = ToolHarness()
        _ = harness.run(words)
        return harness.text.split(separator: "\n").map(String.init)
    }

    struct Mismatch: Error {}
}
