import Foundation
import HindsightRecording
import HindsightSupport

/// What may stand in place of the last word of a command line.
struct Completions: Equatable {
    /// A word, in two parts: the start that this tool determines, and a value that may come from a recording.
    struct Word: Equatable {
        var lead = ""
        var value = ""
        var help = ""

        var text: String { lead + value }
    }

    var words: [Word] = []
    /// Whether the shell completes the name of a file.
    var areFiles = false
    /// Whether a word may go on, so that no space follows it.
    var isOpen = false
}

/// Completes command lines from the declarations of the commands, and from the recording that the line names.
struct Completer {
    let commands: [Syntax]
    let apps: [String]

    /// More are not listed.
    static let most = 300

    /// - Parameter words: The words after the tool's name, without quotes; the last is the one to complete.
    func completions(of words: [String]) -> Completions {
        var words = words[...]
        while words.count > 1, words.first == "--no-pager" { words.removeFirst() }
        guard let current = words.last, words.count > 1, var name = words.first else {
            return commands(startingWith: words.first ?? "")
        }
        if Syntax.groups(commands).contains(name) {
            if words.count == 2 { return actions(of: name, startingWith: current) }
            words = Syntax.joined(Array(words), commands)[...]
            name = words[0]
        }
        if name == "help" { return commands(startingWith: current, onlyCommands: true) }
        guard let syntax = commands.first(where: { $0.name == name }) else { return Completions() }
        return Line(syntax, words.dropFirst().dropLast()).completions(of: current, apps)
    }

    /// The second words of the commands of a group.
    private func actions(of group: String, startingWith text: String) -> Completions {
        let all = commands.filter { $0.group == group }.map {
            Completions.Word(lead: String($0.name.dropFirst(group.count + 1)), help: $0.abstract)
        }
        return Completions(words: all.filter { $0.lead.hasPrefix(text) })
    }

    private func commands(startingWith text: String, onlyCommands: Bool = false) -> Completions {
        var all = commands.filter { $0.group == nil }.map { Completions.Word(lead: $0.name, help: $0.abstract) }
        all += Syntax.groups(commands).sorted().map { .init(lead: $0, help: "Several commands: help \($0) lists them") }
        if !onlyCommands { all.append(.init(lead: "help", help: "Shows help")) }
        if text.hasPrefix("-"), !onlyCommands {
            all = ["--help", "--version", "--man", "--no-pager"].map { .init(lead: $0) }
        }
        return Completions(words: all.filter { $0.lead.hasPrefix(text) })
    }
}

/// The words of a command before the one to complete.
private struct Line {
    let syntax: Syntax
    private var positionals: [String] = []
    private var given: Set<String> = []
    /// The option whose value comes next.
    private var pending: Declaration?
    private var onlyPositionals = false

    init(_ syntax: Syntax, _ words: ArraySlice<String>) {
        self.syntax = syntax
        for word in words {
            if pending != nil {
                pending = nil
            } else if onlyPositionals || Parser.isValue(word) {
                positionals.append(word)
            } else if word == "--" {
                onlyPositionals = true
            } else if let option = declaration(of: word) {
                given.insert(option.name)
                if case .option = option.kind, !word.hasPrefix("--") || !word.contains("=") { pending = option }
            }
        }
    }

    private func declaration(of word: String) -> Declaration? {
        let name = word.prefix { $0 != "=" }
        return syntax.named.first { declaration in
            if name == "--" + declaration.name { return true }
            switch declaration.kind {
            case .flag(let short?), .option(_, let short?): return name == "-\(short)"
            default: return false
            }
        }
    }

    func completions(of current: String, _ apps: [String]) -> Completions {
        if let pending { return values(of: pending, "", current, apps) }
        if onlyPositionals || !current.hasPrefix("-") { return positional(current, apps) }
        guard let sign = current.firstIndex(of: "=") else { return options(startingWith: current) }
        guard let option = declaration(of: current), case .option = option.kind else { return Completions() }
        let value = current[current.index(after: sign)...]
        return values(of: option, String(current[...sign]), String(value), apps)
    }

    private func options(startingWith text: String) -> Completions {
        let open = syntax.named.filter { !given.contains($0.name) || $0.isRepeating }
        let words = open.map { Completions.Word(lead: "--" + $0.name, help: $0.help) }
        return Completions(words: words.filter { $0.lead.hasPrefix(text) })
    }

    private func positional(_ current: String, _ apps: [String]) -> Completions {
        var declaration = syntax.positionals.dropFirst(positionals.count).first
        if declaration == nil, case .positional(_, repeating: true)? = syntax.positionals.last?.kind {
            declaration = syntax.positionals.last
        }
        guard let declaration else { return Completions() }
        if declaration.mayBeFilePosition {
            if let place = Self.filePosition(current) { return positions(place) }
            // If the first word is FILE:P, the second is FILE2:Q.
            if let first = positionals.first, Self.filePosition(first) != nil { return Completions(areFiles: true) }
        }
        return values(of: declaration, "", current, apps)
    }

    /// The recording and the start of a position in it, if the word is not the name of a file itself.
    private static func filePosition(_ word: String) -> FilePosition? {
        RecordedNames.exists(word) ? nil : FilePosition(word, exists: RecordedNames.exists)
    }

    private func positions(_ place: FilePosition) -> Completions {
        guard escape(place.file) == place.file, let names = RecordedNames(of: place.file, startingWith: place.position)
        else { return Completions() }
        let words = names.values(of: .position).words.prefix(Completer.most)
        // A file name that needs quotes gets them together with the position.
        let isPlain = ShellQuoting.quote(place.file) == place.file
        return Completions(
            words: words.map {
                isPlain ? .init(lead: place.file + ":", value: $0) : .init(value: place.file + ":" + $0)
            }
        )
    }

    private func values(of declaration: Declaration, _ lead: String, _ start: String, _ apps: [String]) -> Completions {
        let kind = ValueKind(of: declaration)
        switch kind {
        case .files:
            return Completions(areFiles: true)
        case .words(let words):
            return Completions(words: words.filter { $0.hasPrefix(start) }.map { .init(lead: lead + $0) })
        case .app:
            return Completions(words: apps.filter { $0.hasPrefix(start) }.map { .init(lead: lead, value: $0) })
        case .other:
            return Completions()
        case .path, .position, .actionType, .reducer:
            guard let file, let names = RecordedNames(of: file, startingWith: start) else { return Completions() }
            let values = names.values(of: kind)
            return Completions(
                words: values.words.prefix(Completer.most).map { .init(lead: lead, value: $0) },
                isOpen: values.isOpen
            )
        }
    }

    /// The recording that the line names.
    private var file: String? {
        let index = syntax.positionals.firstIndex { ValueKind(of: $0) == .files }
        guard let index, positionals.indices.contains(index) else { return nil }
        let isPlace = syntax.positionals[index].mayBeFilePosition
        return (isPlace ? Self.filePosition(positionals[index])?.file : nil) ?? positionals[index]
    }
}
