import Foundation
import HindsightDebugger
import HindsightSupport
import HindsightTree

extension DebugSession {
    /// The most members of a value to show.
    private static let maxMembers = 60
    /// How many actions `list` shows before and after the present one.
    private static let listed = 5

    // MARK: Values

    /// `print`, `print PATH|NAME|EXPR`, `print/json …`, `print/text …`
    func printValue(_ text: String) throws {
        if let (path, node) = try computedValue(text) { return printNode(node, at: path, changed: nil) }
        let evaluation = try evaluate(text)
        if case .value(let path, let node) = evaluation {
            printNode(node, at: path, changed: try debugger.variables(at: path))
        } else {
            console.print(try answer(evaluation))
        }
        printComputed()
    }

    /// `print/json …`, `print/text …`: prints a value without cutting it.
    func printWhole(_ text: String, as format: String) throws {
        guard ["json", "text"].contains(where: { !format.isEmpty && $0.hasPrefix(format) }) else {
            throw Failure(.usage, "There is no format \(quote(format)).", "print/json and print/text are possible.")
        }
        let computed = try computedValue(text).map { Debugger.Evaluation.value($0.path, $0.node) }
        let evaluation = try computed ?? evaluate(text)
        guard let node = evaluation.node else { return console.print(try answer(evaluation)) }
        if format.hasPrefix("t"), case .string(let text) = node {
            console.printExactly(escapeLines(text))
        } else {
            console.printExactly(escapeLines(node.prettyJSON()))
        }
        printComputed()
    }

    /// The value of a path or a name in a state that was not recorded, and is computed; `nil` if the state was, or the
    /// text is an expression.
    private func computedValue(_ text: String) throws -> (path: NodePath, node: Node)? {
        let isWhole = text == "''" || text == "\"\""
        let reader = StateReader(of: debugger.recording, tool)
        let place = try debugger.computedPlace(isWhole ? "" : text, by: reader, unless: file.lastChange)
        guard let (path, state, isComputed) = place else { return nil }
        guard let node = state[path] else { throw missing(path, in: state) }
        if isComputed { reader.noteComputed("\(debugger.position)") }
        return (path, node)
    }

    func evaluate(_ text: String) throws -> Debugger.Evaluation {
        try debugger.evaluate(text == "''" || text == "\"\"" ? "" : text)
    }

    /// A value on one line.
    func answer(_ evaluation: Debugger.Evaluation) throws -> String {
        switch evaluation {
        case .value(_, let node), .result(let node):
            ValueText(budget: max(30, width), maxStringLength: max(60, width * 4)).text(of: node)
        case .missing(let path): throw missing(path, in: try debugger.state() ?? .null)
        case .truth(let truth): truth.answer
        }
    }

    private func missing(_ path: NodePath, in state: Node) -> Failure {
        var near = NearPaths(to: path, isPattern: false)
        near.look(in: state)
        let place = "There is nothing at \(escape(path.description)) at position \(debugger.position)."
        return Failure(.usage, lines: [place] + near.question)
    }

    private func printNode(_ node: Node, at path: NodePath, changed: [Variable]?) {
        let name = path.shown()
        let room = max(30, width - name.columns - 4)
        let brief = ValueText(budget: room, maxStringLength: max(60, width * 4))
        let members = changed ?? []
        let line = brief.text(of: node)
        guard !members.isEmpty, line.columns > room || line.contains("…") else {
            return console.print("\(style.strong(name))  \(line)")
        }
        console.print("\(style.strong(name))  \(style.faint(Quantities.counted(members.count, "member")))")
        let column = min(40, members.prefix(Self.maxMembers).map { $0.name.columns }.max() ?? 0)
        for member in members.prefix(Self.maxMembers) {
            let mark = member.isChanged ? style.changed("*") : " "
            let label = ValueText.key(member.name).padded(to: column)
            let value = ValueText(budget: max(30, width - column - 8), maxStringLength: max(40, width - column - 8))
            console.print("\(mark) \(label)  \(value.text(of: member.value))", hanging: column + 4)
        }
        let end = "; print \(name == "(whole)" ? "" : name)/NAME shows one"
        console.printRest(members.count - Self.maxMembers, "member", margin: "  ", end)
    }

