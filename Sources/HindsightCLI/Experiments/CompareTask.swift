import Foundation
import HindsightRecording
import HindsightReplay
import HindsightSupport

/// Runs recordings and writes what each action changes, or compares it with what another build has written. Each of the two
/// builds does it in a child process.
struct CompareTask: IsolatedTask {
    static let name = "compare"

    /// What the parent learns.
    enum Reply: Codable {
        /// The process is a tool that knows this task.
        case ready
        /// A place that an action of a file changes to something else than in the other build.
        case found(ComparedRun.Difference, type: String, reducer: String?)
        /// The actions of a file begin after this one.
        case begun(after: Int)
        /// A file has been run.
        case done(actions: Int, seconds: Double)
        /// A file could not be run.
        case failed(code: Int32, lines: [String])
    }

    let files: [String]
    /// Those of them to run.
    let part: Range<Int>
    /// The folder with what the first build has written: a file for each recording, by its index.
    let folder: String
    let isFirstBuild: Bool

    var words: [String] { ["compare"] + files[part] }

    func run(in tool: Tool, _ replies: ReplyWriter) throws -> ExitCode {
        replies.relayMessages(of: tool.console)
        try replies.answer(Reply.ready)
        ShakeCondition.process.begin()
        replies.markCrashes()
        for index in part {
            let file = files[index]
            replies.beginFile(file)
            do {
                try run(file, trace: "\(folder)/\(index)", tool, replies)
            } catch {
                let failure = tool.failure(for: error)
                try replies.answer(Reply.failed(code: failure.code.rawValue, lines: failure.lines))
            }
            replies.endFile()
        }
        return .fine
    }

    private func run(_ file: String, trace: String, _ tool: Tool, _ replies: ReplyWriter) throws {
        let recording = try tool.open(file, notesLoss: false)
        let app = try tool.app(of: recording)
        let run = try ComparedRun(of: recording, by: app, unit: .action)
        run.watch = StepTrace.watch(of: run, Isolation.watch)
        try replies.answer(Reply.begun(after: recording.start.seq))
        let start = ContinuousClock.now
        let actions: Int
        if isFirstBuild {
            actions = try StepTrace.write(run, to: trace)
        } else if !FileManager.default.fileExists(atPath: trace) {
            // The first build cannot run it.
            actions = try run.run(against: nil)
        } else {
            var lines = try StepTrace.Lines(trace)
            actions = try run.run(against: { lines.next() }) { _ in
            } found: { difference in
                let name = app.reducers.name(ofReducer: difference.reducer)
                try replies.answer(Reply.found(difference, type: run.record?.type ?? "", reducer: name))
            }
        }
        try replies.answer(Reply.done(actions: actions, seconds: (ContinuousClock.now - start) / .seconds(1)))
    }
}
