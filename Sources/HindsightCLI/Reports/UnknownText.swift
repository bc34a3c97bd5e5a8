import HindsightFormat
import HindsightRecording
import HindsightSupport
import HindsightTree

/// The remarks that `log` and `tail` print after their lines if not all changes were recorded.
struct UnknownText {
    let reader: StateReader
    let filter: LogFilter
    let tool: Tool

    /// Lines for people.
    var lines: [String] {
        let style = tool.console.style
        var lines: [String] = []
        if reader.showsComputed {
            lines.append(style.faint(ActionLine.computedMark + ActionLine.computedNote(for: reader.recording)))
        }
        for states in reader.shownDoubts.prefix(5) {
            let text = reader.recording.clause(about: states)
            lines.append(style.bad(ActionLine.doubtMark) + "Doubtful: \(text).")
        }
        return lines
            + groups.map { runs, reason in
                let what = filter.path.map { "whether \(Self.list(runs)) changed \(escape($0.description))" }
                let sentence = "\(what ?? "what \(Self.list(runs)) changed"); \(reason.cause(in: reader.recording))"
                return "\(style.bad("Not known:")) \(sentence). \(reason.remedy(in: reader.recording, tool))"
            }
    }

    /// A line for programs for each reason.
    var json: [String] {
        reader.shownDoubts.map { states in
            printable(answer: Joined(EventName(event: "doubtful"), DoubtFacts(states: states)))
        }
            + groups.map { runs, reason in
                let facts = UnknownFacts(UnknownActions(actions: runs), reason.facts(in: reader.recording, tool))
                return printable(answer: Joined(EventName(event: "unknown"), facts))
            }
    }

    /// The ranges of actions by reason.
    private var groups: [(runs: [ClosedRange<Int>], reason: UnknownReason)] {
        var groups: [(runs: [ClosedRange<Int>], reason: UnknownReason)] = []
        for changes in reader.unknown {
            // The line about the end of the process says it already.
            if case .unfinished = changes.reason.absence, filter.path == nil { continue }
            if let index = groups.firstIndex(where: { $0.reason.isSame(as: changes.reason) }) {
                groups[index].runs.append(changes.actions)
            } else {
                groups.append(([changes.actions], changes.reason))
            }
        }
        return groups
    }

    /// Says that changes in some actions were not recorded one by one, as a clause.
    static func changes(in runs: [ClosedRange<Int>]) -> String {
        "each change in \(list(runs)), because states there were left out or are doubtful"
    }

    /// `actions 3 to 5, 8 to 9`
    static func list(_ runs: [ClosedRange<Int>]) -> String {
        let isOne = runs.count == 1 && runs[0].count == 1
        return (isOne ? "action " : "actions ") + Quantities.list(runs.map(Quantities.range), most: 5, "run")
    }
}

/// A line of `log` about doubtful states.
struct DoubtFacts: Answer {
    let states: DoubtfulStates
}

/// A line of `log` about changes that are not known.
typealias UnknownFacts = Joined<UnknownActions, UnknownReason.Facts>

struct UnknownActions: Answer {
    let actions: [ClosedRange<Int>]
}

extension Tool {
    /// Prints a note if some of the states from one position to another are doubtful.
    func noteDoubt(in recording: Recording, from first: Recording.Position, to last: Recording.Position) {
        guard recording.hasDoubtfulStates(from: first, to: last) else { return }
        console.note(
            "Some of the states from \(first) to \(last) are doubtful: they may have been different, and so may the "
                + "answer. 'info' lists them."
        )
    }
}
