import HindsightFormat
import HindsightRecording
import HindsightSupport
import HindsightTree

/// Prints the pairs of actions whose order matters.
struct RacesReport: ToolReport {
    let recording: Recording
    let tool: Tool
    let within: Double

    private static let maxRaces = 10

    private var limit: String { CrashReport.text(of: within) }

    func print(_ search: RaceSearch, _ answer: RaceAnswer) {
        let name = tool.shown(recording)
        let pairs = Quantities.counted(search.tried, "pair")
        if search.races.isEmpty {
            console.print("\(style.good("no race"))  \(name)  \(none(search, pairs))")
        } else {
            let count = Quantities.counted(search.races.count, "pair leads", "pairs lead")
            console.print("\(style.bad("races"))  \(name)  \(count) to another state in the other order")
        }
        for race in search.races.prefix(Self.maxRaces) { print(race) }
        printOthers(search.races.count - Self.maxRaces, "pair")
        if let fixed = answer.fixed {
            console.row("from", "action \(Quantities.grouped(fixed.seq + 1)) on, since \(fixed.text)")
        }
        guard !search.pairs.isEmpty else { return }
        let time = "\((answer.seconds * 10).rounded() / 10) s"
        let all = search.tried == search.pairs.count ? "" : " of \(Quantities.grouped(search.pairs.count))"
        console.row("tried", "\(pairs)\(all) of neighbouring actions within \(limit) s, in \(time)")
        if let end = search.interruption { console.row("", end.remark) }
    }

    private func none(_ search: RaceSearch, _ pairs: String) -> String {
        if search.seqs.isEmpty { return "there is no action that could run in another order" }
        if search.unknown > 0 {
            let count = Quantities.counted(search.unknown, "action")
            return "none is known: it does not tell which threads dispatched \(count)"
        }
        if search.threads.count < 2 { return "all actions came from one thread" }
        if search.tried < search.pairs.count { return "none was found so far" }
        if search.pairs.isEmpty {
            return "no neighbouring actions of different threads within \(limit) s: --within looks further"
        }
        return "\(pairs) of actions of different threads lead to the same state in both orders"
    }

    private func print(_ race: RaceAnswer.Race) {
        let (first, second) = (race.first, race.second)
        console.print("  \(text(first))", hanging: 4)
        console.print("  \(text(second)), \(Quantities.duration(nanoseconds: race.nanoseconds)) later", hanging: 4)
        if let seq = race.crash {
            let place = seq == first.seq || seq == second.seq ? "in" : "later, in"
            let what = "the reducers crash \(place) action \(Quantities.grouped(seq))"
            console.print("    if \(Quantities.grouped(second.seq)) comes first, \(style.bad(what))", hanging: 6)
        } else if let patch = race.patch {
            console.print("    if \(Quantities.grouped(second.seq)) comes first:")
            console.print(patch, margin: "      ", maxLines: 6)
            console.print("    " + (race.lasts == true ? "The end differs, too." : "The end is the same."))
        }
    }

    private func text(_ action: RaceAnswer.Action) -> String {
        let thread = action.thread == DispatchingThread.main ? "the main thread" : "thread \(action.thread)"
        let shown = ActionText(budget: 60).text(of: action.payload, type: action.type)
        return "\(style.strong("\(Quantities.grouped(action.seq))  \(shown)")) from \(thread)"
    }
}
