#if Archive
    import HindsightArchive
    import HindsightSupport
    import HindsightTree

    /// `hindsight archive init URL`
    enum ArchiveInitCommand: Command {
        static let syntax = Syntax(
            "archive init",
            abstract: "Makes an archive of recordings in a PostgreSQL database, or updates it to this version",
            discussion: """
                The archive is the schema hindsight of the database; the rest of the database stays as it is. It is made
                or updated in one transaction. You need the right to create a schema, once. The archive belongs to the
                role that connects; the roles hindsight_push (insert), hindsight_receive, hindsight_read, hindsight_work
                (verify and find) and hindsight_expire are made if that role may make roles. GRANT them to the roles
                that log in. Each sees and writes only the apps for which the table hindsight.access has a row.
                The server must be PostgreSQL 14 or later.

                \(ArchiveArguments.discussion)
                """,
            arguments: [ArchiveArguments.url, ArchiveArguments.timeout],
            examples: [
                "archive init postgres://localhost/fleet": "In the database fleet."
            ],
            jsonShape:
                "one object with schema (its version), before (the version that was there; 0 for none), missing (roles)"
        )

        static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
            let connection = try ArchiveArguments.connect(arguments, tool, isArchive: false)
            let before = try connection.migrate(tool: Tool.version)
            let missing = try connection.missingRoles()
            if arguments[GlobalOptions.json] {
                tool.console.print(json: [
                    "schema": .int(ArchiveSchema.version), "before": .int(before),
                    "missing": .array(missing.map(Node.string)),
                ])
                return .fine
            }
            let place = escape(connection.name)
            switch before {
            case 0: tool.console.print("Made an archive in \(place), with schema \(ArchiveSchema.version).")
            case ArchiveSchema.version: tool.console.print("\(place) has an archive with schema \(before) already.")
            default:
                tool.console.print("Updated the archive in \(place) from schema \(before) to \(ArchiveSchema.version).")
            }
            if before == 1 {
                tool.console.note(
                    "note: roles without a row in hindsight.access saw all apps, and see none now. To open all to one:\n"
                        + "  INSERT INTO hindsight.access VALUES ('ROLE', '*');"
                )
            }
            if !missing.isEmpty {
                tool.console.note(
                    "note: this role may not make roles. To share the archive, let an administrator run these lines, and then "
                        + "archive init again:\n"
                        + missing.map { "  CREATE ROLE \($0) NOLOGIN;" }.joined(separator: "\n")
                )
            }
            return .fine
        }
    }
#endif
