import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Finds neighbouring actions of different threads that lead to another state in the other order.
final class RaceSearch {
    /// Two neighbouring actions that different threads dispatched.
    struct Pair {
        let first: RecordedAction
        let second: RecordedAction
        /// The index of the first one in the list of actions.
        let index: Int

        /// From the earlier to the later one: a clock may have been set back between them.
        var nanoseconds: Int64 {
            let times = [first.nanosecondsSinceEpoch, second.nanosecondsSinceEpoch]
            return Quantities.interval(from: times.min() ?? 0, to: times.max() ?? 0)
        }

        /// The pair as one whose order matters.
        var race: RaceAnswer.Race {
            RaceAnswer.Race(first: .init(first), second: .init(second), nanoseconds: nanoseconds)
        }
    }

    /// The pairs within the time.
    private(set) var pairs: [Pair] = []
    /// The number of actions whose threads are not known.
    private(set) var unknown = 0
    private(set) var threads: Set<Int> = []
    private(set) var races: [RaceAnswer.Race] = []
    /// The number of pairs that were tried.
    private(set) var tried = 0
    private(set) var interruption: ExperimentProcess.EarlyEnd?

    /// The position on whose state the actions run.
    let base: Recording.Position
    /// The actions, in order.
    let seqs: [Int]

    private let recording: Recording
    private let process: ExperimentProcess
    private var tool: Tool { process.tool }

    /// Costs reading all actions.
    ///
    /// - Parameters:
    ///   - base: The position on whose state the actions run.
    ///   - seqs: The actions, in order and without a gap.
    ///   - nanoseconds: The most time between the actions of a pair.
    init(
        _ recording: Recording,
        from base: Recording.Position,
        _ seqs: [Int],
        within nanoseconds: Int64,
        in process: ExperimentProcess
    ) throws {
        (self.recording, self.base, self.seqs, self.process) = (recording, base, seqs, process)
        guard let first = seqs.first, let last = seqs.last else { return }
        var entries = try recording.entries(in: first...last, withSteps: false)
        var (index, before): (Int, RecordedAction?) = (0, nil)
        while let (action, _) = try entries.next() {
            defer { (index, before) = (index + 1, action) }
            guard let thread = action.thread else {
                unknown += 1
                continue
            }
            threads.insert(thread.number)
            guard let before, let other = before.thread, other.number != thread.number,
                // A task goes on on another thread, and an answer comes after its question.
                thread.task == nil || thread.task != other.task, action.parent != before.seq
            else { continue }
            let pair = Pair(first: before, second: action, index: index - 1)
            if pair.nanoseconds <= nanoseconds { pairs.append(pair) }
        }
    }

    /// Runs each pair in both orders.
    ///
    /// - Throws: ``Failure`` if the recorded actions do not run through, or no process can be started.
    func run(ignoring ignored: [String]) throws {
        defer { tool.console.clearProgress() }
        while tried < pairs.count {
            interruption = process.interruption
            guard interruption == nil else { return }
            let task = RaceTask(
                file: recording.url.relativePath,
                base: base,
                seqs: seqs,
                pairs: pairs.map(\.index),
                first: tried,
                ignored: ignored
            )
            var replies: [RaceTask.Reply] = []
            let crash = try process.run(task, isBounded: true) { (reply: RaceTask.Reply) in
                replies.append(reply)
                let all = Quantities.counted(pairs.count, "pair")
                tool.console.progress("\(tried + replies.count - 1) of \(all) tried")
            }
            for reply in replies.dropFirst() {
                if case .other(let patch, let lasts) = reply {
                    var race = pairs[tried].race
                    race.patch = patch
                    race.lasts = lasts
                    races.append(race)
                }
                tried += 1
            }
            guard let crash, tried < pairs.count else { continue }
            let number = crash.site.point.seq - 1
            guard !replies.isEmpty else {
                throw crash.site.failure(inAction: seqs[number], of: recording, tool)
            }
            var race = pairs[tried].race
            race.crash = seqs[number]
            races.append(race)
            tried += 1
        }
    }
}
