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

    func laboratory(of recording: Recording, _ tool: Tool) throws -> ScrubLaboratory {
        let mask = try RedactionMask(keep)
        let laboratory = try ScrubLaboratory(
            of: recording,
            by: tool.app(of: recording),
            keeping: { mask.hides($0) },
            seed: seed
        )
        laboratory.watch = Isolation.watch
        return laboratory
    }
}

/// Tries placeholders for the values of a recording in a child process, until nothing is left to try, or a run ends the
/// process.
struct ScrubTask: IsolatedTask {
    static let name = "scrub"

    /// What the parent learns.
    enum Reply: Codable {
        /// The values, and the first action in which this build's reducers do not do what was recorded.
        case prepared(values: [Value], divergence: Int?, comparesNothing: Bool)
        /// The reducers write the same places.
        case accepted
        case rejected(ScrubLaboratory.Mismatch)
    }

    struct Value: Codable {
        let json: String
        let kind: Placeholders.Value.Kind
        let place: Placeholders.Value.Place
        let count: Int
    }

    let material: ScrubMaterial
    /// What to try; `nil` to run the actions as they are.
    let search: ScrubSearch?
    /// Whether the action in which the recorded process ended must end this one.
    let crashes: Bool

    var words: [String] { ["scrub", material.file] }

    func run(in tool: Tool, _ replies: ReplyWriter) throws -> ExitCode {
        replies.relayMessages(of: tool.console)
        replies.beginFile(material.file)
        let recording = try tool.open(material.file, notesLoss: false)
        let laboratory = try material.laboratory(of: recording, tool)
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
            let verification = try Verification(of: recording, by: tool.app(of: recording))
            verification.watch = Isolation.watch
            let result = try verification.run()
            let facts = values.map {
                Value(json: $0.node.json, kind: $0.kind, place: $0.place, count: $0.count)
            }
            try replies.answer(
                Reply.prepared(
                    values: facts,
                    divergence: result.matches ? nil : result.divergence?.action?.seq ?? 0,
                    comparesNothing: result.comparedNothing
                )
            )
            _ = try laboratory.run(none, crashing: true)
        }
        replies.endFile()
        return .fine
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
        try material.laboratory(of: recording, tool).write(active, to: output, overwrite: overwrite)
        let written = try Recording(at: URL(filePath: output))
        let result = try Verification(of: written, by: tool.app(of: written)).run()
        return result.matches
    }
}
