import HindsightRecording

extension Recording {
    /// What a recording with descriptions of types that are not `Codable` is good for; `nil` if nothing is described.
    func sentenceAboutDescriptions(_ summary: Summary) -> String? {
        guard !summary.describedTypes.isEmpty || summary.descriptions > 0 else { return nil }
        let hasStates = !typesOfDescribedStates.isEmpty
        let count = Quantities.counted(summary.descriptions, "action")
        let what = hasStates ? "states" + (summary.descriptions > 0 ? " and \(count)" : "") : count
        let replay =
            hasStates
            ? "nothing can be replayed"
            : "no replay runs \(summary.descriptions == 1 ? "it" : "them")"
        let names = summary.describedTypes.prefix(5).map { brief($0.type, longest: 60) }
        let more = summary.describedTypes.count - names.count
        let types = names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
        return "\(what): \(replay)" + (names.isEmpty ? "" : "; not Codable: \(types)")
    }
}
