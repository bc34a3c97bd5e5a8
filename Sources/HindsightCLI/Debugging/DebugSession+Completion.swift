import HindsightDebugger
import HindsightSupport
import HindsightTree

extension DebugSession {
    /// The words that may stand in place of one that begins with `word`.
    ///
    /// - Parameter line: The line before it.
    /// - Returns: The words, and whether they may go on, so that no space follows.
    func completions(of word: String, after line: String) -> (words: [String], isOpen: Bool) {
        let before = line.split(separator: " ").map(String.init)
        guard let name = before.first else { return (fitting(DebugWord.allCases.map(\.rawValue), word), false) }
        guard let command = DebugWord(name) else { return ([], false) }
        switch command {
        case .print, .why, .history, .watch, .display, .find:
            if word.first.map({ $0.isLetter || $0 == "_" }) ?? false {
                // The command itself will say what cannot be read.
                return (try? members(word)) ?? (words: [], isOpen: false)
            }
            return before.count == 1 || before.last == "if" || word.hasPrefix("/") ? names(.path, word) : ([], false)
        case .info: return (fitting(["breakpoints", "branches", "display"], word), false)
        case .undisplay: return (fitting(displays.map { "\($0.number)" }, word), false)
        case .break, .tbreak, .until:
            if word.hasPrefix("/") { return names(.path, word) }
            if before.count == 2, before[1] == "reducer" { return names(.reducer, word) }
            guard before.count == 1 else { return ([], false) }
            return (fitting(["crash", "divergence", "reducer"], word) + names(.actionType, word).words, false)
        case .goto, .diff, .list, .skip: return before.count == 1 ? names(.position, word) : ([], false)
        case .help: return (fitting(DebugWord.allCases.map(\.rawValue), word), false)
        case .checkout: return (fitting(debugger.branches.map { "\($0.id)" }, word), false)
        case .delete, .enable, .disable, .commands, .ignore:
            return (fitting(debugger.breakpoints.map { "\($0.id)" }, word), false)
        default: return ([], false)
        }
    }

    /// The names of values that begin with a text: `cart.lines` for `cart.li`.
    private func members(_ word: String) throws -> (words: [String], isOpen: Bool) {
        let dot = word.lastIndex(of: ".").map { word.index(after: $0) } ?? word.startIndex
        let (outer, start) = (word[..<dot], word[dot...])
        let path = outer.isEmpty ? NodePath() : try debugger.path(named: String(outer.dropLast()))
        guard let path, let container = try debugger.state()?[path], case .object(let members) = container else {
            return ([], false)
        }
        let names = members.map(\.key).filter { $0.hasPrefix(start) && Debugger.isName($0) }
        return (names.prefix(Completer.most).map { String(outer) + $0 }, true)
    }

    private func fitting(_ words: [String], _ start: String) -> [String] { words.filter { $0.hasPrefix(start) } }

    private func names(_ kind: ValueKind, _ start: String) -> (words: [String], isOpen: Bool) {
        // Without a state, the paths of the last one are better than none.
        let state = try? debugger.state()
        let names = RecordedNames(recording: debugger.recording, start: start, state: state)
        return (Array(names.values(of: kind).prefix(Completer.most)), kind == .path)
    }
}
