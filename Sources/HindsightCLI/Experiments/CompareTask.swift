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
        /// A file has been run. If it differed, it runs again on this build's own states.
        case ran(actions: Int, seconds: Double)
        /// Nothing of the file is left to run.
        case done
        /// A file could not be run.
        case failed(code: Int32, lines: [String])
    }

    let files: [String]
    /// Those of them to run.
    let part: Range<Int>
    /// The folder with what the first build has written: a file for each recording, by its index.
    let folder: String
    let isFirstBuild: Bool
    /// Whether the first of them runs on this build's own states only.
    var isFirstAlone = false

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
                let isAlone = isFirstAlone && index == part.lowerBound
                try run(file, trace: isAlone ? nil : "\(folder)/\(index)", tool, replies)
            } catch let error as Unwritten {
                // What the other build does cannot be said then.
                throw error.failure
            } catch {
                let failure = tool.failure(for: error)
                try replies.answer(Reply.failed(code: failure.code.rawValue, lines: failure.lines))
            }
            replies.endFile()
        }
        return .fine
    }

    /// What the first build does could not be written.
    private struct Unwritten: Error {
        let failure: Failure
    }

    /// - Parameter trace: The file with what the first build has written; `nil` to run on this build's own states.
    private func run(_ file: String, trace: String?, _ tool: Tool, _ replies: ReplyWriter) throws {
        let recording = try tool.open(file, notesLoss: false)
        let app = try tool.app(of: recording)
        func makeRun() throws -> ComparedRun {
            let run = try ComparedRun(of: recording, by: app, unit: .action)
            run.watch = StepTrace.watch(of: run, Isolation.watch)
            return run
        }
        let run = try makeRun()
        try replies.answer(Reply.begun(after: recording.start.seq))
        let start = ContinuousClock.now
        let actions: Int
        var differs = false
        if let trace, isFirstBuild {
            do {
                actions = try StepTrace.write(run, to: trace)
            } catch let failure as Failure {
                throw Unwritten(failure: failure)
            }
        } else if let trace, FileManager.default.fileExists(atPath: trace) {
            var lines = try StepTrace.Lines(trace)
            actions = try run.run(against: { lines.next() }) { _ in
            } found: { difference in
                differs = true
                let name = app.reducers.name(ofReducer: difference.reducer)
                try replies.answer(Reply.found(difference, type: run.record?.type ?? "", reducer: name))
            }
        } else {
            // The first build cannot run it, or what it does is known.
            actions = try run.run(against: nil)
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        try replies.answer(Reply.ran(actions: actions, seconds: seconds))
        // A crash may follow from a difference, and the run went on from the other build's states.
        if differs { _ = try makeRun().run(against: nil) }
        try replies.answer(Reply.done)
    }
}
