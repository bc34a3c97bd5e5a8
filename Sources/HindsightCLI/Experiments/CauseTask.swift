import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Leaves actions out, one set after another, in a child process, and answers what is at a place then.
struct CauseTask: FileTask {
    static let name = "cause"

    /// What the parent learns.
    enum Reply: Codable {
        /// What is there if all actions run, and whether the state is the recorded one.
        case whole(value: Node?, isRecorded: Bool?)
        /// What is there without the next set of actions: how far it is from the value with all, or that nothing is there.
        case same
        case other(value: Node, distance: Double)
        case nothing
    }

    let file: String
    /// The position on whose state the actions run.
    let base: Recording.Position
    let seqs: [Int]
    let path: NodePath
    /// Whether to run all actions a second time, to see whether they lead to the same.
    let repeats: Bool
    /// The sets of actions to leave out, as sorted indices.
    let sets: [[Int]]

    var words: [String] { ["cause", file, path.description] }

    func answer(in tool: Tool, _ replies: ReplyWriter) throws {
        let (laboratory, recording) = try Laboratory.begin(on: file, from: base, in: tool, replies)
        let whole = try laboratory.runWhole(seqs)[path]
        let isRecorded = try seqs.last.flatMap { try laboratory.matches(Recording.Position(seq: $0)) }
        let again = repeats ? try laboratory.runWhole(seqs)[path] : whole
        try replies.answer(Reply.whole(value: whole, isRecorded: isRecorded))
        guard case .same = reply(again, whole) else { throw Laboratory.unsteady(at: path, recording, tool) }
        for indices in sets {
            try replies.answer(reply(laboratory.state(without: indices)[path], whole))
        }
    }

    private func reply(_ value: Node?, _ whole: Node?) -> Reply {
        guard let value else { return whole == nil ? .same : .nothing }
        guard let whole else { return .other(value: value, distance: 1) }
        if value.isEquivalent(to: whole) { return .same }
        return .other(value: value, distance: Self.distance(value, whole))
    }

    /// How far two values are apart: the difference of numbers, or the number of operations that lead from one to the
    /// other.
    private static func distance(_ value: Node, _ other: Node) -> Double {
        if let one = value.floatingPoint, let two = other.floatingPoint, one != two, abs(one - two).isFinite {
            return abs(one - two)
        }
        return Double(Patch(from: other, to: value).operations.count)
    }
}
