#if Archive
    import Foundation

    /// Which recordings an archive keeps. Recordings for which there is no rule are kept.
    package struct ExpiryRule: Sendable, Hashable, Encodable {
        /// The app, and how the recording ended; `nil` for all.
        private var app: String?
        private var ending: String?
        /// The newest, by their age in seconds. A rule has one of the limits.
        private var seconds: Int64?
        /// So many of the newest of each app.
        private var count: Int64?
        /// As many of the newest of each app as have this size in the archive.
        private var bytes: Int64?

        package static let endings = ["closed", "open", "exited", "crashed", "stopped", "recording"]

        /// Parses `[APP/][ENDING=]LIMIT`: `30d`, `crashed=1y`, `MyApp/=10000`, `MyApp/crashed=20GB`.
        package init?(_ text: String) {
            var rest = text[...]
            if let sign = rest.lastIndex(of: "=") {
                var scope = rest[..<sign]
                rest = rest[rest.index(after: sign)...]
                if let slash = scope.lastIndex(of: "/") {
                    app = String(scope[..<slash])
                    scope = scope[scope.index(after: slash)...]
                    if app == "" { return nil }
                }
                if !scope.isEmpty { ending = String(scope) }
                if app == nil, ending == nil { return nil }
            }
            if let ending, !Self.endings.contains(ending) { return nil }
            let units: [(String, Int64)] = [("KB", 1 << 10), ("MB", 1 << 20), ("GB", 1 << 30), ("TB", 1 << 40)]
            if let count = Int64(rest) {
                guard count > 0 else { return nil }
                self.count = count
            } else if let (unit, size) = units.first(where: { rest.hasSuffix($0.0) }) {
                guard let number = Int64(rest.dropLast(unit.count)), number > 0 else { return nil }
                let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: size)
                if isTooLarge { return nil }
                self.bytes = bytes
            } else if let seconds = ArchiveMoment.seconds(String(rest)), seconds > 0 {
                self.seconds = seconds
            } else {
                return nil
            }
        }
    }

    /// What expires of a month.
    package struct ExpiringMonth: Sendable {
        /// When the month begins, in microseconds since 2000.
        let start: Int64
        /// `2026-11`
        package let name: String
        package let recordings: Int
        package let bytes: Int
        /// The number of recordings that stay, of the apps that the role sees.
        package let staying: Int
        /// Whether the month is dropped as a whole: nothing of any app stays, and the month has ended, so that no push of a
        /// new recording needs its partitions.
        package let isWhole: Bool
    }

    /// One run of `archive expire`.
    package final class ArchiveExpiry {
        private let connection: ArchiveConnection
        /// For each app and ending, the time before which recordings expire, as JSON.
        private let times: String
        private let latest: Int64?

        /// The recordings whose rows are deleted in one transaction: few enough for a short one.
        private static let batch: Int64 = 200
        private static let jobBatch: Int64 = 5000

        /// Finds the times of the rules. They hold for the whole run.
        package init(_ rules: [ExpiryRule], _ connection: ArchiveConnection) throws {
            self.connection = connection
            let json = String(decoding: try JSONEncoder().encode(rules), as: UTF8.self)
            let found = try connection.run(
                """
                SELECT COALESCE(jsonb_agg(t), '[]')::text, max(t.before) FROM hindsight.expiry_times($1::jsonb, now()) AS t
                """,
                [.text(json)]
            )
            times = found[0].text(0)
            latest = found[0].optionalInteger(1)
        }

        /// The months of which something expires, oldest first.
        package func months() throws -> [ExpiringMonth] {
            guard let latest else { return [] }
            let rows = try connection.run(
                """
                SELECT m, e.recordings, e.bytes, e.staying, e.whole AND m + interval '1 month' <= now(),
                    to_char(m, 'YYYY-MM')
                FROM hindsight.months() AS m CROSS JOIN LATERAL hindsight.expiring(m, $1::jsonb) AS e
                WHERE e.recordings > 0 OR e.whole AND m + interval '1 month' <= LEAST($2, now())
                ORDER BY m
                """,
                [.text(times), .time(latest)]
            )
            return rows.map { row in
                ExpiringMonth(
                    start: row.integer(0),
                    name: row.text(5),
                    recordings: Int(row.integer(1)),
                    bytes: Int(row.integer(2)),
                    staying: Int(row.integer(3)),
                    isWhole: row.boolean(4)
                )
            }
        }

        /// Removes what expires of a month: by dropping it, if nothing stays.
        ///
        /// - Returns: The number of recordings.
        package func expire(_ month: ExpiringMonth, progress: (Int) -> Void) throws -> (
            recordings: Int, isDropped: Bool
        ) {
            if month.isWhole, let count = try drop(month) { return (count, true) }
            var deleted = 0
            while month.recordings > 0 {
                let count = try connection.retrying {
                    let rows = try connection.run(
                        "SELECT hindsight.delete_expired($1, $2::jsonb, $3)",
                        [.time(month.start), .text(times), .integer(Self.batch)]
                    )
                    return Int(rows[0].integer(0))
                }
                if count == 0 { break }
                deleted += count
                progress(deleted)
            }
            return (deleted, false)
        }

        /// Deletes what `verify` and `find` found in recordings that are gone, whenever these went. A statement is about one
        /// month, and those without partitions after it.
        package func deleteResults() throws {
            let months = try connection.run("SELECT m FROM hindsight.months() AS m").map { $0.integer(0) }
            // The first and the last number are PostgreSQL's infinities.
            for (since, before) in zip([Int64.min] + months, months + [Int64.max]) {
                let parameters: [ArchiveValue] = [.time(since), .time(before), .integer(Self.jobBatch)]
                while try connection.run("SELECT hindsight.delete_results($1, $2, $3)", parameters)[0].integer(0) > 0 {}
            }
        }

        /// Removes the chunks of pushes that ended in the middle some time ago.
        ///
        /// - Parameter isDry: Whether only to count them.
        package func removeUnfinished(olderThan seconds: Int64, isDry: Bool) throws -> (chunks: Int, bytes: Int) {
            let months = try connection.run(
                "SELECT m, now() - make_interval(secs => $1::bigint) FROM hindsight.months() AS m",
                [.integer(seconds)]
            )
            var all = (chunks: 0, bytes: 0)
            for month in months {
                let bounds: [ArchiveValue] = [.time(month.integer(0)), .time(month.integer(1))]
                while true {
                    let row = try connection.run(
                        isDry
                            ? "SELECT chunks, bytes FROM hindsight.unfinished($1, $2)"
                            : "SELECT chunks, bytes FROM hindsight.delete_unfinished($1, $2, $3)",
                        isDry ? bounds : bounds + [.integer(Self.batch)]
                    )[0]
                    all.chunks += Int(row.integer(0))
                    all.bytes += Int(row.integer(1))
                    if isDry || row.integer(0) == 0 { break }
                }
            }
            return all
        }

        /// Drops a month.
        ///
        /// - Returns: The number of its recordings; `nil` if one stays, which came meanwhile.
        private func drop(_ month: ExpiringMonth) throws -> Int? {
            // Someone may read the month. Others wait behind this statement, so it does not wait for long.
            try connection.retrying {
                let rows = try connection.run(
                    "SELECT hindsight.drop_month($1, $2::jsonb)",
                    [.time(month.start), .text(times)]
                )
                return rows[0].optionalInteger(0).map { Int($0) }
            }
        }
    }
#endif
