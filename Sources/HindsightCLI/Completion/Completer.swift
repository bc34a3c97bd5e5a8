import Foundation
import HindsightRecording

/// Completes command lines from the declarations of the commands, and from the recording that the line names.
struct Completer {
    /// The scripts of ``CompletionCommand`` call `TOOL @complete WORD…`, which is not documented for users.
    static let word = "@complete"
    /// More are not listed.
    static let most = 300

    let commands: [Syntax]
    let apps: [String]

    /// Prints a line for each word that may stand in place of the last one. If there is none, the shell completes files.
    static func run(_ words: [String], in tool: Tool, _ commands: [Syntax]) throws -> ExitCode {
        if words.isEmpty { throw UsageError(nil, .unknownCommand(word, known: [])) }
        // A key must not wait for a huge recording.
        if tool.isProcess { alarm(2) }
        let completer = Completer(commands: commands, apps: tool.apps.map(\.name))
        for word in try completer.completions(of: words).prefix(most) { tool.console.printExactly(word) }
        return .fine
    }

    /// - Parameter line: The words after the tool's name; the last is the one to complete.
    func completions(of line: [String]) throws -> [String] {
        let words = Syntax.joined(line, commands)
        guard words.count > 1, let syntax = commands.first(where: { $0.name == words[0] }) else {
            return names(startingWith: line)
        }
        var positionals: [String] = []
        var valueOption: Declaration?
        for word in words.dropFirst().dropLast() {
            if valueOption != nil {
                valueOption = nil
            } else if Parser.isValue(word) {
                positionals.append(word)
            } else if !word.contains("=") {
                valueOption = option(word, of: syntax)
            }
        }
        let current = words[words.count - 1]
        if let valueOption { return try values(of: valueOption, startingWith: current, in: positionals.first) }
        if let equals = current.firstIndex(of: "="), let named = option(String(current[..<equals]), of: syntax) {
            let start = String(current[current.index(after: equals)...])
            return try values(of: named, startingWith: start, in: positionals.first).map {
                String(current[...equals]) + $0
            }
        }
        if current.hasPrefix("-") { return syntax.named.map { "--" + $0.name }.filter { $0.hasPrefix(current) } }
        guard let positional = syntax.positionals.dropFirst(positionals.count).first else { return [] }
        return try values(of: positional, startingWith: current, in: positionals.first)
    }

    /// The next words of the commands whose names begin with these words.
    private func names(startingWith words: [String]) -> [String] {
        let start = words.joined(separator: " ")
        let fitting = (commands.map(\.name) + ["help"]).filter { $0.hasPrefix(start) }
        return Set(fitting.map { String($0.split(separator: " ")[words.count - 1]) }).sorted()
    }

    private func option(_ word: String, of syntax: Syntax) -> Declaration? {
        guard let declaration = syntax.declaration(of: word), case .option = declaration.kind else { return nil }
        return declaration
    }

    private func values(of declaration: Declaration, startingWith start: String, in file: String?) throws -> [String] {
        if declaration.name == "app" { return apps.filter { $0.hasPrefix(start) } }
        let kind = ValueKind(of: declaration)
        if case .words(let words) = kind { return words.filter { $0.hasPrefix(start) } }
        guard let file, kind != .other else { return [] }
        let names = RecordedNames(recording: try Recording(at: URL(filePath: file)), start: start)
        // The tool would take others for options.
        return names.values(of: kind).filter { !$0.hasPrefix("-") }
    }
}
