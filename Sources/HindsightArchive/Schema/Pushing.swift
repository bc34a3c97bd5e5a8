#if Archive
    extension ArchiveSchema {
        /// The condition that a chunk `c` is part of no recording.
        static let isUnused = """
            NOT EXISTS (
                SELECT FROM hindsight.head AS h
                WHERE h.started = c.started AND h.recording = c.recording
                    AND hindsight.chunk_key(c.first, c.last, c.hash) = ANY (h.chunks)
            )
            """

        /// What a push does beyond inserting chunks.
        ///
        /// These functions run as the archive's owner, because a role that only inserts must find out what is there, and
        /// replace the row of a recording that has grown. They check that the role may write the app.
        static let pushing = """
            -- What identifies a chunk of a recording: 48 bytes.
            CREATE FUNCTION hindsight.chunk_key(first bigint, last bigint, hash bytea) RETURNS bytea
            LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
            RETURN int8send(first) || int8send(last) || hash;

            -- Makes the month, and returns the keys of the chunks of the recording that are there, one after the other, and
            -- of those that are part of it, in order.
            CREATE FUNCTION hindsight.begin_push(
                p_started timestamptz, p_id uuid, p_app text,
                OUT complete boolean, OUT hash bytea, OUT actions bigint, OUT chunks bytea, OUT parts bytea
            )
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
            BEGIN
                IF NOT hindsight.allows(p_app) THEN
                    RAISE EXCEPTION 'the role % may not write recordings of %', hindsight.invoker(), p_app
                        USING ERRCODE = 'insufficient_privilege';
                END IF;
                PERFORM hindsight.make_month(p_started);
                SELECT r.complete, r.hash, r.actions INTO complete, hash, actions
                FROM hindsight.recording AS r WHERE r.started = p_started AND r.id = p_id AND r.app = p_app;
                SELECT coalesce(string_agg(hindsight.chunk_key(c.first, c.last, c.hash), ''::bytea), '') INTO chunks
                FROM hindsight.chunk AS c WHERE c.started = p_started AND c.recording = p_id AND c.app = p_app;
                SELECT coalesce(string_agg(part.key, ''::bytea ORDER BY part.number), '') INTO parts
                FROM hindsight.head AS h, unnest(h.chunks) WITH ORDINALITY AS part (key, number)
                WHERE h.started = p_started AND h.recording = p_id AND h.app = p_app;
            END $$;

            -- Makes a recording what a push has sent: its row, its head, and which chunks it has. Returns 'new', 'grown',
            -- 'same', 'older' if the archive has more, 'missing' if a chunk is not there, and 'other' if the archive has
            -- other actions under its ID and p_replaces does not say that these take their place. p_continues says that it
            -- begins with the actions of the recording whose hash is p_seen; if another push has replaced that one
            -- meanwhile, it returns 'missing'. p_named says that the ID is a UUID that the recorder made: without one, two
            -- recordings of a fleet may have the same ID.
            CREATE FUNCTION hindsight.finish_push(
                p_row jsonb, p_hash bytea, p_body bytea, p_chunks bytea[], p_types jsonb, p_notes jsonb,
                p_replaces boolean, p_seen bytea, p_continues boolean, p_named boolean
            ) RETURNS text
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
            DECLARE
                new hindsight.recording;
                old hindsight.recording;
                old_chunks bytea[];
                shared bigint;
                alike boolean;
                outcome text := 'new';
            BEGIN
                new := jsonb_populate_record(NULL::hindsight.recording, p_row);
                IF NOT hindsight.allows(new.app) THEN
                    RAISE EXCEPTION 'the role % may not write recordings of %', hindsight.invoker(), new.app
                        USING ERRCODE = 'insufficient_privilege';
                END IF;
                new.hash := p_hash;
                new.pushed := now();
                -- The month may have expired meanwhile. Then its chunks are missing.
                PERFORM hindsight.make_month(new.started);
                -- Two pushes of one recording take turns.
                PERFORM pg_advisory_xact_lock(hashtextextended('hindsight ' || new.id::text, 0));
                SELECT * INTO old FROM hindsight.recording AS r WHERE r.started = new.started AND r.id = new.id;
                IF old.id IS NOT NULL THEN
                    IF old.app <> new.app THEN
                        RAISE EXCEPTION 'the recording % is of another app', new.id
                            USING ERRCODE = 'insufficient_privilege';
                    END IF;
                    SELECT h.chunks INTO old_chunks FROM hindsight.head AS h
                    WHERE h.started = new.started AND h.recording = new.id;
                    -- The last chunk of the shorter one is a part of one of the other.
                    shared := least(cardinality(old_chunks), cardinality(p_chunks)) - 1;
                    alike := old_chunks[1:shared] = p_chunks[1:shared] AND (p_named OR shared > 0);
                    IF old_chunks IS NULL THEN
                        -- The head has gone: this mends it.
                        outcome := 'new';
                    ELSIF old.hash = new.hash AND (old.complete OR NOT new.complete) THEN
                        outcome := 'same';
                    ELSIF p_replaces THEN
                        outcome := 'new';
                    ELSIF p_continues AND p_seen = old.hash AND (new.complete OR NOT old.complete) THEN
                        outcome := 'new';
                    -- While it was recorded, what its last actions did was still to come, and a limit may drop the first.
                    ELSIF NOT old.complete AND (p_named OR alike) THEN
                        IF old.actions > new.actions THEN outcome := 'older'; END IF;
                    ELSIF old.complete AND alike AND (old.actions > new.actions OR NOT new.complete) THEN
                        outcome := 'older';
                    ELSIF p_seen IS DISTINCT FROM old.hash THEN
                        outcome := 'missing';
                    ELSE
                        outcome := 'other';
                    END IF;
                    IF outcome <> 'new' THEN
                        -- What this push has sent is not needed.
                        DELETE FROM hindsight.chunk AS c
                        WHERE c.started = new.started AND c.recording = new.id AND \(isUnused);
                        RETURN outcome;
                    END IF;
                    outcome := 'grown';
                END IF;
                SELECT coalesce(sum(octet_length(c.body)), 0) INTO new.stored_bytes
                FROM hindsight.chunk AS c
                WHERE c.started = new.started AND c.recording = new.id
                    AND hindsight.chunk_key(c.first, c.last, c.hash) = ANY (p_chunks);
                IF EXISTS (
                    SELECT wanted.key FROM unnest(p_chunks) AS wanted (key)
                    EXCEPT SELECT hindsight.chunk_key(c.first, c.last, c.hash) FROM hindsight.chunk AS c
                    WHERE c.started = new.started AND c.recording = new.id AND c.app = new.app
                ) THEN
                    RETURN 'missing';
                END IF;
                IF old.id IS NOT NULL THEN
                    DELETE FROM hindsight.recording AS r WHERE r.started = new.started AND r.id = new.id;
                    DELETE FROM hindsight.head AS h WHERE h.started = new.started AND h.recording = new.id;
                    DELETE FROM hindsight.action_type AS t WHERE t.started = new.started AND t.recording = new.id;
                    DELETE FROM hindsight.note AS n WHERE n.started = new.started AND n.recording = new.id;
                END IF;
                DELETE FROM hindsight.chunk AS c
                WHERE c.started = new.started AND c.recording = new.id
                    AND NOT hindsight.chunk_key(c.first, c.last, c.hash) = ANY (p_chunks);
                new.stored_bytes := new.stored_bytes + octet_length(p_body);
                INSERT INTO hindsight.recording SELECT new.*;
                INSERT INTO hindsight.head (started, recording, app, body, chunks)
                VALUES (new.started, new.id, new.app, p_body, p_chunks);
                INSERT INTO hindsight.action_type (started, recording, app, type, count, total_ns, longest_ns)
                SELECT new.started, new.id, new.app, t.type, t.count, t.total_ns, t.longest_ns
                FROM jsonb_to_recordset(p_types) AS t (type text, count bigint, total_ns bigint, longest_ns bigint);
                INSERT INTO hindsight.note (started, recording, app, number, seq, reducer, name, text, at_ns)
                SELECT new.started, new.id, new.app, n.number, n.seq, n.reducer, n.name, n.text, n.at_ns
                FROM jsonb_to_recordset(p_notes)
                    AS n (number bigint, seq bigint, reducer bigint, name text, text text, at_ns bigint);
                RETURN outcome;
            END $$;

            -- Deletes one recording, such as one whose chunks are damaged, so that it can be pushed again.
            CREATE FUNCTION hindsight.forget(p_id uuid) RETURNS bigint
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
            DECLARE
                found hindsight.recording;
                count bigint := 0;
            BEGIN
                PERFORM pg_advisory_xact_lock(hashtextextended('hindsight ' || p_id::text, 0));
                FOR found IN SELECT * FROM hindsight.recording AS r WHERE r.id = p_id AND hindsight.allows(r.app) LOOP
                    DELETE FROM hindsight.recording AS r WHERE r.started = found.started AND r.id = p_id;
                    DELETE FROM hindsight.head AS h WHERE h.started = found.started AND h.recording = p_id;
                    DELETE FROM hindsight.chunk AS c WHERE c.started = found.started AND c.recording = p_id;
                    DELETE FROM hindsight.action_type AS t WHERE t.started = found.started AND t.recording = p_id;
                    DELETE FROM hindsight.note AS n WHERE n.started = found.started AND n.recording = p_id;
                    count := count + 1;
                END LOOP;
                RETURN count;
            END $$;

            REVOKE EXECUTE ON FUNCTION hindsight.begin_push, hindsight.finish_push, hindsight.forget FROM PUBLIC;
            """

        /// The device of a recording that is there already.
        static let devices = """
            CREATE FUNCTION hindsight.set_device(p_started timestamptz, p_id uuid, p_device text) RETURNS void
            LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
                UPDATE hindsight.recording AS r SET device = p_device
                WHERE r.started = p_started AND r.id = p_id AND r.device <> p_device AND hindsight.allows(r.app)
            $$;
            REVOKE EXECUTE ON FUNCTION hindsight.set_device FROM PUBLIC;

            -- What is forgotten takes its jobs with it.
            CREATE INDEX job_of_recording ON hindsight.job (recording);
            """
    }
#endif
