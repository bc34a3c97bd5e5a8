#if Archive
    extension ArchiveSchema {
        /// Who sees which apps.
        ///
        /// A role sees only the apps for which it has a row in `access`, itself or by a role that it is a member of: see
        /// also ``opening``. Superusers and the archive's owner see all.
        static let access = """
            CREATE FUNCTION hindsight.invoker() RETURNS name
            LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
            -- In a function of another owner, current_user is that owner.
            RETURN CASE current_setting('role') WHEN 'none' THEN session_user::name ELSE current_setting('role')::name END;

            CREATE FUNCTION hindsight.is_unlimited(role name) RETURNS boolean
            LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
            RETURN EXISTS (SELECT FROM pg_roles AS r WHERE r.rolname = role AND r.rolsuper) OR role = current_user
                OR NOT EXISTS (
                    SELECT FROM hindsight.access AS a JOIN pg_roles AS r ON r.rolname = a.role
                    WHERE pg_has_role(is_unlimited.role, r.oid, 'member')
                );

            -- Both roles count: SET ROLE to a group that does not stand in access must not show more.
            CREATE FUNCTION hindsight.sees_all() RETURNS boolean
            LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
            RETURN hindsight.is_unlimited(session_user::name) AND hindsight.is_unlimited(hindsight.invoker());

            CREATE FUNCTION hindsight.visible_apps() RETURNS SETOF text
            LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
            BEGIN ATOMIC
                SELECT a.app FROM hindsight.access AS a JOIN pg_roles AS r ON r.rolname = a.role
                GROUP BY a.app
                HAVING (hindsight.is_unlimited(session_user::name) OR bool_or(pg_has_role(session_user, r.oid, 'member')))
                    AND (
                        hindsight.is_unlimited(hindsight.invoker())
                        OR bool_or(pg_has_role(hindsight.invoker(), r.oid, 'member'))
                    );
            END;

            CREATE FUNCTION hindsight.allows(app text) RETURNS boolean
            LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
            RETURN hindsight.sees_all() OR app IN (SELECT hindsight.visible_apps());
            \(rowSecurity(of: partitioned))
            """

        /// Roles see nothing until a row opens an app to them, or all apps by the name `*`.
        static let opening = """
            CREATE OR REPLACE FUNCTION hindsight.is_unlimited(role name) RETURNS boolean
            LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
            RETURN EXISTS (SELECT FROM pg_roles AS r WHERE r.rolname = role AND r.rolsuper) OR role = current_user
                OR EXISTS (
                    SELECT FROM hindsight.access AS a JOIN pg_roles AS r ON r.rolname = a.role
                    WHERE a.app = '*' AND pg_has_role(is_unlimited.role, r.oid, 'member')
                )
                -- A member of the owner may be the owner.
                OR pg_has_role(is_unlimited.role, current_user, 'member');

            CREATE OR REPLACE FUNCTION hindsight.allows(app text) RETURNS boolean
            LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
            RETURN app IS NOT NULL AND (hindsight.sees_all() OR app IN (SELECT hindsight.visible_apps()));
            COMMENT ON TABLE hindsight.access IS
                'The apps that a role sees and writes: a row an app, or * for all. A role without a row sees nothing';
            """

        static let roleNames = [
            "hindsight_push", "hindsight_receive", "hindsight_read", "hindsight_work", "hindsight_expire",
        ]

        /// The roles of an archive, and what each may do. It runs each time that the archive is initialized.
        ///
        /// A role that may not be made here is told by `archive init`; grants to it are made when it exists.
        static let roles =
            """
            REVOKE EXECUTE ON FUNCTION \(queueFunctions), \(expiryFunctions) FROM PUBLIC;
            DO $$
            DECLARE
                name text;
            BEGIN
                FOREACH name IN ARRAY ARRAY[\(roleNames.map { "'\($0)'" }.joined(separator: ", "))] LOOP
                    BEGIN
                        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
                            EXECUTE format('CREATE ROLE %I NOLOGIN', name);
                        END IF;
                        EXECUTE format('GRANT USAGE ON SCHEMA hindsight TO %I', name);
                        EXECUTE format('GRANT SELECT ON hindsight.version TO %I', name);
                    EXCEPTION WHEN insufficient_privilege OR duplicate_object OR unique_violation THEN NULL;
                    END;
                END LOOP;

            """
            + rights.map { role, right in
                """
                    IF EXISTS (SELECT FROM pg_roles WHERE rolname = '\(role)') THEN GRANT \(right) TO \(role); END IF;

                """
            }.joined() + "END $$;"

        private static let readable = """
            SELECT ON hindsight.recording, hindsight.head, hindsight.chunk, hindsight.action_type, hindsight.note,
            hindsight.recordings, hindsight.action_types, hindsight.notes, hindsight.crashes, hindsight.divergences,
            hindsight.results, hindsight.removed
            """
        private static let queueFunctions = """
            hindsight.join_run, hindsight.last_job, hindsight.add_jobs, hindsight.claim, hindsight.beat,
            hindsight.finish, hindsight.give_back, hindsight.give_up
            """
        private static let expiryFunctions = """
            hindsight.expiry_times, hindsight.months, hindsight.expiring, hindsight.drop_month,
            hindsight.delete_expired, hindsight.delete_results, hindsight.unfinished, hindsight.delete_unfinished
            """
        private static let pushFunctions = """
            hindsight.begin_push, hindsight.finish_push, hindsight.set_device, hindsight.why_gone
            """
        private static let rights = [
            ("hindsight_push", "INSERT ON hindsight.chunk"),
            ("hindsight_push", "EXECUTE ON FUNCTION \(pushFunctions)"),
            ("hindsight_receive", "INSERT ON hindsight.chunk"),
            ("hindsight_receive", "EXECUTE ON FUNCTION \(pushFunctions)"),
            ("hindsight_receive", "EXECUTE ON FUNCTION \(receiveFunctions)"),
            ("hindsight_read", readable), ("hindsight_work", readable),
            ("hindsight_work", "SELECT, INSERT ON hindsight.run"),
            ("hindsight_work", "SELECT, INSERT, UPDATE ON hindsight.job"),
            ("hindsight_work", "SELECT, INSERT, DELETE ON hindsight.divergence"),
            ("hindsight_work", "EXECUTE ON FUNCTION \(queueFunctions)"),
            ("hindsight_expire", "EXECUTE ON FUNCTION hindsight.forget, hindsight.erase, \(expiryFunctions)"),
            ("hindsight_expire", "SELECT, DELETE ON hindsight.token"),
            ("hindsight_expire", "SELECT ON hindsight.recordings, hindsight.action_types, hindsight.removed"),
        ]
    }
#endif
