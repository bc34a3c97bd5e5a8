import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

/// Lists the places that a recording does not show.
enum RedactionText {
    private static let maxPaths = 8

    static func list(_ patterns: [String]) -> String {
        Quantities.list(patterns.map { $0.isEmpty ? "(all)" : escape($0) }, most: maxPaths)
    }
}

extension Tool {
    /// Notes that a recording has placeholders at a path, or below it, which do not tell whether a value changes.
    func noteRedacted(_ path: NodePath, in recording: Recording) throws {
        for path in try recording.redacted([path]) { console.note(ExpressionReport.lineAboutRedacted(path)) }
    }
}
