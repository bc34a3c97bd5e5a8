import CConditions
import Foundation
import HindsightRecording
import HindsightReplay
import HindsightSupport
import Synchronization

/// Runs a recording under a condition, in a child process.
struct ShakeTask: IsolatedTask {
    static let name = "shake"

    /// What the parent learns.
    enum Reply: Codable {
        /// The first difference of its kind.
        case found(ComparedRun.Difference)
        /// All actions have run. `counts` has the number of differences of each kind that was found, in the same order,
        /// and `steps` the numbers of the steps that differ.
        case done(actions: Int, counts: [Int], steps: [Int])
    }

    let file: String
    /// What is changed; `nil` for the run that the others are compared with.
    let condition: ShakeCondition?
    /// The file with what that run has changed: a line a step.
    let trace: String
    /// The steps after which to decode the state again.
    let decodingAfter: [Int]

    var words: [String] { ["shake", file] }

    func run(in tool: Tool, _ replies: ReplyWriter) throws -> ExitCode {
        replies.relayMessages(of: tool.console)
        replies.beginFile(file)
        (condition ?? .process).begin()
        let recording = try tool.open(file, notesLoss: false)
        let app = try tool.app(of: recording)
        replies.markCrashes()
        let differences = Differences { try replies.answer(Reply.found($0)) }
        let watch = Isolation.watch
        var actions = 0
        if condition == nil {
            actions = try write(recording, app, watch)
        } else {
            let lines = try Lines(trace)
            if condition == .threads {
                actions = try withSecondThread(recording.url, app, lines, differences) {
                    try compare(recording, app, lines, differences, watch)
                }
            } else {
                for _ in 0..<(condition == .secondRun ? 2 : 1) {
                    actions = try compare(recording, app, lines, differences, watch)
                }
            }
        }
        try replies.answer(Reply.done(actions: actions, counts: differences.counts, steps: differences.steps))
        replies.endFile()
        return .fine
    }

    private typealias Watch = (ReplayPoint) -> Void

    private func makeRun(_ recording: Recording, _ app: ReplayableApp, _ watch: Watch?) throws -> ComparedRun {
        let run = try ComparedRun(of: recording, by: app)
        run.decodingAfter = decodingAfter[...]
        run.watch = { [unowned run] point in
            if point.phase != .reducing { hindsight_conditions_end() }
            watch?(point)
            guard point.phase == .reducing else { return }
            hindsight_conditions_begin(
                run.record?.nanosecondsSinceEpoch ?? 0,
                UInt64(truncatingIfNeeded: point.seq << 16 + point.reducer)
            )
        }
        return run
    }

    private func write(_ recording: Recording, _ app: ReplayableApp, _ watch: Watch?) throws -> Int {
        guard let file = fopen(trace, "w") else { throw Self.failure(trace) }
        defer { fclose(file) }
        let actions = try makeRun(recording, app, watch).run(against: nil) { line in
            guard fputs(line + "\n", file) >= 0 else { throw Self.failure(trace) }
        }
        guard fflush(file) == 0 else { throw Self.failure(trace) }
        return actions
    }

    private static func failure(_ path: String) -> Failure {
        Failure(
            .badFile,
            "Could not write what the reducers change to \(escape(path)): \(SystemError.last).",
            "Free space there, or set TMPDIR to another folder."
        )
    }

    private func compare(
        _ recording: Recording,
        _ app: ReplayableApp,
        _ lines: Lines,
        _ differences: Differences,
        _ watch: Watch?
    ) throws -> Int {
        var lines = lines
        return try makeRun(recording, app, watch).run(against: { lines.next() }, found: differences.add)
    }

    /// Runs all actions on a second thread, too, while the body runs them on this one.
    private func withSecondThread(
        _ file: URL,
        _ app: ReplayableApp,
        _ lines: Lines,
        _ differences: Differences,
        _ body: () throws -> Int
    ) throws -> Int {
        let found = Mutex<Result<[ComparedRun.Difference], any Error>>(.success([]))
        let end = DispatchSemaphore(value: 0)
        try BackgroundThread.start { [self] in
            let result = Result {
                let others = Differences { _ in }
                _ = try compare(Recording(at: file), app, lines, others, nil)
                return others.all
            }
            found.withLock { $0 = result }
            end.signal()
        }
        let actions = try body()
        end.wait()
        for difference in try found.withLock({ $0 }).get() { try differences.add(difference) }
        return actions
    }
}

extension ShakeTask {
    /// The lines of a file.
    private struct Lines: IteratorProtocol, Sendable {
        private let bytes: Data
        private var start: Int

        init(_ path: String) throws {
            bytes = try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
            start = bytes.startIndex
        }

        mutating func next() -> String? {
            guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            defer { start = end + 1 }
            return String(decoding: bytes[start..<end], as: UTF8.self)
        }
    }

    /// Counts the differences of each kind: those of one reducer at like places.
    private final class Differences {
        private struct Kind: Hashable {
            let reducer: Int
            let pattern: String
        }

        private static let maxKinds = 200

        /// Called with the first difference of each kind.
        private let first: (ComparedRun.Difference) throws -> Void
        private var indices: [Kind: Int] = [:]
        private(set) var counts: [Int] = []
        private(set) var all: [ComparedRun.Difference] = []
        private(set) var steps: [Int] = []

        init(_ first: @escaping (ComparedRun.Difference) throws -> Void) { self.first = first }

        func add(_ difference: ComparedRun.Difference) throws {
            steps.append(difference.step)
            let kind = Kind(reducer: difference.reducer, pattern: difference.pattern)
            if let index = indices[kind] {
                counts[index] += 1
            } else if counts.count < Self.maxKinds {
                indices[kind] = counts.count
                counts.append(1)
                all.append(difference)
                try first(difference)
            }
        }
    }
}
