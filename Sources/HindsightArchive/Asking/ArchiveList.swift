#if Archive
    import HindsightTree

    /// A row of `archive list`.
    package struct ListedRecording: Answer {
        package let id: String
        package let app: String
        package let version: String
        package let device: String
        package let platform: String
        /// Times.
        package let started: String
        @Nullable package var ended: String?
        package let ending: String
        @Nullable package var crashType: String?
        @Nullable package var crashReducer: String?
        package let actions: Int
        package let notes: Int
        /// The size as text, and in the archive.
        package let bytes: Int
        package let stored: Int
        package let complete: Bool
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
            let (conditions, parameters) = filter.condition()
            try each(
                ListedRecording.self,
                """
                SELECT id, app, app_version AS version, device, platform, \(Self.text(ofTime: "started")) AS started,
                    \(Self.text(ofTime: "ended")) AS ended, ending, crash_type AS "crashType",
                    crash_reducer AS "crashReducer", actions, notes, bytes, stored_bytes AS stored, complete
                FROM hindsight.recording AS r WHERE \(conditions)\(Self.and(condition))
                ORDER BY r.started DESC, r.id DESC LIMIT $\(parameters.count + 1)
                """,
                parameters + [.number(most)],
                body
            )
        }

        /// The IDs of the recordings that match, or those of some IDs that the archive has, with the parts and salvaged
        /// forms of each, also if it does not have the recording itself; and their size.
        package func found(_ filter: ArchiveFilter, _ ids: [String]) throws -> (ids: [String], bytes: Int) {
            let (conditions, parameters) =
                ids.isEmpty
                ? filter.condition()
                : ("r.id = ANY ($1::text[]::uuid[]) OR r.root = ANY ($1::text[]::uuid[])", [ArchiveValue.texts(ids)])
            let rows = try run(
                """
                WITH found AS (SELECT r.id, r.stored_bytes FROM hindsight.recordings AS r WHERE \(conditions))
                SELECT f.id::text, f.stored_bytes FROM found AS f
                UNION SELECT r.id::text, r.stored_bytes FROM hindsight.recordings AS r JOIN found AS f ON r.root = f.id
                """,
                parameters
            )
            return (rows.map { $0.text(0) }, rows.reduce(0) { $0 + Int($1.integer(1)) })
        }

        /// Removes all of some recordings, and remembers that they are gone: see `hindsight.erase`.
        ///
        /// - Returns: How many of them the archive had.
        package func erase(_ ids: [String], progress: (Int) -> Void) throws -> Int {
            var (removed, rest) = (0, ids[...])
            while !rest.isEmpty {
                let batch = Array(rest.prefix(Self.maxErased))
                removed += try retrying {
                    Int(try run("SELECT hindsight.erase($1::text[]::uuid[])", [.texts(batch)])[0].integer(0))
                }
                rest = rest.dropFirst(batch.count)
                progress(ids.count - rest.count)
            }
            return removed
        }

        /// The most recordings to remove in one transaction, during which no push sends chunks.
        private static let maxErased = 200

        /// A line of its own for the condition, which may end in a comment.
        private static func and(_ condition: String?) -> String { condition.map { " AND (\($0)\n)" } ?? "" }

        /// The number of recordings that match.
        package func count(_ filter: ArchiveFilter, where condition: String? = nil) throws -> Int {
            let (conditions, parameters) = filter.condition()
            let rows = try run(
                "SELECT count(*) FROM hindsight.recording AS r WHERE \(conditions)\(Self.and(condition))",
                parameters
            )
            return Int(rows[0].integer(0))
        }
    }
#endif
