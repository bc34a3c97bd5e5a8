import Foundation
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Runs recordings by two builds of a tool.
final class BuildComparison {
    /// What has become of a file in one build.
    enum Run {
        case ran(actions: Int, seconds: Double)
        /// It could not be run, or a reducer has ended the process.
        case failed(String)
    }

    /// Differences of one kind.
    struct Kind: Hashable {
        let type: String
        let pattern: String
    }

    private(set) var old: [Run] = []
    private(set) var new: [Run] = []
    private(set) var kinds: [Kind: CompareAnswer.Kind] = [:]
    /// The indices of the files in which something differs.
    private(set) var differing: Set<Int> = []
    private(set) var interruption: ExperimentProcess.EarlyEnd?

    private let files: [String]
    private let folder: TemporaryFolder
    private let tool: Tool

    init(_ files: [String], _ tool: Tool) throws {
        (self.files, self.tool) = (files, tool)
        folder = try TemporaryFolder(named: "hindsight-compare-")
    }

    deinit { folder.remove() }

    /// - Throws: ``Failure`` if a build does not answer.
    func run(_ processes: (old: ExperimentProcess, new: ExperimentProcess)) throws {
        TerminationSignal.observe(unlessIgnored: true)
        defer { tool.console.clearProgress() }
        old = try run(processes.old, isFirst: true)
        if interruption == nil { new = try run(processes.new, isFirst: false) }
    }

    private func run(_ process: ExperimentProcess, isFirst: Bool) throws -> [Run] {
        var runs: [Run] = []
        while runs.count < files.count {
            interruption = process.interruption
            guard interruption == nil else { return runs }
            let task = CompareTask(files: files, first: runs.count, folder: folder.path, isFirstBuild: isFirst)
            let (_, changes) = ShakeCondition.process.environment
            var isTool = false
            let crash = try process.run(task, isBounded: true, needsPoint: false) { environment in
                for (name, value) in changes { environment[name] = value }
            } _: { (reply: CompareTask.Reply) in
                switch reply {
                case .ready: isTool = true
                case .found(let difference, let type, let reducer):
                    try add(difference, by: reducer, Kind(type: type, pattern: difference.pattern), runs.count)
                case .done(let actions, let seconds): runs.append(.ran(actions: actions, seconds: seconds))
                case .failed(let lines): runs.append(.failed(lines.joined(separator: " ")))
                }
                let word = isFirst ? "old" : "new"
                tool.console.progress("\(word) build: \(runs.count) of \(Quantities.counted(files.count, "recording"))")
            }
            if !isTool {
                interruption = process.interruption
                guard interruption == nil else { return runs }
                throw Failure(
                    .usage,
                    "\(process.name) has run no recording: it is no tool of an app, or one of another version of Hindsight."
                )
            }
            if let crash {
                let (point, verb) = (crash.site.point, crash.site.verb)
                let place =
                    point.seq > 0 ? " in action \(point.seq), reducer \(point.reducer)" : " before the first action"
                let message = crash.site.message.map { ": \($0)" } ?? ""
                runs.append(.failed("its reducers \(verb)\(place)\(message)"))
            } else if runs.count < files.count {
                interruption = process.interruption
                guard interruption == nil else { return runs }
                throw Failure(.badFile, "\(process.name) has ended before it ran all recordings.")
            }
        }
        return runs
    }

    private func add(
        _ difference: ComparedRun.Difference,
        by reducer: String?,
        _ kind: Kind,
        _ file: Int
    ) throws {
        let isNew = !(seen[kind]?.contains(file) ?? false)
        seen[kind, default: []].insert(file)
        differing.insert(file)
        if var known = kinds[kind] {
            known.actions += 1
            if isNew { known.files += 1 }
            // If the new build does nothing there, no reducer of it is known.
            known.reducer = known.reducer ?? reducer
            kinds[kind] = known
        } else {
            let example = CompareAnswer.Example(
                file: files[file],
                seq: difference.seq,
                path: difference.path,
                old: try difference.expected.map { try Node(json: $0) },
                new: try difference.actual.map { try Node(json: $0) }
            )
            kinds[kind] = CompareAnswer.Kind(
                type: kind.type,
                reducer: reducer,
                path: kind.pattern,
                actions: 1,
                files: 1,
                example: example
            )
        }
    }

    private var seen: [Kind: Set<Int>] = [:]

    /// The kinds, the most frequent first.
    var sortedKinds: [CompareAnswer.Kind] {
        kinds.values.sorted { ($1.actions, $0.path, $0.type) < ($0.actions, $1.path, $1.type) }
    }

    /// The files that only one of the builds, or neither, runs to the end. If both fail alike, nothing differs.
    var failed: [CompareAnswer.Failed] {
        zip(old, new).enumerated().compactMap { index, runs in
            func problem(_ run: Run) -> String? {
                if case .failed(let text) = run { text } else { nil }
            }
            let (old, new) = (problem(runs.0), problem(runs.1))
            return old == nil && new == nil ? nil : CompareAnswer.Failed(file: files[index], old: old, new: new)
        }
    }
}
