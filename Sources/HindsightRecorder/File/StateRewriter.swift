import HindsightFormat
import HindsightSQLite
import HindsightTree

/// Replaces states of a copy of a recording.
///
/// Either all states: the actions keep their payloads, times, parents, origins and notes, and the states are the initial
/// one and the changes of each action, in order. Or all actions after one, with their states. All changes are one
/// transaction, which ``finish(removing:facts:)`` commits.
package final class StateRewriter {
    private let connection: Connection
    private let rows: RowWriter
    private let update: Statement
    private var rule = RecorderOptions().keyframeRule
    /// The file that errors name.
    private let output: String

    /// Opens a recording, and replaces its reducers and its first state.
    ///
    /// - Parameters:
    ///   - path: A recording that no other connection has open, without files beside it.
    ///   - output: The file that it becomes, which errors name.
    ///   - reducers: The names of the reducers that make the new states.
    ///   - state: The first state as JSON text.
    ///   - seq: The action after which it was the state; 0 for the initial one.
    /// - Throws: A `RecordingError` with the code `unwritable`.
    package convenience init(
        path: String,
        for output: String,
        reducers: [String],
        state: String,
        at seq: Int
    ) throws(RecordingError) {
        try self.init(opening: path, output)
        do {
            try connection.execute(
                """
                DELETE FROM keyframe; DELETE FROM run;
                DELETE FROM recording WHERE key = '\(Metadata.Key.unaudited)'; DELETE FROM reducer WHERE id <> 0;
                UPDATE note SET reducer = NULL WHERE reducer > \(reducers.count)
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
            throw RecordingError(.unwritable, file: output, cause: error)
        }
        rule.keep(state.utf8.count)
    }

    /// Opens a recording, and removes all actions after one, with their states. Their notes stay.
    ///
    /// - Parameters:
    ///   - path: A recording that no other connection has open, without files beside it.
    ///   - output: The file that it becomes, which errors name.
    ///   - seq: An action whose state is known and not doubtful, or the position before the first.
    /// - Throws: A `RecordingError` with the code `unwritable`.
    package convenience init(path: String, for output: String, removingActionsAfter seq: Int) throws(RecordingError) {
        try self.init(opening: path, output)
        do {
            try connection.execute(
                """
                DELETE FROM action WHERE seq > \(seq); DELETE FROM keyframe WHERE seq > \(seq);
                DELETE FROM run WHERE first > \(seq);
                DELETE FROM recording WHERE key = '\(Metadata.Key.unaudited)'
                """
            )
            rule.keep(Int(try connection.integer("SELECT length(state) FROM keyframe ORDER BY seq DESC LIMIT 1") ?? 0))
        } catch {
            throw RecordingError(.unwritable, file: output, cause: error)
        }
    }

    private init(opening path: String, _ output: String) throws(RecordingError) {
        self.output = output
        do {
            connection = try Connection(path, .readWrite)
            // A recording that a reader kept open when it was closed is still in WAL mode.
            try connection.execute("PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE")
            rows = try RowWriter(connection)
            update = try connection.prepare("UPDATE action SET steps = ?, duration = ifnull(duration, ?) WHERE seq = ?")
        } catch {
            throw RecordingError(.unwritable, file: output, cause: error)
        }
    }

    /// Adds an action after the last one.
    ///
    /// - Parameters:
    ///   - duration: The time that its reducers took, in nanoseconds; `nil` if it never finished.
    ///   - steps: What each reducer did, in order; `nil` if it never finished.
    ///   - state: The state after the action, which is written if a keyframe is due.
    /// - Throws: A `RecordingError` with the code `unwritable`.
    package func append(
        _ action: DispatchedAction,
        duration: Int64?,
        steps: [TimedPatch]?,
        leadingTo state: Node
    ) throws(RecordingError) {
        guard let steps else {
            do {
                return try rows.insert(action, duration: duration)
            } catch {
                throw RecordingError(.unwritable, file: output, cause: error)
            }
        }
        let written = TimedPatches.write(steps)
        let bytes = written.text.utf8.count + (action.payload?.utf8.count ?? 0)
        do {
            let isDue = rule.isDue(after: written.operationBytes, growth: written.growth, rowBytes: bytes)
            let keyframe = isDue ? state.json : nil
            try rows.insert(action, duration: duration, steps: written.text, keyframe: keyframe)
            if let keyframe { rule.keep(keyframe.utf8.count) }
        } catch {
            throw RecordingError(.unwritable, file: output, cause: error)
        }
    }

    /// Gives the kept actions their parents among the new ones, and the notes of removed actions their places.
    ///
    /// - Parameters:
    ///   - seq: The last action that was kept.
    ///   - parent: The new number of an action that was removed; `nil` if it has none.
    ///   - place: The new place of a note.
    /// - Throws: A `RecordingError` with the code `unwritable`.
    package func renumber(
        after seq: Int,
        parent: (Int) -> Int?,
        place: (RecordingPosition) -> RecordingPosition
    ) throws(RecordingError) {
        do {
            var adopted: [(seq: Int, parent: Int)] = []
            let children = try connection.prepare(
                "SELECT seq, parent FROM action WHERE seq <= \(seq) AND parent > \(seq)"
            )
            while try children.step() { adopted.append((Int(try children.integer(0)), Int(try children.integer(1)))) }
            let adopt = try connection.prepare("UPDATE action SET parent = ? WHERE seq = ?")
            for child in adopted {
                try adopt.bind(parent(child.parent), at: 1)
                try adopt.bind(child.seq, at: 2)
                try adopt.run()
            }
            var notes: [(id: Int, place: RecordingPosition)] = []
            let found = try connection.prepare("SELECT id, seq, reducer FROM note WHERE seq > \(seq)")
            while try found.step() {
                let reducer = try found.optionalInteger(2).map { Int($0) }
                notes.append(
                    (Int(try found.integer(0)), place(.init(seq: Int(try found.integer(1)), reducer: reducer)))
                )
            }
            let move = try connection.prepare("UPDATE note SET seq = ?, reducer = ? WHERE id = ?")
            for note in notes {
                try move.bind(note.place.seq, at: 1)
                try move.bind(note.place.reducer, at: 2)
                try move.bind(note.id, at: 3)
                try move.run()
            }
        } catch {
            throw RecordingError(.unwritable, file: output, cause: error)
        }
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
            throw RecordingError(.unwritable, file: output, cause: error)
        }
    }

    /// Commits the new states.
    ///
    /// - Parameters:
    ///   - keys: What the recording no longer says of itself.
    ///   - facts: What it says instead.
    /// - Throws: A `RecordingError` with the code `unwritable`.
    package func finish(removing keys: [String], facts: [String: Metadata.Value] = [:]) throws(RecordingError) {
        do {
            for key in keys { try connection.execute("DELETE FROM recording WHERE key = '\(key)'") }
            try Metadata.write(facts, to: connection)
            try connection.execute("COMMIT")
        } catch {
            throw RecordingError(.unwritable, file: output, cause: error)
        }
    }
}

extension Metadata.Key {
    /// What a recording says of how its process ended.
    package static let crash = [died, during, signal, exited]
}
