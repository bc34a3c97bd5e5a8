import Foundation
import HindsightRecording
import HindsightReplay
import HindsightSupport
import HindsightTree

/// Prints a review: its classes, and what follows from the decisions.
struct ReviewReport: ToolReport {
    let tool: Tool
    /// Whether the tool's reducers of several apps are reviewed, so that each class names its app.
    let namesApps: Bool

    private static let maxFiles = 10
    private static let maxLines = 8

    init(_ tool: Tool, _ review: Review) {
        self.tool = tool
        namesApps = Set(review.classes.map(\.key.app)).count > 1
    }

    /// Prints the number of classes and files.
    func printHead(_ review: Review) {
        let all = Quantities.counted(review.files.count, "recording")
        guard !review.classes.isEmpty else {
            let count = review.files.count - review.unreviewed.count
            guard count > 0 else { return }
            return console.print("\(style.good("equal"))  \(Quantities.counted(count, "recording")): nothing to review")
        }
        let files = Set(review.classes.flatMap(\.fileIndices)).count
        let kinds = Quantities.counted(review.classes.count, "kind")
        console.print("\(kinds) of differences in \(Quantities.grouped(files)) of \(all)")
    }

    /// Prints a class with its first example.
    ///
    /// - Parameter isFull: Whether all of the example's changes and all files are printed.
    func print(_ index: Int, of review: Review, isFull: Bool = false) {
        let one = review.classes[index]
        console.print()
        let files = Quantities.counted(one.fileIndices.count, "recording")
        let what =
            one.isCrash
            ? style.bad("crash") : Quantities.counted(one.count, one.key.type == nil ? "initial state" : "action")
        let place = style.strong("\(index + 1) of \(review.classes.count)")
        console.print("\(place) · \(what) in \(files) · \(one.id)")
        console.print("  \(title(of: one))", hanging: 4)
        guard let member = one.members.first else { return }
        let file = review.files[member.file]
        if let first = member.difference?.first {
            printExample(first, file, one.key.cause, isFull: isFull)
        } else {
            for line in file.problem?.lines ?? [] { console.print("  " + line, hanging: 4) }
        }
        if isFull { printFiles(one, review) }
    }

    /// `add, reducer totals.sum, /totals/sum`
    private func title(of one: ReviewClass) -> String {
        var parts = [
            one.key.type.map { brief($0, longest: 60) } ?? (one.isCrash ? "before an action" : "the initial state")
        ]
        if let reducer = one.key.reducer { parts.append("reducer \(brief(reducer, longest: 60))") }
        if !one.isCrash {
            parts.append(style.strong(one.key.path.isEmpty ? "the whole state" : escape(one.key.path)))
        }
        return (namesApps ? brief(one.key.app, longest: 40) + ": " : "") + parts.joined(separator: ", ")
    }

    private func printExample(
        _ example: ExaminedFile.Example,
        _ file: ExaminedFile,
        _ cause: String,
        isFull: Bool
    ) {
        let name = escape(file.file)
        var place = "\(name), the initial state"
        if example.seq > 0 {
            place = "\(name), action \(example.seq) of \(Quantities.grouped(file.actions))"
            if let action = example.action {
                let room = max(60, console.terminal.width)
                place += ": " + ActionText(budget: isFull ? Terminal.unlimited : room).text(of: action)
            }
        }
        console.row("first", place)
        let cause = Divergence.Cause(rawValue: cause) ?? .other
        if let explanation = example.explanation {
            console.row([.other, .initialState].contains(cause) ? "known" : "likely", explanation)
        }
        if [.date, .uuid, .random, .unordered].contains(cause) {
            console.row("accept", "would not help: the next replay is likely to differ again")
        }
        console.print("  \(style.faint("recorded → now"))")
        var text = PatchText(style: style, width: console.terminal.width - 4)
        if !isFull { text.maxLines = Self.maxLines }
        let lines = text.lines(of: example.patch, base: isFull ? base(example.position, file) : nil)
        for line in lines { console.print("    " + line, hanging: 6) }
    }

