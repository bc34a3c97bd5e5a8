import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Prints the actions that are left, what they do, and what was tried.
struct ShrinkReport: ToolReport {
    let recording: Recording
    let tool: Tool
    let goal: String
    /// Why it ended early; `nil` if nothing was left to try.
    var interruption: ExperimentProcess.EarlyEnd?
    /// Whether the list did it again in a new process.
    var isConfirmed = false
    /// Whether this build's reducers reached the recorded state before the last action; `nil` if it is not known.
    var isStateRecorded: Bool?
    var list: [LogShrinker.Entry] = []
    var crash: CrashReport?
    var crashedReducer: Int?
    var base = Recording.Position(seq: 0)

    /// The seconds of `--timeout`, if it was given.
    var timeout: Double?

    private static let maxActions = 30

    func print(_ answer: ShrinkAnswer) {
        let left = Quantities.grouped(answer.actions.count)
        let name = tool.shown(recording)
        let all = Quantities.counted(answer.of, "action")
        let verb = answer.actions.count == 1 ? "is" : "are"
        let isWhole = answer.actions.count == answer.of && interruption != nil
        let isLost = interruption == nil && !isConfirmed
        console.print(
            isLost
                ? "\(style.bad("not certain"))  \(name)  \(left) of \(all) did it once, and not again in a new process"
                : isWhole
                    ? "\(style.bad("not shrunk"))  \(name)  none of \(all) could be left out so far"
                    : "\(style.good("shrunk"))  \(name)  \(left) of \(all) \(verb) enough \(purpose(answer))"
        )
        printActions(answer)
        if let crash {
            console.row("crash", CrashReport.place(of: crash.point, crash.reducers))
            console.row("", crash.explanation)
            // Only the run that confirms the list asks for the calls.
            if isConfirmed || crash.backtrace != nil { for line in crash.frameLines { console.row("", line) } }
        }
        if let divergence = answer.divergence { print(divergence) }
        printTried(answer)
        if let test = answer.test { console.print("Wrote the test \(escape(test)).") }
        if let output = answer.output {
            console.print("Wrote \(Quantities.counted(answer.actions.count, "action")) to \(escape(output)).")
        } else {
            printNext(answer)
        }
    }

    private func purpose(_ answer: ShrinkAnswer) -> String {
        if let crash {
            return if case .signal = crash.ending { "for the crash" } else { "for the same end: it \(crash.verb)" }
        }
        return answer.divergence == nil ? "for \(brief(goal))" : "for the divergence"
    }

    private func printActions(_ answer: ShrinkAnswer) {
        if base > recording.start {
            let why = answer.fixed.map { ", since \($0.text)" } ?? ""
            console.row("from", "the recorded state after \(Quantities.grouped(base.seq))\(why)")
        }
        let width = Quantities.grouped(answer.actions.last?.seq ?? 0).count
        let text = ActionText(budget: max(60, console.terminal.width - width - 12))
        for action in answer.actions.prefix(Self.maxActions) {
            let number = String(repeating: " ", count: width - Quantities.grouped(action.seq).count)
            let shown = text.text(of: action.payload, type: action.type)
            let was = action.recorded.map { style.faint("  recorded: \(text.text(of: $0))") } ?? ""
            console.print("  \(number)\(Quantities.grouped(action.seq))  \(shown)\(was)", hanging: width + 4)
        }
        printOthers(answer.actions.count - Self.maxActions, "action")
    }

    private func print(_ divergence: ShrinkAnswer.Divergence) {
        let reducer = divergence.name.map { ", in \(style.strong(brief($0)))" } ?? ""
        let texts = ValueText(budget: 60, maxStringLength: 60).texts(of: divergence.expected, divergence.got)
        console.row(
            "diverge",
            "after \(Quantities.grouped(divergence.seq))\(reducer): \(escape(divergence.path.description))  "
                + "\(style.removed(texts.0)) → \(style.added(texts.1))"
        )
    }

    private func printTried(_ answer: ShrinkAnswer) {
        let lists = Quantities.counted(answer.attempts, "list")
        let how = answer.crash == nil ? "" : " in another way"
        let others =
            answer.otherCrashes == 0
            ? "" : "; \(Quantities.counted(answer.otherCrashes, "list")) ended the process\(how)"
        let time = answer.seconds < 10 ? "\((answer.seconds * 10).rounded() / 10)" : "\(Int(answer.seconds))"
        console.row("tried", "\(lists) in \(time) s\(others)")
        switch interruption {
        case .budget:
            console.row("", "time is over, so there may be a shorter list: --budget SECONDS gives it more")
        case .signal, .stopped: console.row("", "it was stopped, so there may be a shorter list")
        case nil where !isConfirmed: console.row("", "a reducer depends on more than its state and action")
        case nil where answer.minimal:
            let each = answer.actions.count == 1 ? "this action" : "each of these actions"
            console.row("", "\(each) is needed: without it, this does not happen")
        case nil where answer.unsteady != nil:
            let each = answer.actions.count == 1 ? "it" : "any one of these actions"
            let command = "'\(tool.name) shake \(tool.quoted(recording))'"
            console.row("", "without \(each) this did not happen, but the reducers are not pure: \(command) says why")
        case nil:
            console.row(
                "",
                "on fewer actions the reducer does something else: it keeps something outside of the state"
            )
        }
        if let note = RedactionText.note(recording) { console.row("redacted", note) }
        if isStateRecorded == false {
            console.row("", "this build's reducers lead to another state than the recorded one: 'verify' says where")
        }
    }

    private func printNext(_ answer: ShrinkAnswer) {
        if !recording.sidecarFiles.isEmpty {
            if recording.ending == .open(live: true) { return }
            let command = "\(tool.name) recover \(tool.quoted(recording))"
            return console.row("next", "\(command), then shrink it with -o OUT", hangs: false)
        }
        var words = [tool.name, "shrink", tool.quoted(recording)]
        if answer.until != "crash" { words += ["--until", ShellQuoting.quote(answer.until, isPath: false)] }
        if let timeout { words += ["--timeout", CrashReport.text(of: timeout)] }
        let name = recording.url.deletingPathExtension().lastPathComponent
        words += ["-o", ShellQuoting.quote("\(name)-small.hindsight")]
        console.row("next", words.joined(separator: " "), hangs: false)
    }
}
