import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Finds the first action in which today's reducers part from a recording, and how many before it must run.
struct DivergenceShrinkTask: AnsweringTask {
    static let name = "diverge"

    struct Found: Codable {
        let divergence: ShrinkAnswer.Divergence
        /// The actions that must run, beginning on the recorded state before them.
        let actions: ClosedRange<Int>
        let attempts: Int
        /// Whether the reducer leads to another value when it runs again.
        let isUnsteady: Bool
    }

    let file: String

    var words: [String] { ["shrink", file, "--until", "diverge"] }

    /// `nil` if there is no divergence.
    func answer(in tool: Tool) throws -> Found? {
        let recording = try tool.open(file, notesLoss: false)
        guard let whole = try divergence(of: recording, VerificationOptions(), tool) else { return nil }
        guard whole.seq > recording.start.seq else {
            throw Failure(
                .doesNotFit,
                "\(tool.shown(recording)) diverges before its first action: this build reads its first state as another one."
            )
        }
        var attempts = 1
        var isUnsteady = false
        func parts(in count: Int) throws -> Bool {
            let start = Recording.Position(seq: whole.seq - count)
            // On a state that is not known, nothing can be said.
            guard recording.absence(at: start) == nil, recording.doubtfulStates(at: start) == nil else { return false }
            var options = VerificationOptions()
            options.start = VerificationStart(after: start.seq)
            options.end = Recording.Position(seq: whole.seq)
            attempts += 1
            let found = try divergence(of: recording, options, tool)
            if count == 1, let found, found.path == whole.path, found.got != whole.got { isUnsteady = true }
            return found?.seq == whole.seq && found?.reducer == whole.reducer && found?.path == whole.path
        }
        let all = whole.seq - recording.start.seq
        // A pure reducer gives the same on the recorded state. Otherwise it has kept something from earlier actions.
        var count = min(1, all)
        if all == 1 { _ = try parts(in: 1) }
        while count < all, try !parts(in: count) { count = min(all, count * 2) }
        var tooFew = count / 2
        while count - tooFew > 1 {
            let middle = tooFew + (count - tooFew) / 2
            if try parts(in: middle) { count = middle } else { tooFew = middle }
        }
        // The first attempt had one action.
        return Found(
            divergence: whole,
            actions: whole.seq - max(0, count - 1)...whole.seq,
            attempts: attempts,
            isUnsteady: isUnsteady && count == 1
        )
    }

    private func divergence(
        of recording: Recording,
        _ options: VerificationOptions,
        _ tool: Tool
    ) throws -> ShrinkAnswer.Divergence? {
        let result = try tool.verify(recording, options)
        guard !result.comparedNothing else {
            let reason = result.emptiness.map { ", because \($0)" } ?? ""
            throw Failure(.nothingCompared, "Nothing of \(tool.shown(recording)) was compared\(reason).")
        }
        guard let found = result.divergence else { return nil }
        return ShrinkAnswer.Divergence(
            seq: found.seq,
            reducer: found.reducer,
            name: found.reducerName,
            path: found.path,
            expected: found.expected,
            got: found.actual
        )
    }
}
