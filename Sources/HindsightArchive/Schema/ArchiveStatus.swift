#if Archive
    import Foundation

    /// What an archive has, in numbers.
    package struct ArchiveStatus: Sendable {
        package struct Version: Sendable {
            package var app: String
            package var version: String
            package var recordings: Int
            package var open: Int
            package var crashed: Int
            package var actions: Int
            package var bytes: Int
            package var storedBytes: Int
            package var oldest: Date
            package var newest: Date
        }

        package var server: String
        package var schema: Int
        /// The months that have partitions.
        package var months: Int
        /// The size of the archive's tables and indexes on the server's disk.
        package var diskBytes: Int
        /// The jobs of `verify` and `find` that wait, that a worker has, and that are done.
        package var waiting: Int
        package var claimed: Int
        package var done: Int
        /// By app and version.
        package var versions: [Version]
    }

    extension ArchiveConnection {
        /// The largest number of apps and versions that the status lists.
        package static let mostVersions = 1000

        package func status() throws -> ArchiveStatus {
            let sizes = try run(
                """
                SELECT current_setting('server_version'), (SELECT max(version) FROM hindsight.version),
                    (SELECT count(*) FROM pg_inherits WHERE inhparent = 'hindsight.recording'::regclass),
                    (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class AS c
                        WHERE c.relnamespace = 'hindsight'::regnamespace AND c.relkind = 'r')
                """
            )[0]
            let versions = try run(
                """
                SELECT app, app_version, count(*), count(*) FILTER (WHERE NOT complete),
                    count(*) FILTER (WHERE ending = 'crashed'), least(sum(actions), \(Int64.max)), least(sum(bytes), \(Int64.max)),
                    least(sum(stored_bytes), \(Int64.max)), min(started), max(started)
                FROM hindsight.recording GROUP BY app, app_version ORDER BY app, min(started) LIMIT \(Self.mostVersions)
                """
            )
            let jobs = try run(
                """
                SELECT count(*) FILTER (WHERE state = 'waiting'), count(*) FILTER (WHERE state = 'claimed'),
                    count(*) FILTER (WHERE state = 'done')
                FROM hindsight.results
                """
            )[0]
            return ArchiveStatus(
                server: sizes.text(0),
                schema: Int(sizes.integer(1)),
                months: Int(sizes.integer(2)),
                diskBytes: Int(sizes.integer(3)),
                waiting: Int(jobs.integer(0)),
                claimed: Int(jobs.integer(1)),
                done: Int(jobs.integer(2)),
                versions: versions.map { row in
                    ArchiveStatus.Version(
                        app: row.text(0),
                        version: row.text(1),
                        recordings: Int(row.integer(2)),
                        open: Int(row.integer(3)),
                        crashed: Int(row.integer(4)),
                        actions: Int(row.integer(5)),
                        bytes: Int(row.integer(6)),
                        storedBytes: Int(row.integer(7)),
                        oldest: row.time(8),
                        newest: row.time(9)
                    )
                }
            )
        }
    }
#endif
