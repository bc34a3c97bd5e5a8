import HindsightSupport
import HindsightTree

extension CompareAnswer {
    /// Whether the builds do something else. If both fail in a file, they may fail in different ways.
    var differs: Bool { !kinds.isEmpty || failed.contains { $0.old != $0.new } }
}

/// Prints what two builds do differently.
struct CompareReport {
    let tool: Tool
    let answer: CompareAnswer
    let interruption: ExperimentProcess.EarlyEnd?

    private static let maxKinds = 20

    private var console: Console { tool.console }
    private var style: Style { console.style }

    private var summary: String {
        let all = Quantities.counted(answer.files, "recording")
        if answer.actions == 0 { return "neither build could run an action of \(all)" }
        if answer.same == answer.files { return "both builds do the same in \(all)" }
        return "both builds do the same in \(Quantities.grouped(answer.same)) of \(all)"
    }

    func print() {
        let word = answer.differs ? style.bad("differ") : answer.actions == 0 ? "not known" : style.good("same")
        console.print("\(word)  \(summary)")
        for (index, kind) in answer.kinds.prefix(Self.maxKinds).enumerated() { print(kind, isFirst: index == 0) }
        let more = answer.kinds.count - Self.maxKinds
        if more > 0 { console.print("  … and \(Quantities.counted(more, "more kind")): --json lists all") }
        for failed in answer.failed {
            console.print("  \(style.strong(escape(failed.file)))  \(Self.text(failed))", hanging: 4)
        }
        if let time { console.row("time", time) }
        switch interruption {
        case .budget: console.row("", "time is over: --budget SECONDS gives it more")
        case .signal: console.row("", "it was stopped")
        case nil: break
        }
    }

    private var time: String? {
        guard let old = answer.oldMicroseconds, let new = answer.newMicroseconds else { return nil }
        let count = Quantities.counted(answer.actions, "action")
        return "\(old) µs an action in the old build, \(new) µs in the new one, over \(count)"
    }

    private static func text(_ failed: CompareAnswer.Failed) -> String {
        switch (failed.old, failed.new) {
        case (let old?, nil): "only the old build fails: \(old)"
        case (nil, let new?): "only the new build fails: \(new)"
        case (let old?, let new?) where old == new: "both builds fail: \(old)"
        case (let old, let new): "the old build fails: \(old ?? ""); the new one: \(new ?? "")"
        }
    }

    private func print(_ kind: CompareAnswer.Kind, isFirst: Bool) {
        let reducer = kind.reducer.map { "  by \(escape($0))" } ?? ""
        let place = kind.path.isEmpty ? "the whole state" : escape(kind.path)
        console.print("  \(style.strong(Self.action(kind)))  \(place)\(reducer)  \(Self.count(kind))", hanging: 4)
        let example = kind.example
        console.print(
            "    \(escape(example.file)) \(Quantities.grouped(example.seq)): \(text(example.old)) → \(text(example.new))",
            hanging: 6
        )
        guard isFirst, example.seq > 0 else { return }
        console.print(
            "    \(tool.name) cut \(ShellQuoting.quote(example.file)) \(example.seq - 1) \(example.seq) -o example.hindsight",
            hanging: 6
        )
    }

    private static func action(_ kind: CompareAnswer.Kind) -> String {
        kind.type.isEmpty ? "the state at the start" : ValueText.key(kind.type)
    }

    private static func count(_ kind: CompareAnswer.Kind) -> String {
        let files = Quantities.counted(kind.files, "recording")
        return kind.type.isEmpty ? "in \(files)" : "\(Quantities.counted(kind.actions, "action")) in \(files)"
    }

    private func text(_ value: Node?) -> String { value.map { ActionText(budget: 60).text(of: $0) } ?? "nothing" }

    func printMarkdown() {
        console.print("**\(summary.prefix(1).uppercased() + summary.dropFirst())**")
        if !answer.kinds.isEmpty {
            console.print("")
            console.print("| action | place | reducer | where | example | old | new |")
            console.print("|---|---|---|---|---|---|---|")
        }
        for kind in answer.kinds {
            let example = kind.example
            let cells = [
                kind.type.isEmpty ? "the state at the start" : code(kind.type), code(kind.path),
                kind.reducer.map(code) ?? "", Self.count(kind), code("\(example.file) \(example.seq)"),
                example.old.map { code(ActionText(budget: 60).text(of: $0)) } ?? "nothing",
                example.new.map { code(ActionText(budget: 60).text(of: $0)) } ?? "nothing",
            ]
            console.print("| \(cells.joined(separator: " | ")) |")
        }
        if !answer.failed.isEmpty { console.print("") }
        for failed in answer.failed { console.print("- \(code(failed.file)): \(code(Self.text(failed)))") }
        if let time {
            console.print("")
            console.print("Time: \(time).")
        }
    }

    /// A cell of a table. A backtick in a name would end it.
    private func code(_ text: String) -> String {
        let text = escape(text).replacing("|", with: "\\|")
        return text.contains("`") ? "`` \(text) ``" : "`\(text)`"
    }
}
