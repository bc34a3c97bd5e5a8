import Foundation
import HindsightFormat
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// The child process of a ``StateComputation``: runs an app's reducers over a part of a recording and prints their
/// changes.
///
/// It is called as `TOOL @compute FILE FROM TO`, which is not documented for users. It prints a line before it runs any
/// of the app's code and one after each reducer, so that its parent knows which reducer ended it or does not return:
///
/// | line | says |
/// |---|---|
/// | `r 11 2 1` | reducer 2 of action 11 is about to run: a ``ReplayPoint`` and its phase |
/// | `p 11 2 […]` | the changes of that reducer, a patch as JSON |
/// | `e "…"` | the error that ended the computation, a JSON string |
/// | `.` | all has run |
enum StateWorker {
    static let word = "@compute"

    static func run(_ words: [String], in tool: Tool) throws -> ExitCode {
        guard tool.isProcess, words.count == 3, let from = Recording.Position(words[1]),
            let to = Recording.Position(words[2])
        else {
            throw UsageError(nil, .unknownCommand(word, known: []))
        }
        // The parent holds the other end of the input and writes nothing.
        Descriptor.onEndOfInput { _exit(ExitCode.fine.rawValue) }
        process = getpid()
        // Begins a process group, so that the parent can kill forked copies too.
        setpgid(0, 0)
        let output = tool.console.output
        do {
            let recording = try tool.open(words[0])
            let replayer = try Replayer(of: recording, by: try tool.app(of: recording), from: from)
            try replayer.requireSameReducers()
            guard replayer.readsRecordedForm else {
                throw Failure(
                    .doesNotFit,
                    "the recorded states have an earlier form than this build's, so computed changes do not apply to them;"
                        + " rewrite it first with \(tool.name) migrate --in-place"
                )
            }
            replayer.watch = { announce($0, output) }
            while output.isOpen, let (seq, step) = try replayer.nextStep(upTo: to) {
                endCopy()
                output.writeLine("p \(seq) \(step.reducer) \(step.patch.json)")
            }
            output.writeLine(".")
        } catch {
            let failure = tool.failure(for: error)
            output.writeLine("e \(Node.string(failure.lines.first ?? "").json)")
        }
        return .fine
    }

    private static func announce(_ point: ReplayPoint, _ output: Output) {
        endCopy()
        output.writeLine("r \(point.seq) \(point.reducer) \(point.phase.rawValue)")
        // The parent must have all lines before the app's code runs, which may end the process.
        output.flush()
    }

    /// The process that was started.
    nonisolated(unsafe) private static var process: pid_t = 0

    /// Ends a forked copy of the process, which would print the same lines again.
    private static func endCopy() {
        if getpid() != process { _exit(ExitCode.fine.rawValue) }
    }
}
