import Foundation
import HindsightDebugger
import HindsightSupport
import HindsightTree

/// The debugger in a terminal: reads commands, does them on the machine, and prints what it says.
final class DebugSession {
    let debugger: Debugger
    let tool: Tool
    var console: Console { tool.console }
    var style: Style { tool.console.style }
    /// The columns of a line; those of a usual screen if nothing limits them.
    var width: Int { console.terminal.isLimited ? console.terminal.width : 120 }
    private(set) var isInteractive = false
    /// The last command, if Enter repeats it.
    private var last: (word: DebugWord, rest: String)?
    /// The next action to list, if the last command listed some.
    var nextListed: Int?
    private var isOver = false
    /// Lines that run before the next one is read, of `commands` and of `source`; the last ones run first.
    var queue: [QueuedLines] = []
    /// The number of files that run each other in which the present line is.
    private(set) var depth = 0
    /// The lines of `commands` by their breakpoints.
    var commands: [Int: [String]] = [:]
    /// The breakpoint whose commands are being read, and those so far. Without a breakpoint, they are passed over.
    var collecting: (breakpoint: Int?, lines: [String])?
    /// The values to show at each stop, by their numbers.
    var displays: [(number: Int, text: String)] = []
    var nextDisplay = 1
    /// What `goto #N` leads to, and the branch on which it was found.
    var found: (branch: Int, positions: [Recording.Position]) = (0, [])
    let branchFiles = BranchFolder("hindsight-debug")
    /// The file of the recording.
    var file: OpenedFile

    init(on recording: Recording, _ tool: Tool) {
        debugger = Debugger(on: recording)
        file = OpenedFile(of: recording)
        self.tool = tool
    }

    /// Reads and does commands to the end.
    ///
    /// - Returns: The exit code: that of the first command that failed; at a prompt, always ``ExitCode/fine``.
    func run(_ lines: any DebugLines, isInteractive: Bool = false) throws -> ExitCode {
        self.isInteractive = isInteractive
        var code = ExitCode.fine
        try greet()
        while !isOver, console.isOpen, TerminationSignal.received == nil {
            noteGrowth()
            console.finish()
            switch try nextInput(lines) {
            case .end:
                if isInteractive { console.print() }
                if let failed = endCollecting(), code == .fine { code = failed }
                isOver = true
            case .interrupted:
                collecting = nil
                console.print()
            case .line(let line):
                // A Ctrl-C at the prompt gave up an earlier line.
                Interruption.take()
                if tool.isProcess { console.measure(output: tool.outputDescriptor) }
                // What was recorded while the prompt waited counts, too.
                noteGrowth()
                do {
                    try execute(line)
                } catch {
                    console.clearProgress()
                    queue = []
                    let failed = tool.report(failure(for: error))
                    if code == .fine { code = failed }
                }
            }
        }
        return TerminationSignal.code ?? (isInteractive ? .fine : code)
    }

    /// The next line that waits, or else one that is read. Ctrl-C gives up those that wait.
    private func nextInput(_ lines: any DebugLines) throws -> DebugInput {
        guard let next = queue.indices.last else {
            depth = 0
            return try lines.next(isInteractive ? collecting == nil ? prompt : "> " : "")
        }
        if Interruption.take() {
            queue = []
            return .interrupted
        }
        depth = queue[next].depth
        let line = queue[next].lines.removeFirst()
        if queue[next].lines.isEmpty { queue.removeLast() }
        return .line(line)
    }

    private func failure(for error: any Error) -> Failure {
        if let error = error as? DebuggerError {
            let known =
                error.allowed.isEmpty ? [] : ["There are: \(error.allowed.map { brief($0) }.joined(separator: ", "))."]
            return Failure(.usage, lines: [escape("\(error)")] + known)
        }
        let failure = tool.failure(for: error)
        return Failure(failure.code, lines: failure.lines.map(branchFiles.hidingPaths))
    }

