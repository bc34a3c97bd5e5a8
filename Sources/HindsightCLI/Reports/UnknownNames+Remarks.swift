import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

extension UnknownNames {
    /// Lines for each of the names that an expression has and a recording does not: which one, and which names are near.
    func remarks(in recording: Recording) throws -> [[String]] {
        try paths.map { try remark($0, recording) }
            + types.map { Self.remark("There is no action of type", $0, try recording.summary().types.map(\.type)) }
            + reducers.map { Self.remark("There is no reducer", $0, recording.reducers) }
            + operations.map {
                Self.remark("There is no kind of operation", $0, Patch.Operation.Kind.allCases.map(\.name))
            } + comparisons.map(remark)
    }

    private func remark(_ path: NodePath, _ recording: Recording) throws -> [String] {
        var near = NearPaths(to: path, isPattern: false)
        near.look(in: try recording.state(at: recording.end))
        if recording.start != recording.end { near.look(in: try recording.state(at: recording.start)) }
        let place = escape(path.description)
        let limit = recording.hasAllStates && recording.doubtful.isEmpty ? "" : " whose state is known"
        return ["There is nothing at \(place) at any position\(limit)."] + near.question
    }

    private func remark(_ comparison: Comparison) -> [String] {
        let value = ValueText(budget: 40, maxStringLength: 40).text(of: comparison.value)
        let literals = comparison.literals.map { brief($0) }.joined(separator: ", ")
        let isOne = comparison.literals.count == 1
        let texts = "\(literals) \(isOne ? "is a text" : "are texts")"
        let kinds =
            switch comparison.value {
            case .array, .object: "which compares as its JSON text"
            case .string: "a text; \(literals) \(isOne ? "is a number" : "are numbers")"
            case .bool(let isTrue): "the number \(isTrue ? 1 : 0); \(texts)"
            case .int, .number, .data, .null: "a number; \(texts)"
            }
        let sentence = "At \(comparison.position), \(comparison.path) is \(value), \(kinds)."
        return [sentence, advice(comparison)].compactMap { $0.map { escape($0) } }
    }

    /// How to write a literal of the value's kind.
    private func advice(_ comparison: Comparison) -> String? {
        guard comparison.literals.count == 1, let literal = comparison.literals.first else { return nil }
        let content = literal.hasPrefix("'") ? String(literal.dropFirst().dropLast()) : nil
        switch (comparison.value, content) {
        case (.int, let content?), (.number, let content?):
            return Double(content).map { _ in "A number stands without quotes: \(content)" }
        case (.string, nil): return "A text stands in single quotes: '\(literal)'"
        case (.array, nil): return "For the number of its elements: json_array_length(\(comparison.path))"
        default: return nil
        }
    }

    private static func remark(_ sentence: String, _ name: String, _ known: [String]) -> [String] {
        ["\(sentence) \(brief(name))."] + Suggestion.question(name, in: known)
    }
}

extension Tool {
    /// Notes on the error stream what an expression names and the recording does not have.
    ///
    /// - Returns: Whether there is something that is a mistake. A path may be in a state that was not recorded.
    @discardableResult
    func note(_ names: UnknownNames, in recording: Recording) throws -> Bool {
        for lines in try names.remarks(in: recording) {
            console.note(lines.joined(separator: "\n  "))
        }
        return names.lacksNames || !names.isEmpty && recording.hasAllStates
    }
}
