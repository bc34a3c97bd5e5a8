import Foundation
import HindsightRecording
import HindsightReplay
import HindsightSupport

/// Runs a recording once as it is, and once under each condition.
final class ShakeSearch {
    /// Steps of one reducer at like places that differ.
    struct Finding {
        /// The first of them.
        let first: ComparedRun.Difference
        /// The number of them under the condition that has the most.
        var count: Int
        var conditions: [ShakeCondition]
        /// Whether it was found with the same states decoded in all runs. If not, the order of sets and dictionaries may
        /// have been another one in the two runs.
        var isConfirmed: Bool
    }

    /// A condition under which the process ends, or does not end where it otherwise does.
    struct Crash {
        let condition: ShakeCondition
        /// Where; `nil` if that is not known.
        let site: CrashSite?
        /// Whether the action in which the recorded process ended runs through under the condition, and under no other.
        var isSurvival = false
    }

    /// What becomes of the action in which the recorded process ended.
    enum LastAction {
        /// There is none, or it cannot run.
        case notRun
        case survived
        case crashed(CrashSite)
    }

    private(set) var findings: [Finding] = []
    private(set) var crashes: [Crash] = []
    /// The same with nothing changed.
    private(set) var lastAction = LastAction.notRun
    /// The actions that do not decode, so that the run goes on from the recorded states after them.
    private(set) var fixed: [FixedAction] = []
    /// The conditions that were tried, in order.
    private(set) var tried: [ShakeCondition] = []
    /// The number of actions that ran.
    private(set) var actions = 0
    /// Whether a run has ended because it had found many differences.
    private(set) var isCut = false
    private(set) var interruption: ExperimentProcess.EarlyEnd?

    /// The file with what the first run has changed.
    private var trace = ""
    /// The steps that differ under some condition.
    private var steps: Set<Int> = []
    /// The steps after which all runs decode the state again.
    private var decodingAfter: [Int] = []

    private let recording: Recording
    private let file: String
    private let process: ExperimentProcess
    private var tool: Tool { process.tool }

    init(_ recording: Recording, in process: ExperimentProcess) {
        (self.recording, self.process) = (recording, process)
        file = recording.url.relativePath
    }

    /// Whether all was tried that can be.
    var isComplete: Bool { tried.count == ShakeCondition.possible.count }

    /// - Throws: ``Failure`` if the recorded actions do not run through without a change, or no process can be started.
    func run() throws {
        defer { tool.console.clearProgress() }
        let folder = try TemporaryFolder(named: "hindsight-shake-")
        defer { folder.remove() }
        trace = folder.path + "/trace"
        try runAll()
        guard interruption == nil, !steps.isEmpty else { return }
        // The runs had other states to decode. Now all decode the same ones, the first one too.
        let first = (findings: findings, crashes: crashes)
        (findings, crashes, tried) = ([], [], [])
        decodingAfter = steps.sorted()
        try runAll()
        guard interruption != nil else { return }
        let kinds = Set(findings.map(\.first.kind))
        findings += first.findings.filter { !kinds.contains($0.first.kind) }
        crashes += first.crashes.filter { !tried.contains($0.condition) }
    }

    private func runAll() throws {
        let crash = try run(nil)
        if let site = crash?.site { throw site.failure(inAction: site.point.seq, of: recording, tool) }
        guard interruption == nil, actions > 0 else { return }
        for condition in ShakeCondition.possible {
            tool.console.progress("\(escape(file)): \(condition.name)")
            for _ in 0..<condition.processes {
                if let crash = try run(condition) {
                    try take(crash)
                    break
                }
                guard interruption == nil else { return }
            }
            tried.append(condition)
        }
    }

    /// The runs with and without a condition that must end in the same way before it is blamed.
    private static let repetitions = 3

    /// Takes a crash, or that there is none, if it comes again under its condition and never without. Otherwise it depends on
    /// the process, or another program has killed that. A hang takes too long to be repeated.
    private func take(_ crash: Crash) throws {
        // What differs from one process to the next differs under all conditions.
        guard !crashes.contains(where: { $0.condition == .process }) else { return }
        for turn in 0..<(crash.site?.ending.isTimeout == true ? 0 : Self.repetitions) {
            // In turn, since what alternates from one process to the next would seem to follow the condition.
            var order = turn.isMultiple(of: 2) ? [.process, crash.condition] : [crash.condition, .process]
            if crash.condition.isRandom { order = [.process, .process] }
            let isSame = try order.allSatisfy { try (run($0) != nil) == ($0 == crash.condition) }
            guard interruption == nil else { return }
            if isSame { continue }
            guard crash.site?.isKilled != true else { return }
            return crashes.append(Crash(condition: .process, site: crash.site, isSurvival: crash.isSurvival))
        }
        crashes.append(crash)
    }

