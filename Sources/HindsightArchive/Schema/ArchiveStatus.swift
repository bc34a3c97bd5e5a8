#if Archive
    import HindsightTree

    /// What an archive has, in numbers.
    package struct ArchiveStatus: Answer {
        package struct Jobs: Answer {
            package let waiting: Int
            package let claimed: Int
            package let done: Int
        }

        package struct Version: Answer {
            package let app: String
            package let version: String
            package let recordings: Int
            package let open: Int
            package let crashed: Int
            package let actions: Int
            package let bytes: Int
            package let stored: Int
            /// Days.
            package let oldest: String
            package let newest: String
        }

        package let server: String
        package let schema: Int
        /// The months that have partitions.
        package let months: Int
        /// The size of the archive's tables and indexes on the server's disk.
        package let disk: Int
        /// The jobs of `verify` and `find` that wait, that a worker has, and that are done.
        package let jobs: Jobs
        /// By app and version.
        package let versions: [Version]
    }

    extension ArchiveConnection {
        /// The largest number of apps and versions that the status lists.
        package static let maxVersions = 1000

        package func status() throws -> ArchiveStatus {
            let found: [ArchiveStatus] = try all(
                """
                SELECT current_setting('server_version') AS server,
                    (SELECT max(version) FROM hindsight.version) AS schema,
                    (SELECT count(*) FROM pg_inherits WHERE inhparent = 'hindsight.recording'::regclass) AS months,
                    (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class AS c
                        WHERE c.relnamespace = 'hindsight'::regnamespace AND c.relkind = 'r') AS disk,
                    (SELECT row_to_json(j) FROM (
                        SELECT count(*) FILTER (WHERE state = 'waiting') AS waiting,
                            count(*) FILTER (WHERE state = 'claimed') AS claimed,
                            count(*) FILTER (WHERE state = 'done') AS done
                        FROM hindsight.results
                    ) AS j) AS jobs,
                    (SELECT coalesce(json_agg(v), '[]') FROM (
                        SELECT app, app_version AS version, count(*) AS recordings,
                            count(*) FILTER (WHERE NOT complete) AS open,
                            count(*) FILTER (WHERE ending = 'crashed') AS crashed,
                            least(sum(actions), \(Int64.max)) AS actions, least(sum(bytes), \(Int64.max)) AS bytes,
                            least(sum(stored_bytes), \(Int64.max)) AS stored,
                            to_char(min(started), 'YYYY-MM-DD') AS oldest, to_char(max(started), 'YYYY-MM-DD') AS newest
                        FROM hindsight.recording GROUP BY app, app_version ORDER BY app, min(started)
                        LIMIT \(Self.maxVersions)
                    ) AS v) AS versions
                """
            )
            guard let status = found.first else { throw ArchiveError(.dropped, "The server did not answer.") }
            return status
        }
    }
#endif