    /// `diff`, `diff P`
    func printDifference(_ rest: String) throws {
        if rest.isEmpty { return try printSteps() }
        let other = try position(rest)
        let right = try knownState(at: debugger.position)
        let left = try knownState(at: other)
        if left == right { return console.print("The states at \(other) and \(debugger.position) are the same.") }
        console.print("\(other) → \(debugger.position)")
        let text = PatchText(style: style, width: width)
        for line in text.lines(of: Patch(from: left, to: right), base: left) { console.print(line) }
    }

    private func knownState(at position: Recording.Position) throws -> Node {
        let reader = StateReader(of: debugger.recording, tool)
        if position == debugger.position, let state = try debugger.state() {
            reader.noteDoubt(at: position)
            return state
        }
        if debugger.recording.absence(at: position) != nil { try file.check(for: debugger) }
        return try reader.notedState(at: position)
    }

    /// All changes of the present step, by reducer.
    private func printSteps() throws {
        defer { printComputed() }
        guard let changes = try debugger.changes() else {
            throw Failure(.usage, "What action \(debugger.position.seq) changed is not recorded.")
        }
        let text = PatchText(style: style, width: width - 2)
        var state = try debugger.stateBefore()
        var isEmpty = true
        for step in changes.steps {
            guard let patch = step.patch, !patch.isEmpty else { continue }
            isEmpty = false
            let name = debugger.recording.name(ofReducer: step.reducer) ?? "?"
            let place = step.reducer == 0 ? "\(debugger.position.seq)" : "\(debugger.position.seq).\(step.reducer)"
            console.print("\(place) \(style.strong(brief(name)))")
            for line in text.lines(of: patch, base: state) { console.print("  \(line)") }
            if var next = state {
                try patch.apply(to: &next)
                state = next
            }
        }
        if isEmpty { console.print(faint: "no change") }
    }

    // MARK: Questions

    /// `why PATH`
    func explain(_ rest: String) throws {
        let path = rest.isEmpty ? NodePath() : try path(rest)
        var words = ["--at=\(debugger.position)", "--", debugger.recording.url.relativePath]
        if !path.isRoot { words.append(path.description) }
        try search(BlameCommand.self, words)
    }

    /// `history PATH`
    func printHistory(_ rest: String) throws {
        let path = try path(rest)
        // If the states up to the crash are recorded, `history` computes the steps of the crash itself.
        let isRecorded = debugger.recording.end.seq == debugger.last.seq - 1
        if !isRecorded, debugger.last.reducer == 0 {
            let crash = Recording.Position(seq: debugger.last.seq, reducer: debugger.recording.reducers.count)
            _ = try debugger.computeSteps(for: .go(crash), by: tool, unless: file.lastChange)
        }
        let computed = isRecorded ? [] : try debugger.computedChanges(of: path)
        do {
            try search(HistoryCommand.self, ["--", debugger.recording.url.relativePath, path.description])
        } catch let failure as Failure where failure.code == .usage && !computed.isEmpty {
            // Only the computed steps have the place.
        }
        let values = ValueText(budget: max(24, (width - 40) / 2), maxStringLength: 60)
        for change in computed {
            guard case .step(let position) = change.origin else { continue }
            let name = brief(debugger.recording.name(ofReducer: position.reducer ?? 0) ?? "?", longest: 40)
            let (old, new) = values.texts(of: change.old, change.new)
            console.print("≈ \(position)  \(name)  \(style.removed(old)) → \(style.added(new))", hanging: 4)
        }
        if !computed.isEmpty { console.print(faint: "≈ \(ActionLine.computedNote(for: debugger.recording))") }
    }

    /// Runs a command of the tool, which prints its answer.
    func run(_ command: any Command.Type, _ words: [String]) throws {
        try file.check(for: debugger)
        _ = try command.run(try Parser(syntax: command.syntax).parse(words), in: tool)
    }

    /// Runs a command that may read all changes of a recording: in a process of its own, so that Ctrl-C ends it at once.
    func search(_ command: any Command.Type, _ words: [String]) throws {
        try show([command.syntax.name] + (command.syntax.isPaged ? ["--no-pager"] : []) + words)
    }

    /// Runs an experiment on the recording, or on the branch, and shows what it finds.
    func experiment(_ word: DebugWord, _ rest: String) throws {
        guard let word = ExperimentWord(rawValue: word.rawValue) else {
            preconditionFailure("\(word) is no experiment")
        }
        try show(word.command(rest, at: debugger.position, of: debugger.recording, in: tool))
    }

