import Foundation
import HindsightDebugger
import HindsightSupport
import HindsightTree

extension DebugSession {
    // MARK: Planning

    func skip(_ rest: String) throws { try plan(.skip(try action(rest))) }

    func edit(_ rest: String) throws {
        let (position, json) = Self.split(rest)
        let seq = try action(position)
        guard try !debugger.recording.action(seq).isTravel else {
            throw Failure(
                .usage,
                "Action \(seq) is time travel, and not an action that can be edited.",
                "skip leaves it out."
            )
        }
        try plan(.edit(seq, to: try node(json, "edit \(seq)")))
    }

    func insert(_ rest: String) throws {
        let (position, json) = Self.split(rest)
        let seq = try action(position)
        try plan(.insert(try node(json, "insert \(seq)"), after: seq - 1))
    }

    func dispatch(_ rest: String) throws {
        try plan(.insert(try node(rest, "dispatch"), after: debugger.presentMoment))
    }

    private func plan(_ edit: ChangedLog.Edit) throws {
        try debugger.edit(edit)
        printEdits()
    }

    /// Splits `[P] JSON`.
    private static func split(_ text: String) -> (position: String, json: String) {
        guard let first = text.first, !"{[\"".contains(first) else { return ("", text) }
        let position = text.prefix { !$0.isWhitespace }
        return (String(position), String(text.dropFirst(position.count)).trimmingSpaces)
    }

    /// An action of the app.
    private func node(_ json: String, _ place: String) throws -> Node {
        try tool.app(of: debugger.recording).action(json, at: place)
    }

    /// An edit as the commands name it: `insert` takes the action before which JSON runs, and `whatif` the one after
    /// which it runs.
    private func planText(of edit: ChangedLog.Edit, in recording: Recording) -> String {
        guard case .insert(let node, let moment) = edit else { return edit.description }
        let place = moment < recording.actionCount ? "before \(moment + 1)" : "after \(moment)"
        return "insert \(place): \(node.json)"
    }

    func printEdits() {
        if debugger.edits.isEmpty { return console.print("No changes are planned.") }
        for edit in debugger.edits { console.print("planned: \(brief(planText(of: edit, in: debugger.recording)))") }
        console.print(faint: "run runs them, and undo takes back the last.")
    }

    // MARK: Running

    /// `run`, `run FILE`
    func runEdits(_ rest: String) throws {
        // Checks before it creates files.
        _ = try debugger.changedLog()
        _ = try tool.app(of: debugger.recording)
        try file.check(for: debugger)
        Interruption.take()
        defer { Interruption.take() }
        let branch = try branchFiles.run(
            debugger,
            to: rest.isEmpty ? nil : rest,
            shown: name(of: debugger.branches[debugger.branch]),
            by: tool,
            "Running the changes",
            isStopped: { Interruption.isRequested }
        ) {
            for line in $0.lines { console.print(line, hanging: 2) }
        }
        for line in branch.lines.prefix(Self.maxLines) {
            // A whole action may stand in it.
            let cut = line.cut(to: max(200, 2 * width))
            console.print(cut.map { "\($0.start)… (+\(Quantities.counted($0.missingBytes, "byte")))" } ?? line)
        }
        if let verdict = debugger.branches.last?.crashVerdict { console.print("\(verdict)") }
        try report(branch.events)
    }

    private func name(of branch: DebuggerBranch) -> String {
        branch.id == 0 ? tool.shown(debugger.recording(ofBranch: 0)) : brief(branch.name)
    }

    /// The most lines of a comparison to show.
    private static let maxLines = 12

    // MARK: Branches

    func printBranches() {
        for branch in debugger.branches {
            let mark = branch.id == debugger.branch ? "*" : " "
            let count = Quantities.counted(debugger.recording(ofBranch: branch.id).actionCount, "action")
            var origin = ""
            if let from = branch.origin {
                let parent = debugger.recording(ofBranch: from.parent)
                let edits = from.edits.map { brief(planText(of: $0, in: parent), longest: 60) }.joined(separator: "; ")
                origin = "  from \(from.parent): \(edits)"
            }
            console.print(
                "\(mark) \(style.strong("\(branch.id)"))  \(name(of: branch))  \(style.faint(count))\(origin)",
                hanging: 5
            )
        }
        for edit in debugger.edits { console.print("planned: \(brief(planText(of: edit, in: debugger.recording)))") }
    }

    func checkout(_ rest: String) throws {
        if let id = Int(rest) { return try perform(.checkout(branch: id)) }
        guard let branch = debugger.branches.first(where: { $0.name == rest }) else {
            throw Failure(.usage, "There is no branch \(quote(rest)).", "branches lists them.")
        }
        try perform(.checkout(branch: branch.id))
    }

    // MARK: Divergences

    /// Replays the recording if a breakpoint needs to know where today's reducers do something else.
    func findDivergences() throws {
        Interruption.take()
        defer { Interruption.take() }
        let sentence = try debugger.findDivergences(in: file, by: tool) { Interruption.isRequested }
        if let sentence { console.print(faint: sentence) }
    }
}