    /// The recorded state around the change, of which unchanged parts are counted; `nil` if it is not to be had.
    private func base(_ position: Recording.Position, _ file: ExaminedFile) -> Node? {
        do {
            return try Recording(at: URL(filePath: file.file)).state(at: position)
        } catch {
            let reason = Messages.lines(of: error).first ?? "it cannot be read"
            console.note("The recorded state at \(position) of \(escape(file.file)) is not shown: \(reason)")
            return nil
        }
    }

    private func printFiles(_ one: ReviewClass, _ review: Review) {
        for index in one.fileIndices.prefix(Self.maxFiles) {
            let count = one.members.filter { $0.file == index }.reduce(0) { $0 + ($1.difference?.count ?? 0) }
            let first = one.members.first { $0.file == index }?.difference?.first.seq
            let detail = first.map { ": \(Quantities.counted(count, "action")), the first is \($0)" } ?? ""
            console.row("in", escape(review.files[index].file) + detail)
        }
        let more = one.fileIndices.count - Self.maxFiles
        if more > 0 { console.row("", "and \(Quantities.counted(more, "more recording"))") }
        if let first = one.members.first {
            let file = ShellQuoting.quote(review.files[first.file].file)
            console.row("more", "\(tool.name) verify --chained \(file)")
            if let seq = first.difference?.first.seq, seq > 0 { console.row("", "\(tool.name) show \(file) \(seq)") }
        }
    }
}

extension ReviewReport {
    /// Prints the files that were not reviewed, and why.
    func printUnreviewed(_ review: Review, as words: String = "not reviewed", most: Int = .max) {
        for file in review.unreviewed.prefix(most) {
            console.print()
            console.print("\(style.bad(words))  \(escape(file.file))")
            // Those of an archive come from other machines.
            for line in file.problem?.lines ?? [] { console.print("  " + escape(line), hanging: 4) }
        }
    }

    /// Prints the files that were reviewed up to the action in which the recorded process ended.
    func printUnfinished(_ review: Review) {
        for file in review.files {
            guard let seq = file.unfinished else { continue }
            let sentence = EndingText.unfinished(
                seq,
                isGap: file.unfinishedIsGap,
                ShellQuoting.quote(file.file),
                tool: tool.name
            )
            console.print("\(style.changed("crash"))  \(escape(file.file))  \(sentence)", hanging: 4)
        }
    }

    func printStale(_ stale: [String]?) {
        guard let stale else {
            return console.print(
                "Whether tests still refer to the recordings is not known: run the tests with HINDSIGHT_REFERENCES=FILE, and"
                    + " give --references FILE.",
                hanging: 0
            )
        }
        for file in stale { console.print("\(style.bad("stale"))  \(escape(file)): no test refers to it") }
    }

    /// Prints the decisions, and what is about to be written.
    func printDecisions(_ review: Review) {
        let counts = [ReviewClass.Decision.accepted, .rejected, .skipped].map { decision in
            "\(review.classes.count { $0.decision == decision }) \(decision.rawValue)"
        }
        let open = review.undecided.count
        let files = Quantities.counted(review.accepted.count, "recording")
        console.print()
        console.print(
            counts.joined(separator: ", ") + (open > 0 ? ", \(open) undecided" : "") + ". \(files) will be rewritten."
        )
    }

    /// Prints what is left: files that wait for a decision, and what is to be fixed.
    func printRest(_ review: Review) {
        if review.undecided.contains(where: { !review.classes[$0].isCrash }) {
            console.print()
            console.print(
                "Decide with \(tool.name) review on a terminal, or with --accept CLASS and --reject CLASS; all stands for"
                    + " all classes that are left.",
                hanging: 0
            )
        }
        for (file, classes) in review.waiting {
            let ids = classes.map { "\($0.id) (\($0.decision?.rawValue ?? "undecided"))" }
            console.print("\(style.changed("waits"))  \(escape(file.file))  for \(Quantities.list(ids, most: 3))")
        }
        let rejected = review.classes.filter { $0.decision == .rejected }
        if rejected.isEmpty { return }
        console.print("To fix:")
        for one in rejected {
            console.print("  \(title(of: one))", hanging: 4)
            guard let first = one.members.first else { continue }
            console.print("    \(tool.name) verify \(ShellQuoting.quote(review.files[first.file].file))", hanging: 6)
        }
    }
}
