import HindsightFormat
import HindsightSQLite
import HindsightTree

/// Replaces all states of a closed recording. Its actions keep their payloads, times, parents, origins and notes.
///
/// The states are the initial one and the changes of each action, in order. All changes are one transaction, which
/// ``finish()`` commits.
package final class StateRewriter {
    private let connection: Connection
    private let rows: RowWriter
    private let update: Statement
    private var rule = RecorderOptions().keyframeRule
    private let path: String

    /// Opens a recording, and replaces its reducers and its first state.
    ///
    /// - Parameters:
    ///   - path: A recording that no other connection has open, without files beside it.
    ///   - reducers: The names of the reducers that make the new states.
    ///   - state: The first state as JSON text.
    ///   - seq: The action after which it was the state; 0 for the initial one.
    /// - Throws: A `RecordingError` with the code `unwritable`.
    package init(path: String, reducers: [String], state: String, at seq: Int) throws(RecordingError) {
        self.path = path
        do {
            connection = try Connection(path, .readWrite)
            // A recording that a reader kept open when it was closed is still in WAL mode.
            try connection.execute("PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE")
            rows = try RowWriter(connection)
            update = try connection.prepare("UPDATE action SET steps = ?, duration = ifnull(duration, ?) WHERE seq = ?")
            try connection.execute(
                """
                DELETE FROM keyframe; DROP TABLE IF EXISTS skipped; DROP TABLE IF EXISTS doubtful;
                DELETE FROM recording WHERE key = '\(Metadata.Key.unaudited)'; DELETE FROM reducer WHERE id <> 0
                """
            )
            let insert = try connection.prepare("INSERT INTO reducer(id, name) VALUES (?, ?)")
            for (index, name) in reducers.enumerated() {
                try insert.bind(index + 1, at: 1)
                try insert.bind(name, at: 2)
                try insert.run()
            }
            try rows.keep(state, at: seq)
        } catch {
            throw RecordingError(.unwritable, file: path, cause: error)
        }
        rule.keep(state.utf8.count)
    }

    /// Replaces the changes of an action that finished.
    ///
    /// - Parameters:
    ///   - steps: What each reducer did, in order.
    ///   - state: The state after the action, which is written if a keyframe is due.
    /// - Throws: A `RecordingError` with the code `unwritable`.
    package func replace(_ steps: [TimedPatch], of seq: Int, leadingTo state: Node) throws(RecordingError) {
        let written = TimedPatches.write(steps)
        let bytes = written.text.utf8.count
        do {
            try update.bind(written.text, at: 1)
            try update.bind(0, at: 2)
            try update.bind(seq, at: 3)
            try update.run()
            guard rule.isDue(after: written.operationBytes, growth: written.growth, rowBytes: bytes) else { return }
            let keyframe = state.json
            try rows.keep(keyframe, at: seq)
            rule.keep(keyframe.utf8.count)
        } catch {
            throw RecordingError(.unwritable, file: path, cause: error)
        }
    }

    /// Commits the new states.
    ///
    /// - Parameter removingCrash: Whether the action in which the recorded process ended has states now.
    /// - Throws: A `RecordingError` with the code `unwritable`.
    package func finish(removingCrash: Bool) throws(RecordingError) {
        typealias Key = Metadata.Key
        do {
            for key in removingCrash ? [Key.died, Key.during, Key.signal, Key.exited] : [] {
                try connection.execute("DELETE FROM recording WHERE key = '\(key)'")
            }
            try connection.execute("COMMIT")
        } catch {
            throw RecordingError(.unwritable, file: path, cause: error)
        }
    }
}
