import HindsightSupport
import HindsightTree

/// Prints what has become of the values of a recording.
struct ScrubReport: ToolReport {
    let tool: Tool

    private static let mostValues = 5

    func print(_ answer: ScrubAnswer) {
        let count = Quantities.counted(answer.replaced, "value was", "values were")
        let word = style.good("scrubbed")
        console.print(
            "\(word)  \(escape(answer.output))  \(count) replaced, in \(Quantities.counted(answer.actions, "action"))"
        )
        for kept in answer.kept {
            let place = kept.inAction ? "in actions at \(escape(kept.path))" : "at \(escape(kept.path))"
            let values = kept.values.prefix(Self.mostValues).map {
                ValueText(budget: 40, maxStringLength: 40).text(of: $0)
            }
            let more = kept.values.count > Self.mostValues ? ", … +\(kept.values.count - Self.mostValues)" : ""
            let count = Quantities.counted(kept.values.count, "value")
            console.row("kept", "\(count) \(place): \(values.joined(separator: ", "))\(more)")
            console.row("", reason(kept))
        }
        if answer.kept.isEmpty, answer.keptByPath == 0 {
            console.row("kept", "nothing but 0, 1, -1, truth values, punctuation and names in the app's code")
        }
        if answer.keptByPath > 0 {
            console.row("kept", "\(Quantities.counted(answer.keptByPath, "value")) that --keep names")
        }
        if answer.kept.contains(where: { $0.values.count > Self.mostValues }) {
            console.row("", "--json lists all of them")
        }
        let origins = answer.origins.prefix(Self.mostValues).map { escape($0) }.joined(separator: ", ")
        let more = answer.origins.count > Self.mostValues ? ", …" : ""
        if !origins.isEmpty { console.row("origins", "\(origins)\(more)") }
        if answer.notes > 0 { console.row("left out", Quantities.counted(answer.notes, "note")) }
        let actions = Quantities.counted(answer.actions, "action")
        let end = answer.crashes ? ", and the same crash" : ""
        let runs = Quantities.counted(answer.runs, "run")
        let time = "\((answer.seconds * 10).rounded() / 10) s"
        console.row("proved", "each reducer writes the same paths in \(actions)\(end): \(runs) in \(time)")
    }

    private func reason(_ kept: ScrubAnswer.Kept) -> String {
        let action = kept.seq.map { "action \(Quantities.grouped($0))" } ?? "an action"
        let reducer = kept.reducer.map { escape($0) } ?? "a reducer"
        let reason =
            switch kept.reason {
            case .type: "their type takes only certain values"
            case .reducer: "with others, \(reducer) writes other paths in \(action)"
            case .crash: "with others, \(reducer) ends the process in \(action)"
            case .survival: "with others, \(action) does not end the process as it did"
            case .shape: "there are not enough other values of this shape"
            }
        return kept.untriedAlone ? "not tried one by one, since so many others here must stay: \(reason)" : reason
    }
}
