/// What a command answers, for people.
protocol ToolReport {
    var tool: Tool { get }
}

extension ToolReport {
    var console: Console { tool.console }
    var style: Style { tool.console.style }

    /// Counts what is not listed, if there is more than what is.
    func printOthers(_ count: Int, _ noun: String, _ rest: String = "") {
        if count > 0 { console.print("  … and \(Quantities.counted(count, "more \(noun)"))\(rest)") }
    }
}
