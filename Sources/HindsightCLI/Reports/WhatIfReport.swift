import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Prints what differs if the actions of a recording are changed.
struct WhatIfReport: ToolReport {
    let recording: Recording
    let log: ChangedLog
    let tool: Tool

    private static let maxEdits = 8
    private static let maxSpans = 3

    /// - Parameter runsFatal: Whether the action in which the recorded process ended is about to run.
    func print(_ result: WhatIfResult, runsFatal: Bool) throws {
        console.print(headline(result))
        for edit in log.edits.prefix(Self.maxEdits) { try printEdit(edit) }
        let more = log.edits.count - Self.maxEdits
        if more > 0 { console.row("", "… and \(Quantities.counted(more, "more change"))") }
        if let first = result.first { printFirst(first) }
        if let reaction = result.reaction { try printReaction(reaction) }
        if !result.isSame { printEnd(result) }
        printRemarks(result, runsFatal: runsFatal)
    }

    /// The command that writes the same as a recording.
    ///
    /// - Parameter options: The options that change actions, as words for a shell.
    func printNext(_ options: [String]) {
        // An app that runs its steps as a whole cannot write the recorded ones.
        if log.isUnchanged || tool.runsWhole(recording) { return }
        let words = [tool.name, "whatif", tool.quoted(recording)] + options + ["-o", "what-if.hindsight"]
        console.row("next", words.joined(separator: " "), hangs: false)
    }

    private func headline(_ result: WhatIfResult) -> String {
        let name = tool.shown(recording)
        let label = result.isSame ? style.good("same") : style.bad("differs")
        guard !log.isUnchanged else {
            return result.isSame
                ? "\(label)  \(name)  nothing is changed, and the end is the recorded one"
                : "\(label)  \(name)  nothing is changed, and this build's reducers end in another state"
        }
        if !result.isSame {
            let count = Quantities.counted(result.difference.operations.count, "place")
            return "\(label)  \(name)  \(count) at the end, after action \(Quantities.grouped(result.end.seq))"
        }
        if comparesNothing(result) {
            let end = "the last recorded state, after \(Quantities.grouped(result.end.seq)),"
            return "\(style.bad("unknown"))  \(name)  \(end) is before the first change"
        }
        if result.first != nil, let last = (result.gaps + result.travels).max() {
            return "\(label)  \(name)  it has the recorded end, since it went on from the recorded state after \(last)"
        }
        let course = result.first == nil ? "the changes have no effect" : "the changes have no effect in the end"
        return "\(label)  \(name)  \(course)"
    }

    /// Whether the end comes before the first change, so that nothing that may differ was compared.
    private func comparesNothing(_ result: WhatIfResult) -> Bool {
        !log.isUnchanged && result.isSame && max(result.end.seq, result.endNumber) <= log.kept
    }

    private func printEdit(_ edit: ChangedLog.Edit) throws {
        let text = ActionText(budget: max(60, console.terminal.width - 30))
        switch edit {
        case .skip(let seq): console.row("skipped", "\(seq)  \(try recorded(seq))")
        case .skipAll(let all, let rule):
            if all.isEmpty { return console.row("skipped", "none by \(escape(rule))") }
            let list = all.prefix(5).map { Quantities.grouped($0) }.joined(separator: ", ")
            let more = all.count > 5 ? " …" : ""
            console.row("skipped", "\(Quantities.counted(all.count, "action")) by \(brief(rule)): \(list)\(more)")
        case .edit(let seq, let action):
            console.row("edited", "\(seq)  \(try recorded(seq)) → \(text.text(of: action))")
            let value = ValueText(budget: 60, maxStringLength: 60)
            if let old = try recording.action(seq).payload, let hidden = value.hiddenDifference(old, action) {
                console.row("", change(of: hidden.path, hidden.left, hidden.right))
            }
        case .insert(let action, let moment):
            console.row("inserted", "after \(moment)  \(text.text(of: action))")
        case .move(let seq, let moment):
            console.row("moved", "\(seq)  \(try recorded(seq)), after \(moment)")
        }
    }

    /// A recorded action as text.
    private func recorded(_ seq: Int) throws -> String {
        let action = try recording.action(seq)
        return ActionText(budget: 60).text(of: action.payload, type: action.type)
    }

    private func printFirst(_ first: WhatIfDifference) {
        let place =
            first.actions.count == 1 ? "after \(first.seq)" : "in one of the actions \(Quantities.range(first.actions))"
        let here = first.number == first.seq ? "" : " (here \(first.number))"
        let reducer = first.reducerName.map { ", in \(style.strong(brief($0)))" } ?? ""
        console.row("first", "\(place)\(here)\(reducer): \(change(of: first.path, first.recorded, first.changed))")
        if first.isOfReducers {
            console.row("", "no change has to do with it: this build's reducers differ from the recorded ones")
        }
    }

    private func change(of path: NodePath, _ old: Node?, _ new: Node?) -> String {
        let name = path.isRoot ? "(the whole state)" : style.strong(escape(path.description))
        let texts = ValueText(budget: 60, maxStringLength: 60).texts(of: old, new)
        return
            "\(name)  \(old == nil ? texts.0 : style.removed(texts.0)) → \(new == nil ? texts.1 : style.added(texts.1))"
    }

