import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Prints on what else than state and action the reducers depend.
struct ShakeReport: ToolReport {
    let recording: Recording
    let reducers: [String]
    let tool: Tool

    private static let maxFindings = 20

    func print(_ search: ShakeSearch, _ answer: ShakeAnswer) {
        let name = tool.shown(recording)
        if search.findings.isEmpty, search.crashes.isEmpty {
            let word = search.isComplete ? style.good("steady") : "not known"
            console.print("\(word)  \(name)  \(none(search))")
        } else {
            let count = Set(search.findings.map(\.first.reducer)).count
            let depend = Quantities.counted(count, "reducer depends", "reducers depend")
            let isSurvival = search.crashes.allSatisfy(\.isSurvival)
            let ending = isSurvival ? "run through" : "end the process"
            let text =
                count == 0
                ? "the reducers \(ending) under another condition" : "\(depend) on more than state and action"
            console.print("\(style.bad("depends"))  \(name)  \(text)")
        }
        for (finding, shown) in zip(search.findings, answer.findings).prefix(Self.maxFindings) { print(finding, shown) }
        printOthers(search.findings.count - Self.maxFindings, "place", ": --json lists all")
        for crash in search.crashes { print(crash) }
        printLast(search)
        if let first = answer.fixed.first {
            let others = answer.fixed.count - 1
            let more = others > 0 ? "; and \(Quantities.counted(others, "other action"))" : ""
            console.row("not run", first.text + more)
        }
        guard search.actions > 0 || search.interruption != nil else { return }
        if let note = RedactionText.note(recording) { console.row("redacted", note) }
        let tried = search.tried.map(\.name).joined(separator: ", ")
        let count = Quantities.counted(search.actions, "action")
        let time = "\((answer.seconds * 10).rounded() / 10) s"
        if !tried.isEmpty { console.row("tried", "\(count) under each condition, in \(time): \(tried)") }
        if search.isCut {
            console.row("", "a run ends after \(ShakeTask.maxDifferences) differences: mend these, and run it again")
        }
        if let end = search.interruption { console.row("", end.remark) }
        for condition in answer.conditions {
            if let why = condition.untried { console.row("untried", "\(condition.name): \(why)") }
        }
    }

    /// Says what became of the action in which the recorded process ended.
    private func printLast(_ search: ShakeSearch) {
        guard case .crashed(let seq, _) = recording.ending else { return }
        let action = "action \(Quantities.grouped(seq))"
        // Conditions that differ are told of above. Two threads do not run it, and a run that ends early does not reach it.
        let isAlike = search.crashes.isEmpty && search.isComplete && !search.isCut
        let all = isAlike ? "on one thread under each condition" : "with nothing changed"
        switch search.lastAction {
        // Why it does not run stands below.
        case .notRun where search.fixed.last?.seq == seq: break
        case .notRun: console.row("not run", "\(action), which did not end")
        case .survived: console.row("crash", "does not come back: \(action), which did not end, runs through \(all)")
        case .crashed(let site): console.row("crash", "in \(action) the reducers \(site.verb) \(all), as recorded")
        }
    }

    private func none(_ search: ShakeSearch) -> String {
        if search.actions == 0, search.interruption == nil { return "it has no action that could run" }
        let conditions = Quantities.counted(search.tried.count, "condition")
        if search.isComplete {
            return Quantities.counted(search.actions, "action does", "actions do") + " the same under \(conditions)"
        }
        return "no difference was found under the \(conditions) tried so far"
    }

    private func print(_ finding: ShakeSearch.Finding, _ shown: ShakeAnswer.Finding) {
        let conditions = finding.conditions.map(\.name).joined(separator: ", ")
        console.print(
            "  \(style.strong(escape(shown.reducer)))  \(escape(shown.path))  \(conditions)",
            hanging: 4
        )
        let values = [shown.expected, shown.actual].map { value in
            value.map { ActionText(budget: 60).text(of: $0) } ?? "nothing"
        }
        let more = finding.count > 1 ? ", and \(Quantities.counted(finding.count - 1, "more time"))" : ""
        let action = "\(Quantities.grouped(shown.seq)) \(ValueText.key(shown.type))"
        console.print(
            "    action \(action): \(values[0]) → \(values[1])\(more)",
            hanging: 6
        )
        guard finding.isConfirmed else {
            let isOrder = finding.conditions == [.hashing]
            let text =
                "Not confirmed, since time was over"
                + (isOrder ? "." : ": it may depend on the order of a set instead.")
            return console.print("    \(text)", hanging: 4)
        }
        var advice: [String] = []
        for condition in finding.conditions where !advice.contains(condition.advice) { advice.append(condition.advice) }
        // Two sentences are enough.
        for sentence in advice.prefix(2) { console.print("    \(sentence)", hanging: 4) }
    }

    private func print(_ crash: ShakeSearch.Crash) {
        let name = style.strong(crash.condition.name)
        if crash.isSurvival {
            let action = "action \(Quantities.grouped(recording.lastFinished + 1))"
            console.print("  \(name)  the reducers run through \(action), which otherwise ends the process", hanging: 4)
        } else if let site = crash.site, site.point.seq > 0 {
            let reducer = reducers.name(ofReducer: site.point.reducer).map { ", reducer \(escape($0))" } ?? ""
            let action = "action \(Quantities.grouped(site.point.seq))"
            console.print("  \(name)  the reducers \(site.verb) in \(action)\(reducer)", hanging: 4)
        } else {
            console.print("  \(name)  the reducers end the process, or take too long", hanging: 4)
        }
        if let message = crash.site?.message { console.print("    \(message)", hanging: 4) }
        if crash.site?.isKilled == true {
            return console.print("    \(CrashReport.killed)", hanging: 4)
        }
        console.print("    \(crash.condition.advice)", hanging: 4)
    }
}
