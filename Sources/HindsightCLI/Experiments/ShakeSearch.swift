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

    /// A condition under which the process ends.
    struct Crash {
        let condition: ShakeCondition
        /// Where; `nil` if that is not known.
        let site: CrashSite?
    }

    private(set) var findings: [Finding] = []
    private(set) var crashes: [Crash] = []
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
    var isComplete: Bool { tried.count == ShakeCondition.allCases.count { $0.obstacle == nil } }

    /// - Throws: ``Failure`` if the recorded actions do not run through without a change, or no process can be started.
    func run() throws {
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
        guard interruption != nil else { return }
        for finding in first.0 where !findings.contains(where: { $0.first.kind == finding.first.kind }) {
            findings.append(finding)
        }
        if crashes.isEmpty { crashes = first.1 }
    }

    private func runAll() throws {
        if let site = try run(nil)?.site { throw site.failure(inAction: site.point.seq, of: recording, tool) }
        guard interruption == nil, actions > 0 else { return }
        for condition in ShakeCondition.allCases where condition.obstacle == nil {
            tool.console.progress("\(escape(file)): \(condition.name)")
            for _ in 0..<condition.processes {
                if let crash = try run(condition) {
                    crashes.append(crash)
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
    private func run(_ condition: ShakeCondition?) throws -> Crash? {
        interruption = process.interruption
        guard interruption == nil else { return nil }
        var (firsts, hasEnded): ([ComparedRun.Difference], Bool) = ([], false)
        var counts: [Int] = []
        let task = ShakeTask(file: file, condition: condition, trace: trace, decodingAfter: decodingAfter)
        let change = (condition ?? .process).setVariables
        let needsPoint = condition == nil
        let crash = try process.run(task, isBounded: true, needsPoint: needsPoint, changing: change) {
            (reply: ShakeTask.Reply) in
            switch reply {
            case .found(let difference): firsts.append(difference)
            case .done(let actions, let all, let steps, let isCut):
                if isCut { self.isCut = true }
                (counts, hasEnded) = (all, true)
                if condition == nil { self.actions = actions } else { self.steps.formUnion(steps) }
            }
        }
        for (index, first) in firsts.enumerated() {
            if let condition { add(first, counts.indices.contains(index) ? counts[index] : 1, condition) }
        }
        if crash == nil, !hasEnded { interruption = process.interruption }
        guard let crash else { return nil }
        // The point is that of the first of the two threads.
        return Crash(condition: condition ?? .process, site: condition == .threads ? nil : crash.site)
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
