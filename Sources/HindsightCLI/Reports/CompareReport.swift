import HindsightSupport
import HindsightTree

extension CompareAnswer {
    /// Whether the builds do something else.
    var differs: Bool { !kinds.isEmpty || failed.contains { !$0.alike } }
}

/// Prints what two builds do differently.
struct CompareReport: ToolReport {
    let tool: Tool
    let answer: CompareAnswer
    let interruption: ExperimentProcess.EarlyEnd?

    private static let maxKinds = 20

    private var summary: String {
        let all = Quantities.counted(answer.files, "recording")
        if answer.actions == 0 { return "no action of \(all) ran in both builds" }
        if answer.same == answer.files { return "both builds do the same in \(all)" }
        let rest =
            answer.compared < answer.files
            ? "; \(Quantities.grouped(answer.files - answer.compared)) were not compared" : ""
        return "both builds do the same in \(Quantities.grouped(answer.same)) of \(all)\(rest)"
    }

    func print() {
        let isSame = answer.actions > 0 && answer.same == answer.files
        let word = answer.differs ? style.bad("differ") : isSame ? style.good("same") : "not known"
        console.print("\(word)  \(summary)")
        for (index, kind) in answer.kinds.prefix(Self.maxKinds).enumerated() { print(kind, isFirst: index == 0) }
        printOthers(answer.kinds.count - Self.maxKinds, "kind", ": --json lists all")
        for failed in answer.failed {
            console.print("  \(style.strong(escape(failed.file)))  \(Self.text(failed))", hanging: 4)
        }
        if let time { console.row("time", time) }
        if let interruption { console.row("", interruption.remark) }
    }

    private var time: String? {
        guard let old = answer.oldMicroseconds, let new = answer.newMicroseconds else { return nil }
        let files = answer.same == answer.files ? "" : ", in recordings that are the same"
        return "\(old) µs an action in the old build, \(new) µs in the new one\(files)"
    }

    private static func text(_ failed: CompareAnswer.Failed) -> String {
        switch (failed.old, failed.new) {
        case (let old?, nil): "only the old build fails: \(old)"
        case (nil, let new?): "only the new build fails: \(new)"
        case (_, let new?) where failed.alike: "both builds fail: \(new)"
        case (let old, let new): "the old build fails: \(old ?? ""); the new one: \(new ?? "")"
        }
    }

    private func print(_ kind: CompareAnswer.Kind, isFirst: Bool) {
        let reducer = kind.reducer.map { "  by \(escape($0))" } ?? ""
        let place = kind.path.isEmpty ? "the whole state" : escape(kind.path)
        console.print("  \(style.strong(Self.action(kind)))  \(place)\(reducer)  \(Self.count(kind))", hanging: 4)
        let example = kind.example
        console.print(
            "    \(escape(example.file)) \(Quantities.grouped(example.seq)): \(values(of: example))",
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

    private func values(of example: CompareAnswer.Example) -> String {
        if example.old == nil, example.new == nil { return "the states have another form there" }
        return "\(text(example.old)) → \(text(example.new))"
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
                kind.type.isEmpty ? "the state at the start" : code(kind.type),
                kind.path.isEmpty ? "the whole state" : code(kind.path),
                kind.reducer.map { code($0) } ?? "", Self.count(kind), code("\(example.file) \(example.seq)"),
                example.old.map { code(ActionText(budget: 60).text(of: $0)) } ?? "nothing",
                example.new.map { code(ActionText(budget: 60).text(of: $0)) } ?? "nothing",
            ]
            console.print("| \(cells.joined(separator: " | ")) |")
        }
        if !answer.failed.isEmpty { console.print("") }
        for failed in answer.failed {
            console.print("- \(code(failed.file, inTable: false)): \(code(Self.text(failed), inTable: false))")
        }
        if let time {
            console.print("")
            console.print("Time: \(time).")
        }
    }

    /// Text between backticks, of which there must be more than any that stand together in it.
    private func code(_ text: String, inTable: Bool = true) -> String {
        let text = inTable ? escape(text).replacingScalars("|", with: "\\|") : escape(text)
        var fence = "`"
        while text.containsScalars(fence) { fence += "`" }
        return fence.count == 1 ? "`\(text)`" : "\(fence) \(text) \(fence)"
    }
}
