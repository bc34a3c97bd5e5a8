import Foundation
import HindsightRecording
import HindsightReplay
import HindsightSupport
import Synchronization

/// Runs a recording under a condition, in a child process.
struct ShakeTask: FileTask {
    static let name = "shake"

    /// What the parent learns.
    enum Reply: Codable {
        /// The first difference of its kind.
        case found(ComparedRun.Difference)
        /// All actions have run. `counts` has the number of differences of each kind that was found, in the same order,
        /// and `steps` the numbers of the steps that differ. `isCut` says that a run has ended early, and `fixed` has the
        /// actions that do not decode.
        case done(actions: Int, counts: [Int], steps: [Int], isCut: Bool, fixed: [FixedAction])
        /// The action in which the recorded process ended has run to its end, too.
        case survived
        /// It does not decode.
        case lastIsFixed(FixedAction)
    }

    let file: String
    /// What is changed; `nil` for the run that the others are compared with.
    let condition: ShakeCondition?
    /// The file with what that run has changed: a line a step.
    let trace: String
    /// The steps after which to decode the state again.
    let decodingAfter: [Int]

    var words: [String] { ["shake", file] }

    func answer(in tool: Tool, _ replies: ReplyWriter) throws {
        (condition ?? .process).begin()
        let recording = try tool.open(file, notesLoss: false)
        let app = try tool.app(of: recording)
        replies.markCrashes()
        let differences = Differences { try replies.answer(Reply.found($0)) }
        let watch = Isolation.watch
        var actions = 0
        var run: ComparedRun?
        switch condition {
        case nil:
            run = try makeRun(recording, app, watch)
            if let run { actions = try StepTrace.write(run, to: trace) }
        case .threads?: actions = try runTwice(recording, app, StepTrace.Lines(trace), differences, watch)
        default:
            let lines = try StepTrace.Lines(trace)
            for _ in 0..<(condition == .secondRun ? 2 : 1) {
                run = try makeRun(recording, app, watch)
                if let run { actions = try compare(run, lines, differences) }
            }
        }
        try replies.answer(
            Reply.done(
                actions: actions,
                counts: differences.found.counts,
                steps: differences.found.steps.sorted(),
                isCut: differences.isCut,
                fixed: fixedActions(run, recording)
            )
        )
        guard let run, case .crashed = recording.ending else { return }
        let hasRun: Bool
        do {
            hasRun = try run.runUnfinished()
        } catch {
            // An error there, such as a state that cannot be encoded, does not void the rest.
            if condition == nil, let fixed = try fixedAction(error, recording) {
                try replies.answer(Reply.lastIsFixed(fixed))
            }
            return
        }
        if hasRun { try replies.answer(Reply.survived) }
    }

    /// The actions that do not decode, from the run without a change.
    private func fixedActions(_ run: ComparedRun?, _ recording: Recording) throws -> [FixedAction] {
        guard condition == nil, let run else { return [] }
        return try run.undecodable.compactMap { try fixedAction($0, recording) }
    }

    private func fixedAction(_ error: any Error, _ recording: Recording) throws -> FixedAction? {
        guard let error = error as? RecordingError, error.code == .undecodableAction, let seq = error.seq else {
            return nil
        }
        return FixedAction(try recording.action(seq), problem: error.problem)
    }

    /// The differences in one run at which it ends.
    static let maxDifferences = 500

    private typealias Watch = (ReplayPoint) -> Void

    private func makeRun(_ recording: Recording, _ app: ReplayableApp, _ watch: Watch?) throws -> ComparedRun {
        let run = try ComparedRun(of: recording, by: app)
        run.decodingAfter = decodingAfter[...]
        run.maxDifferences = Self.maxDifferences
        run.watch = StepTrace.watch(of: run, watch)
        return run
    }

    private func compare(_ run: ComparedRun, _ lines: StepTrace.Lines, _ differences: Differences) throws -> Int {
        var lines = lines
        defer { if run.isCut { differences.isCut = true } }
        return try run.run(against: { lines.next() }, found: differences.add)
    }

    /// The actions that two threads run at least, so that both are at work at once.
    private static let leastActions = 300

    /// Runs all actions on two threads at once, again and again if they are few.
    private func runTwice(
        _ recording: Recording,
        _ app: ReplayableApp,
        _ lines: StepTrace.Lines,
        _ differences: Differences,
        _ watch: Watch?
    ) throws -> Int {
        let times = min(20, max(1, Self.leastActions / max(1, recording.actionCount)))
        let found = Mutex<Result<Differences.Found, any Error>>(.success(Differences.Found()))
        let (isReady, start, end) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let file = recording.url
        try BackgroundThread.start { [self] in
            let result = Result {
                let others = Differences { _ in }
                var run: ComparedRun?
                for index in 0..<times {
                    run = try makeRun(Recording(at: file), app, nil)
                    if index == 0 {
                        isReady.signal()
                        start.wait()
                    }
                    if let run { _ = try compare(run, lines, others) }
                }
                return others.found
            }
            found.withLock { $0 = result }
            isReady.signal()
            end.signal()
        }
        var actions = 0
        for index in 0..<times {
            let run = try makeRun(recording, app, watch)
            if index == 0 {
                isReady.wait()
                start.signal()
            }
            actions = try compare(run, lines, differences)
        }
        end.wait()
        try differences.merge(found.withLock { $0 }.get())
        return actions
    }
}

extension ShakeTask {
    /// Counts the differences of each kind: those of one reducer at like places.
    private final class Differences {
        /// What was found.
        struct Found: Sendable {
            /// The first difference of each kind, and the number of them.
            var kinds: [ComparedRun.Difference] = []
            var counts: [Int] = []
            /// The numbers of the steps that differ.
            var steps: Set<Int> = []
        }

        private static let maxKinds = 200

        /// Called with the first difference of each kind.
        private let first: (ComparedRun.Difference) throws -> Void
        private var indices: [ComparedRun.Difference.Kind: Int] = [:]
        private(set) var found = Found()
        /// Whether a run has ended early.
        var isCut = false

        init(_ first: @escaping (ComparedRun.Difference) throws -> Void) { self.first = first }

        func add(_ difference: ComparedRun.Difference) throws { try add(difference, count: 1) }

        /// Adds what another run has found: of a kind that both have, the greater number counts.
        func merge(_ other: Found) throws {
            for (difference, count) in zip(other.kinds, other.counts) {
                if let index = indices[difference.kind] {
                    found.counts[index] = max(found.counts[index], count)
                } else {
                    try add(difference, count: count)
                }
            }
            found.steps.formUnion(other.steps)
        }

        private func add(_ difference: ComparedRun.Difference, count: Int) throws {
            // A run that is repeated finds the same again.
            guard found.steps.insert(difference.step).inserted || indices[difference.kind] == nil else { return }
            if let index = indices[difference.kind] {
                found.counts[index] += count
            } else if found.counts.count < Self.maxKinds {
                indices[difference.kind] = found.counts.count
                found.counts.append(count)
                found.kinds.append(difference)
                try first(difference)
            }
        }
    }
}
