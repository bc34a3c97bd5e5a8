import HindsightQuery
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Tries shorter lists of a recording's actions in a child process, until nothing is left to try, or a list ends the
/// process.
struct ShrinkTask: FileTask {
    static let name = "shrink"

    /// What the parent learns.
    enum Reply: Codable {
        /// The list ran, and does not do what is wanted.
        case rejected
        /// The list ran, and does what is wanted.
        case accepted
        /// The recorded payloads of the actions that are left.
        case payloads([Int: String])
        /// Whether the state before the last action is the recorded one; `nil` if that is not known. And a place at which
        /// it is another one if the same actions run again.
        case before(isRecorded: Bool?, unsteady: NodePath?)
    }

    let file: String
    /// The position on whose state each list runs.
    let base: Recording.Position
    /// What is to be true after the last action; `nil` if a list is to crash.
    let expression: String?
    let shrinker: LogShrinker
    /// Whether to end after one list.
    let triesOnce: Bool
    /// The last action that finished in the recording, to compare the state after it first; `nil` to compare none.
    var compared: Int?

    var words: [String] { ["shrink", file] }

    func answer(in tool: Tool, _ replies: ReplyWriter) throws {
        let (laboratory, recording) = try Laboratory.begin(on: file, from: base, in: tool, replies)
        let condition = try expression.map {
            try StateExpression(RecordingExpression($0), hiding: recording)
        }
        var shrinker = shrinker
        try laboratory.read(shrinker.best.map(\.seq))
        var compared = compared
        while !shrinker.isDone {
            if shrinker.needsPayloads {
                var payloads: [Int: String] = [:]
                // A part of a placeholder says nothing.
                if recording.redaction.actions.isEmpty {
                    for entry in shrinker.best { payloads[entry.seq] = try laboratory.payload(of: entry.seq)?.json }
                }
                shrinker.learn(payloads)
                try replies.answer(Reply.payloads(payloads))
                continue
            }
            guard let candidate = shrinker.candidate else { break }
            let list = compared.map { end in candidate.filter { $0.seq <= end } } ?? candidate
            // The only call: two crashes in the same place have the same callers.
            let isWanted: Bool
            do {
                isWanted = try Self.run(list, laboratory, condition, recording)
            } catch {
                // Another list than the first may lead to a state that never was, and does not encode.
                if triesOnce { throw error }
                isWanted = false
            }
            if let end = compared {
                compared = nil
                let isRecorded = try laboratory.matches(Recording.Position(seq: end))
                let state = try laboratory.state()
                _ = try laboratory.run(list)
                let again = try laboratory.state()
                let difference = again.isEquivalent(to: state) ? nil : again.firstDifference(from: state)
                try replies.answer(Reply.before(isRecorded: isRecorded, unsteady: difference?.path))
                continue
            }
            if isWanted { shrinker.accept() } else { shrinker.reject() }
            try replies.answer(isWanted ? Reply.accepted : .rejected)
            if triesOnce { break }
        }
    }

    /// Whether a list does what is wanted.
    private static func run(
        _ list: [LogShrinker.Entry],
        _ laboratory: Laboratory,
        _ condition: StateExpression?,
        _ recording: Recording
    ) throws -> Bool {
        guard let condition else {
            _ = try laboratory.run(list)
            return false
        }
        guard let last = list.last else { return false }
        var before = Node.null
        let hasRun = try laboratory.run(list) {
            if condition.expression.readsOldState { before = try laboratory.state() }
        }
        guard hasRun else { return false }
        let action = try recording.action(last.seq)
        let payload = try last.payload.map { try Node(json: $0) } ?? action.payload
        return try condition.truth(of: laboratory.state(), after: before, type: action.type, payload) == .yes
    }
}
