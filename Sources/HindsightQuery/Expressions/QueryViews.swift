import HindsightFormat

/// The documented views of ``RecordingQuery``, which are temporary: they hide whatever a file calls so.
enum QueryViews {
    static let names: Set<String> = ["actions", "steps", "changes", "reducers", "notes"]

    /// The names of all their columns.
    static let columns = [
        "at", "changes", "duration", "name", "new", "old", "op", "origin", "parent", "path", "payload", "position",
        "problem", "reducer", "seq", "task", "text", "thread", "time", "type",
    ]

    /// The statements that create the views.
    ///
    /// Each documented view selects from a source: a view whose name has a random number in it, so that no query can name
    /// it. The authorizer lets only sources read a recording's tables. It could not check the documented names instead,
    /// because it cannot tell a view from a `WITH` of the same name.
    ///
    /// - Parameters:
    ///   - start: The last dropped action.
    ///   - secret: Stands in the names of the sources.
    ///   - hasThreads: Whether the recording has the table `thread`.
    static func all(after start: Int, under secret: String, hasThreads: Bool) -> [String] {
        texts(after: start, hasThreads).flatMap { name, text in
            let source = source(of: name, under: secret)
            return [
                "CREATE TEMP VIEW \"\(source)\" AS\n\(text)",
                "CREATE TEMP VIEW \(name) AS SELECT * FROM temp.\"\(source)\"",
            ]
        }
    }

    static func sources(under secret: String) -> Set<String> { Set(names.map { source(of: $0, under: secret) }) }

    private static func source(of name: String, under secret: String) -> String { "\(name)@\(secret)" }

    private static func texts(after start: Int, _ hasThreads: Bool) -> [(name: String, text: String)] {
        [
            (
                "actions",
                """
                SELECT
                    CAST(seq AS TEXT) AS position, seq, parent, \(text(of: "type")) AS type, payload, at,
                    \(instant) AS time,
                    duration, \(text(of: "file")) || ':' || line AS origin, problem,
                    \(hasThreads ? thread("number") : "NULL") AS thread,
                    \(hasThreads ? thread("task") : "NULL") AS task
                FROM main.action AS action WHERE seq > \(start)
                """
            ),
            (
                "steps",
                """
                SELECT
                    CASE WHEN \(time) IS NULL THEN CAST(action.seq AS TEXT) ELSE action.seq || '.' || (step.key + 1)
                        END AS position,
                    action.seq AS seq,
                    CASE WHEN \(time) IS NULL THEN 0 ELSE step.key + 1 END AS reducer,
                    reducer.name AS name,
                    \(time) AS duration,
                    CASE step.type WHEN 'array' THEN json_array_length(step.value) - 1 ELSE 0 END AS changes
                FROM main.action AS action
                JOIN json_each(action.steps) AS step
                JOIN main.reducer AS reducer ON reducer.id = CASE WHEN \(time) IS NULL THEN 0 ELSE step.key + 1 END
                WHERE action.seq > \(start) AND (\(time) IS NOT NULL OR \(isTravel))
                """
            ),
            (
                "changes",
                """
                SELECT
                    CASE WHEN \(time) IS NULL THEN CAST(action.seq AS TEXT) ELSE action.seq || '.' || (step.key + 1)
                        END AS position,
                    action.seq AS seq,
                    CASE WHEN \(time) IS NOT NULL THEN step.key + 1 WHEN \(isTravel) THEN 0 END AS reducer,
                    (SELECT reducer.name FROM main.reducer AS reducer
                        WHERE reducer.id =
                            CASE WHEN \(time) IS NOT NULL THEN step.key + 1 WHEN \(isTravel) THEN 0 END) AS name,
                    CASE \(kind) WHEN 'a' THEN 'add' WHEN 'd' THEN 'remove' WHEN 'r' THEN 'replace'
                        WHEN 's' THEN 'splice' ELSE 'edit' END AS op,
                    substr(operation.value ->> 0, 2) AS path,
                    operation.value ->> CASE WHEN \(kind) IN ('a', 'd') THEN 2 ELSE 3 END AS at,
                    CASE \(kind) WHEN 'a' THEN NULL ELSE "@typed"(operation.value -> 1) END AS old,
                    CASE \(kind) WHEN 'a' THEN "@typed"(operation.value -> 1) WHEN 'd' THEN NULL
                        ELSE "@typed"(operation.value -> 2) END AS new
                FROM main.action AS action
                JOIN json_each(action.steps) AS step
                JOIN json_each(CASE step.type WHEN 'array' THEN step.value ELSE '[]' END) AS operation
                    ON operation.key > 0
                WHERE action.seq > \(start)
                """
            ),
            ("reducers", "SELECT id AS reducer, name FROM main.reducer WHERE id > 0"),
            (
                "notes",
                """
                SELECT
                    CASE WHEN reducer IS NULL THEN CAST(seq AS TEXT) ELSE seq || '.' || reducer END AS position,
                    seq, reducer, name, text
                FROM main.note
                """
            ),
        ]
    }

    /// The time of an action in UTC, to the microsecond. SQLite's division rounds towards zero, also for the negative
    /// times before 1970.
    static let instant =
        "strftime('%Y-%m-%dT%H:%M:%S', at / 1000000000 - (at % 1000000000 < 0), 'unixepoch') "
        + "|| printf('.%06dZ', (at % 1000000000 + 1000000000) % 1000000000 / 1000)"

    /// A column of the range of actions with the same thread to which an action belongs; null if there is none.
    private static func thread(_ column: String) -> String {
        "(SELECT CASE WHEN thread.last >= action.seq THEN thread.\(column) END FROM main.thread AS thread "
            + "WHERE thread.first <= action.seq ORDER BY thread.first DESC LIMIT 1)"
    }

    /// How long a step took; null if no reducer made it.
    private static let time = "(CASE step.type WHEN 'array' THEN step.value ->> 0 WHEN 'integer' THEN step.value END)"
    private static let kind = "substr(operation.value ->> 0, 1, 1)"
    private static let isTravel = "\(text(of: "action.type")) = '\(Schema.travelType)'"

    /// The text in a column, or the text that its id refers to.
    private static func text(of column: String) -> String {
        "CASE typeof(\(column)) WHEN 'integer' THEN (SELECT text FROM main.name AS name WHERE id = \(column)) "
            + "ELSE \(column) END"
    }
}
