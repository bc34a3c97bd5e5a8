import Foundation
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Finds the actions without which a place would have another value, by leaving each of them out.
final class CauseSearch {
    /// What becomes of the place without an action, or without two, and how far the other value is from the present one.
    typealias Effect = (answer: CauseAnswer.Effect, distance: Double)

    private let recording: Recording
    private let process: ExperimentProcess
    private let path: NodePath
    private let base: Recording.Position
    private let seqs: [Int]
    private var tool: Tool { process.tool }

    /// The value that this build's reducers lead to; `nil` if nothing is there.
    private(set) var value: Node?
    /// Whether they lead to the recorded state; `nil` if that is not known.
    private(set) var isStateRecorded: Bool?
    /// The actions that have an effect, the greatest first.
    private(set) var effects: [Effect] = []
    /// Two actions each without an effect that have one together.
    private(set) var pairs: [Effect] = []
    /// The number of runs without one action, and without two.
    private(set) var singleRuns = 0
    private(set) var pairRuns = 0
    /// The number of pairs that might have an effect, of which some may be left out.
    private(set) var pairCount = 0
    /// Why not all was tried; `nil` if it was.
    private(set) var interruption: ExperimentProcess.EarlyEnd?

    /// The most actions that changed the place of which pairs are tried, and the most pairs.
    static let (maxPaired, maxPairs) = (5, 1000)

    /// - Parameters:
    ///   - seqs: The actions, in order.
    ///   - base: The position on whose state they run.
    init(
        _ recording: Recording,
        _ path: NodePath,
        from base: Recording.Position,
        _ seqs: [Int],
        in process: ExperimentProcess
    ) {
        (self.recording, self.path, self.base, self.seqs, self.process) = (recording, path, base, seqs, process)
    }

    /// Leaves out each action. Then it leaves out the last of those that changed the place and have no effect alone,
    /// together with each other action that has none: one that would have done the same changed nothing.
    ///
    /// - Parameter writers: The actions that changed the place, or something around or inside it. They come first.
    /// - Throws: ``Failure`` if the actions do not run through, or no process can be started.
    func run(writers: [Int]) throws {
        defer { tool.console.clearProgress() }
        let isWriter = Set(writers)
        // Later ones first: they are more often the cause, and cheaper to try.
        let indices = seqs.indices.reversed()
        let order = indices.filter { isWriter.contains(seqs[$0]) } + indices.filter { !isWriter.contains(seqs[$0]) }
        var ineffective: [Int] = []
        // Several processes are compared with each other.
        if workerCount(for: order.count) == 1 { try runWhole() }
        guard interruption == nil else { return }
        try tryAll(order.map { [$0] }) { left, effect in
            singleRuns += 1
            if let effect { effects.append(effect) } else { ineffective.append(left[0]) }
        }
        effects = sorted(effects, isWriter)
        guard interruption == nil else { return }
        // In the order of the first pass: what changed the place comes first, and later ones before earlier ones.
        let paired = ineffective.prefix(Self.maxPaired).filter { isWriter.contains(seqs[$0]) }
        let sets = ineffective.indices.flatMap { number in
            // What runs before the second of two is the same for pairs with the same first one.
            paired.prefix(number).sorted().map { [$0, ineffective[number]].sorted() }
        }
        pairCount = sets.count
        try tryAll(Array(sets.prefix(Self.maxPairs))) { _, effect in
            pairRuns += 1
            if let effect { pairs.append(effect) }
        }
        pairs = sorted(pairs, isWriter)
    }

    /// Another value comes before nothing at all: what made the place is seldom what one asks for. Then the larger
    /// difference, what changed the place itself, and the later action.
    private func sorted(_ effects: [Effect], _ isWriter: Set<Int>) -> [Effect] {
        func rank(_ effect: Effect) -> (Int, Double, Int, Int) {
            let seq = effect.answer.actions[0].seq
            let writes = isWriter.contains(seq) ? 0 : 1
            return switch effect.answer.without {
            case .other: (0, -effect.distance, writes, -seq)
            case .nothing: (1, 0, writes, -seq)
            case .crash: (2, 0, writes, -seq)
            }
        }
        return effects.sorted { rank($0) < rank($1) }
    }

