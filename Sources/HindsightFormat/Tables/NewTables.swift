import HindsightSQLite
import HindsightTree

/// The tables of a recording that is made from another.
///
/// All rows are one transaction, which ``finish(_:)`` commits.
package final class NewTables {
    package let connection: Connection
    private let rows: RowWriter
    private var rule: KeyframeRule

    /// Creates the tables in an empty file.
    package convenience init(in path: String, keyframeFloor: Int = KeyframeRule.usualFloor) throws(SQLiteError) {
        try self.init(Connection(path, .readWrite), keyframeFloor: keyframeFloor)
    }

    /// Creates the tables in an empty database.
    ///
    /// - Parameter keyframeFloor: The least number of bytes of changes between two keyframes that appending writes.
    package init(_ connection: Connection, keyframeFloor: Int) throws(SQLiteError) {
        self.connection = connection
        rule = KeyframeRule(floor: keyframeFloor)
        // The file has no data to lose yet, so no sync is needed.
        try connection.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN")
        for sql in Schema.creation { try connection.execute(sql) }
        rows = try RowWriter(connection)
    }

    /// Writes the names of the reducers, and the first state.
    ///
    /// - Parameters:
    ///   - state: The state as JSON text; `nil` if it is not known.
    ///   - seq: The action after which it was the state; 0 for the initial one.
    package func begin(reducers: [String], _ state: String?, at seq: Int) throws(SQLiteError) {
        try rows.insert(reducers: reducers)
        if let state { try keep(state, at: seq) }
    }

    // MARK: Actions

    /// Adds an action as it was stored: see ``RowWriter/insert(_:duration:steps:keyframe:isSkipped:)``.
    package func insert(
        _ action: DispatchedAction,
        duration: Int64?,
        steps: String? = nil,
        keyframe: String? = nil,
        isSkipped: Bool = false
    ) throws(SQLiteError) {
        try rows.insert(action, duration: duration, steps: steps, keyframe: keyframe, isSkipped: isSkipped)
        if let keyframe { rule.keep(keyframe.utf8.count) }
    }

    /// Adds an action and what each reducer did, in order.
    ///
    /// - Parameter state: The state after the action, which is written if a keyframe is due; `nil` if it must not be.
    package func append(
        _ action: DispatchedAction,
        duration: Int64?,
        steps: TimedPatchText,
        leadingTo state: Node?
    ) throws(SQLiteError) {
        let bytes = steps.text.utf8.count + (action.payload?.utf8.count ?? 0)
        let isDue = rule.isDue(after: steps.operationBytes, growth: steps.growth, rowBytes: bytes)
        try insert(action, duration: duration, steps: steps.text, keyframe: isDue ? state?.json : nil)
    }

    /// Sets the parent of an action that was added.
    package func adopt(_ child: Int, by parent: Int) throws(SQLiteError) { try rows.adopt(child, by: parent) }

    /// Writes the keyframe after an action, and replaces an existing one.
    package func keep(_ state: String, at seq: Int) throws(SQLiteError) {
        try rows.keep(state, at: seq)
        rule.keep(state.utf8.count)
    }

    // MARK: Other tables

    /// Adds a run of skipped actions that were added as other actions are.
    package func add(skipped actions: ClosedRange<Int>) throws(SQLiteError) {
        try RunTable.add(skipped: actions, to: connection)
    }

    package func add(_ states: DoubtfulStates) throws(SQLiteError) { try RunTable.add(states, to: connection) }

    /// Adds a note after those that were added.
    ///
    /// - Throws: `constraint` if another note has its name.
    package func add(_ note: NoteRow) throws(SQLiteError) { try note.insert(into: connection) }

    /// Writes what the recording says of itself, and waits until the disk has everything.
    package func finish(_ facts: [String: Metadata.Value]) throws(SQLiteError) {
        try connection.execute("COMMIT; PRAGMA synchronous = FULL")
        try connection.transaction { () throws(SQLiteError) in try Metadata.write(facts, to: connection) }
    }
}
