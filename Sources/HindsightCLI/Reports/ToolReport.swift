/// What a command answers, for people.
protocol ToolReport {
    var tool: Tool { get }
}

extension ToolReport {
    var console: Console { tool.console }
    var style: Style { tool.console.style }
}
