import HindsightSupport
import Synchronization

/// What a child process does. Its parent sends it as JSON.
protocol IsolatedTask: Codable {
    /// The name by which the child finds the type.
    static var name: String { get }
    /// The task as a command line, for listings of processes. Its paths are those of messages.
    var words: [String] { get }

    /// Does the task, in the child.
    func run(in tool: Tool, _ replies: ReplyWriter) throws -> ExitCode
}

/// A task about one file. Its notes and errors are messages to the parent.
protocol FileTask: IsolatedTask {
    var file: String { get }

    /// Does the task, and gives its answers to `replies`.
    func answer(in tool: Tool, _ replies: ReplyWriter) throws
}

extension FileTask {
    func run(in tool: Tool, _ replies: ReplyWriter) throws -> ExitCode {
        replies.relayMessages(of: tool.console)
        replies.beginFile(file)
        try answer(in: tool, replies)
        replies.endFile()
        return .fine
    }
}

/// A task about one file that has one answer.
protocol AnsweringTask: FileTask {
    associatedtype Answer: Codable

    func answer(in tool: Tool) throws -> Answer
}

extension AnsweringTask {
    func answer(in tool: Tool, _ replies: ReplyWriter) throws { try replies.answer(answer(in: tool)) }
}

/// Runs a command of the tool.
struct CommandTask: IsolatedTask {
    static let name = "command"
    let words: [String]
    /// Whether its notes and errors are messages to the parent, and not text.
    var relays = false

    func run(in tool: Tool, _ replies: ReplyWriter) throws -> ExitCode {
        if relays { replies.relayMessages(of: tool.console) }
        return try tool.dispatch(words)
    }
}

extension ReplyWriter {
    /// Makes the notes and errors of a command messages to the parent.
    func relayMessages(of console: Console) {
        console.relay = message
        Self.relays.store(true, ordering: .relaxed)
    }

    private static let relays = Atomic(false)

    /// Reports an error from another thread; returns whether errors are messages.
    func reportAtOnce(_ lines: [String]) -> Bool {
        guard Self.relays.load(ordering: .relaxed) else { return false }
        message(lines)
        return true
    }
}