    /// Runs the recording in a new process.
    ///
    /// - Parameter condition: What to change; `nil` for the run that the others are compared with.
    private func run(_ condition: ShakeCondition?) throws -> Crash? {
        interruption = process.interruption
        guard interruption == nil else { return nil }
        var (firsts, hasEnded): ([ComparedRun.Difference], Bool) = ([], false)
        var counts: [Int] = []
        let task = ShakeTask(file: file, condition: condition, trace: trace, decodingAfter: decodingAfter)
        let change = (condition ?? .process).setVariables
        let needsPoint = condition == nil
        var last = LastAction.notRun
        let crash = try process.run(task, isBounded: true, needsPoint: needsPoint, changing: change) {
            (reply: ShakeTask.Reply) in
            switch reply {
            case .found(let difference): firsts.append(difference)
            case .done(let actions, let all, let steps, let isCut, let fixed):
                if isCut { self.isCut = true }
                (counts, hasEnded) = (all, true)
                if condition == nil {
                    (self.actions, self.fixed) = (actions, fixed)
                } else {
                    self.steps.formUnion(steps)
                }
            case .survived: last = .survived
            case .lastIsFixed(let action): fixed.append(action)
            }
        }
        if hasEnded, let site = crash?.site { last = .crashed(site) }
        for (index, first) in firsts.enumerated() {
            if let condition { add(first, counts.indices.contains(index) ? counts[index] : 1, condition) }
        }
        if crash == nil, !hasEnded { interruption = process.interruption }
        guard let condition else {
            // Time may be over in the second pass before it runs again.
            if case .notRun = last {} else { (lastAction, actions) = (last, actions + 1) }
            return hasEnded ? nil : crash.map { Crash(condition: .process, site: $0.site) }
        }
        if hasEnded { return effect(on: last, of: condition) }
        guard let crash else { return nil }
        // The point is that of the first of the two threads.
        return Crash(condition: condition, site: condition == .threads ? nil : crash.site)
    }

    /// What a condition changes of the action in which the recorded process ended; `nil` if nothing.
    private func effect(on last: LastAction, of condition: ShakeCondition) -> Crash? {
        switch (lastAction, last) {
        case (.crashed(let usual), .crashed(let site)):
            usual.isLike(site) ? nil : Crash(condition: condition, site: site)
        case (.survived, .crashed(let site)): Crash(condition: condition, site: site)
        case (.crashed, .survived): Crash(condition: condition, site: nil, isSurvival: true)
        default: nil
        }
    }

    private func add(_ first: ComparedRun.Difference, _ count: Int, _ condition: ShakeCondition) {
        let known = findings.firstIndex { $0.first.kind == first.kind }
        guard let known else {
            let isConfirmed = !decodingAfter.isEmpty
            return findings.append(
                Finding(first: first, count: count, conditions: [condition], isConfirmed: isConfirmed)
            )
        }
        // What differs from one process to the next differs under all conditions.
        guard findings[known].conditions != [.process] else { return }
        // The first difference of all is one of equal states.
        guard findings[known].isConfirmed else { return }
        findings[known].count = max(findings[known].count, count)
        if findings[known].conditions.last != condition { findings[known].conditions.append(condition) }
    }
}

extension ShakeSearch {
    /// What was found, in a sentence, for the failure of another experiment; `nil` if nothing was tried.
    ///
    /// - Parameters:
    ///   - command: The command that tells all, in quotation marks.
    ///   - isLostCrash: Whether the recorded crash does not come back in that experiment.
    ///   - conclusion: What follows if the reducers do the same under each condition.
    func summary(_ command: String, ofLostCrash isLostCrash: Bool, _ conclusion: String) -> String? {
        if isLostCrash, case .crashed(let site) = lastAction {
            let action = "action \(Quantities.grouped(site.point.seq))"
            return "With a clock that stands at each action's time and fixed random numbers, in UTC and the locale C,"
                + " the reducers \(site.verb) in \(action) as recorded: \(command) says on what that depends."
        }
        if let crash = crashes.first {
            let seq = crash.site.flatMap { $0.point.seq > 0 ? $0.point.seq : nil }
            let place = seq.map { " in action \(Quantities.grouped($0))" } ?? ""
            let verb = crash.isSurvival ? "run through the last action" : crash.site?.verb ?? "end the process"
            return "Under another condition (\(crash.condition.name)) they \(verb)\(place): \(command) says more."
        }
        if let finding = findings.first {
            let reducers = tool.reducers(replaying: recording)
            let name = reducers.name(ofReducer: finding.first.reducer).map { escape($0) } ?? "\(finding.first.reducer)"
            let conditions = finding.conditions.map(\.name).joined(separator: ", ")
            let others = Set(findings.map(\.first.reducer)).count - 1
            let more = others > 0 ? ", and \(Quantities.counted(others, "reducer more", "reducers more"))" : ""
            return "The reducer \(name) depends on more than state and action (\(conditions)), at"
                + " \(escape(finding.first.pattern))\(more): \(command) says more."
        }
        if isComplete {
            let conditions = Quantities.counted(tried.count, "condition")
            return "They do the same under \(conditions) that \(command) changes, so \(conclusion)."
        }
        let all = Quantities.counted(ShakeCondition.possible.count, "condition")
        return tried.isEmpty ? nil : "They did the same under \(tried.count) of \(all): \(command) tries all."
    }
}
