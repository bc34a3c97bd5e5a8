#if Archive
    /// The archive's schema in a database: its versions, and how to get from one to the next.
    ///
    /// All names in its texts are qualified with `hindsight` or are in `pg_catalog`, and every function fixes its
    /// `search_path`.
    package enum ArchiveSchema {
        /// The number of the version that this build reads and writes.
        package static var version: Int { steps.count }

        /// The key of the advisory locks: of migrations (0) and of making partitions (1).
        static let lock = 1_751_869_540

        /// What leads from each version to the next. A released step never changes.
        ///
        /// Texts of a step run in order. Those of the queue, the views and expiry come after the tables that they use. What
        /// a later step replaces stands there alone.
        static let steps: [[String]] = [
            [versions, tables, partitions, access, pushing, queue, views],
            [gone, receiving, erasing, endings, opening, counting, claiming, expiry],
            [devices],
        ]

        private static let versions = """
            CREATE TABLE hindsight.version (
                version bigint PRIMARY KEY,
                tool text NOT NULL,
                applied timestamptz NOT NULL DEFAULT now()
            );
            COMMENT ON SCHEMA hindsight IS 'Recordings of Hindsight. Made by "hindsight archive init".';
            """
    }

    extension ArchiveConnection {
        /// Makes the archive's schema, or brings it to this build's version: in one transaction, one session at a time.
        ///
        /// - Returns: The version that was there; 0 if there was none.
        package func migrate(tool: String) throws -> Int {
            try transaction {
                try run("SELECT pg_advisory_xact_lock(\(ArchiveSchema.lock), 0)")
                let before = try foundVersion()
                let encoding = try run("SHOW server_encoding")[0].text(0)
                guard encoding == "UTF8" else {
                    throw ArchiveError(
                        .notAnArchive,
                        "The database \(name) has the encoding \(encoding); an archive needs UTF8.",
                        advice: "Create another database: createdb --encoding UTF8 --template template0 NAME"
                    )
                }
                guard before <= ArchiveSchema.version else { throw Self.newer(before) }
                if before == 0 { try run("CREATE SCHEMA hindsight") }
                for version in before..<ArchiveSchema.version {
                    for text in ArchiveSchema.steps[version] { try runScript(text) }
                    try run(
                        "INSERT INTO hindsight.version (version, tool) VALUES ($1, $2)",
                        [.number(version + 1), .text(tool)]
                    )
                }
                try runScript(ArchiveSchema.roles)
                return before
            }
        }

        /// The archive's roles that the server does not have.
        package func missingRoles() throws(ArchiveError) -> [String] {
            try run(
                """
                SELECT r FROM unnest($1::text[]) AS r WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = r)
                """,
                [.texts(ArchiveSchema.roleNames)]
            ).map { $0.text(0) }
        }

        /// The version of the database's schema; 0 if it has none.
        private func foundVersion() throws(ArchiveError) -> Int {
            let found = try run("SELECT to_regnamespace('hindsight') IS NULL, to_regclass('hindsight.version') IS NULL")
            if found[0].boolean(0) { return 0 }
            if found[0].boolean(1) {
                throw ArchiveError(
                    .notAnArchive,
                    "The database has a schema hindsight that is no archive.",
                    advice: "Use another database, or rename that schema."
                )
            }
            let rows = try run("SELECT max(version) FROM hindsight.version")
            guard !rows[0].isNull(0) else {
                throw ArchiveError(
                    .notAnArchive,
                    "The archive of the database is not complete: its version is missing.",
                    advice: "Restore the schema hindsight from a backup, or drop it and run archive init."
                )
            }
            return Int(rows[0].integer(0))
        }

        private static func newer(_ version: Int) -> ArchiveError {
            ArchiveError(
                .otherVersion,
                "The archive has schema \(version); this build of Hindsight has \(ArchiveSchema.version).",
                advice: "Use a newer build of Hindsight. The archive is as it was."
            )
        }

        /// Whether the role that connects sees an app.
        package func seesAny() throws(ArchiveError) -> Bool {
            try run("SELECT hindsight.sees_all() OR EXISTS (SELECT FROM hindsight.visible_apps())")[0].boolean(0)
        }

        /// Checks that the database has an archive of this build's version.
        ///
        /// - Throws: An ``ArchiveError`` with the kind `notAnArchive`, `otherVersion` or `refused`.
        package func checkArchive() throws(ArchiveError) {
            let version = try foundVersion()
            if version == ArchiveSchema.version { return }
            if version == 0 { throw ArchiveError(.notAnArchive, "The database \(name) has no archive.") }
            if version > ArchiveSchema.version { throw Self.newer(version) }
            throw ArchiveError(
                .otherVersion,
                "The archive has schema \(version); this build of Hindsight needs \(ArchiveSchema.version).",
                advice: "Run archive init with this address, as the archive's owner, to update it."
            )
        }
    }
#endif
