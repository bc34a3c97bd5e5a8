#if Archive
    import HindsightTree

    /// `hindsight archive dashboard`
    enum ArchiveDashboardCommand: Command {
        static let alert = Flag(
            "alert",
            help: "Print an alert rule instead, for Grafana's folder of provisioned alerts."
        )

        static let syntax = Syntax(
            "archive dashboard",
            abstract: "Prints a Grafana dashboard of an archive, as JSON",
            discussion: """
                Crash-free sessions by release, groups of crashes, those that are new and those that were fixed and crash
                again, slow actions, and sizes. Import it in Grafana, and choose a PostgreSQL data source whose role is a
                member of hindsight_read. Its queries read the views that stand in the documentation of HindsightArchive.
                """,
            arguments: [alert],
            examples: [
                "archive dashboard > board.json": "A file to import.",
                "archive dashboard --alert > /etc/grafana/provisioning/alerting/hindsight.json":
                    "A rule that fires if fewer than 99 % of a day's sessions are free of crashes.",
            ],
            jsonShape: "the same JSON"
        )

        private struct Panel {
            var title: String
            /// The type in Grafana.
            var type: String
            var unit = "short"
            var width = 12
            let sql: String
        }

        /// The columns that make a group of crashes.
        private static let group = "app, crash_type, crash_phase, crash_reducer, crash_message"

        private static let panels = [
            Panel(
                title: "Crash-free sessions by release",
                type: "timeseries",
                unit: "percent",
                sql: """
                    SELECT $__timeGroup(started, '1d') AS time, app || ' ' || app_version AS metric,
                        100.0 * count(*) FILTER (WHERE ending <> 'crashed') / count(*) AS value
                    FROM hindsight.recordings WHERE $__timeFilter(started) AND app IN ($app)
                    GROUP BY 1, 2 ORDER BY 1
                    """
            ),
            Panel(
                title: "Sessions by ending",
                type: "timeseries",
                sql: """
                    SELECT $__timeGroup(started, '1d') AS time, ending AS metric, count(*) AS value
                    FROM hindsight.recordings WHERE $__timeFilter(started) AND app IN ($app)
                    GROUP BY 1, 2 ORDER BY 1
                    """
            ),
            Panel(
                title: "Groups of crashes",
                type: "table",
                width: 24,
                sql: """
                    SELECT \(group), count(*) AS recordings, count(DISTINCT NULLIF(device, '')) AS devices,
                        min(started) AS first_seen, max(started) AS last_seen,
                        (array_agg(id ORDER BY started DESC, id))[1] AS newest
                    FROM hindsight.recordings WHERE $__timeFilter(started) AND app IN ($app) AND ending = 'crashed'
                    GROUP BY \(group) ORDER BY recordings DESC LIMIT 100
                    """
            ),
            Panel(
                title: "New groups",
                type: "table",
                sql: """
                    SELECT app, type, phase, reducer, message, sum(count) AS recordings, min(first_seen) AS first_seen
                    FROM hindsight.crashes WHERE app IN ($app)
                    GROUP BY app, type, phase, reducer, message HAVING min(first_seen) >= $__timeFrom()
                    ORDER BY first_seen DESC LIMIT 100
                    """
            ),
            Panel(
                title: "Fixed once, and crashing again",
                type: "table",
                sql: """
                    SELECT \(group), v.build, count(*) AS recordings FROM hindsight.recordings AS r
                    CROSS JOIN LATERAL (
                        SELECT x.build, x.verdict, x.finished FROM hindsight.results AS x
                        WHERE x.started = r.started AND x.id = r.id AND x.kind = 'verify'
                            AND x.verdict IN ('equal', 'diverged', 'crash')
                        ORDER BY x.finished DESC LIMIT 1
                    ) AS v
                    WHERE app IN ($app) AND ending = 'crashed' AND v.verdict = 'crash' AND EXISTS (
                        SELECT FROM hindsight.results AS x
                        WHERE x.started = r.started AND x.id = r.id AND x.kind = 'verify'
                            AND x.verdict IN ('equal', 'diverged') AND x.finished < v.finished AND x.build <> v.build
                    )
                    GROUP BY \(group), v.build ORDER BY recordings DESC LIMIT 100
                    """
            ),
            Panel(
                title: "Slowest actions (ms)",
                type: "table",
                sql: """
                    SELECT app, type, sum(count) AS dispatched, sum(total_ns) / sum(count) / 1e6 AS mean,
                        max(longest_ns) / 1e6 AS longest
                    FROM hindsight.action_types WHERE $__timeFilter(started) AND app IN ($app)
                    GROUP BY app, type HAVING sum(count) > 0 ORDER BY longest DESC LIMIT 50
                    """
            ),
            Panel(
                title: "Size of a day's recordings",
                type: "timeseries",
                unit: "bytes",
                sql: """
                    SELECT $__timeGroup(started, '1d') AS time, app AS metric, sum(stored_bytes)::bigint AS value
                    FROM hindsight.recordings WHERE $__timeFilter(started) AND app IN ($app)
                    GROUP BY 1, 2 ORDER BY 1
                    """
            ),
        ]

        static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
            tool.console.print(json: arguments[alert] ? rules : board)
            return .fine
        }

        private static var board: Node {
            let source: Node = ["type": "grafana-postgresql-datasource", "uid": "${source}"]
            var (x, y) = (0, 0)
            let height = 8
            let places = panels.enumerated().map { number, panel -> Node in
                if x + panel.width > 24 { (x, y) = (0, y + height) }
                defer { x += panel.width }
                return [
                    "id": .int(number + 1), "title": .string(panel.title), "type": .string(panel.type),
                    "datasource": source,
                    "gridPos": ["x": .int(x), "y": .int(y), "w": .int(panel.width), "h": .int(height)],
                    "fieldConfig": ["defaults": ["unit": .string(panel.unit)], "overrides": []],
                    "targets": [
                        [
                            "refId": "A", "datasource": source, "rawQuery": true,
                            "format": .string(panel.type == "table" ? "table" : "time_series"),
                            "rawSql": .string(panel.sql),
                        ]
                    ],
                ]
            }
            let variables: [Node] = [
                ["name": "source", "type": "datasource", "label": "Archive", "query": "grafana-postgresql-datasource"],
                [
                    "name": "app", "type": "query", "label": "App", "multi": true, "includeAll": true,
                    "datasource": source,
                    "query": "SELECT DISTINCT app FROM hindsight.recordings ORDER BY 1", "refresh": 1,
                    "current": ["text": "All", "value": "$__all"],
                ],
            ]
            return [
                "title": "Hindsight", "uid": "hindsight", "schemaVersion": 39, "timezone": "utc",
                "time": ["from": "now-30d", "to": "now"], "templating": ["list": .array(variables)],
                "panels": .array(places),
            ]
        }

        private static var rules: Node {
            let sql = """
                SELECT 100.0 * count(*) FILTER (WHERE ending <> 'crashed') / count(*) AS value
                FROM hindsight.recordings WHERE pushed >= now() - interval '1 day' HAVING count(*) > 0
                """
            let query: Node = [
                "refId": "A", "datasourceUid": "REPLACE_WITH_THE_UID_OF_THE_DATA_SOURCE",
                "relativeTimeRange": ["from": 86_400, "to": 0],
                "model": ["refId": "A", "rawQuery": true, "format": "table", "rawSql": .string(sql)],
            ]
            let threshold: Node = [
                "refId": "B", "datasourceUid": "__expr__",
                "model": [
                    "refId": "B", "type": "threshold", "expression": "A",
                    "conditions": [["evaluator": ["type": "lt", "params": [99]]]],
                ],
            ]
            let rule: Node = [
                "uid": "hindsight-crash-free", "title": "Crash-free sessions below 99 %", "condition": "B",
                "data": [query, threshold], "for": "15m", "noDataState": "OK", "execErrState": "Error",
            ]
            return [
                "apiVersion": 1,
                "groups": [
                    ["orgId": 1, "name": "hindsight", "folder": "Hindsight", "interval": "15m", "rules": [rule]]
                ],
            ]
        }
    }
#endif
