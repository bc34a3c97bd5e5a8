import HindsightSupport
import HindsightTree

/// Formats a change for the message of an issue, one place a line, like a unified diff:
///
/// ```
/// - /cart/total: 12
/// + /cart/total: 13
/// ```
struct PatchLines {
    /// The most lines to show. The rest is counted.
    var maxLines = 20
    /// The number of characters to show of a value.
    var maxValueLength = 120

    func text(of patch: Patch) -> String {
        let lines = patch.operations.flatMap(lines)
        let rest = lines.count - maxLines
        let shown = rest > 0 ? lines.prefix(maxLines) + ["… and \(rest) more lines"] : lines[...]
        return shown.joined(separator: "\n")
    }

    private func lines(of operation: Patch.Operation) -> [String] {
        let path = operation.path
        switch operation {
        case .add(_, let value, _): return [line("+", path, value)]
        case .remove(_, let old, _): return [line("-", path, old)]
        case .replace(_, let old, let new): return [line("-", path, old), line("+", path, new)]
        case .splice(_, let at, let remove, let insert):
            func lines(_ sign: String, _ values: [Node]) -> [String] {
                values.enumerated().map { line(sign, path.appending("\(at + $0)"), $1) }
            }
            return lines("-", remove) + lines("+", insert)
        case .edit(_, let at, let remove, let insert):
            return [("-", remove), ("+", insert)].filter { $1 != .string("") && $1 != .data([]) }.map {
                line($0, path, $1, " at byte \(at)")
            }
        }
    }

    private func line(_ sign: String, _ path: NodePath, _ value: Node, _ place: String = "") -> String {
        "\(sign) \(path.isRoot ? "(the whole state)" : escape(path.description))\(place): \(text(of: value))"
    }

    /// A value as JSON, cut to ``maxValueLength``.
    func text(of value: Node) -> String {
        let text = escape(value.plainJSONLine)
        guard text.count > maxValueLength else { return text }
        return "\(text.prefix(maxValueLength))… (\(text.count - maxValueLength) more characters)"
    }
}
