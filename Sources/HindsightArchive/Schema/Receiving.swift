#if Archive
    extension ArchiveSchema {
        /// What `archive receive` keeps: the tokens of devices, and the files of recordings while they arrive.
        ///
        /// A receiver uses the functions alone. They check that its role may write the app.
        static let receiving =
            """
            CREATE TABLE hindsight.token (
                number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                -- The SHA-256 of the token, which has 256 random bits.
                hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
                app text NOT NULL,
                installation text,
                made timestamptz NOT NULL DEFAULT now(),
                by name NOT NULL DEFAULT session_user
            );
            COMMENT ON TABLE hindsight.token IS 'Who may send recordings to archive receive: an app, or one installation of it';

            CREATE TABLE hindsight.upload (
                app text NOT NULL,
                -- The SHA-256 of its manifest.
                id bytea NOT NULL CHECK (octet_length(id) = 32),
                token bigint NOT NULL REFERENCES hindsight.token ON DELETE CASCADE,
                bytes bigint NOT NULL,
                arrived bigint NOT NULL DEFAULT 0,
                touched timestamptz NOT NULL DEFAULT now(),
                -- What the device was told at the end; NULL while parts arrive.
                outcome text,
                recording uuid,
                -- That of the archive's recording then.
                hash bytea,
                reason text,
                PRIMARY KEY (app, id)
            );
            COMMENT ON TABLE hindsight.upload IS 'Recordings on their way from devices, and for some days what became of them';
            CREATE INDEX ON hindsight.upload (touched);
            CREATE INDEX ON hindsight.upload (token);

            CREATE TABLE hindsight.upload_part (
                app text NOT NULL,
                upload bytea NOT NULL,
                hash bytea NOT NULL CHECK (octet_length(hash) = 32),
                -- NULL until it arrives.
                body bytea,
                PRIMARY KEY (app, upload, hash),
                FOREIGN KEY (app, upload) REFERENCES hindsight.upload ON DELETE CASCADE
            );
            -- Deflated bytes do not get smaller.
            ALTER TABLE hindsight.upload_part ALTER body SET STORAGE EXTERNAL;

            """
            + rowSecurity(of: ["token", "upload", "upload_part"]) + """

                CREATE FUNCTION hindsight.find_token(p_hash bytea, OUT number bigint, OUT app text, OUT installation text)
                LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
                    SELECT t.number, t.app, t.installation FROM hindsight.token AS t
                    WHERE t.hash = p_hash AND hindsight.allows(t.app)
                $$;

                -- Begins an upload or continues it, and returns what became of it or, one after the other, the hashes that
                -- are still to come. Returns the outcome 'full' if those of the app that are on their way leave no room:
                -- one counts as what it has, and 2 MB more if it went on within ten minutes.
                CREATE FUNCTION hindsight.begin_upload(
                    p_app text, p_id bytea, p_token bigint, p_bytes bigint, p_hashes bytea[], p_most bigint,
                    OUT outcome text, OUT recording uuid, OUT reason text, OUT missing bytea
                )
                LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
                BEGIN
                    IF NOT hindsight.allows(p_app) THEN
                        RAISE EXCEPTION 'the role % may not write recordings of %', hindsight.invoker(), p_app
                            USING ERRCODE = 'insufficient_privilege';
                    END IF;
                    -- What came, and was removed or replaced since.
                    DELETE FROM hindsight.upload AS u
                    WHERE u.app = p_app AND u.id = p_id AND u.outcome IN ('new', 'grown', 'same', 'older')
                        AND NOT EXISTS (
                            SELECT FROM hindsight.recording AS r
                            WHERE r.id = u.recording AND r.app = p_app AND r.hash = u.hash
                        );
                    INSERT INTO hindsight.upload (app, id, token, bytes)
                    SELECT p_app, p_id, p_token, p_bytes WHERE p_bytes + (
                        SELECT coalesce(sum(
                            CASE WHEN u.touched > now() - interval '10 minutes'
                            THEN greatest(u.arrived, least(u.bytes, u.arrived + 2097152)) ELSE u.arrived END
                        ), 0)
                        FROM hindsight.upload AS u WHERE u.app = p_app AND u.outcome IS NULL AND u.id <> p_id
                    ) <= p_most
                    ON CONFLICT (app, id) DO UPDATE SET touched = now() WHERE upload.outcome IS NULL;
                    IF FOUND THEN
                        INSERT INTO hindsight.upload_part (app, upload, hash)
                        SELECT p_app, p_id, h.hash FROM unnest(p_hashes) AS h (hash) ON CONFLICT DO NOTHING;
                    END IF;
                    SELECT u.outcome, u.recording, u.reason INTO outcome, recording, reason
                    FROM hindsight.upload AS u WHERE u.app = p_app AND u.id = p_id;
                    IF NOT FOUND THEN outcome := 'full'; END IF;
                    SELECT coalesce(string_agg(p.hash, ''::bytea), '') INTO missing
                    FROM hindsight.upload_part AS p WHERE p.app = p_app AND p.upload = p_id AND p.body IS NULL;
                END $$;

                -- Keeps a part. Returns whether it is there; not if the upload has not begun, has ended, or has no such part.
                CREATE FUNCTION hindsight.add_part(p_app text, p_id bytea, p_hash bytea, p_body bytea) RETURNS boolean
                LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
                BEGIN
                    -- Its end comes before or after this.
                    PERFORM FROM hindsight.upload AS u
                    WHERE u.app = p_app AND u.id = p_id AND u.outcome IS NULL AND hindsight.allows(p_app) FOR UPDATE;
                    IF NOT FOUND THEN RETURN false; END IF;
                    UPDATE hindsight.upload_part AS p SET body = p_body
                    WHERE p.app = p_app AND p.upload = p_id AND p.hash = p_hash AND p.body IS NULL;
                    IF FOUND THEN
                        UPDATE hindsight.upload AS u SET arrived = arrived + octet_length(p_body), touched = now()
                        WHERE u.app = p_app AND u.id = p_id;
                        RETURN true;
                    END IF;
                    RETURN EXISTS (
                        SELECT FROM hindsight.upload_part AS p
                        WHERE p.app = p_app AND p.upload = p_id AND p.hash = p_hash
                    );
                END $$;

                CREATE FUNCTION hindsight.part(p_app text, p_id bytea, p_hash bytea) RETURNS bytea
                LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
                    SELECT p.body FROM hindsight.upload_part AS p
                    WHERE p.app = p_app AND p.upload = p_id AND p.hash = p_hash AND hindsight.allows(p_app)
                $$;

                -- Notes what became of an upload, or with a NULL forgets it, and removes its parts.
                CREATE FUNCTION hindsight.end_upload(
                    p_app text, p_id bytea, p_outcome text, p_recording uuid, p_reason text
                ) RETURNS void
                LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
                BEGIN
                    IF NOT hindsight.allows(p_app) THEN RETURN; END IF;
                    IF p_outcome IS NULL THEN
                        DELETE FROM hindsight.upload AS u WHERE u.app = p_app AND u.id = p_id;
                        RETURN;
                    END IF;
                    UPDATE hindsight.upload AS u
                    SET outcome = p_outcome, recording = p_recording, reason = p_reason, touched = now(),
                        hash = (SELECT r.hash FROM hindsight.recording AS r WHERE r.id = p_recording AND r.app = p_app LIMIT 1)
                    WHERE u.app = p_app AND u.id = p_id;
                    DELETE FROM hindsight.upload_part AS p WHERE p.app = p_app AND p.upload = p_id;
                END $$;

                -- Removes some uploads to which nothing came for a day, and some of those that ended a week ago, and returns
                -- how many they were.
                CREATE FUNCTION hindsight.tidy_uploads(p_most bigint) RETURNS bigint
                LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
                DECLARE
                    removed bigint;
                BEGIN
                    DELETE FROM hindsight.upload AS u WHERE (u.app, u.id) IN (
                        SELECT o.app, o.id FROM hindsight.upload AS o
                        WHERE o.touched < now() - CASE WHEN o.outcome IS NULL THEN interval '1 day' ELSE interval '7 days' END
                            AND \(visible("o"))
                        LIMIT p_most
                    );
                    GET DIAGNOSTICS removed = ROW_COUNT;
                    RETURN removed;
                END $$;

                REVOKE EXECUTE ON FUNCTION \(receiveFunctions) FROM PUBLIC;
                """

        static let receiveFunctions = """
            hindsight.find_token, hindsight.begin_upload, hindsight.add_part, hindsight.part, hindsight.end_upload,
            hindsight.tidy_uploads
            """
    }
#endif
