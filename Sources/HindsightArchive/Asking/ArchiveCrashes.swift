#if Archive
    import HindsightTree

    /// Crashes or differences of many recordings in the same place.
    package struct CrashGroup: Answer {
        package struct Version: Answer {
            package let version: String
            package let recordings: Int
        }

        package enum Kind: String, Codable, Sendable { case crash, divergence }

        package let kind: Kind
        package let app: String
        /// The action's type; `nil` if it is not known, or for the state at the start.
        @Nullable package var type: String?
        @Nullable package var reducer: String?
        /// Empty for the whole state; `nil` if it is not known, as it is for crashes.
        @Nullable package var path: String?
        /// What a divergence looks like.
        @Nullable package var cause: String?
        /// The build whose reducers diverged.
        @Nullable package var build: String?
        /// The number of recordings.
        package let recordings: Int
        package let devices: Int
        package let versions: [Version]
        /// Times.
        package let firstSeen: String
        package let lastSeen: String
        /// The newest recording of the group, and the action.
        package let example: String
        @Nullable package var seq: Int?
    }

    extension ArchiveConnection {
        /// The groups of recordings that crashed in the same action type, reducer and path, the largest first.
        package func crashes(_ filter: ArchiveFilter, most: Int) throws -> [CrashGroup] {
            var parameters: [ArchiveValue] = []
            let conditions = filter.condition(&parameters)
            return try groups(
                .crash,
                """
                SELECT r.app, r.crash_type AS type, r.crash_reducer AS reducer, r.crash_path AS path, NULL::text AS cause,
                    NULL::text AS build, r.app_version, r.started, r.id, NULLIF(r.device, '') AS device, r.crash_seq AS seq
                FROM hindsight.recordings AS r WHERE r.ending = 'crashed' AND \(conditions)
                """,
                parameters,
                most
            )
        }

        /// The groups of differences that the newest `archive verify` of each app found, likewise.
        package func divergences(_ filter: ArchiveFilter, most: Int) throws -> [CrashGroup] {
            var parameters: [ArchiveValue] = []
            let conditions = filter.condition(&parameters)
            return try groups(
                .divergence,
                """
                SELECT d.app, d.type, d.reducer, d.path, d.cause, d.build, d.app_version, d.started, d.id,
                    NULLIF(r.device, '') AS device, d.seq
                FROM hindsight.divergences AS d
                JOIN hindsight.recordings AS r ON r.started = d.started AND r.id = d.id
                WHERE d.run IN (SELECT max(x.run) FROM hindsight.divergences AS x GROUP BY x.app) AND \(conditions)
                """,
                parameters,
                most
            )
        }

        private func groups(
            _ kind: CrashGroup.Kind,
            _ rows: String,
            _ parameters: [ArchiveValue],
            _ most: Int
        ) throws -> [CrashGroup] {
            var found: [CrashGroup] = []
            try each(
                CrashGroup.self,
                """
                WITH one AS (
                    SELECT *, ROW (app, type, reducer, path, cause, build)::text AS key FROM (\(rows)) AS o
                ), version AS (
                    SELECT key, app, type, reducer, path, cause, build, app_version, count(DISTINCT id) AS count,
                        min(started) AS first_seen, max(started) AS last_seen,
                        (array_agg(id ORDER BY started DESC, id))[1] AS example,
                        (array_agg(seq ORDER BY started DESC, id))[1] AS seq
                    FROM one GROUP BY key, app, type, reducer, path, cause, build, app_version
                ), device AS (
                    SELECT key, count(DISTINCT device) AS count FROM one GROUP BY key
                )
                SELECT '\(kind.rawValue)' AS kind, v.app, v.type, v.reducer, v.path, v.cause, v.build,
                    sum(v.count)::bigint AS recordings, min(d.count) AS devices,
                    json_agg(
                        json_build_object('version', v.app_version, 'recordings', v.count)
                        ORDER BY v.count DESC, v.app_version
                    ) AS versions,
                    \(Self.text(ofTime: "min(v.first_seen)")) AS "firstSeen",
                    \(Self.text(ofTime: "max(v.last_seen)")) AS "lastSeen",
                    (array_agg(v.example ORDER BY v.last_seen DESC, v.example))[1]::text AS example,
                    (array_agg(v.seq ORDER BY v.last_seen DESC, v.example))[1] AS seq
                FROM version AS v JOIN device AS d USING (key)
                GROUP BY key, v.app, v.type, v.reducer, v.path, v.cause, v.build
                ORDER BY recordings DESC, max(v.last_seen) DESC, example LIMIT $\(parameters.count + 1)
                """,
                parameters + [.number(most)]
            ) { found.append($0) }
            return found
        }
    }
#endif
