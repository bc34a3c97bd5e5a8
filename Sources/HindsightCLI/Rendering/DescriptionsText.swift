import HindsightRecording

/// What a recording with descriptions of types that are not `Codable` is good for.
struct DescriptionsText {
    private let recording: Recording
    private let summary: Recording.Summary

    /// The number of types that are listed.
    private static let most = 5

    init(_ recording: Recording, _ summary: Recording.Summary) {
        (self.recording, self.summary) = (recording, summary)
    }

    /// `nil` if nothing is described.
    var sentence: String? {
        guard !summary.describedTypes.isEmpty || summary.descriptions > 0 else { return nil }
        let hasStates = !recording.typesOfDescribedStates.isEmpty
        let count = Quantities.counted(summary.descriptions, "action")
        let what = hasStates ? "states" + (summary.descriptions > 0 ? " and \(count)" : "") : count
        let replay =
            hasStates
            ? "nothing can be replayed"
            : "no replay runs \(summary.descriptions == 1 ? "it" : "them")"
        let names = summary.describedTypes.prefix(Self.most).map { brief($0.type, longest: 60) }
        let more = summary.describedTypes.count - names.count
        let types = names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
        return "\(what): \(replay)" + (names.isEmpty ? "" : "; not Codable: \(types)")
    }
}
