/// A view of a recording, for users: one of the file, and of `RecordingQuery`, which has the same with typed values.
///
/// The article *WhatIsLeft* of `HindsightRecording` documents the columns.
package enum RecordingView: String, CaseIterable, Sendable {
    /// A row an action.
    case history
    /// A row a reducer of an action.
    case steps
    /// A row an operation.
    case changes
    case reducers
    case notes

    /// The statement that creates the view in a file.
    ///
    /// SQLite alone cannot tell an exact number from a rounded one, so the values in `changes` are JSON text.
    var creation: String {
        let text = text(after: "(SELECT ifnull(min(seq), 0) FROM keyframe)", views: \.rawValue)
        return """
            CREATE VIEW \(rawValue) AS
            -- Recover a recording first that was not closed: see the view read_me.
            \(text)
            """
    }

    /// The text of the view.
    ///
    /// - Parameters:
    ///   - start: The last dropped action, as an expression.
    ///   - schema: The prefix of the tables' names.
    ///   - views: The names of the views.
    ///   - function: The name of the function that makes an SQL value of JSON text; empty for none.
    package func text(
        after start: String,
        in schema: String = "",
        views: (RecordingView) -> String,
        typing function: String = ""
    ) -> String {
        let isTravel = "\(Self.text(of: "action.type", in: schema)) = '\(Schema.travelType)'"
        switch self {
        case .history:
            let (type, file) = (Self.text(of: "type", in: schema), Self.text(of: "file", in: schema))
            let thread = Self.text(of: "thread", in: schema)
            // The last of a run of skipped actions has the changes of the whole run, which are not its own.
            return """
                SELECT
                    CAST(seq AS TEXT) AS position, seq, parent, \(type) AS type, payload, at,
                    \(Self.instant) AS time,
                    duration, \(file) || ':' || line AS origin, problem,
                    \(thread) ->> 'number' AS thread, \(thread) ->> 'task' AS task,
                    CASE steps WHEN '[]' THEN 0 ELSE (
                        SELECT sum(step.changes) FROM \(views(.steps)) AS step WHERE step.seq = action.seq
                    ) END AS changes,
                    (
                        SELECT group_concat(DISTINCT change.path) FROM \(views(.changes)) AS change
                        WHERE change.seq = action.seq AND change.reducer IS NOT NULL
                    ) AS paths
                FROM \(schema)action AS action WHERE seq > \(start)
                """
        case .steps:
            return """
                SELECT
                    \(Self.position) AS position,
                    action.seq AS seq,
                    CASE WHEN \(Self.time) IS NULL THEN 0 ELSE step.key + 1 END AS reducer,
                    reducer.name AS name,
                    \(Self.time) AS duration,
                    CASE step.type WHEN 'array' THEN json_array_length(step.value) - 1 ELSE 0 END AS changes
                FROM \(schema)action AS action
                JOIN json_each(action.steps) AS step
                JOIN \(schema)reducer AS reducer
                    ON reducer.id = CASE WHEN \(Self.time) IS NULL THEN 0 ELSE step.key + 1 END
                WHERE action.seq > \(start) AND (\(Self.time) IS NOT NULL OR \(isTravel))
                """
        case .changes:
            let reducer = "CASE WHEN \(Self.time) IS NOT NULL THEN step.key + 1 WHEN \(isTravel) THEN 0 END"
            func value(_ index: Int) -> String {
                function.isEmpty ? "operation.value -> \(index)" : "\(function)(operation.value -> \(index))"
            }
            return """
                SELECT
                    \(Self.position) AS position,
                    action.seq AS seq,
                    \(reducer) AS reducer,
                    (SELECT reducer.name FROM \(schema)reducer AS reducer WHERE reducer.id = \(reducer)) AS name,
                    CASE \(Self.kind) WHEN 'a' THEN 'add' WHEN 'd' THEN 'remove' WHEN 'r' THEN 'replace'
                        WHEN 's' THEN 'splice' ELSE 'edit' END AS op,
                    substr(operation.value ->> 0, 2) AS path,
                    operation.value ->> CASE WHEN \(Self.kind) IN ('a', 'd') THEN 2 ELSE 3 END AS at,
                    CASE \(Self.kind) WHEN 'a' THEN NULL ELSE \(value(1)) END AS old,
                    CASE \(Self.kind) WHEN 'a' THEN \(value(1)) WHEN 'd' THEN NULL ELSE \(value(2)) END AS new
                FROM \(schema)action AS action
                JOIN json_each(action.steps) AS step
                JOIN json_each(CASE step.type WHEN 'array' THEN step.value ELSE '[]' END) AS operation
                    ON operation.key > 0
                WHERE action.seq > \(start)
                """
        case .reducers:
            return "SELECT id AS reducer, name FROM \(schema)reducer WHERE id > 0"
        case .notes:
            return """
                SELECT
                    CASE WHEN reducer IS NULL THEN CAST(seq AS TEXT) ELSE seq || '.' || reducer END AS position,
                    seq, reducer, name, text
                FROM \(schema)note
                """
        }
    }

    /// The time of an action in UTC, to the microsecond. SQLite's division rounds towards zero, also for the negative
    /// times before 1970.
    package static let instant =
        "strftime('%Y-%m-%dT%H:%M:%S', at / 1000000000 - (at % 1000000000 < 0), 'unixepoch') "
        + "|| printf('.%06dZ', (at % 1000000000 + 1000000000) % 1000000000 / 1000)"

    /// How long a step took; null if no reducer made it.
    private static let time = "(CASE step.type WHEN 'array' THEN step.value ->> 0 WHEN 'integer' THEN step.value END)"
    private static let position =
        "CASE WHEN \(time) IS NULL THEN CAST(action.seq AS TEXT) ELSE action.seq || '.' || (step.key + 1) END"
    private static let kind = "substr(operation.value ->> 0, 1, 1)"

    /// The text in a column of `action`, or the text that its id refers to.
    ///
    /// - Parameter schema: The prefix of the tables' names.
    package static func text(of column: String, in schema: String = "") -> String {
        "(CASE typeof(\(column)) WHEN 'integer' THEN (SELECT text FROM \(schema)name AS name WHERE id = \(column)) "
            + "ELSE \(column) END)"
    }
}
