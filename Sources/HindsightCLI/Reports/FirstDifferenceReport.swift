import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

/// What `part` prints.
struct FirstDifferenceReport: ToolReport {
    let left: Recording
    let right: Recording
    let result: FirstDifferenceResult
    let tool: Tool

    // MARK: Text

    func print() {
        guard let firstDifference = result.firstDifference else {
            console.print(same)
            for line in remarks { console.print(line) }
            return
        }
        console.print(style.strong(headline(firstDifference)))
        printActions(firstDifference)
        printEffects(firstDifference)
        for line in parents(firstDifference) { console.print(line) }
        for line in remarks { console.print(line) }
        console.print("")
        console.print("Next: \(next(firstDifference))")
    }

    private var names: String { "\(tool.shown(left)) and \(tool.shown(right))" }

    private var same: String {
        guard let compared = result.compared else { return "\(names) do not part: they have no actions." }
        return "\(names) do not part: \(Quantities.actions(compared)) are the same in both."
    }

    private func headline(_ firstDifference: FirstDifference) -> String {
        if firstDifference.differences == [.start] { return "\(names) part at the start: their first states differ." }
        if let possible = firstDifference.possible {
            return
                "\(names) part in one of the \(Quantities.actions(possible)): the state after \(firstDifference.seq) differs."
        }
        let words = firstDifference.differences.map { difference in
            switch difference {
            case .start: "the state before differs"
            case .action: "it is another action"
            case .effect: "its effect differs" + reducer(firstDifference)
            case .time: "it comes at another time"
            case .end: end(firstDifference)
            }
        }
        return "\(names) part at action \(firstDifference.seq): \(words.joined(separator: ", and "))."
    }

    private func reducer(_ firstDifference: FirstDifference) -> String {
        guard let number = firstDifference.reducer, let name = left.name(ofReducer: number) else { return "" }
        return " in \(brief(name)) (\(firstDifference.seq).\(number))"
    }

    private func end(_ firstDifference: FirstDifference) -> String {
        let (ended, other) = firstDifference.left.action?.duration == nil ? (left, right) : (right, left)
        if firstDifference.left.action != nil, firstDifference.right.action != nil {
            return "\(tool.shown(ended)) ends in it, and \(tool.shown(other)) goes on"
        }
        return "\(tool.shown(ended)) ends before it, and \(tool.shown(other)) goes on"
    }

    private func printActions(_ firstDifference: FirstDifference) {
        console.print("")
        let count = max(left.actionCount, right.actionCount)
        func show(_ mark: String, _ action: RecordedAction, _ steps: [RecordedStep], of recording: Recording) {
            let isKnown = recording.absence(ofChangesIn: action.seq) == nil
            let line = ActionLine(of: recording, count: count, style: style, width: max(40, console.terminal.width - 2))
            let text = line.text(of: action, changes: isKnown ? ChangedPaths(steps.compactMap(\.patch)) : nil)
            console.print("\(mark) \(text)", hanging: line.indentation + 2)
        }
        for (action, steps) in result.common { show(" ", action, steps, of: left) }
        if let action = firstDifference.left.action { show("-", action, firstDifference.left.steps, of: left) }
        if let action = firstDifference.right.action { show("+", action, firstDifference.right.steps, of: right) }
    }

    private func printEffects(_ firstDifference: FirstDifference) {
        guard let patch = firstDifference.patch else { return }
        console.print("")
        let place =
            firstDifference.differences == [.start] ? "at \(firstDifference.seq)" : "after \(firstDifference.seq)"
        console.print("The state \(place), in \(tool.shown(left)) → in \(tool.shown(right)):")
        console.print(patch, margin: "  ")
    }

    /// What led to the action: its parents, if it has some.
    private func parents(_ firstDifference: FirstDifference) -> [String] {
        var lines: [String] = []
        for (side, recording) in [(firstDifference.left, left), (firstDifference.right, right)] {
            guard let action = side.action, let parent = side.parents.first else { continue }
            let chain = side.parents.map { "\($0.seq) \(brief($0.type))" }.joined(separator: ", which answers ")
            let origin = action.origin.map { ", dispatched at \(brief($0))" } ?? ""
            let first = side.parents.last?.origin.map { ", dispatched at \(brief($0))" } ?? ""
            lines.append(
                "In \(tool.shown(recording)), \(action.seq)\(origin) answers \(chain)\(parent.seq > 0 ? first : "")."
            )
        }
        return lines.isEmpty ? [] : [""] + lines
    }

    private var remarks: [String] {
        var lines: [String] = []
        if result.unknownEffects > 0 {
            let count = Quantities.counted(result.unknownEffects, "action")
            lines.append(
                "\(style.bad("Not known:")) the effects of \(count), which one of the recordings does not have."
            )
        }
        if !result.hasSameReducers {
            lines.append(style.faint("Their reducers differ, so effects are compared after each action as a whole."))
        }
        return lines.isEmpty ? [] : [""] + lines
    }

    /// A command to go on with.
    private func next(_ firstDifference: FirstDifference) -> String {
        let seq = firstDifference.seq
        if firstDifference.patch != nil {
            return "\(tool.name) diff \(tool.quoted(left)):\(seq) \(tool.quoted(right)):\(seq)"
        }
        let recording = firstDifference.left.action == nil ? right : left
        return "\(tool.name) show \(tool.quoted(recording)) \(seq)"
    }
}
