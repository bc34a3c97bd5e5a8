import HindsightSupport
import HindsightTree

/// Lists the places that a recording does not show.
enum RedactionText {
    private static let maxPaths = 8

    static func list(_ patterns: [String]) -> String {
        Quantities.list(patterns.map { $0.isEmpty ? "(all)" : escape($0) }, most: maxPaths)
    }

    /// Says that the values at a path, or below it, are placeholders.
    static func line(_ path: NodePath) -> String {
        "\(path.shown("The state")) is redacted, or has redacted values: the recording has placeholders in their place."
    }
}
