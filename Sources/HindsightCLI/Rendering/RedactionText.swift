import HindsightSupport

/// Lists the places that a recording does not show.
enum RedactionText {
    private static let mostPaths = 8

    static func list(_ patterns: [String]) -> String {
        let more = patterns.count - mostPaths
        let shown = patterns.prefix(mostPaths).map { $0.isEmpty ? "(all)" : escape($0) }.joined(separator: ", ")
        return shown + (more > 0 ? " and \(Quantities.grouped(more)) more" : "")
    }
}
