/// The commands of the debugger's terminal.
enum DebugWord: String, CaseIterable {
    // The order decides which of several commands a short form means.
    case step, back, stepi, backi
    case `continue`, rcontinue
    case goto
    case print, diff, why, history, list, `where`
    case watch, `break`, tbreak, breakpoints, delete, enable, disable
    case note
    case skip, edit, insert, dispatch, run
    case branches, checkout, undo
    case finish, until, find, search
    case display, undisplay, commands, ignore, source, info
    case cause, shrink, races, shake, test, invariants, scrub, compare
    case help, quit

    /// The short forms that are no beginnings of the command, or those that another command begins with, too.
    private static let aliases: [String: DebugWord] = [
        "s": .step, "n": .step, "next": .step, "b": .break, "rs": .back, "reverse-step": .back, "si": .stepi,
        "bi": .backi, "rsi": .backi, "c": .continue, "rc": .rcontinue, "reverse-continue": .rcontinue, "g": .goto,
        "jump": .goto, "p": .print, "bt": .where, "w": .where, "l": .list, "log": .list, "d": .diff, "e": .edit,
        "blame": .why,
        "disp": .display, "u": .undo, "advance": .until, "r": .run, "h": .help, "?": .help, "q": .quit, "exit": .quit,
    ]

    /// The command that a word names: in full, by a short form, or by its first letters.
    init?(_ word: String) {
        if let exact = DebugWord(rawValue: word) ?? Self.aliases[word] {
            self = exact
        } else if !word.isEmpty, let first = Self.allCases.first(where: { $0.rawValue.hasPrefix(word) }) {
            self = first
        } else {
            return nil
        }
    }

    /// All words that name a command.
    static var known: [String] { allCases.map(\.rawValue) + aliases.keys.filter { $0.count > 2 }.sorted() }

    /// The short form to show; `nil` if there is none.
    var short: String? { Self.shortForms[self] }

    private static let shortForms: [DebugWord: String] = [
        .step: "s", .stepi: "si", .back: "rs", .backi: "bi", .continue: "c", .rcontinue: "rc", .goto: "g", .break: "b",
        .print: "p", .diff: "d", .where: "w", .list: "l", .undo: "u", .run: "r", .help: "h", .quit: "q",
    ]

    /// What may follow it.
    var arguments: String {
        switch self {
        case .step, .back, .stepi, .backi: "[N]"
        case .goto: "P"
        case .watch: "PATH|EXPR [if EXPR]"
        case .break, .tbreak, .until: "P|TYPE|EXPR|reducer NAME|crash|divergence [if EXPR]"
        case .delete, .enable, .disable: "[N…]"
        case .print: "[/json|/text] [PATH|NAME|EXPR]"
        case .display: "[PATH|NAME|EXPR]"
        case .undisplay: "[N…]"
        case .find: "EXPR"
        case .search: "TEXT"
        case .commands: "[N]"
        case .ignore: "N COUNT"
        case .info: "[breakpoints|display|branches]"
        case .diff, .list, .skip: "[P]"
        case .why, .history, .cause: "PATH"
        case .shrink: "[diverge|EXPR]"
        case .test: "[--constant=MODULE.NAME] [P [Q]]"
        case .scrub, .source: "FILE"
        case .compare: "TOOL"
        case .note: "[TEXT]"
        case .edit, .insert: "[P] JSON"
        case .dispatch: "JSON"
        case .run: "[FILE]"
        case .checkout: "N"
        case .help: "[COMMAND]"
        case .continue, .rcontinue, .finish, .where, .breakpoints, .branches, .undo, .races, .shake,
            .invariants, .quit:
            ""
        }
    }

    /// What it does, as a sentence.
    var help: String {
        switch self {
        case .step: "Steps N actions on."
        case .back: "Steps N actions back."
        case .stepi: "Steps N reducers on."
        case .backi: "Steps N reducers back."
        case .continue: "Runs on until something hits, or to the end."
        case .rcontinue: "Runs back until something hits, or to the start."
        case .goto:
            "Goes to a position: 412, 412.3, start, end, crash, 50%, a time or a note; or to #3, the third of the last find "
                + "or search."
        case .watch:
            "Stops where the value at the path or of the expression changes; a condition changes from true to false."
        case .break:
            "Stops at the position, after actions of the type, where the expression becomes true, where the reducer changes something, "
                + "at the crash, or where today's reducers do something else. An expression that reads the action, old "
                + "or changed stops wherever it is true."
        case .tbreak: "Sets a breakpoint that is deleted once it has stopped a run."
        case .breakpoints: "Lists the breakpoints and the watches."
        case .delete: "Deletes breakpoints; all of them without numbers."
        case .enable: "Turns breakpoints on; all of them without numbers."
        case .disable: "Turns breakpoints off; all of them without numbers."
        case .print:
            "Shows the value at a path, or at a name such as cart.lines[0], or the value of an expression; without one, "
                + "the whole state. print/json shows all of a value as JSON, print/text all of a text; payload is the action."
        case .diff: "Shows all changes of this step, or what differs between P and here."
        case .why: "Shows who set the value here: position, reducer, action and where it was dispatched."
        case .history: "Shows all changes of the value."
        case .list: "Lists the actions around here, or around P. Again: the next ones."
        case .where: "Shows the reducer, the action, what led to it, and where each was dispatched."
        case .note: "Names this position in the recording; without a text, lists the notes."
        case .skip: "Plans to leave this action out, or the one at P."
        case .edit: "Plans to run JSON in place of this action, or of the one at P."
        case .insert: "Plans to run JSON before this action, or before the one at P."
        case .dispatch: "Plans to run JSON after this action."
        case .run:
            "Runs the planned changes through the app's reducers into a branch, and goes there; keeps it as FILE."
        case .branches: "Lists the recording and its branches, and the planned changes."
        case .checkout: "Goes to a branch by its number; 0 is the recording."
        case .undo: "Takes back the last planned change, or else the last move."
        case .finish: "Goes to the end of this action, or to the crash."
        case .until: "Runs on until this hits, once; anything that break takes."
        case .find: "Lists the positions at which the expression is true, for goto #N."
        case .search: "Lists where the text or number first appears, for goto #N."
        case .display: "Shows the value wherever it stops; without one, all of them now."
        case .undisplay: "Stops showing the values with these numbers; all of them without numbers."
        case .commands:
            "Takes the following lines, up to end, as commands to run where breakpoint N, or the last one, stops."
        case .ignore: "Does not stop at the next COUNT hits of breakpoint N."
        case .source: "Runs the commands of a file, up to the first that fails."
        case .info: "Lists breakpoints, displayed values or branches; without one, describes the recording."
        case .cause: "Shows without which actions the value here would be another."
        case .shrink: "Finds the few actions that it takes to crash, to diverge, or to make an expression true."
        case .races: "Finds actions of different threads that lead to another state in the other order."
        case .shake: "Finds reducers that depend on a clock, a random number, the locale or the like."
        case .test: "Writes the actions from P to Q as a Swift test; without positions, all of them."
        case .invariants: "Finds what held in all states: bounds, sums, counts, unique elements, keys that exist."
        case .scrub: "Writes FILE, the recording with placeholders for its values and the same behaviour."
        case .compare: "Shows what this build of the app does differently than the one of TOOL."
        case .help: "Shows the commands, or one of them."
        case .quit: "Ends the debugger, like Ctrl-D."
        }
    }

    /// Whether Enter repeats it.
    var repeats: Bool { [.step, .back, .stepi, .backi, .continue, .rcontinue, .list].contains(self) }
}
