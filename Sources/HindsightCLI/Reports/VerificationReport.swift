import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Prints the result of a verification: a line, and a divergence in full.
struct VerificationReport: ToolReport {
    let recording: Recording
    let tool: Tool
    /// The last action to replay. The report leaves out all after it.
    var last = Int.max
    /// What was compared.
    var options = VerificationOptions()

    private static let maxConversions = 5
    private static let maxClasses = 20

    /// - Parameters:
    ///   - ranUnknown: Whether the actions without known states ran.
    ///   - runsFatal: Whether the action in which the recorded process ended is about to run.
    func print(_ result: VerificationResult, ranUnknown: Bool = false, runsFatal: Bool = false) {
        let name = tool.shown(recording)
        if let divergence = result.divergence {
            let run = divergence.actions.flatMap { $0.count > 1 ? "one of the actions \(Quantities.range($0))" : nil }
            let place = divergence.action.map {
                "\(run ?? "action \($0.seq)") of \(Quantities.grouped(recording.actionCount))"
            }
            console.print("\(style.bad("diverged"))  \(name)  at \(place ?? "the initial state")")
            print(divergence, result)
            if options.afterDivergence != .stop { printClasses(result) }
        } else {
            let count = Quantities.counted(result.actions, "action")
            let verdict = result.comparedNothing ? style.bad("unknown") : style.good("equal")
            let end = unfinished(result) == nil || runsFatal ? "" : ", up to the crash"
            console.print("\(verdict)  \(name)  \(count), \(Quantities.counted(result.steps, "step"))\(end)")
        }
        printRemarks(result, ranUnknown, runsFatal)
    }

    /// The actions without known states, up to ``last``.
    func unknown(_ result: VerificationResult) -> ClosedRange<Int>? {
        guard let unknown = result.unknown, unknown.lowerBound <= last else { return nil }
        return unknown.lowerBound...min(unknown.upperBound, last)
    }

    func unfinished(_ result: VerificationResult) -> Int? {
        result.unfinished.flatMap { $0 <= last ? $0 : nil }
    }

    /// What was compared, and what was not.
    private func printScope(_ result: VerificationResult) {
        if let changes = result.reducers {
            console.row("reducers", "\(text(changes)): compared by \(result.level.rawValue)")
        }
        if !result.migrations.isEmpty {
            let schemas = result.migrations.map(String.init).joined(separator: ", ")
            console.row(
                "schema",
                "\(recording.app.schema), migrated to \(schemas): compared by states, because migrations apply"
            )
        }
        for conversion in result.conversions.prefix(Self.maxConversions) {
            console.row("read", FitReport.text(of: conversion) + ": compared after this build has read it")
        }
        let more = result.conversions.count - Self.maxConversions
        if more > 0 { console.row("read", "and \(more) more such places; check lists them") }
        if !result.unshared.isEmpty {
            let paths = RedactionText.list(result.unshared)
            console.row("types", "\(paths): only in the recording or only in this build, so not compared")
        }
        for field in result.unstable.prefix(Self.maxConversions) { console.row("unstable", escape("\(field)")) }
        if result.comparedNothing, let reason = result.emptiness {
            console.row("compared", "nothing was compared, because \(reason)")
        }
        if options.finalStateOnly { console.row("compared", "only the state at the end") }
        if let end = options.end { console.row("compared", "up to action \(end.seq)") }
        if !result.ignoredPaths.isEmpty {
            console.row("ignored", RedactionText.list(result.ignoredPaths))
        }
        if !result.tolerances.isEmpty {
            console.row("tolerant", RedactionText.list(result.tolerances.map(\.path)))
        }
        if !result.unusedPatterns.isEmpty {
            let isPart = result.divergence != nil && options.afterDivergence == .stop
            let end = isPart ? " so far, up to the divergence" : ""
            console.row("unused", "nothing is at \(RedactionText.list(result.unusedPatterns))\(end): is it misspelt?")
        }
    }

