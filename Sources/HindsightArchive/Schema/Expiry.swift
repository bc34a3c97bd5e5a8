#if Archive
    extension ArchiveSchema {
        /// What `archive expire` calls.
        ///
        /// Rules become a time for each app and ending: recordings that came before it expire, and the table `gone`
        /// remembers them. A month whose recordings have all expired goes as a whole, by dropping its partitions, which
        /// costs nothing a row. Of other months, rows are deleted, some hundred recordings a transaction. Each call is
        /// complete in itself, so that a run that was cut is continued by the next.
        ///
        /// The functions run with the rights of the archive's owner. They touch only apps that their caller may see.
        static let expiry = """
            -- The time for each app and ending before which recordings expire, for rules of the form
            -- [{"app", "ending", "seconds", "count", "bytes"}]. A rule without an app or an ending is for all. Of the rules
            -- for a recording, those count that say most: the app before the ending. All of them must keep it. A count or
            -- a size holds for each app by itself. Without a rule, nothing expires.
            CREATE OR REPLACE FUNCTION hindsight.expiry_times(rules jsonb, moment timestamptz)
            RETURNS TABLE (app text, ending text, before timestamptz)
            LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
            #variable_conflict use_column
            DECLARE
                pair record;
                rule record;
                limits timestamptz[];
                bound timestamptz;
            BEGIN
                FOR pair IN
                    -- Reads the index of the apps, not all rows.
                    WITH RECURSIVE apps(app) AS (
                        SELECT min(r.app) FROM hindsight.recording AS r
                        UNION ALL
                        SELECT (SELECT min(r.app) FROM hindsight.recording AS r WHERE r.app > a.app)
                        FROM apps AS a WHERE a.app IS NOT NULL
                    )
                    SELECT a.app, e.ending FROM apps AS a,
                        unnest(ARRAY['closed', 'open', 'exited', 'crashed', 'stopped', 'recording']) AS e(ending)
                    WHERE a.app IS NOT NULL AND \(visible("a"))
                LOOP
                    limits := '{}';
                    FOR rule IN
                        SELECT * FROM (
                            SELECT x.*, rank() OVER (
                                ORDER BY (x.app IS NOT NULL)::int * 2 + (x.ending IS NOT NULL)::int DESC
                            ) AS place
                            FROM jsonb_to_recordset(rules)
                                AS x(app text, ending text, seconds bigint, count bigint, bytes bigint)
                            WHERE (x.app IS NULL OR x.app = pair.app) AND (x.ending IS NULL OR x.ending = pair.ending)
                        ) AS ranked WHERE place = 1
                    LOOP
                        IF rule.seconds IS NOT NULL THEN
                            limits := limits || (moment - make_interval(secs => rule.seconds));
                        END IF;
                        IF rule.count IS NOT NULL THEN
                            SELECT r.pushed INTO bound FROM hindsight.recording AS r
                            WHERE r.app = pair.app AND (rule.ending IS NULL OR r.ending = rule.ending)
                            ORDER BY r.pushed DESC OFFSET GREATEST(rule.count - 1, 0) LIMIT 1;
                            limits := limits || bound;
                        END IF;
                        IF rule.bytes IS NOT NULL THEN
                            -- The newest is kept whatever its size.
                            SELECT min(s.pushed) INTO bound FROM (
                                SELECT r.pushed, sum(r.stored_bytes) OVER w AS total, row_number() OVER w AS place
                                FROM hindsight.recording AS r
                                WHERE r.app = pair.app AND (rule.ending IS NULL OR r.ending = rule.ending)
                                WINDOW w AS (ORDER BY r.pushed DESC, r.id)
                            ) AS s WHERE s.total <= rule.bytes OR s.place = 1;
                            limits := limits || bound;
                        END IF;
                    END LOOP;
                    SELECT pair.app, pair.ending, max(l) INTO app, ending, before FROM unnest(limits) AS l;
                    IF before IS NOT NULL THEN RETURN NEXT; END IF;
                END LOOP;
            END $$;

            -- The months that have partitions, oldest first.
            CREATE OR REPLACE FUNCTION hindsight.months() RETURNS SETOF timestamptz
            LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' AS $$
                SELECT to_timestamp(right(c.relname, 7), 'YYYY_MM') AS month
                FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
                WHERE i.inhparent = 'hindsight.recording'::regclass AND c.relname ~ '^recording_[0-9]{4}_[0-9]{2}$'
                ORDER BY month
            $$;

            -- How many recordings of a month expire, how many bytes they have, how many recordings of the caller's apps stay,
            -- and whether nothing of any app does, as drop_month asks. `times` has the rows of expiry_times as JSON.
            DROP FUNCTION IF EXISTS hindsight.expiring(timestamptz, jsonb);
            CREATE FUNCTION hindsight.expiring(month timestamptz, times jsonb)
            RETURNS TABLE (recordings bigint, bytes bigint, staying bigint, whole boolean)
            LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
                SELECT count(*) FILTER (WHERE g.expires), COALESCE(sum(g.stored_bytes) FILTER (WHERE g.expires), 0)::bigint,
                    count(*) FILTER (WHERE g.is_own AND NOT g.expires),
                    count(*) FILTER (WHERE NOT g.expires) = 0 AND NOT EXISTS (
                        SELECT FROM hindsight.chunk AS c
                        WHERE c.started >= month AND c.started < month + interval '1 month' AND NOT \(visible("c"))
                    )
                FROM (
                    SELECT r.stored_bytes, \(visible("r")) AS is_own,
                        t.before IS NOT NULL AND r.pushed < t.before AS expires
                    FROM hindsight.recording AS r
                    LEFT JOIN jsonb_to_recordset(times) AS t(app text, ending text, before timestamptz)
                        ON t.app = r.app AND t.ending = r.ending AND \(visible("t"))
                    WHERE r.started >= month AND r.started < month + interval '1 month'
                ) AS g
            $$;

            -- Drops a month, if all of its recordings have expired. Returns how many there were; NULL if one stays. A push
            -- takes the tables in one order and a pull in another. So it waits for a shorter time than the server waits
            -- before it looks for deadlocks, and gives way to them.
            CREATE OR REPLACE FUNCTION hindsight.drop_month(month timestamptz, times jsonb) RETURNS bigint
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '500ms'
            SET TimeZone = 'UTC' AS $$
            DECLARE
                suffix text := hindsight.month_name(month);
                parent text;
                dropped bigint;
                stays boolean;
            BEGIN
                IF month <> date_trunc('month', month, 'UTC') OR to_regclass('hindsight.recording_' || suffix) IS NULL THEN
                    RETURN NULL;
                END IF;
                -- Without a lock first, so that others need not wait if the month stays.
                FOR turn IN 1..2 LOOP
                    EXECUTE format(
                        'SELECT EXISTS (SELECT FROM hindsight.%I AS r WHERE NOT EXISTS (
                            SELECT FROM jsonb_to_recordset($1) AS t(app text, ending text, before timestamptz)
                            WHERE t.app = r.app AND t.ending = r.ending AND r.pushed < t.before AND \(visible("t"))
                        ))', 'recording_' || suffix
                    ) INTO stays USING times;
                    -- What is another app's keeps the month.
                    IF NOT stays THEN
                        EXECUTE format(
                            'SELECT EXISTS (SELECT FROM hindsight.%I AS c WHERE NOT \(visible("c")))', 'chunk_' || suffix
                        ) INTO stays;
                    END IF;
                    IF stays THEN RETURN NULL; END IF;
                    EXIT WHEN turn = 2;
                    LOCK TABLE \(partitioned.map { "hindsight." + $0 }.joined(separator: ", ")) IN ACCESS EXCLUSIVE MODE;
                END LOOP;
                EXECUTE format('SELECT count(*) FROM hindsight.%I', 'recording_' || suffix) INTO dropped;
                EXECUTE format(
                    'INSERT INTO hindsight.gone (recording, app, reason)
                    SELECT r.id, r.app, ''expired'' FROM hindsight.%I AS r ON CONFLICT DO NOTHING',
                    'recording_' || suffix
                );
                FOREACH parent IN ARRAY ARRAY[\(partitioned.map { "'\($0)'" }.joined(separator: ", "))] LOOP
                    EXECUTE format('DROP TABLE IF EXISTS hindsight.%I', parent || '_' || suffix);
                END LOOP;
                RETURN dropped;
            END $$;

            -- Deletes some of the recordings of a month that have expired, and returns how many.
            CREATE OR REPLACE FUNCTION hindsight.delete_expired(month timestamptz, times jsonb, most bigint) RETURNS bigint
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
            DECLARE
                starts timestamptz[];
                ids uuid[];
            BEGIN
                -- In the order of a push and of forgetting.
                LOCK TABLE hindsight.chunk IN ROW EXCLUSIVE MODE;
                -- A push that ends counts on the chunks of the recording, and has its lock.
                SELECT array_agg(x.started), array_agg(x.id) INTO starts, ids FROM (
                    SELECT r.started, r.id FROM hindsight.recording AS r
                    JOIN jsonb_to_recordset(times) AS t(app text, ending text, before timestamptz)
                        ON t.app = r.app AND t.ending = r.ending AND r.pushed < t.before
                    WHERE r.started >= month AND r.started < month + interval '1 month' AND \(visible("t"))
                    ORDER BY r.started LIMIT most
                    FOR UPDATE OF r SKIP LOCKED
                ) AS x
                WHERE pg_try_advisory_xact_lock(hashtextextended('hindsight ' || x.id::text, 0));
                IF ids IS NULL THEN RETURN 0; END IF;
                INSERT INTO hindsight.gone (recording, app, reason)
                SELECT r.id, r.app, 'expired' FROM hindsight.recording AS r
                JOIN unnest(starts, ids) AS e(started, id) ON r.started = e.started AND r.id = e.id
                ON CONFLICT DO NOTHING;
                DELETE FROM hindsight.chunk AS x USING unnest(starts, ids) AS e(started, id)
                    WHERE x.started = e.started AND x.recording = e.id;
                DELETE FROM hindsight.head AS x USING unnest(starts, ids) AS e(started, id)
                    WHERE x.started = e.started AND x.recording = e.id;
                DELETE FROM hindsight.action_type AS x USING unnest(starts, ids) AS e(started, id)
                    WHERE x.started = e.started AND x.recording = e.id;
                DELETE FROM hindsight.note AS x USING unnest(starts, ids) AS e(started, id)
                    WHERE x.started = e.started AND x.recording = e.id;
                DELETE FROM hindsight.recording AS x USING unnest(starts, ids) AS e(started, id)
                    WHERE x.started = e.started AND x.id = e.id;
                RETURN cardinality(ids);
            END $$;

            -- How many chunks of a month came before a time and belong to no recording, and their size. Their pushes ended
            -- in the middle.
            CREATE OR REPLACE FUNCTION hindsight.unfinished(month timestamptz, before timestamptz, OUT chunks bigint, OUT bytes bigint)
            LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
                SELECT count(*), COALESCE(sum(octet_length(c.body)), 0)
                FROM hindsight.chunk AS c
                WHERE c.started >= month AND c.started < month + interval '1 month' AND c.pushed < before
                    AND \(visible("c")) AND \(isUnused)
            $$;

            -- Deletes the chunks that `unfinished` counts of some recordings, and returns how many they were. A push that
            -- counts on one of them finds it missing at its end, and sends it again.
            CREATE OR REPLACE FUNCTION hindsight.delete_unfinished(
                month timestamptz, before timestamptz, most bigint, OUT chunks bigint, OUT bytes bigint
            )
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
            DECLARE
                found record;
                number bigint;
                size bigint;
            BEGIN
                chunks := 0;
                bytes := 0;
                FOR found IN
                    SELECT DISTINCT c.started, c.recording FROM hindsight.chunk AS c
                    WHERE c.started >= month AND c.started < month + interval '1 month' AND c.pushed < before
                        AND \(visible("c")) AND \(isUnused)
                    LIMIT most
                LOOP
                    -- The end of a push holds it, and so does one that is alone with the recording. It sees the heads of
                    -- all that had it before.
                    CONTINUE WHEN NOT pg_try_advisory_xact_lock(
                        hashtextextended('hindsight ' || found.recording::text, 0)
                    );
                    WITH gone AS (
                        DELETE FROM hindsight.chunk AS c
                        WHERE c.started = found.started AND c.recording = found.recording AND c.pushed < before
                            AND \(visible("c")) AND \(isUnused)
                        RETURNING octet_length(c.body) AS size
                    )
                    SELECT count(*), COALESCE(sum(g.size), 0) INTO number, size FROM gone AS g;
                    chunks := chunks + number;
                    bytes := bytes + size;
                END LOOP;
            END $$;

            -- Deletes some jobs, with their results, whose recordings began between two times and are gone; then runs
            -- without jobs. Returns how many jobs it deleted.
            CREATE OR REPLACE FUNCTION hindsight.delete_results(since timestamptz, before timestamptz, most bigint) RETURNS bigint
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
            DECLARE
                deleted bigint;
            BEGIN
                DELETE FROM hindsight.job AS j USING (
                    SELECT x.run, x.number FROM hindsight.job AS x
                    WHERE x.started >= since AND x.started < before AND \(visible("x")) AND NOT EXISTS (
                        SELECT FROM hindsight.recording AS r
                        -- The bounds spare the partitions of other months.
                        WHERE r.started = x.started AND r.id = x.recording AND r.started >= since AND r.started < before
                    )
                    LIMIT most FOR UPDATE SKIP LOCKED
                ) AS gone WHERE j.run = gone.run AND j.number = gone.number;
                GET DIAGNOSTICS deleted = ROW_COUNT;
                IF deleted = 0 THEN
                    DELETE FROM hindsight.run AS q WHERE q.made < now() - interval '1 day'
                        AND NOT EXISTS (SELECT FROM hindsight.job AS j WHERE j.run = q.id);
                END IF;
                RETURN deleted;
            END $$;
            """
    }
#endif
