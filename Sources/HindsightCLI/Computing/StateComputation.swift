import Foundation
import HindsightFormat
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Computes the changes of actions by running the app's reducers in another process, a ``ComputationTask``.
///
/// If a reducer traps, calls `exit` or does not return, that process ends, and the changes before it are kept. The
/// process runs ahead until its pipe is full, and ends with the computation.
final class StateComputation {
    /// Why the computation ended early.
    enum Failure: Equatable {
        /// The app's code ended the process, or did not return in time. The message of a trap is escaped.
        case ended(ReplayPoint, ProcessEnding, message: String?)
        /// Any other failure, as text.
        case failed(String)
    }

    /// The seconds in one reducer after which the computation stops.
    static let maxStepSeconds = 5.0
    /// The seconds to wait until the process begins, enough for a busy machine.
    private static let maxStartTime = Duration.seconds(60)

    /// Why ``next()`` ends early; `nil` if it does not, or that is not known yet.
    private(set) var failure: Failure?
    private let process: Isolation
    private let reducers: Int
    private let stalls: (ReplayPoint, Double) -> Void
    private let begin = SuspendingClock.now
    private var answers: ArraySlice<ArraySlice<UInt8>> = []
    private var isOver = false
    private var pending: (seq: Int, steps: [RecordedStep])?

    /// Starts computing.
    ///
    /// - Parameters:
    ///   - executable: The executable of this tool.
    ///   - start: A position whose state was recorded.
    ///   - end: The position to stop at.
    ///   - stalls: Called repeatedly while a reducer takes long, with its point and the seconds.
    init(
        of recording: Recording,
        by executable: URL,
        from start: Recording.Position,
        to end: Recording.Position,
        stalls: @escaping (ReplayPoint, Double) -> Void
    ) throws {
        self.stalls = stalls
        reducers = recording.reducers.count
        let task = ComputationTask(file: recording.url.path, from: start, to: end)
        // The last point names the reducer that crashed, so that no backtrace is needed.
        process = try Isolation(task, by: executable, errors: nil, traces: false, timingReducers: true)
    }

    deinit { process.end() }

    /// The next action and the changes of its reducers; in the action where the computation stops, only those before.
    ///
    /// - Returns: `nil` at the end; ``failure`` says why.
    func next() -> (seq: Int, steps: [RecordedStep])? {
        while let answer = nextAnswer() {
            if let action = take(answer) { return action }
        }
        defer { pending = nil }
        return pending
    }

    private func take(_ answer: ArraySlice<UInt8>) -> (seq: Int, steps: [RecordedStep])? {
        do {
            switch try Node(jsonBytes: answer) {
            case .array(let parts):
                guard parts.count == 3, case .int(let seq) = parts[0], case .int(let reducer) = parts[1] else {
                    return nil
                }
                let patch = try Patch(node: parts[2])
                if pending?.seq != seq { pending = (seq, []) }
                pending?.steps.append(
                    RecordedStep(reducer: reducer, durationInNanoseconds: 0, patch: patch.isEmpty ? nil : patch)
                )
                guard reducer == reducers else { return nil }
                defer { pending = nil }
                return pending
            case .string(let text): stop(because: text)
            default: break
            }
        } catch {
            stop(because: Messages.lines(of: error).first ?? "")
        }
        return nil
    }

    private func stop(because reason: String) { (failure, isOver, answers) = (.failed(reason), true, []) }

    private func nextAnswer() -> ArraySlice<UInt8>? {
        while answers.isEmpty, !isOver {
            process.wait()
            do {
                let end = try process.advance(timeout: Self.maxStepSeconds, show: { _ in }) { seconds in
                    if seconds > 1, let point = process.progress.point { stalls(point, seconds) }
                }
                answers = process.progress.takeAnswers()[...]
                if let end {
                    isOver = true
                    failure = failure(of: end)
                } else if process.progress.point == nil, SuspendingClock.now - begin > Self.maxStartTime {
                    process.end()
                    stop(because: "the process that computes them does not answer")
                }
            } catch {
                stop(because: Messages.lines(of: error).first ?? "")
            }
        }
        return answers.popFirst()
    }

    /// Why the process has ended; `nil` if it has done all.
    private func failure(of end: Isolation.End) -> Failure? {
        if process.verdict(of: end.ending) != nil { return nil }
        let point = process.progress.point
        switch end.ending {
        // If something outside killed it, no reducer is to blame.
        case .signal(let signal) where point == nil || [SIGKILL, SIGTERM, SIGINT, SIGHUP].contains(signal):
            return .failed("the process that computes them ended with signal \(signal)")
        case .status(let status) where point == nil:
            return .failed("the process that computes them ended with exit code \(status)")
        case .signal, .status, .timeout:
            return point.map { .ended($0, end.ending, message: end.message) }
        }
    }
}

/// Runs an app's reducers over a part of a recording.
///
/// Its answers are the changes of each reducer, `[seq, reducer, patch]`, or a text that says why there are no more.
struct ComputationTask: IsolatedTask {
    static let name = "compute"

    let file: String
    let from: Recording.Position
    let to: Recording.Position

    var words: [String] { ["compute", file, "\(from)", "\(to)"] }

    func run(in tool: Tool, _ replies: ReplyWriter) throws -> ExitCode {
        // Begins a process group, so that the parent can kill forked copies too.
        setpgid(0, 0)
        do {
            replies.beginFile(file)
            let recording = try tool.open(file)
            let replayer = try Replayer(of: recording, by: try tool.app(of: recording), from: from)
            try replayer.requireSameReducers()
            guard replayer.readsRecordedForm else {
                throw Failure(
                    .doesNotFit,
                    "the recorded states have an earlier form than this build's, so computed changes do not apply to them;"
                        + " rewrite it first with \(tool.name) migrate --in-place"
                )
            }
            replayer.watch = Isolation.watch
            while let (seq, step) = try replayer.nextStep(upTo: to) {
                replies.answer(.array([.int(seq), .int(step.reducer), step.patch.node]))
            }
        } catch {
            replies.answer(.string(tool.failure(for: error).lines.first ?? ""))
        }
        return .fine
    }
}
