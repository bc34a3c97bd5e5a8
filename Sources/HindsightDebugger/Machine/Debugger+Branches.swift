import HindsightQuery
import HindsightReplay
import HindsightTree

/// A recording that a debugger moves through: the one that it was opened on, or a what-if branch of it.
package struct DebuggerBranch: Sendable, Identifiable {
    /// Where a branch comes from.
    package struct Origin: Sendable, Hashable {
        /// The number of the branch whose actions were changed.
        package let parent: Int
        /// The changes.
        package let edits: [ChangedLog.Edit]
    }

    /// The number by which commands name it; 0 is the recording itself.
    package let id: Int
    /// Its name.
    package let name: String
    /// Where it comes from; `nil` for the recording itself.
    package let origin: Origin?
    /// The changes of its actions that wait to run.
    package internal(set) var edits: [ChangedLog.Edit] = []
    /// What has become of the crash of the recording that it comes from; `nil` if there was none, or the changes leave
    /// it out.
    package internal(set) var crashVerdict: CrashVerdict?
    var divergences: [Recording.Position]?
    /// Whether actions were recorded since ``divergences`` were found.
    var mayDivergeFurther = false
}

extension Debugger {
    /// The changes of actions on the present branch that wait to run.
    package var edits: [ChangedLog.Edit] { branches[branch].edits }

    /// The recording of a branch.
    package func recording(ofBranch id: Int) -> Recording { timelines[id].recording }

    /// The number of the action at the present position.
    ///
    /// - Throws: ``DebuggerError`` with the code `noAction` at the start.
    package func presentAction() throws(DebuggerError) -> Int {
        guard position.seq > first.seq else { throw DebuggerError(.noAction, given: "\(position)") }
        return position.seq
    }

    /// The moment of the present position, after which an action can be inserted: that after its action, or before it
    /// if none of its reducers has run.
    package var presentMoment: Int { position.reducer == 0 ? position.seq - 1 : position.seq }

    /// Changes an action on the present branch, to run it later.
    ///
    /// - Throws: `ChangedLogError` if it names no action, or contradicts another change.
    package func edit(_ edit: ChangedLog.Edit) throws {
        _ = try ChangedLog(of: recording, edits + [edit])
        branches[branch].edits.append(edit)
    }

    /// The actions of the present branch with the changes that wait, for a run through the app's reducers.
    ///
    /// - Throws: ``DebuggerError`` with the code `noEdits`; `ChangedLogError` if the changes do not fit any more.
    package func changedLog() throws -> ChangedLog {
        guard !edits.isEmpty else { throw DebuggerError(.noEdits) }
        return try ChangedLog(of: recording, edits)
    }

    /// Adds what a changed log of the present branch led to as a branch, and goes to its first changed action.
    ///
    /// - Parameters:
    ///   - recording: What `WhatIfWriter` has written.
    ///   - name: The name of the branch.
    ///   - log: The changed log, of ``changedLog()``. Its changes do not wait any more.
    package func addBranch(_ recording: Recording, named name: String, running log: ChangedLog) -> [DebuggerEvent] {
        search = nil
        let origin = DebuggerBranch.Origin(parent: branch, edits: log.edits)
        let id = branches.count
        let verdict = CrashVerdict(of: self.recording, running: log)
        branches[branch].edits = []
        branches.append(DebuggerBranch(id: id, name: name, origin: origin, crashVerdict: verdict))
        timelines.append(Timeline(recording))
        move(to: id, at: nearest(to: Recording.Position(seq: log.kept + 1), in: timelines[id]))
        return [.editsChanged, stop(.command)]
    }
}
