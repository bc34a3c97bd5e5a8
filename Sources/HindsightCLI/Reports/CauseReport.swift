import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Prints the actions that a value depends on.
struct CauseReport: ToolReport {
    let recording: Recording
    let tool: Tool
    let path: NodePath
    let position: Recording.Position
    let fixed: FixedAction?

    private static let maxCauses = 12
    private static let maxPairs = 5

    private var value: ValueText { ValueText(budget: 50, maxStringLength: 50) }

    /// - Parameter recorded: The recorded value at the place.
    func answer(_ search: CauseSearch, recorded: Node?, of count: Int, seconds: Double) -> CauseAnswer {
        CauseAnswer(
            file: recording.url.relativePath,
            path: path,
            position: "\(position)",
            value: search.value ?? (search.isStateRecorded == nil && search.singleRuns == 0 ? recorded : nil),
            stateIsRecorded: search.isStateRecorded,
            fixed: fixed,
            causes: search.effects.map(\.answer),
            pairs: search.pairs.map(\.answer),
            of: count,
            tried: search.singleRuns,
            triedPairs: search.pairRuns,
            complete: search.singleRuns == count,
            seconds: seconds
        )
    }

    /// - Parameter canSkip: Whether `whatif` can leave out an action. Asked when all else is printed.
    func print(_ answer: CauseAnswer, _ search: CauseSearch, canSkip: @autoclosure () -> Bool) {
        // What was recorded there may be another value.
        let subject = answer.stateIsRecorded == false ? "with this build's reducers, " : ""
        let place = style.strong(path.isRoot ? "the state" : escape(path.description))
        let name = subject + place
        let present = answer.value.map { value.text(of: $0) } ?? "nothing"
        let others = answer.causes.dropFirst()
        if let first = answer.causes.first {
            console.print(
                "\(name) is \(style.strong(present)) because of action \(text(first)): without it,"
                    + " \(consequence(first, answer.value))"
            )
        } else if let pair = answer.pairs.first {
            console.print(
                "\(name) is \(style.strong(present)) because of two actions. Without either of them it is the same;"
                    + " without both, \(consequence(pair, answer.value))"
            )
        } else if answer.tried == 0, answer.of > 0 {
            console.print("It is not known which actions \(place) needs: none of them was left out.")
        } else {
            let all = answer.complete ? "no single action" : "none of the actions that were tried"
            let end =
                answer.of == 0
                ? "and there is no action before it that could be left out" : "and \(all) is needed for that"
            console.print("\(name) is \(style.strong(present)), \(end).")
        }
        for effect in others.prefix(Self.maxCauses) {
            console.print("  without \(text(effect)): \(consequence(effect, answer.value))", hanging: 4)
        }
        printOthers(others.count - Self.maxCauses, "action", " with an effect")
        for pair in answer.pairs.prefix(Self.maxPairs) {
            let both = pair.actions.map { text($0) }.joined(separator: " and ")
            console.print("  without both \(both): \(consequence(pair, answer.value))", hanging: 4)
        }
        printOthers(answer.pairs.count - Self.maxPairs, "pair", " with an effect")
        printTried(answer, search)
        if let first = answer.causes.first?.actions.first, canSkip() {
            console.row("next", "\(tool.name) whatif \(tool.quoted(recording)) --skip \(first.seq)", hangs: false)
        }
    }

    private func printTried(_ answer: CauseAnswer, _ search: CauseSearch) {
        let single = Quantities.counted(answer.tried, "action")
        let all = answer.complete ? "" : " of \(Quantities.grouped(answer.of))"
        let allPairs = search.pairCount > answer.triedPairs ? " of \(Quantities.grouped(search.pairCount))" : ""
        let pairs = answer.triedPairs == 0 ? "" : ", and \(Quantities.counted(answer.triedPairs, "pair"))\(allPairs)"
        let time = "\((answer.seconds * 10).rounded() / 10) s"
        let idle = answer.tried - answer.causes.count
        console.row("tried", "\(single)\(all)\(pairs) in \(time); \(Quantities.grouped(idle)) had no effect alone")
        if let end = search.interruption { console.row("", end.remark) }
        if let note = RedactionText.note(recording) { console.row("redacted", note) }
        if let fixed {
            console.row("from", "the recorded state after \(Quantities.grouped(fixed.seq)), since \(fixed.text)")
        }
        if recording.absence(at: position) != nil {
            console.row(
                "",
                "the state after \(Quantities.grouped(position.seq)) was not recorded: this build's reducers compute it"
            )
        }
        if answer.stateIsRecorded == false {
            console.row("", "this build's reducers lead to another state than the recorded one: 'verify' says where")
        }
    }

    private func text(_ effect: CauseAnswer.Effect) -> String {
        effect.actions.map { text($0) }.joined(separator: ", ")
    }

    private func text(_ action: CauseAnswer.Action) -> String {
        let shown = ActionText(budget: 60).text(of: action.payload, type: action.type)
        return "\(Quantities.grouped(action.seq)) \(shown)"
    }

    /// - Parameter present: The value with all actions.
    private func consequence(_ effect: CauseAnswer.Effect, _ present: Node?) -> String {
        switch effect.without {
        case .other:
            guard let other = effect.value else { return "it would be another value." }
            // Long values may differ where their texts are cut.
            if let present, let first = value.hiddenDifference(present, other) {
                let place = NodePath(path.components + first.path.components)
                let there = first.right == nil ? "gone" : value.texts(of: first.left, first.right).1
                return "\(escape(place.description)) would be \(style.added(there))."
            }
            return "it would be \(style.added(value.texts(of: present, other).1))."
        case .nothing: return "nothing would be there."
        case .crash: return "the reducers would not run through."
        }
    }
}
