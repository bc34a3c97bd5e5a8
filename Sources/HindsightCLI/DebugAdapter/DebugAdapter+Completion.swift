import HindsightDebugger
import HindsightTree

extension DebugAdapter {
    /// The characters before a path, a name or a function in an expression.
    private static let separators: Set<Character> = [
        " ", "\t", "=", "<", ">", "(", ")", "'", "\"", "|", "+", "*", ",", "{",
    ]

    /// `completions`: what may stand in place of the word before the cursor of the console.
    func completions(_ request: AdapterRequest) throws -> Node? {
        _ = try stopped()
        let lines = try request.require("text").split(separator: "\n", omittingEmptySubsequences: false)
        let number = (try request.int("line") ?? firstLine) &- firstLine
        let line = lines[min(max(0, number), lines.count - 1)].utf16
        let column = max(0, try request.requireInt("column") &- firstColumn)
        let before = String(decoding: Array(line.prefix(column)), as: UTF16.self)
        let frame = try frame(of: request).frame
        let (word, words) = try completions(of: before, in: frame)
        let length = word.utf16.count
        let start = before.utf16.count - length + firstColumn
        return [
            "targets": .array(
                words.prefix(Completer.most).map { text, type in
                    [
                        "label": .string(text), "type": .string(type), "start": .int(start), "length": .int(length),
                    ]
                }
            )
        ]
    }

    /// The word that a text ends with, and the words that may stand in its place, with their types in the protocol.
    private func completions(of text: String, in frame: StackFrame?) throws
        -> (word: String, words: [(text: String, type: String)])
    {
        let debugger = try stopped()
        for command in ["goto ", "checkout "] where text.hasPrefix(command) {
            let word = String(text.dropFirst(command.count))
            let names =
                command == "goto "
                ? RecordedNames(recording: debugger.recording, start: word).values(of: .position)
                : debugger.branches.map { "\($0.id)" }.filter { $0.hasPrefix(word) }
            return (word, Self.typed(names, "reference"))
        }
        let separator = text.lastIndex(where: Self.separators.contains)
        let word = String(text[(separator.map(text.index(after:)) ?? text.startIndex)...])
        let state = try debugger.state()
        if word.hasPrefix("/") {
            let names = RecordedNames(recording: debugger.recording, start: word, state: state).values(of: .path)
            return (word, Self.typed(names, "property"))
        }
        var words = Self.typed(try members(word, in: frame, state), "variable")
        words += Self.typed(RecordingExpression.columnNames, "field")
        words += Self.typed(["old(", "changed("], "function")
        if word == text { words += Self.typed(Self.consoleCommands, "keyword") }
        return (word, words.filter { $0.text.utf8.starts(with: word.utf8) })
    }

    private static func typed(_ words: [String], _ type: String) -> [(text: String, type: String)] {
        words.map { ($0, type) }
    }

    /// The names of members that a name such as `cart.to` may become.
    private func members(_ word: String, in frame: StackFrame?, _ state: Node?) throws -> [String] {
        var values: [Node] = []
        var base = ""
        if let dot = word.lastIndex(of: ".") {
            guard let (_, value) = try value(named: String(word[..<dot]), in: frame) else { return [] }
            (values, base) = ([value], String(word[...dot]))
        } else if let state {
            values = try scopes(of: frame, state).compactMap { state[$0] }
        }
        var seen: Set<String> = []
        var names: [String] = []
        for case .object(let members) in values {
            // An object with many members is a dictionary, whose keys are no names.
            for member in members.prefix(Completer.most)
            where Debugger.isName(member.key) && seen.insert(member.key).inserted {
                names.append(base + member.key)
            }
        }
        return names
    }
}
