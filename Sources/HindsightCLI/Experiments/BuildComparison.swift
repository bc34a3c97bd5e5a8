import Foundation
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Runs recordings by two builds of a tool.
final class BuildComparison {
    /// The states on which a reducer has ended the process.
    enum States {
        /// Those of both builds.
        case same
        /// Those of this build, after a difference.
        case own
        /// Those of the other build. On its own ones, this build runs through.
        case other
    }

    /// What has become of a file in one build.
    enum Run {
        case ran(actions: Int, seconds: Double)
        /// A reducer has ended the process. The actions begin after `start`.
        case crashed(CrashSite, start: Int, on: States)
        /// It could not be run.
        case failed(ExitCode, String)
    }

    /// Differences of one kind.
    struct Kind: Hashable {
        let type: String
        let pattern: String
    }

    private(set) var old: [Run] = []
    private(set) var new: [Run] = []
    private(set) var kinds: [Kind: CompareAnswer.Kind] = [:]
    /// The indices of the files that have each kind.
    private var seen: [Kind: Set<Int>] = [:]
    /// The indices of the files in which something differs.
    private(set) var differing: Set<Int> = []
    private(set) var interruption: ExperimentProcess.EarlyEnd?

    /// The file that the new build runs on its own states only, since it crashes in it after a difference.
    private var alone: Int?
    /// How it crashes in that file on the states of the old build, if the old build does not crash so.
    private var trapped: Run?

    /// The files whose process was killed; those of the new build as complements.
    private var killed: Set<Int> = []

    private let files: [String]
    private let folder: TemporaryFolder
    private let tool: Tool

    init(_ files: [String], _ tool: Tool) throws {
        (self.files, self.tool) = (files, tool)
        folder = try TemporaryFolder(named: "hindsight-compare-")
    }

    deinit { folder.remove() }

    /// The files that one build runs before the other one does.
    private static let groupCount = 25

    /// - Throws: ``Failure`` if a build does not answer.
    func run(_ processes: (old: ExperimentProcess, new: ExperimentProcess)) throws {
        defer { tool.console.clearProgress() }
        while new.count < files.count {
            let end = min(files.count, new.count + Self.groupCount)
            try run(processes.old, \.old, to: end, isFirst: true)
            if interruption == nil { try run(processes.new, \.new, to: end, isFirst: false) }
            guard interruption == nil else { return }
        }
    }

    private func run(
        _ process: ExperimentProcess,
        _ runs: ReferenceWritableKeyPath<BuildComparison, [Run]>,
        to end: Int,
        isFirst: Bool
    ) throws {
        while self[keyPath: runs].count < end {
            interruption = process.interruption
            guard interruption == nil else { return }
            let first = self[keyPath: runs].count
            var task = CompareTask(files: files, part: first..<end, folder: folder.path, isFirstBuild: isFirst)
            task.isFirstAlone = alone == first
            var (isTool, start) = (false, 0)
            /// The file that has run, and may run again on the build's own states.
            var ran: Run?
            let patience = max(10, process.actionLimit)
            let crash = try process.run(
                task,
                isBounded: true,
                needsPoint: false,
                answersWithin: patience,
                changing: ShakeCondition.process.setVariables
            ) { (reply: CompareTask.Reply) in
                switch reply {
                case .ready: isTool = true
                case .begun(let seq): start = seq
                case .found(let difference, let type, let reducer):
                    let file = self[keyPath: runs].count
                    add(difference, by: reducer, Kind(type: type, pattern: difference.pattern), file)
                case .ran(let actions, let seconds): ran = .ran(actions: actions, seconds: seconds)
                case .done:
                    let isAlone = !isFirst && alone == new.count
                    if let ran { self[keyPath: runs].append(isAlone ? trapped ?? ran : ran) }
                    ran = nil
                case .failed(let code, let lines):
                    ran = nil
                    let text = lines.joined(separator: " ")
                    self[keyPath: runs].append(.failed(ExitCode(rawValue: code), text))
                }
                tool.console.progress("\(new.count) of \(Quantities.counted(files.count, "recording"))")
            }
            if isTool, let crash {
                let file = self[keyPath: runs].count
                // Another program may have killed it: once more, if nothing of the file is counted yet.
                if crash.site.isKilled, !differing.contains(file), killed.insert(isFirst ? file : ~file).inserted {
                    continue
                }
                let isAlone = ran != nil || alone == file
                let run = Run.crashed(crash.site, start: start, on: isAlone ? .own : .same)
                if !isFirst, !isAlone, differing.contains(file) {
                    // The state in which it crashes may be one that only the first build leads to.
                    alone = file
                    trapped = Self.endAlike(old[file], run) ? nil : .crashed(crash.site, start: start, on: .other)
                } else {
                    self[keyPath: runs].append(run)
                }
                continue
            }
            if isTool, self[keyPath: runs].count >= end { return }
            interruption = process.interruption
            guard interruption == nil else { return }
            if isTool { throw Failure(.badFile, "\(process.name) has ended before it ran all recordings.") }
            throw Failure(
                .usage,
                "\(process.name) has run no recording: it is no tool of an app, or one of another version of Hindsight.",
                "A script must start the tool with exec."
            )
        }
    }

