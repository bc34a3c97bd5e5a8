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
                + names.comparisons.map(remark)
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

    private func remark(_ comparison: UnknownNames.Comparison) -> [String] {
        let value = ValueText(budget: 40, longestString: 40).text(of: comparison.value)
        var lines = [
            "\(escape(comparison.path.description)) is \(value), which never equals \(brief(comparison.literal))."
        ]
        let content = comparison.literal.hasPrefix("'") ? comparison.literal.dropFirst().dropLast() : nil
        switch (comparison.value, content) {
        case (.bool, "true"?), (.bool, "false"?):
            lines.append("Write \(comparison.path) = \(content == "true" ? 1 : 0)")
        case (.int, let content?), (.number, let content?):
            if Double(content) != nil { lines.append("Write \(comparison.path) = \(content)") }
        case (.string, nil): lines.append("Write \(comparison.path) = '\(comparison.literal)'")
        default: break
        }
        return lines.map { escape($0) }
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
