import Foundation
import HindsightSupport

/// A task in another process, with what it prints and says: reducers may end their process, expressions may never end,
/// and a user or a client may stop it.
final class SupervisedTask {
    /// The most bytes of messages that are kept.
    private static let maxMessageBytes = 4_000

    private let tool: Tool
    private let words: [String]
    private let executable: URL
    let process: Isolation
    let output: CapturedFile
    private let actionLimit: Double?
    private let advises: Bool
    private var messageBytes = 0
    /// Its notes and errors, and what reducers printed, line by line.
    private(set) var messages: [String] = []

    /// - Parameters:
    ///   - columns: The width that it lays text out for; `nil` for its own choice.
    ///   - actionLimit: The seconds that an action may take.
    ///   - advises: Whether a failure may name an option of the command.
    init(
        _ task: some IsolatedTask,
        of tool: Tool,
        columns: Int? = nil,
        actionLimit: Double? = nil,
        advises: Bool = true
    ) throws {
        (self.tool, words, self.actionLimit, self.advises) = (tool, task.words, actionLimit, advises)
        output = try CapturedFile()
        executable = try Isolation.executable(of: tool.name)
        process = try Isolation(task, by: executable, output: output.descriptor, errors: nil, columns: columns)
    }

    /// Reads what it has written, and enforces the limits.
    ///
    /// - Returns: How it ended; `nil` if it runs. Then its output is complete.
    func advance() throws -> CrashGuard.Conclusion? {
        let end = try process.advance(timeout: actionLimit, show: { add([$0]) }, waiting: { _ in })
        add(process.progress.takeMessages())
        guard let end else { return nil }
        if let verdict = process.verdict(of: end.ending) { return CrashGuard.Conclusion(code: verdict) }
        if process.progress.file != nil, !process.isAskedToEnd {
            return try CrashGuard(tool.capturing().tool, executable).conclude(process, end, words, advises: advises)
        }
        let code: ExitCode =
            switch end.ending {
            case .status(let status): ExitCode(rawValue: status)
            case .signal(let signal): .signal(signal)
            case .timeout: .crash
            }
        return CrashGuard.Conclusion(code: code)
    }

    private func add(_ lines: [String]) {
        for line in lines where messageBytes + line.utf8.count <= Self.maxMessageBytes {
            messageBytes += line.utf8.count
            messages.append(line)
        }
    }
}
