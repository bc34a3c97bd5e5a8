#if Archive
    import Foundation

    /// A row of `archive list`.
    package struct ListedRecording: Sendable {
        package let id: String
        package let app: String
        package let version: String
        package let device: String
        package let platform: String
        package let started: Date
        package let ended: Date?
        package let ending: String
        package let crashType: String?
        package let crashReducer: String?
        package let actions: Int
        package let notes: Int
        package let bytes: Int
        package let storedBytes: Int
        package let isComplete: Bool
    }

    extension ArchiveConnection {
        /// The recordings that match, the newest first.
        ///
        /// It reads the table, whose row-level security lets the server take the newest from the index. Of the view, it
        /// would sort all rows.
        ///
        /// - Parameters:
        ///   - condition: Another condition, in SQL over `hindsight.recordings`, in the words of whoever connects.
        ///   - most: The most to return.
        package func list(
            _ filter: ArchiveFilter,
            where condition: String? = nil,
            most: Int,
            _ body: (ListedRecording) throws -> Void
        ) throws {
            var parameters: [ArchiveValue] = []
            let conditions = filter.condition(&parameters)
            parameters.append(.number(most))
            try each(
                """
                SELECT id::text, app, app_version, device, platform, started, ended, ending, crash_type, crash_reducer,
                    actions, notes, bytes, stored_bytes, complete
                FROM hindsight.recording AS r WHERE \(conditions)\(Self.and(condition))
                ORDER BY r.started DESC, r.id DESC LIMIT $\(parameters.count)
                """,
                parameters
            ) { row in
                try body(
                    ListedRecording(
                        id: row.text(0),
                        app: row.text(1),
                        version: row.text(2),
                        device: row.text(3),
                        platform: row.text(4),
                        started: row.time(5),
                        ended: row.optionalTime(6),
                        ending: row.text(7),
                        crashType: row.optionalText(8),
                        crashReducer: row.optionalText(9),
                        actions: Int(row.integer(10)),
                        notes: Int(row.integer(11)),
                        bytes: Int(row.integer(12)),
                        storedBytes: Int(row.integer(13)),
                        isComplete: row.boolean(14)
                    )
                )
            }
        }

        /// A line of its own for the condition, which may end in a comment.
        private static func and(_ condition: String?) -> String { condition.map { " AND (\($0)\n)" } ?? "" }

        /// The number of recordings that match.
        package func count(_ filter: ArchiveFilter, where condition: String? = nil) throws -> Int {
            var parameters: [ArchiveValue] = []
            let conditions = filter.condition(&parameters)
            let rows = try run(
                "SELECT count(*) FROM hindsight.recording AS r WHERE \(conditions)\(Self.and(condition))",
                parameters
            )
            return Int(rows[0].integer(0))
        }
    }
#endif
