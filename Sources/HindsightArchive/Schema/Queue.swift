#if Archive
    extension ArchiveSchema {
        /// The queue of workers: runs of `verify` and `find`, a job for each recording, and what the jobs found.
        ///
        /// A claim is a short transaction of its own: it gives the job a lease, and is committed before the work begins.
        /// A transaction that stays open meanwhile would keep the server from removing old versions of the rows, and each
        /// claim would read more of them. Only the server's clock counts.
        static let queue = """
            CREATE TABLE hindsight.run (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                kind text NOT NULL CHECK (kind IN ('verify', 'find')),
                key bytea NOT NULL UNIQUE,
                build text NOT NULL,
                question text NOT NULL,
                filter text NOT NULL,
                made timestamptz NOT NULL DEFAULT now(),
                made_by name NOT NULL DEFAULT session_user,
                lease_seconds bigint NOT NULL CHECK (lease_seconds BETWEEN 1 AND 86400),
                most_attempts bigint NOT NULL CHECK (most_attempts BETWEEN 1 AND 1000)
            );

            CREATE TABLE hindsight.job (
                run bigint NOT NULL REFERENCES hindsight.run ON DELETE CASCADE,
                number bigint NOT NULL,
                started timestamptz NOT NULL,
                recording uuid NOT NULL,
                app text NOT NULL,
                app_version text NOT NULL,
                hash bytea NOT NULL,
                state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'claimed', 'done')),
                attempts bigint NOT NULL DEFAULT 0,
                lease_until timestamptz,
                worker text,
                verdict text,
                result jsonb,
                finished timestamptz,
                PRIMARY KEY (run, number),
                UNIQUE (run, recording),
                CHECK ((state = 'claimed') = (lease_until IS NOT NULL)),
                CHECK ((state = 'done') = (verdict IS NOT NULL))
            );
            -- Small: an index of what can be claimed, and one of leases, not of all jobs.
            CREATE INDEX job_waiting ON hindsight.job (run, number) WHERE state = 'waiting';
            CREATE INDEX job_claimed ON hindsight.job (run, lease_until) WHERE state = 'claimed';
            CREATE INDEX job_recording ON hindsight.job (started, recording);
            -- The queue's rows change often. Few changed rows already slow the search for one that waits.
            ALTER TABLE hindsight.job SET (
                autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
                autovacuum_vacuum_cost_delay = 0
            );

            CREATE TABLE hindsight.divergence (
                run bigint NOT NULL,
                job bigint NOT NULL,
                number bigint NOT NULL,
                started timestamptz NOT NULL,
                recording uuid NOT NULL,
                app text NOT NULL,
                app_version text NOT NULL,
                type text,
                reducer text,
                path text,
                cause text NOT NULL,
                count bigint NOT NULL,
                seq bigint,
                PRIMARY KEY (run, job, number),
                FOREIGN KEY (run, job) REFERENCES hindsight.job ON DELETE CASCADE
            );

            \(rowSecurity(of: ["job", "divergence"]))
            """

        /// A worker that dies says nothing about its recording. So only those attempts count whose child process was ended
        /// from outside while the worker lived, as for want of memory.
        static let counting = "ALTER TABLE hindsight.job ADD COLUMN ended bigint NOT NULL DEFAULT 0;"

        /// What workers call. The functions run with the rights of their caller, so row-level security holds in them.
        static let claiming = """
            -- The run with a key, made if there is none.
            CREATE OR REPLACE FUNCTION hindsight.join_run(
                the_kind text, the_key bytea, the_build text, the_question text, the_filter text, the_lease bigint,
                the_attempts bigint
            ) RETURNS bigint
            LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
            DECLARE
                found_run bigint;
            BEGIN
                SELECT id INTO found_run FROM hindsight.run WHERE key = the_key;
                IF found_run IS NULL THEN
                    INSERT INTO hindsight.run (kind, key, build, question, filter, lease_seconds, most_attempts)
                    VALUES (the_kind, the_key, the_build, the_question, the_filter, the_lease, the_attempts)
                    ON CONFLICT (key) DO NOTHING RETURNING id INTO found_run;
                END IF;
                IF found_run IS NULL THEN
                    SELECT id INTO found_run FROM hindsight.run WHERE key = the_key;
                END IF;
                RETURN found_run;
            END $$;

            -- Claims one job, for the lease of its run.
            --
            -- `beyond` is the number of the job that this worker claimed last. The search begins behind it: the index may
            -- hold many old entries of jobs before it. If `looks_for_expired`, a job whose lease has ended comes first. One
            -- whose process was ended from outside too often ends with the verdict 'poison'.
            CREATE OR REPLACE FUNCTION hindsight.claim(
                the_run bigint, the_worker text, beyond bigint, looks_for_expired boolean
            ) RETURNS TABLE (
                number bigint, started timestamptz, recording uuid, app text, hash bytea, attempts bigint
            )
            LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
            #variable_conflict use_column
            DECLARE
                asked hindsight.run;
                chosen hindsight.job;
            BEGIN
                SELECT * INTO asked FROM hindsight.run AS r WHERE r.id = the_run;
                IF NOT FOUND THEN RETURN; END IF;
                WHILE looks_for_expired LOOP
                    SELECT * INTO chosen FROM hindsight.job AS j
                    WHERE j.run = the_run AND j.state = 'claimed' AND j.lease_until < clock_timestamp()
                    ORDER BY j.lease_until LIMIT 1 FOR UPDATE SKIP LOCKED;
                    EXIT WHEN NOT FOUND OR chosen.ended < asked.most_attempts;
                    UPDATE hindsight.job AS j SET state = 'done', lease_until = NULL, verdict = 'poison',
                        finished = clock_timestamp(), result = NULL
                    WHERE j.run = the_run AND j.number = chosen.number;
                END LOOP;
                IF chosen.number IS NULL THEN
                    SELECT * INTO chosen FROM hindsight.job AS j
                    WHERE j.run = the_run AND j.state = 'waiting' AND j.number > beyond
                    ORDER BY j.number LIMIT 1 FOR UPDATE SKIP LOCKED;
                END IF;
                IF chosen.number IS NULL AND beyond > 0 THEN
                    SELECT * INTO chosen FROM hindsight.job AS j
                    WHERE j.run = the_run AND j.state = 'waiting' AND j.number <= beyond
                    ORDER BY j.number LIMIT 1 FOR UPDATE SKIP LOCKED;
                END IF;
                IF chosen.number IS NULL THEN RETURN; END IF;
                RETURN QUERY UPDATE hindsight.job AS j
                    SET state = 'claimed', worker = the_worker, attempts = j.attempts + 1,
                        lease_until = clock_timestamp() + make_interval(secs => asked.lease_seconds)
                    WHERE j.run = the_run AND j.number = chosen.number
                    RETURNING j.number, j.started, j.recording, j.app, j.hash, j.attempts;
            END $$;

            -- Lengthens the leases of a worker's jobs, and returns the numbers of those that it still has.
            CREATE OR REPLACE FUNCTION hindsight.beat(the_run bigint, the_worker text, numbers bigint[]) RETURNS SETOF bigint
            LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
                UPDATE hindsight.job AS j
                SET lease_until = clock_timestamp() + make_interval(secs => r.lease_seconds)
                FROM hindsight.run AS r
                WHERE r.id = the_run AND j.run = the_run AND j.number = ANY (numbers) AND j.worker = the_worker
                    AND j.state = 'claimed'
                RETURNING j.number
            $$;

            -- Writes the result of a job, unless another worker has claimed it meanwhile, or it has ended. The same call
            -- again returns true, too.
            CREATE OR REPLACE FUNCTION hindsight.finish(
                the_run bigint, the_number bigint, the_worker text, the_attempt bigint, the_verdict text,
                the_result jsonb
            ) RETURNS boolean
            LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
            DECLARE
                ended hindsight.job;
            BEGIN
                UPDATE hindsight.job AS j
                SET state = 'done', lease_until = NULL, verdict = the_verdict, result = the_result,
                    finished = clock_timestamp()
                WHERE j.run = the_run AND j.number = the_number AND j.worker = the_worker
                    AND j.attempts = the_attempt AND j.state = 'claimed'
                RETURNING * INTO ended;
                IF NOT FOUND THEN
                    -- The answer to the first call was lost.
                    RETURN EXISTS (
                        SELECT FROM hindsight.job AS j
                        WHERE j.run = the_run AND j.number = the_number AND j.worker = the_worker
                            AND j.attempts = the_attempt AND j.state = 'done' AND j.verdict = the_verdict
                    );
                END IF;
                INSERT INTO hindsight.divergence
                SELECT ended.run, ended.number, d.ordinality, ended.started, ended.recording, ended.app,
                    ended.app_version, d.value ->> 'type', d.value ->> 'reducer', d.value ->> 'path',
                    COALESCE(d.value ->> 'cause', 'none'), COALESCE((d.value ->> 'count')::bigint, 1),
                    (d.value #>> '{first,seq}')::bigint
                FROM jsonb_array_elements(the_result -> 'differences') WITH ORDINALITY AS d
                WHERE jsonb_typeof(the_result -> 'differences') = 'array';
                INSERT INTO hindsight.divergence
                SELECT ended.run, ended.number, 0, ended.started, ended.recording, ended.app, ended.app_version,
                    p ->> 'type', p ->> 'reducer', NULL, 'crash', 1, (p ->> 'seq')::bigint
                FROM (SELECT the_result -> 'problem' AS p) AS q WHERE (p ->> 'isCrash')::boolean;
                RETURN true;
            END $$;

            -- Gives jobs back, as if they had not been claimed.
            CREATE OR REPLACE FUNCTION hindsight.give_back(the_run bigint, the_worker text, numbers bigint[]) RETURNS void
            LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
                UPDATE hindsight.job AS j
                SET state = 'waiting', lease_until = NULL, worker = NULL, attempts = j.attempts - 1
                WHERE j.run = the_run AND j.number = ANY (numbers) AND j.worker = the_worker AND j.state = 'claimed'
            $$;

            -- Ends the lease of a job whose process was ended from outside. The attempt counts, once: the job has no worker
            -- then, so that the same call again, after an answer that was lost, changes nothing.
            CREATE OR REPLACE FUNCTION hindsight.give_up(the_run bigint, the_worker text, the_number bigint) RETURNS void
            LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
                UPDATE hindsight.job AS j SET lease_until = clock_timestamp(), worker = NULL, ended = j.ended + 1
                WHERE j.run = the_run AND j.number = the_number AND j.worker = the_worker AND j.state = 'claimed'
            $$;

            -- The number of a run's last job, of all apps.
            CREATE OR REPLACE FUNCTION hindsight.last_job(the_run bigint) RETURNS bigint
            LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
                SELECT COALESCE(max(j.number), 0) FROM hindsight.job AS j WHERE j.run = the_run
            $$;

            -- Adds a job for each complete recording of an array that has none, the largest first, so that no large one
            -- is left for the end. A job that has ended waits again, if its recording has changed since, or if
            -- `repeats`. Returns how many jobs were added or wait again.
            CREATE OR REPLACE FUNCTION hindsight.add_jobs(
                the_run bigint, starts timestamptz[], ids uuid[], repeats boolean
            ) RETURNS bigint
            LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
            DECLARE
                highest bigint;
                added bigint;
                again bigint;
            BEGIN
                -- Two that add to one run take turns, because jobs are numbered.
                PERFORM pg_advisory_xact_lock(hashtextextended('hindsight run ' || the_run, 0));
                highest := hindsight.last_job(the_run);
                WITH changed AS (
                    UPDATE hindsight.job AS j
                    SET state = 'waiting', attempts = 0, ended = 0, worker = NULL, verdict = NULL, result = NULL,
                        finished = NULL, hash = r.hash
                    FROM unnest(starts, ids) AS e(started, id)
                    JOIN hindsight.recording AS r ON r.started = e.started AND r.id = e.id
                    WHERE j.run = the_run AND j.recording = e.id AND j.state = 'done' AND (repeats OR j.hash <> r.hash)
                    RETURNING j.number
                ), cleared AS (
                    DELETE FROM hindsight.divergence AS d USING changed AS c
                    WHERE d.run = the_run AND d.job = c.number
                )
                SELECT count(*) INTO again FROM changed;
                INSERT INTO hindsight.job (run, number, started, recording, app, app_version, hash)
                SELECT the_run, highest + row_number() OVER (ORDER BY r.bytes DESC, r.started, r.id), r.started, r.id,
                    r.app, r.app_version, r.hash
                FROM unnest(starts, ids) AS e(started, id)
                JOIN hindsight.recording AS r ON r.started = e.started AND r.id = e.id AND r.complete
                WHERE NOT EXISTS (SELECT FROM hindsight.job AS j WHERE j.run = the_run AND j.recording = e.id)
                ON CONFLICT (run, recording) DO NOTHING;
                GET DIAGNOSTICS added = ROW_COUNT;
                RETURN added + again;
            END $$;
            """
    }
#endif