    // MARK: The prompt

    /// `412/980 cart.totals 3/7 42% >`
    var prompt: String {
        let position = debugger.position
        let branch = debugger.branch == 0 ? "" : "[\(debugger.branch)] "
        var words = [
            "\(branch)\(position.reducer == 0 ? "\(position)" : "\(position.seq)")/\(debugger.recording.actionCount)"
        ]
        if let reducer = position.reducer, reducer > 0 {
            let name = debugger.recording.name(ofReducer: reducer) ?? "?"
            words.append("\(brief(name, longest: 40)) \(reducer)/\(debugger.recording.reducers.count)")
        }
        let length = debugger.last.seq - debugger.first.seq
        let done = position.seq - debugger.first.seq
        words.append("\(length > 0 ? min(100, 100 * done / length) : 100)%")
        if debugger.isLive { words.append("live") }
        return words.joined(separator: " ") + " > "
    }

    private func greet() throws {
        let recording = debugger.recording
        if isInteractive {
            let count = Quantities.counted(recording.actionCount - recording.droppedCount, "action")
            console.print("\(tool.shown(recording)): \(count). \(style.faint("help lists the commands."))")
        }
        if isInteractive || debugger.position.reducer == 0 { try printPlace() }
        if isInteractive { runInitFile() }
    }

    /// Reads what was recorded since the last command.
    private func noteGrowth() {
        if let change = file.change() { console.note(change) }
        do {
            for event in try debugger.refresh() {
                switch event {
                case .grew(let end): console.print(faint: "The recording goes on, up to \(end) now.")
                case .ended: console.print("The recording is complete.")
                case .dropped:
                    console.print("The recording's limit has dropped the position. This is the first one now.")
                default: break
                }
            }
        } catch {
            _ = tool.report(failure(for: error))
        }
    }

    // MARK: Commands

    /// Does a line.
    func execute(_ line: String) throws {
        let text = line.trimmingSpaces
        if collecting != nil { return collect(text) }
        if text.isEmpty {
            guard isInteractive, let last else { return }
            return try execute(last.word, last.rest)
        }
        if text.hasPrefix("#") { return }
        let name = text.prefix { !$0.isWhitespace }
        let rest = String(text.dropFirst(name.count)).trimmingSpaces
        if let slash = name.firstIndex(of: "/"), DebugWord(String(name[..<slash])) == .print {
            last = nil
            return try printWhole(rest, as: String(name[name.index(after: slash)...]))
        }
        guard let word = DebugWord(String(name)) else {
            let nearest = Suggestion.nearest(to: String(name), in: DebugWord.known).map { "Did you mean \($0)? " } ?? ""
            throw Failure(.usage, "There is no command \(quote(String(name))).", "\(nearest)help lists the commands.")
        }
        if word != .list { nextListed = nil }
        last = word.repeats ? (word, rest) : nil
        try execute(word, rest)
    }

