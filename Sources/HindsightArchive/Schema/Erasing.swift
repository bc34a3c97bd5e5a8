#if Archive
    extension ArchiveSchema {
        /// What the archive remembers of recordings that were removed for good, so that no push brings one back.
        ///
        /// Triggers refuse the rows of such a recording: with the SQLSTATE `HS001` if it was forgotten, and `HS002` if it
        /// has expired.
        static let gone = """
            CREATE TABLE hindsight.gone (
                recording uuid NOT NULL,
                app text NOT NULL,
                reason text NOT NULL CHECK (reason IN ('forgotten', 'expired')),
                at timestamptz NOT NULL DEFAULT now(),
                by name NOT NULL DEFAULT session_user,
                PRIMARY KEY (recording, app)
            );
            \(rowSecurity(of: ["gone"]))

            CREATE VIEW hindsight.removed WITH (security_barrier) AS
            SELECT g.recording AS id, g.app, g.reason, g.at, g.by FROM hindsight.gone AS g WHERE \(visible("g"));
            COMMENT ON VIEW hindsight.removed IS 'A row a recording that was removed, and is not taken again';
            COMMENT ON COLUMN hindsight.removed.reason IS 'forgotten (by archive forget), or expired (by archive expire)';
            COMMENT ON COLUMN hindsight.removed.by IS 'The role that removed it';

            -- The UUID that the recorder made, which parts, salvaged and migrated recordings keep.
            ALTER TABLE hindsight.recording ADD COLUMN root uuid;
            CREATE INDEX ON hindsight.recording (root);

            -- Why the archive takes a recording no more; NULL if it does. One that was made from a forgotten recording is
            -- forgotten, too.
            CREATE FUNCTION hindsight.why_gone(the_id uuid, the_root uuid, the_app text) RETURNS text
            LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
                -- A trigger asks for each chunk, so who may know it is looked up only if there is something to know.
                SELECT CASE WHEN max(g.reason) IS NOT NULL THEN
                    CASE WHEN hindsight.allows(the_app) THEN max(g.reason) END
                END FROM hindsight.gone AS g
                WHERE g.app IN (the_app, '*')
                    AND (g.recording = the_id OR g.recording = the_root AND g.reason = 'forgotten')
            $$;
            REVOKE EXECUTE ON FUNCTION hindsight.why_gone FROM PUBLIC;

            CREATE FUNCTION hindsight.refuse_gone() RETURNS trigger
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
            DECLARE
                the_id uuid;
                the_root uuid;
                why text;
            BEGIN
                IF TG_ARGV[0] = 'id' THEN
                    the_id := NEW.id;
                    the_root := NEW.root;
                ELSE
                    the_id := NEW.recording;
                END IF;
                why := hindsight.why_gone(the_id, the_root, NEW.app);
                IF why = 'forgotten' THEN
                    RAISE EXCEPTION 'the recording % was forgotten', the_id USING ERRCODE = 'HS001';
                ELSIF why = 'expired' THEN
                    RAISE EXCEPTION 'the recording % has expired', the_id USING ERRCODE = 'HS002';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER refuse_gone BEFORE INSERT ON hindsight.recording
                FOR EACH ROW EXECUTE FUNCTION hindsight.refuse_gone('id');
            CREATE TRIGGER refuse_gone BEFORE INSERT ON hindsight.chunk
                FOR EACH ROW EXECUTE FUNCTION hindsight.refuse_gone('recording');

            -- Rules ask for the newest of an app by its arrival.
            CREATE INDEX ON hindsight.recording (app, pushed);
            """

        /// What `archive forget` calls.
        static let erasing =
            """
            -- Removes all that the archive has of some recordings, remembers their IDs, and returns how many they were:
            -- chunks of pushes that did not end, and what verify and find have found, go with them. Touches only apps that
            -- the caller may see.
            CREATE FUNCTION hindsight.erase(p_ids uuid[]) RETURNS bigint
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
            DECLARE
                erased bigint;
                starts timestamptz[];
                ids uuid[];
                runs bigint[];
            BEGIN
                -- The end of a push of one of them comes before or after all of this.
                PERFORM pg_advisory_xact_lock(hashtextextended('hindsight ' || e.id::text, 0))
                FROM (SELECT DISTINCT id FROM unnest(p_ids) AS id ORDER BY id) AS e;
                -- Chunks that are being inserted are there then, and later ones find that the recording is gone.
                LOCK TABLE hindsight.chunk IN SHARE ROW EXCLUSIVE MODE;
                SELECT COALESCE(array_agg(r.started), '{}'), COALESCE(array_agg(r.id), '{}') INTO starts, ids
                FROM hindsight.recording AS r
                WHERE (r.id = ANY (p_ids) OR r.root = ANY (p_ids)) AND hindsight.allows(r.app);
                IF NOT p_ids <@ ids THEN
                    -- Of a push that did not end, only the chunks say when the recording began.
                    SELECT starts || COALESCE(array_agg(p.started), '{}'), ids || COALESCE(array_agg(p.id), '{}')
                    INTO starts, ids FROM (
                        SELECT DISTINCT c.started, c.recording AS id FROM hindsight.chunk AS c
                        WHERE c.recording = ANY (p_ids) AND NOT c.recording = ANY (ids) AND hindsight.allows(c.app)
                    ) AS p;
                END IF;
                -- Of one of these, the archive has only parts or other forms: it is of their app.
                INSERT INTO hindsight.gone (recording, app, reason)
                SELECT DISTINCT r.root, r.app, 'forgotten' FROM hindsight.recording AS r
                WHERE r.root = ANY (p_ids) AND NOT r.root = ANY (ids) AND hindsight.allows(r.app)
                ON CONFLICT (recording, app) DO UPDATE SET reason = 'forgotten', at = now(), by = session_user;
                -- What the archive never had, or has no more, is remembered by those who see all apps.
                INSERT INTO hindsight.gone (recording, app, reason)
                SELECT id, '*', 'forgotten' FROM unnest(p_ids) AS id
                WHERE NOT id = ANY (ids) AND hindsight.sees_all()
                    AND NOT EXISTS (SELECT FROM hindsight.gone AS g WHERE g.recording = id)
                ON CONFLICT (recording, app) DO NOTHING;
                UPDATE hindsight.gone AS g SET reason = 'forgotten', at = now(), by = session_user
                WHERE g.recording = ANY (p_ids) AND g.reason = 'expired' AND hindsight.allows(g.app);
                INSERT INTO hindsight.gone (recording, app, reason)
                SELECT f.id, f.app, 'forgotten' FROM (
                    SELECT r.id, r.app FROM hindsight.recording AS r
                    JOIN unnest(starts, ids) AS e(started, id) ON r.started = e.started AND r.id = e.id
                    UNION
                    SELECT c.recording, c.app FROM hindsight.chunk AS c
                    JOIN unnest(starts, ids) AS e(started, id) ON c.started = e.started AND c.recording = e.id
                ) AS f WHERE hindsight.allows(f.app)
                ON CONFLICT (recording, app) DO UPDATE SET reason = 'forgotten', at = now(), by = session_user;
                GET DIAGNOSTICS erased = ROW_COUNT;
                WITH done AS (
                    DELETE FROM hindsight.job AS x
                    WHERE x.recording = ANY (p_ids || ids) AND hindsight.allows(x.app) RETURNING x.run
                )
                SELECT array_agg(DISTINCT d.run) INTO runs FROM done AS d;
                -- What is on its way from devices may be of them. A device sends again what is missing.
                DELETE FROM hindsight.upload AS u
                WHERE (u.outcome IS NULL OR u.recording = ANY (p_ids || ids)) AND hindsight.allows(u.app);
                -- The question of a run may name what it was about.
                DELETE FROM hindsight.run AS q WHERE q.id = ANY (runs)
                    AND NOT EXISTS (SELECT FROM hindsight.job AS j WHERE j.run = q.id);

            """
            + partitioned.map { table in
                """
                    DELETE FROM hindsight.\(table) AS x USING unnest(starts, ids) AS e(started, id)
                        WHERE x.started = e.started AND x.\(table == "recording" ? "id" : "recording") = e.id
                            AND hindsight.allows(x.app);

                """
            }.joined() + """
                    RETURN erased;
                END $$;
                REVOKE EXECUTE ON FUNCTION hindsight.erase FROM PUBLIC;
                """
    }
#endif
