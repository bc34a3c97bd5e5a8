import HindsightRecording
import HindsightSupport
import HindsightTree

/// Lists the places that a recording does not show.
enum RedactionText {
    private static let maxPaths = 8

    static func list(_ patterns: [String]) -> String {
        Quantities.list(patterns.map { $0.isEmpty ? "(all)" : escape($0) }, most: maxPaths)
    }

    /// Says that reducers run on placeholders; `nil` if nothing is redacted.
    static func note(_ recording: Recording) -> String? {
        let redaction = recording.redaction
        let places = (redaction.states + redaction.actions).reduce(into: [String]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        return places.isEmpty ? nil : "the reducers run on placeholders for \(list(places))"
    }

    /// Says that the values at a path, or below it, are placeholders.
    static func line(_ path: NodePath) -> String {
        "\(path.shown("The state")) is redacted, or has redacted values: the recording has placeholders in their place."
    }
}