    private func execute(_ word: DebugWord, _ rest: String) throws {
        if word.arguments.isEmpty, !rest.isEmpty {
            throw Failure(.usage, "\(word.rawValue) takes no arguments, but was given \(quote(rest)).")
        }
        switch word {
        case .step: try step(.forward, by: .action, rest)
        case .back: try step(.backward, by: .action, rest)
        case .stepi: try step(.forward, by: .reducer, rest)
        case .backi: try step(.backward, by: .reducer, rest)
        case .continue: try run(.forward)
        case .rcontinue: try run(.backward)
        case .goto: try perform(.go(try position(try required(rest, word))))
        case .finish: try finish()
        case .until: try runUntil(try required(rest, word))
        case .find: try find(try required(rest, word))
        case .search: try search(try required(rest, word))
        case .display: try display(rest)
        case .undisplay: try undisplay(rest)
        case .commands: try beginCommands(rest)
        case .ignore: try ignore(try required(rest, word))
        case .source: try source(try required(rest, word))
        case .info: try printInfo(rest)
        case .cause, .scrub, .compare: try experiment(word, try required(rest, word))
        case .shrink, .races, .shake, .test, .invariants: try experiment(word, rest)
        case .watch: try watch(try required(rest, word))
        case .break: try setBreakpoint(try required(rest, word), isTemporary: false)
        case .tbreak: try setBreakpoint(try required(rest, word), isTemporary: true)
        case .breakpoints: printBreakpoints()
        case .delete, .enable, .disable: try change(word, rest)
        case .print: try printValue(rest.isEmpty ? "''" : rest)
        case .diff: try printDifference(rest)
        case .why: try explain(rest)
        case .history: try printHistory(try required(rest, word))
        case .list: try list(rest)
        case .where: try printStack()
        case .note: try note(rest)
        case .skip: try skip(rest)
        case .edit: try edit(try required(rest, word))
        case .insert: try insert(try required(rest, word))
        case .dispatch: try dispatch(try required(rest, word))
        case .run: try runEdits(rest)
        case .branches: printBranches()
        case .checkout: try checkout(try required(rest, word))
        case .undo:
            let events = try debugger.perform(.undo)
            if events == [.editsChanged] { printEdits() } else { try report(events) }
        case .help: try printHelp(rest)
        case .quit: isOver = true
        }
    }

    private func required(_ rest: String, _ word: DebugWord) throws -> String {
        if !rest.isEmpty { return rest }
        throw Failure(.usage, "\(word.rawValue) needs \(word.arguments).", word.help)
    }

    private func printHelp(_ name: String) throws {
        if !name.isEmpty {
            guard let word = DebugWord(name) else {
                throw Failure(.usage, "There is no command \(quote(name)).", "help lists the commands.")
            }
            let short = word.short.map { " (\($0))" } ?? ""
            console.print("\(style.strong(word.rawValue))\(short) \(word.arguments)".trimmed)
            return console.print("  \(word.help)")
        }
        let column = DebugWord.allCases.map { $0.rawValue.count }.max() ?? 0
        for word in DebugWord.allCases {
            let short = (word.short ?? "").padded(to: 3)
            console.print(
                "\(short) \(style.strong(word.rawValue.padded(to: column)))  \(word.help)",
                hanging: column + 6
            )
        }
        console.print(faint: "help COMMAND shows its arguments. Enter repeats a step or a run. Ctrl-C stops a run.")
    }

    // MARK: Arguments

    /// The position that a text names.
    func position(_ text: String) throws -> Recording.Position {
        if text.hasPrefix("#") {
            guard let number = Int(text.dropFirst()), found.positions.indices.contains(number - 1) else {
                throw Failure(.usage, "\(quote(text)) is not in the last list.", "find and search list positions.")
            }
            guard found.branch == debugger.branch else {
                let branches = "branch \(found.branch), and this is branch \(debugger.branch)"
                throw Failure(.usage, "The last list is of \(branches).", "find and search list the positions here.")
            }
            return found.positions[number - 1]
        }
        return try debugger.position(named: text)
    }

    /// The number of an action that a text names; that of the present action without a text.
    func action(_ text: String) throws -> Int {
        if text.isEmpty { return try debugger.presentAction() }
        let position = try position(text)
        guard position.seq > debugger.first.seq else {
            throw Failure(.usage, "Position \(position) is before the first action.")
        }
        return position.seq
    }

    /// The path that a text names: `/cart/total`, or `cart.total` as the debugger evaluates it.
    func path(_ text: String) throws -> NodePath {
        if text == "''" || text == "\"\"" { return NodePath() }
        if let path = try NodePath(text) ?? debugger.path(named: text) { return path }
        throw Failure(
            .usage,
            "\(quote(text)) is no path.",
            "A path begins with / and names one place, as in /cart/total or /items/0/title."
        )
    }
}

extension String {
    /// The text without spaces at its ends.
    var trimmingSpaces: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