    private func printReaction(_ reaction: WhatIfReaction) throws {
        let here = reaction.number == reaction.seq ? "" : " (here \(reaction.number))"
        console.row("then", "\(reaction.seq)\(here)  \(try recorded(reaction.seq)) does something else:")
        let name = style.strong(brief(reaction.reducerName))
        console.print("           \(name), recorded → changed:", hanging: 11)
        let text = PatchText(style: style, width: console.terminal.width - 13, maxLines: 4)
        for (label, patch) in [("recorded", reaction.recorded), ("changed", reaction.changed)] {
            let lines = patch.isEmpty ? ["no change"] : text.lines(of: patch, base: nil)
            for line in lines { console.print("           \(style.faint(label.padded(to: 8)))  \(line)", hanging: 21) }
        }
    }

    private func printEnd(_ result: WhatIfResult) {
        let here = result.endNumber == result.end.seq ? "" : " (here \(Quantities.grouped(result.endNumber)))"
        let computed = result.isEndComputed ? "; the recorded end was computed by this build's reducers" : ""
        console.print(
            faint: "at the end, after \(Quantities.grouped(result.end.seq))\(here), recorded → changed\(computed):"
        )
        console.print(result.difference, margin: "", maxLines: 30, base: result.recordedState)
    }

    private func printRemarks(_ result: WhatIfResult, runsFatal: Bool) {
        let spans = log.spans(most: Self.maxSpans + 1).filter { $0.recorded != $0.numbers }
        if !log.isUnchanged, !spans.isEmpty {
            let list = spans.prefix(Self.maxSpans).map { span in
                let verb = span.recorded.count == 1 ? "is" : "are"
                return "\(text(span.recorded)) \(verb) \(text(span.numbers))"
            }
            console.row("numbers", list.joined(separator: ", ") + (spans.count > Self.maxSpans ? ", …" : "") + " here")
        }
        if let orphan = result.orphans.first {
            let count = Quantities.counted(result.orphans.count, "action was", "actions were")
            console.row(
                "children",
                "\(count) dispatched in answer to one that is left out, and \(result.orphans.count == 1 ? "stays" : "stay"):"
                    + " \(orphan)\(result.orphans.count > 1 ? ", …" : ""); --with-children leaves out these too"
            )
        }
        if !result.gaps.isEmpty {
            let gaps = list(result.gaps)
            console.row("gaps", "not recorded as values, so the run went on from the recorded state after \(gaps)")
        }
        if !result.travels.isEmpty {
            console.row(
                "travel",
                "the app travelled to a recorded state at \(list(result.travels)); the run went on from there"
            )
        }
        if !result.redacted.isEmpty {
            console.row(
                "redacted",
                "not compared, and placeholders to the reducers: \(RedactionText.list(result.redacted))"
            )
        }
        if !result.unshared.isEmpty {
            console.row(
                "types",
                "\(RedactionText.list(result.unshared)): only in the recording or in this build, not compared"
            )
        }
        if !result.migrations.isEmpty {
            console.row("schema", "migrated to \(result.migrations.map(String.init).joined(separator: ", "))")
        }
        if let reducers = result.reducers, reducers.steps.isEmpty {
            console.row(
                "reducers",
                "not the recorded ones (\(reducers.added.count) added, \(reducers.removed.count) removed, "
                    + "\(reducers.renamed.count) renamed): what differs may be their doing"
            )
        }
        if case .crashed(let seq, _) = recording.ending, runsFatal || result.unfinished != nil {
            let what = runsFatal ? "it now runs in the changed log, in a separate process" : "it was not run"
            console.row("crash", "the recorded process ended in action \(seq); \(what)")
        }
        if !log.isUnchanged {
            console.row("note", "this is what the reducers alone would do: no middleware ran")
        }
    }

    private func text(_ range: ClosedRange<Int>) -> String {
        range.count == 1 ? Quantities.grouped(range.lowerBound) : Quantities.range(range)
    }

    private func list(_ seqs: [Int]) -> String { Quantities.list(seqs.map(String.init), most: 5) }
}

extension WhatIfReport {
    private static let maxJSONSpans = 10_000

    func json(_ result: WhatIfResult, output: String?) throws -> Node {
        [
            "file": .string(recording.url.relativePath),
            "edits": .array(log.edits.map { .string($0.description) }),
            "kept": .int(log.kept),
            "equal": comparesNothing(result) ? .null : .bool(result.isSame),
            "first": try Node(answer: result.first),
            "reaction": try Node(answer: result.reaction),
            "end": [
                "position": .int(result.end.seq), "number": .int(result.endNumber),
                "computed": .bool(result.isEndComputed),
            ],
            "difference": result.difference.node,
            "numbers": .array(
                log.spans(most: Self.maxJSONSpans).map {
                    ["recorded": .range($0.recorded), "changed": .range($0.numbers)]
                }
            ),
            "orphans": .array(result.orphans.map(Node.int)),
            "gaps": .array(result.gaps.map(Node.int)),
            "travels": .array(result.travels.map(Node.int)),
            "redacted": .array(result.redacted.map(Node.string)),
            "unshared": .array(result.unshared.map(Node.string)),
            "migrations": .array(result.migrations.map(Node.int)),
            "unfinished": .optional(result.unfinished.map(Node.int)),
            "output": .optional(output.map(Node.string)),
            "written": output == nil ? .null : .int(log.lastNumber - log.start),
        ]
    }
}
