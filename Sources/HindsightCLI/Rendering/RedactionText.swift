import HindsightSupport

/// Lists the places that a recording does not show.
enum RedactionText {
    private static let maxPaths = 8

    static func list(_ patterns: [String]) -> String {
        Quantities.list(patterns.map { $0.isEmpty ? "(all)" : escape($0) }, most: maxPaths)
    }
}
