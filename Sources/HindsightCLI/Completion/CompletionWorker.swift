import Foundation
import HindsightSupport

/// Answers the scripts of ``CompletionScript``.
///
/// It is called as `TOOL @complete SHELL WORD…`, which is not documented for users: the words after the tool's name up
/// to the cursor. The first line of the answer has `files` if the shell completes the name of a file, and `open` if no
/// space follows. Each other line is a word, for zsh and fish with a tab and its help behind it, for bash with quotes.
enum CompletionWorker {
    static let word = "@complete"

    /// The seconds after which there are no completions: a key must not wait for a huge recording.
    private static let longest = 2.0

    static func run(_ words: [String], in tool: Tool, _ commands: [Syntax]) throws -> ExitCode {
        guard let shell = words.first.flatMap(Shell.init(rawValue:)), words.count > 1 else {
            throw UsageError(nil, .unknownCommand(word, known: []))
        }
        if tool.isProcess {
            Thread.detachNewThread {
                Thread.sleep(forTimeInterval: longest)
                _exit(ExitCode.fine.rawValue)
            }
        }
        for line in lines(for: shell, Array(words.dropFirst()), tool, commands) { tool.console.printExactly(line) }
        return .fine
    }

    private static func lines(for shell: Shell, _ raw: [String], _ tool: Tool, _ commands: [Syntax]) -> [String] {
        var words = raw
        var last = ShellWord("")
        switch shell {
        case .bash:
            words = raw.map { ShellWord($0).text }
            last = raw.last.map { ShellWord($0) } ?? last
        case .fish: words[words.count - 1] = ShellWord(words[words.count - 1]).text
        case .zsh: break
        }
        let answer = Completer(commands: commands, apps: tool.apps.map(\.name)).completions(of: words)
        let head = [answer.areFiles ? "files" : nil, answer.isOpen ? "open" : nil].compactMap { $0 }
        let all = answer.words.compactMap { word in
            switch shell {
            case .bash: last.replacement(word.lead, word.value)
            case .zsh, .fish: word.help.isEmpty ? word.text : "\(word.text)\t\(word.help)"
            }
        }
        return [head.joined(separator: " ")] + all
    }
}
