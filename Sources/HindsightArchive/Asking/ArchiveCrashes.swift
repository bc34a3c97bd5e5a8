#if Archive
    import Foundation

    /// Crashes or differences of many recordings in the same place.
    package struct CrashGroup: Sendable {
        package struct Version: Sendable {
            package let version: String
            package let count: Int
        }

        package enum Kind: String, Sendable { case crash, divergence }

        package let kind: Kind
        package let app: String
        /// The action's type; `nil` if it is not known, or for the state at the start.
        package let type: String?
        package let reducer: String?
        /// Empty for the whole state; `nil` if it is not known, as it is for crashes.
        package let path: String?
        /// What a divergence looks like.
        package let cause: String?
        /// The number of recordings.
        package let count: Int
        package let devices: Int
        package let versions: [Version]
        package let firstSeen: Date
        package let lastSeen: Date
        /// The newest recording of the group, and the action.
        package let example: String
        package let exampleSeq: Int?
        /// The build whose reducers diverged.
        package let build: String?
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
            let found = try run(
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
                SELECT v.app, v.type, v.reducer, v.path, v.cause, v.build, sum(v.count)::bigint, min(v.first_seen),
                    max(v.last_seen), (array_agg(v.example ORDER BY v.last_seen DESC, v.example))[1]::text,
                    (array_agg(v.seq ORDER BY v.last_seen DESC, v.example))[1],
                    (jsonb_agg(jsonb_build_array(v.app_version, v.count) ORDER BY v.count DESC, v.app_version))::text,
                    min(d.count)
                FROM version AS v JOIN device AS d USING (key)
                GROUP BY key, v.app, v.type, v.reducer, v.path, v.cause, v.build
                ORDER BY 7 DESC, 9 DESC, 10 LIMIT $\(parameters.count + 1)
                """,
                parameters + [.number(most)]
            )
            return try found.map { row in
                CrashGroup(
                    kind: kind,
                    app: row.text(0),
                    type: row.optionalText(1),
                    reducer: row.optionalText(2),
                    path: row.optionalText(3),
                    cause: row.optionalText(4),
                    count: Int(row.integer(6)),
                    devices: Int(row.integer(12)),
                    versions: try Self.versions(row.text(11)),
                    firstSeen: row.time(7),
                    lastSeen: row.time(8),
                    example: row.text(9),
                    exampleSeq: row.optionalInteger(10).map { Int($0) },
                    build: row.optionalText(5)
                )
            }
        }

        private static func versions(_ json: String) throws -> [CrashGroup.Version] {
            struct Pair: Decodable {
                let (version, count): (String, Int)

                init(from decoder: any Decoder) throws {
                    var container = try decoder.unkeyedContainer()
                    version = try container.decode(String.self)
                    count = try container.decode(Int.self)
                }
            }
            return try JSONDecoder().decode([Pair].self, from: Data(json.utf8))
                .map { CrashGroup.Version(version: $0.version, count: $0.count) }
        }
    }
#endif
