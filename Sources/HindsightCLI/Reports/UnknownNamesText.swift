import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

/// Says what an expression names and the recording does not have, and which names are near.
struct UnknownNamesText {
    let names: UnknownNames
    let recording: Recording

    /// Lines for each of the names.
    var remarks: [[String]] {
        get throws {
            try names.paths.map(remark)
                + names.types.map {
                    Self.remark("There is no action of type", $0, try recording.summary().types.map(\.type))
                }
                + names.reducers.map { Self.remark("There is no reducer", $0, recording.reducers) }
                + names.operations.map {
                    Self.remark("There is no kind of operation", $0, Patch.Operation.Kind.allCases.map(\.name))
                } + names.comparisons.map { remark($0, isTrue: false) }
                + names.tautologies.map { remark($0, isTrue: true) }
        }
    }

    private func remark(_ path: NodePath) throws -> [String] {
        var near = NearPaths(to: path)
        near.look(in: try recording.state(at: recording.end))
        if recording.start != recording.end { near.look(in: try recording.state(at: recording.start)) }
        let place = escape(path.description)
        let isWhole = recording.gaps.isEmpty && recording.end.seq == recording.actionCount
        return ["There is nothing at \(place) at any position\(isWhole ? "" : " whose state was recorded")."]
            + near.question
    }

    private func remark(_ comparison: UnknownNames.Comparison, isTrue: Bool) -> [String] {
        let value = ValueText(budget: 40, longestString: 40).text(of: comparison.value)
        let literals = comparison.literals.map { brief($0) }
        let often = isTrue ? "always" : "never"
        let result =
            switch comparison.relation {
            case "in" where literals.count > 1: "is \(often) one of \(literals.joined(separator: ", "))"
            case "between": "is \(often) between \(literals.joined(separator: " and "))"
            case "=", "==", "in": "\(often) \(isTrue ? "differs from" : "equals") \(literals[0])"
            default: "is \(often) \(comparison.relation) \(literals[0])"
            }
        var lines = ["\(comparison.path.description) is \(value), which \(result)."]
        if let advice = advice(comparison) { lines.append(advice) }
        return lines.map { escape($0) }
    }

    /// What to write in place of a comparison with a literal of another kind.
    private func advice(_ comparison: UnknownNames.Comparison) -> String? {
        guard comparison.literals.count == 1, let literal = comparison.literals.first else { return nil }
        let content = literal.hasPrefix("'") ? String(literal.dropFirst().dropLast()) : nil
        let start = "Write \(comparison.path) \(comparison.relation == "in" ? "=" : comparison.relation)"
        switch (comparison.value, content) {
        case (.bool, "true"?), (.bool, "false"?): return "\(start) \(content == "true" ? 1 : 0)"
        case (.int, let content?), (.number, let content?): return Double(content).map { _ in "\(start) \(content)" }
        case (.string, nil): return "\(start) '\(literal)'"
        case (.array, nil): return "For the number of its elements: json_array_length(\(comparison.path))"
        case (.array, _), (.object, _): return "It compares as JSON text."
        default: return nil
        }
    }

    static func remark(_ sentence: String, _ name: String, _ known: [String]) -> [String] {
        let nearest = Suggestion.nearest(to: name, in: known)
        return ["\(sentence) \(brief(name))."] + (nearest.map { ["Did you mean \(escape($0))?"] } ?? [])
    }
}

extension Tool {
    /// Notes on the error stream what an expression names and the recording does not have.
    ///
    /// - Returns: Whether there is something.
    @discardableResult
    func note(_ names: UnknownNames, in recording: Recording) throws -> Bool {
        for lines in try UnknownNamesText(names: names, recording: recording).remarks {
            console.note(lines.joined(separator: "\n  "))
        }
        return !names.isEmpty
    }
}