    /// How the reducers differ from the recorded ones.
    private func text(_ changes: ReducerChanges) -> String {
        func part(_ names: [String], _ what: String) -> String? {
            names.isEmpty ? nil : "\(names.count) \(what) (\(Quantities.list(names, most: 3)))"
        }
        let parts = [
            part(changes.added.map { brief($0) }, "added"),
            part(changes.removed.map { brief($0) }, "removed"),
            part(changes.renamed.map { "\(brief($0.recorded)) → \(brief($0.today))" }, "renamed"),
            part(changes.steps.map { brief($0) }, changes.steps.count == 1 ? "step, run whole" : "steps, run whole"),
            changes.isReordered ? "in another order" : nil,
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    private func printRemarks(_ result: VerificationResult, _ ranUnknown: Bool, _ runsFatal: Bool) {
        printScope(result)
        if !result.gaps.isEmpty {
            console.row("gaps", "not recorded as values, so not run: \(list(result.gaps))")
        }
        if !result.travels.isEmpty {
            console.row(
                "travel",
                "the app travelled to another state: \(list(result.travels)); the replay went on from there"
            )
        }
        if !result.removed.isEmpty {
            let (actions, verb, whose, them) =
                result.removed.count == 1 ? ("action", "was", "its", "it") : ("actions", "were", "their", "them")
            let schemas = result.migrations.count == 1 ? " to schema \(result.migrations[0])" : "s"
            console.row(
                "removed",
                "\(actions) \(list(result.removed)) \(verb) removed by the migration\(schemas); \(whose) recorded changes"
                    + " remain in the states after \(them)"
            )
        }
        if !result.redacted.isEmpty {
            let paths = Quantities.counted(result.redacted.count, "path")
            console.row("redacted", "\(paths) not compared: \(RedactionText.list(result.redacted))")
        }
        printCompared(result.skipped, "computed", "without recorded states", result)
        if let run = result.uncompared {
            let isDoubtful = result.doubtful.contains(run)
            let count = Quantities.counted(run.count, "action")
            let kind = isDoubtful ? "with doubtful states" : "without recorded states"
            console.row(
                isDoubtful ? "doubtful" : "computed",
                "\(count) \(kind) (\(list([run]))): run, but not compared, because the replay ended within them"
            )
        }
        if result.comparedNothing, result.unknown == nil, let loss = EndingText.loss(in: recording) {
            console.row("states", "\(loss); there was nothing to compare")
        }
        if let unknown = unknown(result) {
            let range = Quantities.actions(unknown)
            let isLive = recording.ending == .open(live: true)
            let why = "not recorded\(isLive ? " yet" : ""), so there was nothing to compare"
            console.row(
                ranUnknown ? "computed" : "states",
                ranUnknown ? "\(range), whose states were \(why)" : "those after \(range) were \(why)"
            )
        }
        printCompared(result.doubtful, "doubtful", "with doubtful states", result)
        if let seq = unfinished(result) {
            console.row(
                "crash",
                runsFatal
                    ? "the recorded process ended in action \(seq); it now runs in a separate process"
                    : EndingText.unfinished(
                        seq,
                        isGap: result.unfinishedIsGap,
                        tool.quoted(recording),
                        tool: tool.name
                    )
            )
        }
        if let patch = result.initialDifference {
            console.row("start", "this build has another initial state; the replay began on the recorded one:")
            // A note, not the answer: an app that starts with its data on disk has it in each report.
            console.print(patch, maxLines: 8, maxWidth: 400)
        }
    }

    /// Says of which runs of actions only the state after them was compared.
    private func printCompared(
        _ all: [ClosedRange<Int>],
        _ label: String,
        _ kind: String,
        _ result: VerificationResult
    ) {
        let runs = all.filter { $0 != result.uncompared }
        guard !runs.isEmpty else { return }
        let count = Quantities.counted(runs.reduce(0) { $0 + $1.count }, "action")
        console.row(label, "\(count) \(kind) (\(list(runs))): run, and the state after them compared")
    }

    private func list(_ seqs: [Int]) -> String { Quantities.list(seqs.map(String.init), most: 5) }

    private func list(_ runs: [ClosedRange<Int>]) -> String {
        Quantities.list(runs.map(Quantities.range), most: 3, "run")
    }

    private func print(_ divergence: Divergence, _ result: VerificationResult) {
        let room = console.terminal.width
        let value = ValueText(budget: room, maxStringLength: max(60, room))
        let (recorded, now) = value.texts(of: divergence.expected, divergence.actual)
        if let actions = divergence.actions, actions.count > 1 {
            console.row("action", "one of \(Quantities.range(actions)): their states were not recorded")
        } else if let action = divergence.action {
            let shown = ActionText(budget: max(80, room)).text(of: action.payload, type: action.type)
            console.row("action", "\(action.seq)  \(shown)")
        }
        if let reducer = divergence.reducer, let name = divergence.reducerName {
            // Another list of reducers has other numbers.
            let number = result.reducers == nil ? "\(reducer) of \(recording.reducers.count)  " : ""
            console.row("reducer", number + style.strong(brief(name)))
        } else if divergence.scope == .action {
            let why =
                divergence.parts != 1
                ? ": a migration splits the action into \(divergence.parts)"
                : result.reducers == nil ? "" : ": the reducers differ from the recorded ones"
            console.row("reducer", "not known\(why)")
            if let writers = divergence.writers { console.row("", brief("\(writers)", longest: 200)) }
        }
        console.row(
            "path",
            divergence.path.isRoot ? "(the whole state)" : style.strong(escape(divergence.path.description))
        )
        console.row("recorded", divergence.expected == nil ? "nothing there" : style.removed(recorded))
        console.row("now", divergence.actual == nil ? "nothing there" : style.added(now))
        if divergence.reducer != nil {
            console.row(
                "input",
                divergence.inputWasRecorded ? "the recorded state: the difference begins here" : "differed already"
            )
        }
        let isKnown = [.other, .initialState].contains(divergence.cause)
        if let explanation = divergence.explanation {
            console.row(isKnown ? "known" : "likely", explanation)
        }
        if divergence.cause == .redaction {
            console.row("given", "a placeholder for \(RedactionText.list(divergence.redacted))")
        }
        if divergence.difference.operations.count > 1 {
            let isAfterAction = divergence.action != nil && divergence.scope != .reducer
            let place = isAfterAction ? "action \(divergence.seq)" : "this reducer"
            console.print("  all differences after \(place), recorded → now:")
            console.print(divergence.difference, maxLines: 20)
        }
    }

    /// Prints the kinds of differences, and what differs at the end.
    private func printClasses(_ result: VerificationResult) {
        let classes = result.classes
        let kinds = Quantities.counted(classes.count, "kind")
        let actions = Quantities.counted(result.actions, "action")
        let noun = classes.count == 1 ? "difference" : "differences"
        // The initial state may be the only place.
        let place =
            result.divergedActions == 0 && !classes.isEmpty
            ? "at the initial state" : "in \(Quantities.grouped(result.divergedActions)) of \(actions)"
        console.print("  \(kinds) of \(noun) \(place):")
        let rows = classes.prefix(Self.maxClasses).map(cells)
        let table = Table(rows, most: 40)
        for row in rows { console.print("    " + table.line(row), hanging: 6) }
        let more = classes.count - Self.maxClasses
        if more > 0 { console.print("    and \(Quantities.grouped(more)) more; --json has all") }
        if let last = result.agreements.last {
            console.print("  The replay agreed with the recording again after action \(last).")
        }
        guard let difference = result.finalDifference else { return }
        console.print("  differences at the end, recorded → now:")
        console.print(difference, maxLines: 20)
    }

    private func cells(_ one: DivergenceClass) -> [String] {
        let cause = one.cause == .other || one.cause == .initialState ? "" : ", likely \(one.cause.rawValue)"
        return [
            Quantities.grouped(one.count),
            one.actionType.map { brief($0, longest: 40) } ?? "the initial state",
            one.reducerName.map { brief($0, longest: 40) } ?? "-",
            one.path.shown("(the whole state)"),
            one.actionType == nil ? String(cause.dropFirst(2)) : "first at \(one.example.position)\(cause)",
        ]
    }
}
