import HindsightQuery
import HindsightRecording
import HindsightSupport
import HindsightTree

/// Prints what held in recordings, and where rules fail.
struct InvariantsReport: ToolReport {
    let tool: Tool

    /// The most constant places of one object that are listed.
    private static let mostConstants = 3
    private static let mostBroken = 20

    // MARK: Rules found

    func print(_ answer: InvariantsAnswer, least: Int, of files: Int, _ output: String?) {
        let recordings = Quantities.counted(answer.files.count, "recording")
        let all = answer.files.count < files ? " of \(Quantities.grouped(files))" : ""
        guard answer.positions > 0 else {
            console.print("\(style.bad("unknown"))  no state was recorded in \(recordings)")
            return
        }
        let positions = Quantities.counted(answer.positions, "position")
        let count = Quantities.counted(answer.rules.count, "rule")
        let app = answer.app.map { "\(escape($0))  " } ?? ""
        console.print("\(style.good(count))  \(app)held at \(positions) of \(recordings)\(all)")
        let constants = answer.rules.filter { $0.kind == .constant }
        let others = answer.rules.filter { $0.kind != .constant }
        let counts = answer.rules.map { Quantities.grouped($0.checked ?? 0) }
        let table = Table(counts.map { [$0, ""] }, rightAligned: [0])
        for rule in others { print(rule.name, rule.checked, table) }
        if !constants.isEmpty {
            if !others.isEmpty { console.print("") }
            console.print(faint: "always the same")
            printConstants(constants, table)
        }
        if answer.placesLeftOut > 0 {
            console.print(
                faint: "The states have too many places: \(Quantities.grouped(answer.placesLeftOut)) were left out."
            )
        }
        if constants.count > Self.mostConstants {
            console.print(faint: "--json lists all values that are always the same.")
        }
        if answer.rulesLeftOut > 0 {
            let count = Quantities.grouped(answer.rulesLeftOut)
            console.print(faint: "The states have too many values: \(count) rules that compare two were left out.")
        }
        if answer.weaker > 0 {
            let weaker = Quantities.counted(answer.weaker, "more rule")
            let times = Quantities.counted(least, "time")
            console.print(faint: "\(weaker) could have failed less than \(times): --least 1 shows all.")
        }
        if let output {
            console.print(faint: "Written to \(escape(output)). --check \(escape(output)) FILE… checks them.")
        } else if !answer.rules.isEmpty {
            console.print(faint: "-o RULES.json writes them for --check.")
        }
    }

    private func print(_ text: String, _ count: Int?, _ table: Table) {
        console.print("  " + table.line([Quantities.grouped(count ?? 0), escape(text)]), hanging: table.widths[0] + 6)
    }

    /// Few constant places of each object, as configurations have many.
    private func printConstants(_ rules: [Rule], _ table: Table) {
        let groups = rules.grouped { rule in
            let place = rule.places?.first ?? ""
            return String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
        }
        for (parent, rules) in groups {
            for rule in rules.prefix(Self.mostConstants) { print(rule.name, rule.checked, table) }
            let more = rules.count - Self.mostConstants
            guard more > 0 else { continue }
            let place = parent.isEmpty ? "at the top" : "in \(escape(parent))"
            let indent = String(repeating: " ", count: table.widths[0] + 4)
            console.print(faint: "\(indent)and \(Quantities.counted(more, "more value")) \(place)")
        }
    }

    // MARK: Rules checked

    func print(_ answer: RulesAnswer, of recording: Recording) {
        let name = tool.shown(recording)
        let broken = answer.rules.filter { $0.broken > 0 }
        let held = answer.rules.count { $0.broken == 0 && $0.held > 0 }
        let silent = answer.rules.count { $0.broken + $0.held == 0 && $0.failure == nil }
        let count = Quantities.counted(held, "rule holds", "rules hold")
        let verdict =
            !broken.isEmpty ? style.bad("broken") : held > 0 ? style.good("holds") : style.bad("unknown")
        let failed = broken.isEmpty ? "" : "\(Quantities.counted(broken.count, "rule fails", "rules fail")), "
        console.print("\(verdict)  \(name)  \(failed)\(count)")
        for rule in broken.prefix(Self.mostBroken) {
            let more = rule.broken > 1 ? " and at \(Quantities.counted(rule.broken - 1, "more position"))" : ""
            console.print("  \(style.strong(escape(rule.rule)))", hanging: 4)
            console.print("    not at \(rule.first ?? "?")\(more)", hanging: 6)
        }
        printOthers(broken.count - Self.mostBroken, "rule")
        for rule in answer.rules {
            guard let failure = rule.failure else { continue }
            console.print("  \(style.strong(escape(rule.rule)))", hanging: 4)
            console.print("    cannot be evaluated: \(escape(failure))", hanging: 6)
        }
        if silent > 0 {
            let text = Quantities.counted(silent, "rule says", "rules say")
            console.print(faint: "  \(text) nothing of it: the values are not there, not recorded, or redacted.")
        }
        if let first = broken.first?.first {
            let command = first == "\(recording.start)" ? "jump" : "show"
            console.print(faint: "  \(tool.name) \(command) \(tool.quoted(recording)) \(first)")
        }
    }
}
