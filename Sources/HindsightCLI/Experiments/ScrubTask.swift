import Foundation
import HindsightRecording
import HindsightReplay
import HindsightTree

/// What a scrubbing does, for its child processes.
struct ScrubMaterial: Codable {
    let file: String
    /// Patterns of places whose values stay.
    let keep: [String]
    /// Decides the placeholders.
    let seed: UInt64

    /// - Parameter used: Gets the number of each pattern that matches.
    func laboratory(
        of recording: Recording,
        _ tool: Tool,
        noting used: @escaping (Int) -> Void = { _ in }
    ) throws -> ScrubLaboratory {
        let masks = try keep.map { try RedactionMask([$0]) }
        let laboratory = try ScrubLaboratory(
            of: recording,
            by: tool.app(of: recording),
            keeping: { path in
                let matching = masks.indices.filter { masks[$0].hides(path) }
                matching.forEach(used)
                return !matching.isEmpty
            },
            seed: seed
        )
        laboratory.watch = Isolation.watch
        return laboratory
    }
}

/// Tries placeholders for the values of a recording in a child process, until nothing is left to try, or a run ends the
/// process.
struct ScrubTask: FileTask {
    static let name = "scrub"

    /// What the parent learns.
    enum Reply: Codable {
        case prepared(Preparation)
        /// The reducers write the same places.
        case accepted
        case rejected(ScrubLaboratory.Mismatch)
    }

    struct Preparation: Codable {
        let values: [Placeholders.Value]
        /// The number of values that stay because of `--keep`.
        let keptCount: Int
        /// The patterns of `--keep` that match nothing.
        let unused: [String]
        /// The first action in which this build's reducers do not do what was recorded.
        let divergence: Int?
        /// The action in which the recorded process ended.
        let fatal: Int?
    }

    let material: ScrubMaterial
    /// What to try; `nil` to run the actions as they are.
    let search: ScrubSearch?
    /// Whether the action in which the recorded process ended must end this one.
    let crashes: Bool

    var file: String { material.file }
    var words: [String] { ["scrub", file] }

    func answer(in tool: Tool, _ replies: ReplyWriter) throws {
        let recording = try tool.open(file, notesLoss: false)
        var used: Set<Int> = []
        let laboratory = try material.laboratory(of: recording, tool) { used.insert($0) }
        replies.markCrashes()
        let values = laboratory.placeholders.values
        let none = Array(repeating: false, count: values.count)
        if var search {
            _ = try laboratory.run(none, crashing: false)
            while let candidate = search.candidate {
                if let mismatch = try laboratory.run(candidate, crashing: crashes) {
                    search.reject(mismatch)
                    try replies.answer(Reply.rejected(mismatch))
                } else {
                    search.accept()
                    try replies.answer(Reply.accepted)
                }
            }
        } else {
            let result = try tool.verify(recording)
            let preparation = Preparation(
                values: values,
                keptCount: laboratory.placeholders.keptCount,
                unused: material.keep.indices.filter { !used.contains($0) }.map { material.keep[$0] },
                divergence: result.matches ? nil : result.divergence?.action?.seq ?? 0,
                fatal: laboratory.fatalSeq
            )
            try replies.answer(Reply.prepared(preparation))
            _ = try laboratory.run(none, crashing: true)
        }
    }
}

/// Writes the recording with placeholders, in a child process, and verifies it.
struct ScrubbedRecordingTask: AnsweringTask {
    static let name = "scrubbed"

    let material: ScrubMaterial
    let active: [Bool]
    let output: String
    let overwrite: Bool

    var file: String { material.file }
    var words: [String] { ["scrub", file, "-o", output] }

    /// Whether this build's reducers do what the new recording says.
    func answer(in tool: Tool) throws -> Bool {
        TerminationSignal.removeDraftsAtEnd()
        let recording = try tool.open(file, notesLoss: false)
        let app = try tool.app(of: recording)
        return try material.laboratory(of: recording, tool).write(active, to: output, overwrite: overwrite) { written in
            try Verification(of: written, by: app).run().matches
        }
    }
}
