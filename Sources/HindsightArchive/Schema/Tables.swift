#if Archive
    extension ArchiveSchema {
        /// The tables of recordings, each partitioned by the month of `started`.
        ///
        /// `started` is when the recording was created, held within the years 2000 to 2099, so that a device with a wrong
        /// clock makes partitions of these 1,200 months at most; the server refuses others. There is no default partition:
        /// attaching a month would have to search it.
        static let tables = """
            CREATE TABLE hindsight.recording (
                started timestamptz NOT NULL,
                id uuid NOT NULL,
                app text NOT NULL,
                app_version text NOT NULL,
                schema_version bigint NOT NULL,
                device text NOT NULL,
                platform text NOT NULL,
                created_ns bigint NOT NULL,
                ended timestamptz,
                ending text NOT NULL CHECK (ending IN ('closed', 'open', 'exited', 'crashed', 'stopped', 'recording')),
                crash_seq bigint,
                crash_type text,
                crash_reducer text,
                crash_message text,
                crash_path text,
                signal text,
                reducers text[] NOT NULL,
                dropped bigint NOT NULL,
                actions bigint NOT NULL,
                notes bigint NOT NULL,
                bytes bigint NOT NULL,
                stored_bytes bigint NOT NULL,
                format bigint NOT NULL,
                complete boolean NOT NULL,
                hash bytea NOT NULL,
                pushed timestamptz NOT NULL,
                PRIMARY KEY (started, id)
            ) PARTITION BY RANGE (started);
            CREATE INDEX ON hindsight.recording (id);
            CREATE INDEX ON hindsight.recording (app, app_version, started);
            CREATE INDEX ON hindsight.recording (app, crash_type, crash_reducer, started) WHERE ending = 'crashed';

            CREATE TABLE hindsight.head (
                started timestamptz NOT NULL,
                recording uuid NOT NULL,
                app text NOT NULL,
                body bytea NOT NULL,
                chunks bytea[] NOT NULL,
                PRIMARY KEY (started, recording)
            ) PARTITION BY RANGE (started);

            CREATE TABLE hindsight.chunk (
                started timestamptz NOT NULL,
                recording uuid NOT NULL,
                first bigint NOT NULL,
                last bigint NOT NULL,
                hash bytea NOT NULL CHECK (octet_length(hash) = 32),
                app text NOT NULL,
                bytes bigint NOT NULL,
                body bytea NOT NULL,
                pushed timestamptz NOT NULL DEFAULT now(),
                PRIMARY KEY (started, recording, first, last, hash)
            ) PARTITION BY RANGE (started);

            CREATE TABLE hindsight.action_type (
                started timestamptz NOT NULL,
                recording uuid NOT NULL,
                app text NOT NULL,
                type text NOT NULL,
                count bigint NOT NULL,
                total_ns bigint NOT NULL,
                longest_ns bigint NOT NULL,
                PRIMARY KEY (started, recording, type)
            ) PARTITION BY RANGE (started);
            CREATE INDEX ON hindsight.action_type (app, type, started);

            CREATE TABLE hindsight.note (
                started timestamptz NOT NULL,
                recording uuid NOT NULL,
                app text NOT NULL,
                number bigint NOT NULL,
                seq bigint NOT NULL,
                reducer bigint,
                name text,
                text text,
                at_ns bigint NOT NULL,
                PRIMARY KEY (started, recording, number)
            ) PARTITION BY RANGE (started);

            CREATE TABLE hindsight.access (
                -- The role must exist, because a misspelt name would limit no role.
                role name NOT NULL CHECK (to_regrole(quote_ident(role)) IS NOT NULL),
                app text NOT NULL,
                PRIMARY KEY (role, app)
            );
            """

        /// The names of the tables that have a partition a month. A month is expired by dropping these partitions.
        package static let partitioned = ["recording", "head", "chunk", "action_type", "note"]

        /// Makes the partitions of a month that does not have them.
        ///
        /// A partition is made as a table and then attached, which lets others read and write meanwhile.
        static let partitions = """
            CREATE FUNCTION hindsight.month_name(moment timestamptz) RETURNS text
            LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
            RETURN to_char(moment AT TIME ZONE 'UTC', 'YYYY_MM');

            CREATE FUNCTION hindsight.make_month(moment timestamptz) RETURNS void
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
            DECLARE
                month timestamptz := date_trunc('month', moment, 'UTC');
                suffix text := hindsight.month_name(moment);
                parents text[] := ARRAY['recording', 'head', 'chunk', 'action_type', 'note'];
                parent text;
                child text;
            BEGIN
                IF moment < '2000-01-01Z' OR moment >= '2100-01-01Z' THEN
                    RAISE EXCEPTION 'hindsight: % lies outside the years 2000 to 2099', moment
                        USING ERRCODE = 'invalid_parameter_value';
                END IF;
                IF (
                    SELECT count(*) = cardinality(parents) FROM pg_class AS c
                    WHERE c.relnamespace = 'hindsight'::regnamespace
                        AND c.relname = ANY (SELECT p || '_' || suffix FROM unnest(parents) AS p)
                ) THEN RETURN; END IF;
                PERFORM pg_advisory_xact_lock(\(lock), 1);
                FOREACH parent IN ARRAY parents LOOP
                    child := parent || '_' || suffix;
                    -- Not by to_regclass, which may not yet know what another session has made.
                    IF EXISTS (
                        SELECT FROM pg_class AS c
                        WHERE c.relnamespace = 'hindsight'::regnamespace AND c.relname = child
                    ) THEN CONTINUE; END IF;
                    EXECUTE format('CREATE TABLE hindsight.%I (LIKE hindsight.%I INCLUDING ALL)', child, parent);
                    EXECUTE format('ALTER TABLE hindsight.%I ENABLE ROW LEVEL SECURITY', child);
                    -- Deflated bytes do not get smaller.
                    IF parent IN ('head', 'chunk') THEN
                        EXECUTE format('ALTER TABLE hindsight.%I ALTER body SET STORAGE EXTERNAL', child);
                    END IF;
                    EXECUTE format(
                        'ALTER TABLE hindsight.%I ATTACH PARTITION hindsight.%I FOR VALUES FROM (%L) TO (%L)',
                        parent, child, month, month + interval '1 month'
                    );
                END LOOP;
            END $$;
            REVOKE EXECUTE ON FUNCTION hindsight.make_month FROM PUBLIC;
            """
    }
#endif
