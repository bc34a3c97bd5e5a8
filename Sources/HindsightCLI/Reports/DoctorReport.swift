import HindsightRecording
import HindsightSupport
import HindsightTree

/// Formats the result of an examination, for people and for programs.
struct DoctorReport: ToolReport {
    let examination: Examination
    let path: String
    let tool: Tool

    private static let maxRanges = 8

    func print(salvages: Bool) {
        let doctor = ShellQuoting.command(tool.name, "doctor", ShellQuoting.quote(path), "--salvage", "OUT")
        let label =
            examination.isDamaged
            ? style.bad("damaged") : examination.isSound ? style.good("sound") : style.bad("not fully examined")
        let actions = Quantities.counted(examination.actions, "action")
        let states = Quantities.counted(examination.wholeStates, "keyframe")
        console.print("\(label)  \(escape(path))  \(actions), \(states)")
        let findings = examination.findings.map { [place(of: $0), brief($0.what)] }
        let table = Table(findings, most: min(40, max(12, console.terminal.width / 3)))
        for finding in findings {
            let line = table.line(finding) { $0 == 0 ? style.strong($1) : $1 }
            console.print("  " + line, hanging: table.widths[0] + 4)
        }
        console.printRest(examination.moreFindings, "finding", margin: "  ")
        if let range = examination.journaled {
            let count = Quantities.counted(range.count, "action")
            let isDamaged = examination.findings.contains { $0.part == .journal }
            let way =
                if !isDamaged {
                    ShellQuoting.command(tool.name, "recover", ShellQuoting.quote(path)) + " merges them"
                } else if examination.longest == nil {
                    "no state before them is whole, so nothing computes what they changed"
                } else {
                    doctor + " saves what is whole of them"
                }
            row("journal", "\(Quantities.range(range)): \(count) not in the file yet; \(way)")
        }
        if !examination.unwritten.isEmpty {
            let remedy = examination.describesStates ? "" : "; replaying computes them"
            row("unwritten", list(examination.unwritten) + ": states that were never written" + remedy)
        }
        if !examination.marked.isEmpty {
            row("doubtful", list(examination.marked) + ": the recorder marked these states as doubtful")
        }
        if !examination.doubtful.isEmpty {
            row("in doubt", list(examination.doubtful) + ": the states before and after them contradict each other")
        }
        if !examination.isSound { row("sound", soundText) }
        for remark in examination.remarks { row("remark", brief(remark)) }
        guard examination.isDamaged, !salvages, let longest = examination.longest else { return }
        console.print("\n\(doctor) saves the longest sound part, \(positions(longest)).")
    }

    func print(saved: ClosedRange<Int>, to output: String) {
        console.print("\nSaved \(positions(saved)) in \(escape(output)).")
    }

    private func row(_ label: String, _ value: String) { console.row(label, value, columns: 9, gap: "  ") }

    private func place(of finding: Examination.Finding) -> String {
        var place: String
        if let actions = finding.actions {
            place = finding.part == .state ? "position \(Quantities.range(actions))" : Quantities.actions(actions)
        } else {
            place = finding.part.rawValue
        }
        if finding.part == .journal, finding.actions != nil { place = "journal, " + place }
        if let reducer = finding.reducer, reducer > 0 {
            let name = examination.reducerNames.name(ofReducer: reducer)
            place += ", reducer \(reducer)" + (name.map { " (\(brief($0, longest: 40)))" } ?? "")
        }
        return place
    }

    private var soundText: String {
        guard let all = examination.positions else { return "nothing" }
        let count = examination.sound.reduce(0) { $0 + $1.count }
        let share = "\(Quantities.grouped(count)) of \(Quantities.grouped(all.count)) positions"
        return examination.sound.isEmpty ? "no position" : "\(list(examination.sound))  (\(share))"
    }

    private func list(_ ranges: [ClosedRange<Int>]) -> String {
        Quantities.list(ranges.map(Quantities.range), most: Self.maxRanges)
    }

    private func positions(_ range: ClosedRange<Int>) -> String {
        let actions = Quantities.counted(range.count - 1, "action")
        return "positions \(Quantities.range(range)) (\(actions))"
    }
}