    private func show(_ words: [String]) throws {
        let name = words[0]
        let color = "--color=\(style.isOn ? ColorChoice.always : .never)"
        let (code, lines, notes) = try lines(of: [name, color] + words.dropFirst())
        // A difference is an answer, and so is that nothing could be compared.
        guard code == .fine || !lines.isEmpty && [.difference, .nothingCompared].contains(code) else {
            throw Tool.failure(code, notes)
        }
        for note in notes { console.note(branchFiles.hidingPaths(in: note)) }
        for line in lines.prefix(Self.maxAnswerLines) { console.printExactly(branchFiles.hidingPaths(in: line)) }
        console.printRest(lines.count - Self.maxAnswerLines, "line", ", which the command \(name) prints")
    }

    /// The answers of a command of the tool as JSON, one a line.
    func answers(of command: any Command.Type, _ words: [String]) throws -> [Node] {
        let (code, lines, notes) = try lines(of: [command.syntax.name, "--json"] + words)
        // An answer that tells a misspelt name has the code of a mistake.
        guard code == .fine || code == .usage && notes.isEmpty else { throw Tool.failure(code, notes) }
        return try lines.map { try Node(json: $0) }
    }

    private func lines(of words: [String]) throws -> (code: ExitCode, lines: [String], messages: [String]) {
        try file.check(for: debugger)
        Interruption.take()
        defer { Interruption.take() }
        return try tool.lines(of: words, "Searching") { Interruption.isRequested }
    }

    /// The most lines of a command to show.
    private static let maxAnswerLines = 200

    // MARK: Actions

    /// `list`, `list P`
    func list(_ rest: String) throws {
        let recording = debugger.recording
        var first = debugger.position.seq - Self.listed
        if !rest.isEmpty { first = try position(rest).seq - Self.listed }
        if rest.isEmpty, let nextListed { first = nextListed }
        first = max(first, debugger.first.seq + 1)
        let end = min(first + 2 * Self.listed, recording.actionCount)
        guard first <= end else { return console.print("There are no more actions.") }
        let line = ActionLine(of: recording, style: style, width: max(Terminal.narrowest, width - 2))
        var entries = try recording.entries(in: first...end)
        while let (action, steps) = try entries.next() {
            let isKnown = recording.absence(ofChangesIn: action.seq) == nil
            let changes = isKnown ? ChangedPaths(steps.compactMap(\.patch)) : nil
            let mark = action.seq == debugger.position.seq ? style.strong("→") : " "
            console.print("\(mark) \(line.text(of: action, changes: changes))", hanging: line.indentation + 4)
        }
        nextListed = end + 1
    }

    /// `where`
    func printStack() throws {
        let frames = try debugger.stack()
        if frames.isEmpty { return try printPlace() }
        let recording = debugger.recording
        for (index, frame) in frames.enumerated() {
            let source = frame.action.origin.map { "  \(style.faint(brief($0)))" } ?? ""
            switch frame.kind {
            case .reducer(let number, let name):
                let isFatal = debugger.position == debugger.last && debugger.position.reducer == 0
                let verb = isFatal ? ", in which the process ended" : ""
                let label = "reducer \(number) of \(recording.reducers.count)\(verb)"
                console.print("#\(index)  \(style.strong(brief(name)))  \(label)")
            case .action:
                let elapsed = recording.elapsed(until: frame.action)
                let name = ActionLine.name(of: frame.action, width: width - 40)
                console.print("#\(index)  action \(frame.action.seq)  \(style.faint(elapsed))  \(name)\(source)")
            }
        }
    }

    /// `note`, `note TEXT`
    func note(_ rest: String) throws {
        let recording = debugger.recording
        guard !rest.isEmpty else {
            return try run(NotesCommand.self, ["--", recording.url.relativePath])
        }
        try file.check(for: debugger)
        let note = try Recording.addNote(rest, at: "\(debugger.position)", of: recording.url)
        // The file was replaced by one with the note.
        debugger.replaceRecording(with: try Recording(at: recording.url))
        if debugger.branch == 0 { file = OpenedFile(of: debugger.recording) }
        console.print("\(style.good("noted"))  \(note.position)  \(NoteText.text(of: note))")
    }
}
