import HindsightFormat
import HindsightRecording
import HindsightReplay
import HindsightTree

/// An action that cannot run in an experiment, so that it and all before it stay as they were.
struct FixedAction: Answer {
    enum Reason: String, Codable, CaseIterable, Sendable { case unrecorded, travel, undecodable }

    let seq: Int
    let type: String
    let reason: Reason
    /// Why it does not decode.
    var problem: String?

    static let notes = ["seq": "the last action that cannot run", "problem": "why it does not decode"]

    init(_ action: RecordedAction, problem: String? = nil) {
        (seq, type, self.problem) = (action.seq, action.type, problem)
        reason = problem != nil ? .undecodable : action.isTravel ? .travel : .unrecorded
    }

    /// Says why it cannot run.
    var text: String {
        let action = "action \(Quantities.grouped(seq)) \(ValueText.key(type))"
        return switch reason {
        case .unrecorded: "\(action) was not recorded as a value"
        case .travel: "\(action) is time travel"
        case .undecodable: "\(action) does not decode: \(problem ?? "")"
        }
    }
}

/// Finds the last action that does not decode today, in a child process.
struct DecodingTask: AnsweringTask {
    static let name = "decoding"

    let file: String
    /// The position on whose state the actions are to run.
    let base: Recording.Position
    let seqs: [Int]

    var words: [String] { ["log", file] }

    func answer(in tool: Tool) throws -> FixedAction? {
        let recording = try tool.open(file, notesLoss: false)
        let laboratory = try Laboratory(of: recording, by: tool.app(of: recording), from: base)
        laboratory.watch = Isolation.watch
        guard let error = try laboratory.lastUndecodable(of: seqs), let seq = error.seq else { return nil }
        return try FixedAction(recording.action(seq), problem: error.problem)
    }
}