    /// Takes what all actions lead to in a process.
    ///
    /// - Throws: ``Failure`` if it is nothing, or not the same as in an earlier process, in which hash seeds and addresses
    ///   were others.
    private func take(_ value: Node?, _ isRecorded: Bool?) throws {
        if let known = self.value, value.map({ !known.isEquivalent(to: $0) }) ?? true {
            throw Laboratory.unsteady(at: path, recording, tool)
        }
        guard value != nil else {
            let end = seqs.last.map { " after \($0)" } ?? ""
            throw Failure(
                .usage,
                "There is nothing at \(escape(path.description))\(end): the reducers of this build lead to no value there.",
                "\(tool.name) jump \(tool.quoted(recording)) \(seqs.last ?? 0) shows the state."
            )
        }
        (self.value, isStateRecorded) = (value, isRecorded)
    }

    /// Runs all actions once in a process of their own.
    private func runWhole() throws {
        var (isDone, wasStopped) = (false, false)
        try process.run(at: 1) { _ in
            isDone ? nil : task([])
        } reply: { (_, reply: CauseTask.Reply) in
            if case .whole(let value, let isRecorded) = reply { try take(value, isRecorded) }
        } ended: { _, end in
            switch end {
            case .done: isDone = true
            case .crash(let site): throw failure(site)
            case .stopped(let signal):
                // Another program may have stopped it: once more.
                if wasStopped { interruption = .stopped(signal) }
                wasStopped = true
            }
            return interruption == nil
        }
        interruption = interruption ?? (isDone ? nil : process.interruption)
    }

    private func failure(_ site: CrashSite) -> Failure {
        site.failure(inAction: seqs[site.point.seq - 1], of: recording, tool)
    }

    /// The fewest sets for a process, which runs all actions twice first.
    private static let leastSets = 50
    /// The sets in a row that one process tries, so that those with the same first action stay together.
    private static let rowCount = 25

    /// Tries sets of actions in several processes, and in more if some end in crashes.
    private func tryAll(_ sets: [[Int]], _ found: ([Int], Effect?) throws -> Void) throws {
        let most = workerCount(for: sets.count)
        /// The sets that each process has to try, by their indices.
        var left = Array(repeating: ArraySlice<Int>(), count: most)
        for index in sets.indices { left[index / Self.rowCount % most].append(index) }
        /// What each set does that was tried.
        var effects: [Int: Effect?] = [:]
        /// The sets whose process was stopped, and the complements of those before which all actions ran meanwhile.
        var stopped: Set<Int> = []
        /// Whether the present process of each worker has run all actions.
        var hasRun = Array(repeating: false, count: most)
        func effect(_ index: Int, _ kind: CauseAnswer.Kind, _ value: Node? = nil, _ distance: Double = 0) throws
            -> Effect
        {
            let actions = try sets[index].map { try recording.action(seqs[$0]) }.map { action in
                CauseAnswer.Action(seq: action.seq, type: action.type, payload: action.payload)
            }
            return (answer: CauseAnswer.Effect(actions: actions, without: kind, value: value), distance: distance)
        }
        try process.run(at: most) { (worker) -> CauseTask? in
            hasRun[worker] = false
            return left[worker].isEmpty ? nil : task(left[worker].map { sets[$0] })
        } reply: { (worker, reply: CauseTask.Reply) in
            if case .whole(let value, let isRecorded) = reply {
                hasRun[worker] = true
                return try take(value, isRecorded)
            }
            guard let index = left[worker].popFirst() else { return }
            switch reply {
            case .whole, .same: effects[index] = .some(nil)
            case .nothing: effects[index] = try effect(index, .nothing)
            case .other(let value, let distance): effects[index] = try effect(index, .other, value, distance)
            }
            tool.console.progress("\(Quantities.grouped(effects.count)) of \(Quantities.grouped(sets.count)) tried")
        } ended: { worker, end in
            guard let index = left[worker].first else { return true }
            switch end {
            case .done: return true
            case .crash(let site): guard hasRun[worker] else { throw failure(site) }
            case .stopped(let signal):
                // Another program may have stopped it: once more.
                if stopped.insert(hasRun[worker] ? index : ~index).inserted { return true }
                // The system kills a process that takes too much memory.
                guard signal == SIGKILL, hasRun[worker] else {
                    interruption = .stopped(signal)
                    return false
                }
            }
            left[worker].removeFirst()
            effects[index] = try effect(index, .crash)
            return true
        }
        if effects.count < sets.count { interruption = interruption ?? process.interruption }
        for index in sets.indices { if let effect = effects[index] { try found(sets[index], effect) } }
    }

    private func workerCount(for setCount: Int) -> Int {
        max(1, min(ProcessInfo.processInfo.activeProcessorCount, setCount / Self.leastSets))
    }

    private func task(_ sets: [[Int]]) -> CauseTask {
        CauseTask(
            file: recording.url.relativePath,
            base: base,
            seqs: seqs,
            path: path,
            repeats: value == nil,
            sets: sets
        )
    }
}
