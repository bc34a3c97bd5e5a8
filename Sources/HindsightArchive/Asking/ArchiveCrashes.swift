#if Archive
    import HindsightTree

    /// Crashes or differences of many recordings in the same place.
    package struct CrashGroup: Answer {
        package struct Version: Answer {
            package let version: String
            package let recordings: Int
        }

        package enum Kind: String, Codable, Sendable { case crash, divergence }

        /// What the newest `archive verify` of each recording says.
        package enum State: String, Codable, Sendable {
            /// None of them was verified, or one came after the verification that found the others fixed.
            case new
            /// One of them still crashes or differs.
            case seen
            /// None of those that were verified does.
            case fixed
            /// One of them does, and did not when another build was verified before.
            case regressed
        }

        package let kind: Kind
        package let app: String
        /// The action's type; `nil` if it is not known, if another thread crashed, or for the state at the start.
        @Nullable package var type: String?
        @Nullable package var reducer: String?
        /// Empty for the whole state; `nil` if it is not known, as it is for crashes.
        @Nullable package var path: String?
        /// The way of ending: a signal, or `exit`; `nil` if it is not known, and for divergences.
        @Nullable package var message: String?
        /// What the app was doing, as the column `crash_phase` says; `nil` if it is not known, and for divergences.
        @Nullable package var phase: String?
        /// What a divergence looks like.
        @Nullable package var cause: String?
        package let state: State
        /// The number of recordings that were verified.
        package let verified: Int
        /// The build that was verified last among those that decide the state; `nil` if none was.
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
        /// The groups of recordings that crashed in the same way and place, action type and reducer, the largest first.
        package func crashes(_ filter: ArchiveFilter, most: Int) throws -> [CrashGroup] {
            let (conditions, parameters) = filter.condition()
            return try groups(
                .crash,
                """
                WITH crashed AS (
                    SELECT * FROM hindsight.recordings AS r WHERE r.ending = 'crashed' AND \(conditions)
                ), verified AS (
                    -- All at once: a look for each recording takes several times as long.
                    SELECT x.started, x.id, max(x.finished) AS finished,
                        (array_agg(x.build ORDER BY x.finished DESC))[1] AS build,
                        (array_agg(x.verdict ORDER BY x.finished DESC))[1] AS verdict,
                        COALESCE(array_agg(x.build) FILTER (WHERE x.verdict <> 'crash'), '{}') AS others
                    FROM hindsight.results AS x
                    WHERE (x.started, x.id) IN (SELECT c.started, c.id FROM crashed AS c)
                        AND \(Self.isVerified("'equal', 'diverged', 'crash'"))
                    GROUP BY x.started, x.id
                )
                SELECT r.app, r.crash_type AS type, r.crash_reducer AS reducer, r.crash_path AS path, NULL::text AS cause,
                    r.crash_message AS message, r.crash_phase AS phase,
                    r.app_version, r.started, r.pushed, r.id, NULLIF(r.device, '') AS device, r.crash_seq AS seq,
                    v.build, v.finished, v.verdict = 'crash' AS is_seen,
                    v.verdict = 'crash' AND NOT v.others <@ ARRAY[v.build] AS is_again
                FROM crashed AS r LEFT JOIN verified AS v ON v.started = r.started AND v.id = r.id
                """,
                parameters,
                most
            )
        }

        /// The groups of differences that the newest `archive verify` of each recording found, likewise.
        package func divergences(_ filter: ArchiveFilter, most: Int) throws -> [CrashGroup] {
            let (conditions, parameters) = filter.condition()
            return try groups(
                .divergence,
                """
                SELECT d.app, d.type, d.reducer, d.path, d.cause, NULL::text AS message, NULL::text AS phase,
                    d.app_version, d.started, r.pushed, d.id, NULLIF(r.device, '') AS device, d.seq, d.build, v.finished, true AS is_seen,
                    EXISTS (
                        SELECT FROM hindsight.results AS x
                        WHERE x.started = r.started AND x.id = r.id AND \(Self.isVerified("'equal'"))
                            AND x.finished < v.finished AND x.build <> v.build
                    ) AS is_again
                FROM hindsight.divergences AS d
                JOIN hindsight.recordings AS r ON r.started = d.started AND r.id = d.id
                JOIN hindsight.results AS v ON v.run = d.run AND v.id = d.id
                WHERE NOT EXISTS (
                    SELECT FROM hindsight.results AS x
                    WHERE x.started = r.started AND x.id = r.id
                        AND \(Self.isVerified("'equal', 'diverged', 'crash'")) AND x.finished > v.finished
                ) AND \(conditions)
                """,
                parameters,
                most
            )
        }

        /// The condition that `x` is a result of `archive verify`, with one of some verdicts.
        private static func isVerified(_ verdicts: String) -> String {
            "x.kind = 'verify' AND x.verdict IN (\(verdicts))"
        }

        private func groups(
            _ kind: CrashGroup.Kind,
            _ rows: String,
            _ parameters: [ArchiveValue],
            _ most: Int
        ) throws -> [CrashGroup] {
            try all(
                """
                WITH one AS (
                    SELECT *, ROW (app, type, reducer, path, cause, message, phase)::text AS key FROM (\(rows)) AS o
                ), version AS (
                    SELECT key, app, type, reducer, path, cause, message, phase, app_version, count(DISTINCT id) AS count,
                        min(started) AS first_seen, max(started) AS last_seen,
                        (array_agg(id ORDER BY started DESC, id))[1] AS example,
                        (array_agg(seq ORDER BY started DESC, id))[1] AS seq
                    FROM one GROUP BY key, app, type, reducer, path, cause, message, phase, app_version
                ), whole AS (
                    SELECT key, count(DISTINCT device) AS devices,
                        count(DISTINCT id) FILTER (WHERE finished IS NOT NULL) AS verified,
                        COALESCE(
                            (array_agg(build ORDER BY finished DESC) FILTER (WHERE is_again))[1],
                            (array_agg(build ORDER BY finished DESC) FILTER (WHERE is_seen))[1],
                            (array_agg(build ORDER BY finished DESC) FILTER (WHERE finished IS NOT NULL))[1]
                        ) AS build,
                        CASE WHEN bool_or(is_again) THEN 'regressed' WHEN bool_or(is_seen) THEN 'seen'
                            -- One that came since may show it again.
                            WHEN max(finished) >= COALESCE(max(pushed) FILTER (WHERE finished IS NULL), '-infinity')
                                THEN 'fixed'
                            ELSE 'new' END AS state
                    FROM one GROUP BY key
                )
                SELECT '\(kind.rawValue)' AS kind, v.app, v.type, v.reducer, v.path, v.cause, v.message, v.phase,
                    w.state, w.build, w.verified,
                    sum(v.count)::bigint AS recordings, w.devices,
                    json_agg(
                        json_build_object('version', v.app_version, 'recordings', v.count)
                        ORDER BY v.count DESC, v.app_version
                    ) AS versions,
                    \(Self.text(ofTime: "min(v.first_seen)")) AS "firstSeen",
                    \(Self.text(ofTime: "max(v.last_seen)")) AS "lastSeen",
                    (array_agg(v.example ORDER BY v.last_seen DESC, v.example))[1]::text AS example,
                    (array_agg(v.seq ORDER BY v.last_seen DESC, v.example))[1] AS seq
                FROM version AS v JOIN whole AS w USING (key)
                GROUP BY key, v.app, v.type, v.reducer, v.path, v.cause, v.message, v.phase, w.state, w.build, w.verified,
                    w.devices
                ORDER BY recordings DESC, max(v.last_seen) DESC, example LIMIT $\(parameters.count + 1)
                """,
                parameters + [.number(most)]
            )
        }
    }
#endif
