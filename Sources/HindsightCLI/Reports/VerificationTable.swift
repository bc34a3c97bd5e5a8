import HindsightReplay
import HindsightSupport
import HindsightTree

/// Prints the kinds of differences that a verification found, and what differs at the end.
struct VerificationTable {
    let console: Console

    private static let mostClasses = 20

    func print(_ result: VerificationResult) {
        let classes = result.classes
        let kinds = Quantities.counted(classes.count, "kind")
        let actions = Quantities.counted(result.actions, "action")
        let noun = classes.count == 1 ? "difference" : "differences"
        // The initial state may be the only place.
        let place =
            result.divergedActions == 0 && !classes.isEmpty
            ? "at the initial state" : "in \(Quantities.grouped(result.divergedActions)) of \(actions)"
        console.print("  \(kinds) of \(noun) \(place):")
        let rows = classes.prefix(Self.mostClasses).map(cells)
        let widths = (0..<4).map { column in min(40, rows.map { $0[column].columns }.max() ?? 0) }
        for cells in rows {
            let row = zip(cells, widths).map { $0.padded(to: $1) }.joined(separator: "  ")
            console.print("    \(row)  \(cells[4])", hanging: 6)
        }
        if classes.count > Self.mostClasses {
            console.print("    and \(Quantities.grouped(classes.count - Self.mostClasses)) more; --json has all")
        }
        printEnd(result)
    }

    private func cells(_ one: DivergenceClass) -> [String] {
        let cause = one.cause == .other || one.cause == .initialState ? "" : ", likely \(one.cause.rawValue)"
        return [
            Quantities.grouped(one.count),
            one.actionType.map { brief($0, longest: 40) } ?? "the initial state",
            one.reducerName.map { brief($0, longest: 40) } ?? "-",
            one.path.isRoot ? "(the whole state)" : escape(one.path.description),
            one.actionType == nil ? String(cause.dropFirst(2)) : "first at \(one.example.position)\(cause)",
        ]
    }

    private func printEnd(_ result: VerificationResult) {
        if let last = result.agreements.last {
            console.print("  The replay agreed with the recording again after action \(last).")
        }
        guard let difference = result.finalDifference else { return }
        console.print("  differences at the end, recorded → now:")
        let text = PatchText(style: console.style, width: console.terminal.width - 4, mostLines: 20)
        for line in text.lines(of: difference, base: nil) { console.print("    " + line) }
    }
}
