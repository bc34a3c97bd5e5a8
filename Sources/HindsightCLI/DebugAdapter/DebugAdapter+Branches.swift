import Foundation
import HindsightDebugger
import HindsightSupport
import HindsightTree

extension DebugAdapter {
    // MARK: What if

    /// `setVariable`: runs the recording with another action, into a branch, and goes there.
    func setVariable(_ request: AdapterRequest) throws -> Node? {
        let debugger = try stopped()
        let reference = try request.requireInt("variablesReference")
        guard case .action(let seq, let container) = try references.container(reference) else {
            throw AdapterFailure(
                "The reducers make the state, so that only actions can be changed. Change a value of the action."
            )
        }
        let path = try child(try request.require("name"), of: container, inAction: seq, debugger)
        let text = try request.require("value")
        guard var payload = try debugger.recording.action(seq).payload, let old = payload[path] else {
            throw AdapterFailure("There is nothing at \(escape(path.description)) in action \(seq).")
        }
        let new = try node(text, inPlaceOf: old)
        try Patch([.replace(path: path, old: old, new: new)]).apply(to: &payload)
        try branch(.edit(seq, to: payload), as: "goto")
        return ["value": .string(ValueText().text(of: new)), "variablesReference": 0]
    }

    /// A value that a user has typed: JSON, or the text of a string without quotes.
    private func node(_ text: String, inPlaceOf old: Node) throws -> Node {
        if let node = try? Node(json: text) { return node }
        if case .string = old, !text.hasPrefix("\"") { return .string(text) }
        throw AdapterFailure("\(quote(text)) is no JSON. A string needs quotes.")
    }

    /// `restartFrame`: runs the action of a frame and all after it through today's reducers, into a branch.
    func restartFrame(_ request: AdapterRequest) throws -> Node? {
        guard let action = try frame(try request.requireInt("frameId")).frame?.action else {
            throw AdapterFailure("There is no action at the start.")
        }
        guard !action.isTravel else {
            throw AdapterFailure("Action \(action.seq) is time travel, so that no reducer can run it again.")
        }
        guard let payload = action.payload else {
            throw AdapterFailure("Action \(action.seq) was not recorded, so that it cannot run again.")
        }
        try branch(.edit(action.seq, to: payload), as: "restart")
        return nil
    }

    /// Runs a changed action of the present branch into a branch, and goes there.
    private func branch(_ edit: ChangedLog.Edit, as reason: String) throws {
        let debugger = try stopped()
        let recording = debugger.recording
        noteFile()
        try openedFile?.check(for: debugger)
        if case .edit(_, let action) = edit { try tool.app(of: recording).checkAction(action) }
        try debugger.edit(edit)
        do {
            let run = try branchFiles.run(
                debugger,
                shown: tool.shown(recording),
                by: tool,
                "Running the changed action",
                isStopped: isStopped
            ) {
                say($0.lines.joined(separator: "\n"))
            }
            forgetReferences()
            let way = "checkout \(debugger.branches[debugger.branch].origin?.parent ?? 0)"
            say(
                "This is \(run.name): \(brief(edit.description)). \(way) in the console goes back, and so does a restart."
            )
            if let verdict = debugger.branches[debugger.branch].crashVerdict { say("\(verdict)") }
            report(run.events, as: reason)
        } catch {
            // A change that did not run must not wait for the next run.
            if !debugger.edits.isEmpty { _ = try debugger.perform(.undo) }
            throw error
        }
    }

    // MARK: Divergences

    /// Replays the recording if a breakpoint needs to know where today's reducers do something else.
    func findDivergences() throws {
        noteFile()
        let sentence = try debugger?.findDivergences(in: openedFile, by: tool, isStopped: isStopped)
        if let sentence { say(sentence) }
    }
}