    /// The actions that both builds have run in a file.
    func sharedActions(in file: Int) -> Int {
        func count(_ run: Run) -> Int {
            switch run {
            case .ran(let actions, _): actions
            case .crashed(let site, let start, _): max(0, site.point.seq - 1 - start)
            case .failed: 0
            }
        }
        return min(count(old[file]), count(new[file]))
    }

    /// Whether both builds do the same in a file that both run, or crash in alike.
    func isSame(_ file: Int) -> Bool {
        if case .failed = old[file] { return false }
        return !differing.contains(file) && Self.endAlike(old[file], new[file])
    }

    /// Whether two runs of a file end in the same way.
    private static func endAlike(_ old: Run, _ new: Run) -> Bool {
        switch (old, new) {
        case (.ran, .ran), (.failed, .failed): true
        case (.crashed(let old, _, _), .crashed(let new, _, _)): old.isLike(new)
        default: false
        }
    }

    /// The exit code of the files that neither build can read; `nil` if there is none.
    var unreadable: ExitCode? {
        zip(old, new).compactMap { old, new in
            if case .failed(let code, _) = old, case .failed(let other, _) = new { max(code, other) } else { nil }
        }.max()
    }

    private func add(
        _ difference: ComparedRun.Difference,
        by reducer: String?,
        _ kind: Kind,
        _ file: Int
    ) {
        let isNew = seen[kind, default: []].insert(file).inserted
        differing.insert(file)
        let example = CompareAnswer.Example(
            file: files[file],
            seq: difference.seq,
            path: difference.path,
            old: difference.expected,
            new: difference.actual
        )
        let first = CompareAnswer.Kind(type: kind.type, path: kind.pattern, actions: 0, files: 0, example: example)
        kinds[kind, default: first].actions += 1
        if isNew { kinds[kind]?.files += 1 }
        // If the new build does nothing there, no reducer of it is known.
        if kinds[kind]?.reducer == nil { kinds[kind]?.reducer = reducer }
    }

    /// The kinds, the most frequent first.
    var sortedKinds: [CompareAnswer.Kind] {
        // By the number of actions from the most on, then by the names.
        kinds.values.sorted { ($1.actions, $0.path, $0.type) < ($0.actions, $1.path, $1.type) }
    }

    /// The files that at least one of the builds does not run to its end.
    var failed: [CompareAnswer.Failed] {
        zip(old, new).enumerated().compactMap { index, runs in
            let (old, new) = (Self.problem(runs.0), Self.problem(runs.1))
            guard old != nil || new != nil else { return nil }
            let isAlike = Self.endAlike(runs.0, runs.1)
            return CompareAnswer.Failed(file: files[index], alike: isAlike, old: old, new: new)
        }
    }

    private static func problem(_ run: Run) -> String? {
        switch run {
        case .ran: return nil
        case .failed(_, let text): return text
        case .crashed(let site, _, let states):
            let after =
                switch states {
                case .same: ""
                case .own: " (on the states that this build leads to)"
                case .other: " (on the states of the other build, and not on its own)"
                }
            var place = " before the first action"
            if site.point.seq > 0 {
                let reducer = site.point.reducer > 0 ? ", reducer \(site.point.reducer)" : ""
                place = " in action \(Quantities.grouped(site.point.seq))\(reducer)"
                if site.point.phase == .encoding { place += ", while the state after it is encoded" }
            }
            return "its reducers \(site.verb)\(place)\(after)" + (site.message.map { ": \($0)" } ?? "")
        }
    }
}
