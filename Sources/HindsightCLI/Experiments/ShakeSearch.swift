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
    }

    /// A condition under which the process ends.
    struct Crash {
        let condition: ShakeCondition
        let site: CrashSite
    }

    private(set) var findings: [Finding] = []
    private(set) var crashes: [Crash] = []
    /// The conditions that were tried, in order.
    private(set) var tried: [ShakeCondition] = []
    /// The number of actions that ran.
    private(set) var actions = 0
    private(set) var interruption: ExperimentProcess.EarlyEnd?

    /// The file with what the first run has changed.
    private var trace = ""
    /// The steps that differ under some condition.
    private var steps: Set<Int> = []
    /// The steps after which all runs decode the state again.
    private var decodingAfter: [Int] = []

    private let file: String
    private let process: ExperimentProcess
    private let tool: Tool

    init(_ recording: Recording, in process: ExperimentProcess, _ tool: Tool) {
        (file, self.process, self.tool) = (recording.url.relativePath, process, tool)
    }

    /// Whether all was tried that can be.
    var isComplete: Bool { tried.count == ShakeCondition.allCases.count { $0.obstacle == nil } }

    /// - Throws: ``Failure`` if the recorded actions do not run through without a change, or no process can be started.
    func run() throws {
        TerminationSignal.observe(unlessIgnored: true)
        defer { tool.console.clearProgress() }
        let folder = try TemporaryFolder(named: "hindsight-shake-")
        defer { folder.remove() }
        trace = folder.path + "/trace"
        try runAll()
        guard interruption == nil, !steps.isEmpty else { return }
        // The runs had other states to decode. Now all decode the same ones, the first one too.
        let first = (findings, crashes, tried)
        (findings, crashes, tried) = ([], [], [])
        decodingAfter = steps.sorted()
        try runAll()
        if interruption != nil { (findings, crashes, tried) = first }
    }

    private func runAll() throws {
        if let crash = try run(nil) {
            throw Failure(
                .crash,
                "\(tool.shown(process.recording)): the app's reducers end the process in action"
                    + " \(Quantities.grouped(crash.point.seq)) when they run the recorded actions.",
                "\(tool.name) shrink \(tool.quoted(process.recording)) finds what it takes."
            )
        }
        guard interruption == nil, actions > 0 else { return }
        for condition in ShakeCondition.allCases where condition.obstacle == nil {
            tool.console.progress("\(escape(file)): \(condition.name)")
            for _ in 0..<condition.processes {
                if let crash = try run(condition) {
                    crashes.append(Crash(condition: condition, site: crash))
                    break
                }
                guard interruption == nil else { return }
            }
            tried.append(condition)
        }
    }

    /// Runs the recording in a new process.
    ///
    /// - Parameter condition: What to change; `nil` for the run that the others are compared with.
    private func run(_ condition: ShakeCondition?) throws -> CrashSite? {
        interruption = process.interruption
        guard interruption == nil else { return nil }
        var (kinds, hasEnded): ([ComparedRun.Difference], Bool) = ([], false)
        var counts: [Int] = []
        let task = ShakeTask(file: file, condition: condition, trace: trace, decodingAfter: decodingAfter)
        let (keepsOthers, changes) = (condition ?? .process).environment
        let crash = try process.run(task, isBounded: true) { environment in
            if !keepsOthers { environment = environment.filter { ShakeCondition.kept.contains($0.key) } }
            for (name, value) in changes { environment[name] = value }
        } _: { (reply: ShakeTask.Reply) in
            switch reply {
            case .found(let difference): kinds.append(difference)
            case .done(let actions, let all, let steps):
                (counts, hasEnded) = (all, true)
                if condition == nil { self.actions = actions } else { self.steps.formUnion(steps) }
            }
        }
        for (index, kind) in kinds.enumerated() {
            if let condition { add(kind, counts.indices.contains(index) ? counts[index] : 1, condition) }
        }
        if crash == nil, !hasEnded { interruption = process.interruption }
        return crash?.site
    }

    private func add(_ kind: ComparedRun.Difference, _ count: Int, _ condition: ShakeCondition) {
        let known = findings.firstIndex { $0.first.reducer == kind.reducer && $0.first.pattern == kind.pattern }
        guard let known else {
            return findings.append(Finding(first: kind, count: count, conditions: [condition]))
        }
        // What differs from one process to the next differs under all conditions.
        guard findings[known].conditions != [.process] else { return }
        findings[known].count = max(findings[known].count, count)
        if findings[known].conditions.last != condition { findings[known].conditions.append(condition) }
    }
}
