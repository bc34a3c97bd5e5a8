import Foundation
import HindsightSupport

/// Other runs of this tool, for which a user waits: for what needs the app's reducers, which may end their process, and
/// for what reads long, so that it can be stopped.
extension Tool {
    /// Does a task in another process; in this one, if the tool is a part of another program.
    ///
    /// - Parameters:
    ///   - title: What to show meanwhile.
    ///   - isStopped: Whether to stop it.
    /// - Throws: ``Failure`` if it fails, or was stopped.
    func answer<Task: AnsweringTask>(
        to task: Task,
        _ title: String,
        isStopped: () -> Bool
    ) throws -> Task.Answer {
        guard isProcess else { return try task.answer(in: self) }
        let (code, run) = try wait(for: task, title, isStopped)
        guard code == .fine, let answer = run.process.progress.takeAnswers().first else {
            throw Self.failure(code, run.messages)
        }
        return try JSONDecoder().decode(Task.Answer.self, from: Data(answer))
    }

    /// Runs a command in another process; in this one, if the tool is a part of another program.
    ///
    /// - Returns: Its exit code, the lines that it printed, and the lines of its notes and errors.
    /// - Throws: ``Failure`` if it cannot be started, or was stopped.
    func lines(of words: [String], _ title: String, isStopped: () -> Bool) throws
        -> (code: ExitCode, lines: [String], messages: [String])
    {
        let run = try isProcess ? wait(for: CommandTask(words: words, relays: true), title, isStopped) : nil
        let (code, output, messages) =
            run.map { (code: $0.code, output: $0.run.output.read(), messages: $0.run.messages) } ?? captured(words)
        return (code, String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init), messages)
    }

    static func failure(_ code: ExitCode, _ messages: [String]) -> Failure {
        Failure(
            code,
            lines: messages.isEmpty ? ["The child process ended without an answer."] : Array(messages.prefix(6))
        )
    }

    private func wait(
        for task: some IsolatedTask,
        _ title: String,
        _ isStopped: () -> Bool
    ) throws -> (code: ExitCode, run: SupervisedTask) {
        let run = try SupervisedTask(task, of: self, columns: console.terminal.columns, advises: false)
        defer { console.clearProgress() }
        let begin = ContinuousClock.now
        var shownSeconds = 0
        let stopped = Failure(.usage, "Stopped. Nothing has changed.")
        while true {
            run.process.wait()
            do {
                if let end = try run.advance() {
                    // A terminal may have sent the signal to the child, too.
                    if run.process.isAskedToEnd || isStopped() && end.code.rawValue > 128 { throw stopped }
                    if let failed = end.failed { throw failed.failure }
                    return (end.code, run)
                }
            } catch {
                if isStopped() { throw stopped }
                throw error
            }
            if isStopped() { run.process.terminate() }
            let seconds = Int((ContinuousClock.now - begin) / .seconds(1))
            if seconds > shownSeconds {
                console.progress("\(title): \(seconds) s")
                shownSeconds = seconds
            }
        }
    }
}
