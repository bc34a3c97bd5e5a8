#if Archive
    extension ArchiveSchema {
        /// The views that are a promise to people with SQL, Grafana or Metabase. Columns may be added; none goes or changes.
        ///
        /// Views run with the rights of their owner, so row-level security does not hold in them. Each view repeats the
        /// condition, and is a security barrier, so that a function in a query sees no row that its caller may not.
        static let views =
            """
            CREATE VIEW hindsight.recordings WITH (security_barrier) AS
            SELECT r.id, r.app, r.app_version, r.schema_version, r.device, r.platform, r.started, r.ended, r.ending,
                r.crash_seq, r.crash_type, r.crash_reducer, r.crash_path, r.crash_message, r.signal, r.reducers,
                r.actions, r.dropped, r.notes, r.bytes, r.stored_bytes, r.complete, r.pushed, r.hash
            FROM hindsight.recording AS r WHERE \(visible("r"));
            COMMENT ON VIEW hindsight.recordings IS 'A row a recording';
            COMMENT ON COLUMN hindsight.recordings.id IS 'What archive pull takes';
            COMMENT ON COLUMN hindsight.recordings.schema_version IS 'The version of the form of the app''s state';
            COMMENT ON COLUMN hindsight.recordings.device IS 'What push --device said; empty if nothing';
            COMMENT ON COLUMN hindsight.recordings.started IS
                'When the recording was created, by the device''s clock, held within the years 2000 to 2099; a filter on it chooses the months to read';
            COMMENT ON COLUMN hindsight.recordings.ended IS 'When the recording was closed; NULL if it was not';
            COMMENT ON COLUMN hindsight.recordings.ending IS
                'closed, open (not closed, and its process is gone), exited, crashed, stopped (by a signal from outside), or recording';
            COMMENT ON COLUMN hindsight.recordings.crash_seq IS 'The action in which it crashed; NULL if it did not, or between actions';
            COMMENT ON COLUMN hindsight.recordings.crash_type IS 'The type of that action';
            COMMENT ON COLUMN hindsight.recordings.crash_reducer IS 'The reducer that ran';
            COMMENT ON COLUMN hindsight.recordings.crash_path IS
                'The place in the state; NULL if it is not known: a recording has what a reducer changed once it returns';
            COMMENT ON COLUMN hindsight.recordings.crash_message IS 'The signal that ended its process, and whether the stack was full';
            COMMENT ON COLUMN hindsight.recordings.actions IS 'The number of the last action';
            COMMENT ON COLUMN hindsight.recordings.dropped IS 'The number of actions at the start that a limit dropped';
            COMMENT ON COLUMN hindsight.recordings.bytes IS 'The size as text';
            COMMENT ON COLUMN hindsight.recordings.stored_bytes IS 'The size in the archive';
            COMMENT ON COLUMN hindsight.recordings.complete IS 'Whether all of the file is here; false if it grew, or its push was cut';
            COMMENT ON COLUMN hindsight.recordings.pushed IS 'When it came here, by the server''s clock';

            CREATE VIEW hindsight.action_types WITH (security_barrier) AS
            SELECT t.recording AS id, t.app, t.started, t.type, t.count, t.total_ns, t.longest_ns
            FROM hindsight.action_type AS t WHERE \(visible("t"));
            COMMENT ON VIEW hindsight.action_types IS 'A row an action type of a recording';
            COMMENT ON COLUMN hindsight.action_types.count IS 'How often it was dispatched';
            COMMENT ON COLUMN hindsight.action_types.total_ns IS 'How long its reducers ran together, in nanoseconds';
            COMMENT ON COLUMN hindsight.action_types.longest_ns IS 'The longest of them';

            CREATE VIEW hindsight.notes WITH (security_barrier) AS
            SELECT n.recording AS id, n.app, n.started, n.number, n.seq, n.reducer, n.name, n.text, n.at_ns
            FROM hindsight.note AS n WHERE \(visible("n"));
            COMMENT ON VIEW hindsight.notes IS 'A row a note of a recording';
            COMMENT ON COLUMN hindsight.notes.seq IS 'The action that it is about; with reducer, that step';
            COMMENT ON COLUMN hindsight.notes.at_ns IS 'When it was written, in nanoseconds since 1970';

            CREATE VIEW hindsight.crashes WITH (security_barrier) AS
            SELECT r.app, r.crash_type AS type, r.crash_reducer AS reducer, r.crash_path AS path, r.app_version,
                count(*) AS count, count(DISTINCT NULLIF(r.device, '')) AS devices, min(r.started) AS first_seen,
                max(r.started) AS last_seen, (array_agg(r.id ORDER BY r.started DESC, r.id))[1] AS example
            FROM hindsight.recording AS r
            WHERE r.ending = 'crashed' AND \(visible("r"))
            GROUP BY r.app, r.crash_type, r.crash_reducer, r.crash_path, r.app_version;
            COMMENT ON VIEW hindsight.crashes IS
                'A row a crash group and version of an app: recordings that ended in the same action type, reducer and path';
            COMMENT ON COLUMN hindsight.crashes.type IS 'The type of the action; NULL if it is not known';
            COMMENT ON COLUMN hindsight.crashes.reducer IS 'NULL if it is not known';
            COMMENT ON COLUMN hindsight.crashes.path IS 'As crash_path of recordings; NULL if it is not known';
            COMMENT ON COLUMN hindsight.crashes.devices IS 'The number of devices that push --device named';
            COMMENT ON COLUMN hindsight.crashes.example IS 'The newest recording of the group, for archive pull';

            CREATE VIEW hindsight.divergences WITH (security_barrier) AS
            SELECT d.run, q.build, d.recording AS id, d.app, d.app_version, d.started, d.type, d.reducer, d.path, d.cause,
                d.count, d.seq
            FROM hindsight.divergence AS d JOIN hindsight.run AS q ON q.id = d.run
            WHERE \(visible("d"));
            COMMENT ON VIEW hindsight.divergences IS
                'A row a kind of difference that archive verify found in a recording';
            COMMENT ON COLUMN hindsight.divergences.build IS 'Whose reducers were compared';
            COMMENT ON COLUMN hindsight.divergences.type IS 'The type of the action; NULL for the state at the start';
            COMMENT ON COLUMN hindsight.divergences.path IS
                'The first place that differs, as a pattern: empty if it is the whole state, NULL if the cause is crash';
            COMMENT ON COLUMN hindsight.divergences.cause IS
                'What the difference looks like, as verify says it; crash if the reducer ended its process';
            COMMENT ON COLUMN hindsight.divergences.count IS 'The number of actions of the recording that differ so';
            COMMENT ON COLUMN hindsight.divergences.seq IS 'The first of them';

            CREATE VIEW hindsight.results WITH (security_barrier) AS
            SELECT j.run, q.kind, q.build, q.question, j.recording AS id, j.app, j.app_version, j.started, j.state, j.verdict,
                j.attempts, j.worker, j.lease_until, j.finished, j.result
            FROM hindsight.job AS j JOIN hindsight.run AS q ON q.id = j.run
            WHERE \(visible("j"));
            COMMENT ON VIEW hindsight.results IS 'A row a job of archive verify and archive find';
            COMMENT ON COLUMN hindsight.results.kind IS 'verify or find';
            COMMENT ON COLUMN hindsight.results.question IS 'The options of verify, or the expression of find, as JSON';
            COMMENT ON COLUMN hindsight.results.state IS 'waiting, claimed (by a worker, up to lease_until), or done';
            COMMENT ON COLUMN hindsight.results.verdict IS
                'Of verify: equal, diverged, crash or failed. Of find: found, none or failed. poison: it ended its worker too often';
            COMMENT ON COLUMN hindsight.results.attempts IS 'How often a worker has claimed it';
            """

        /// The way, the place and the frames of crashes.
        static let endings = """
            ALTER TABLE hindsight.recording ADD COLUMN crash_phase text, ADD COLUMN crash_frames text[];

            CREATE OR REPLACE VIEW hindsight.recordings WITH (security_barrier) AS
            SELECT r.id, r.app, r.app_version, r.schema_version, r.device, r.platform, r.started, r.ended, r.ending,
                r.crash_seq, r.crash_type, r.crash_reducer, r.crash_path, r.crash_message, r.signal, r.reducers,
                r.actions, r.dropped, r.notes, r.bytes, r.stored_bytes, r.complete, r.pushed, r.hash, r.crash_phase,
                r.crash_frames, r.root
            FROM hindsight.recording AS r WHERE \(visible("r"));
            COMMENT ON COLUMN hindsight.recordings.device IS
                'What push --device said, or the installation that the recording names; empty if there is neither';
            COMMENT ON COLUMN hindsight.recordings.crash_message IS
                'The way in which its process ended: a signal, and whether the stack was full, or exit; NULL if nothing says it, as after a kill from outside';
            COMMENT ON COLUMN hindsight.recordings.crash_phase IS
                'reducer, between reducers, subscribers, middleware before (the action has no number), middleware after, idle (between actions), or another thread; NULL if it is not known';
            COMMENT ON COLUMN hindsight.recordings.crash_frames IS
                'The innermost frames of the thread, as image+offset, for a symboliser';

            COMMENT ON COLUMN hindsight.recordings.ending IS
                'closed, open (not closed, and its process is gone), exited, crashed, stopped (the recorder had to stop, such as on a full disk), or recording';
            COMMENT ON COLUMN hindsight.recordings.crash_type IS
                'The type of that action; NULL if it is not known, or if another thread crashed';
            COMMENT ON COLUMN hindsight.results.verdict IS
                'Of verify: equal, diverged, crash, empty or failed. Of find: found, none, unknown (true at no position that is known, and others are not known), empty or failed. poison: its process was ended from outside too often';

            COMMENT ON COLUMN hindsight.recordings.root IS
                'The UUID that the recorder made, which parts and salvaged recordings keep; NULL if there is none';

            CREATE OR REPLACE VIEW hindsight.crashes WITH (security_barrier) AS
            SELECT r.app, r.crash_type AS type, r.crash_reducer AS reducer, r.crash_path AS path, r.app_version,
                count(*) AS count, count(DISTINCT NULLIF(r.device, '')) AS devices, min(r.started) AS first_seen,
                max(r.started) AS last_seen, (array_agg(r.id ORDER BY r.started DESC, r.id))[1] AS example,
                r.crash_message AS message, r.crash_phase AS phase
            FROM hindsight.recording AS r
            WHERE r.ending = 'crashed' AND \(visible("r"))
            GROUP BY r.app, r.crash_type, r.crash_reducer, r.crash_path, r.app_version, r.crash_message, r.crash_phase;
            COMMENT ON VIEW hindsight.crashes IS
                'A row a crash group and version of an app: recordings that ended in the same way, place, action type and reducer';
            COMMENT ON COLUMN hindsight.crashes.message IS 'As crash_message of recordings';
            COMMENT ON COLUMN hindsight.crashes.phase IS 'As crash_phase of recordings';
            """

        /// The condition of row-level security on a table's column `app`.
        ///
        /// Subqueries, so that the functions run once a statement and not once a row.
        static func visible(_ table: String) -> String {
            "((SELECT hindsight.sees_all()) OR \(table).app IN (SELECT hindsight.visible_apps()))"
        }

        /// Row-level security on tables, each with a column `app`.
        static func rowSecurity(of tables: [String]) -> String {
            tables.map { table in
                """
                ALTER TABLE hindsight.\(table) ENABLE ROW LEVEL SECURITY;
                CREATE POLICY visible ON hindsight.\(table)
                    USING ((SELECT hindsight.sees_all()) OR app IN (SELECT hindsight.visible_apps()));
                """
            }.joined(separator: "\n")
        }
    }
#endif
