import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Runs pairs of neighbouring actions in both orders, in a child process.
struct RaceTask: FileTask {
    static let name = "race"

    /// What the parent learns, first that the recorded actions run through, then of each pair.
    enum Reply: Codable {
        case ready
        /// Both orders lead to the same state.
        case same
        /// They do not: what the other order changes there, and whether the end is another, too.
        case other(Patch, lasts: Bool)
    }

    let file: String
    /// The position on whose state the actions run.
    let base: Recording.Position
    let seqs: [Int]
    /// The index of the first action of each pair, in order.
    let pairs: [Int]
    /// The pair in which the process is to begin.
    let first: Int
    /// Patterns of places that do not count.
    let ignored: [String]

    var words: [String] { ["races", file] }

    func answer(in tool: Tool, _ replies: ReplyWriter) throws {
        let (laboratory, recording) = try Laboratory.begin(on: file, from: base, in: tool, replies)
        let mask = try RedactionMask([], exact: ignored)
        func runAll() throws -> Node {
            try laboratory.begin(seqs)
            for index in seqs.indices { laboratory.run(index) }
            return try mask.masked(laboratory.state())
        }
        let (end, again) = (try runAll(), try runAll())
        if let difference = end.firstDifference(from: again), !end.isEquivalent(to: again) {
            let advice = "--ignore PATH leaves out a place that may differ."
            throw Laboratory.unsteady(at: difference.path, recording, tool, advice)
        }
        try replies.answer(Reply.ready)
        try laboratory.begin(seqs)
        var done = 0
        for pair in pairs[first...] {
            while done < pair {
                laboratory.run(done)
                done += 1
            }
            let before = try laboratory.keep()
            // Both orders run on a copy of class instances.
            try laboratory.restore(before)
            laboratory.run(pair + 1)
            laboratory.run(pair)
            let swapped = try (state: mask.masked(laboratory.state()), kept: laboratory.keep())
            try laboratory.restore(before)
            laboratory.run(pair)
            laboratory.run(pair + 1)
            let recorded = try mask.masked(laboratory.state())
            guard !swapped.state.isEquivalent(to: recorded) else {
                // The next pair may begin with the second action.
                try laboratory.restore(before)
                try replies.answer(Reply.same)
                continue
            }
            try laboratory.restore(swapped.kept)
            for index in seqs.indices[(pair + 2)...] { laboratory.run(index) }
            let lasts = try !mask.masked(laboratory.state()).isEquivalent(to: end)
            try laboratory.restore(before)
            try replies.answer(Reply.other(Patch(from: recorded, to: swapped.state), lasts: lasts))
        }
    }
}
