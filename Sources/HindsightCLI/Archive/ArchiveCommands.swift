#if Archive
    import HindsightArchive
    import HindsightSupport

    /// The commands of an archive of recordings in PostgreSQL.
    enum ArchiveCommands {
        static let all: [any Command.Type] = [
            ArchiveInitCommand.self, ArchiveStatusCommand.self, ArchivePushCommand.self, ArchiveReceiveCommand.self,
            ArchiveTokenCommand.self, ArchivePullCommand.self,
            ArchiveListCommand.self, ArchiveSQLCommand.self, ArchiveCrashesCommand.self, ArchiveFindCommand.self,
            ArchiveVerifyCommand.self, ArchiveExpireCommand.self, ArchiveForgetCommand.self,
            ArchiveDashboardCommand.self,
        ]
    }

    /// Arguments that the commands of an archive share.
    enum ArchiveArguments {
        static let url = Positional(
            "URL",
            help:
                "The database: postgres://user@host/database, or a connection string of libpq; '' for the PG… variables."
        )
        static let timeout = Option<Double>(
            seconds: "timeout",
            help: "Give up if the server is silent for so long; 30 by default."
        )

        /// What the help of each command says about connections.
        static let discussion = """
            URL follows libpq's conventions, with the variables PGHOST, PGUSER and so on, a password from ~/.pgpass, and
            TLS by sslmode. Do not write a password into URL: other users of the machine may see it.
            """

        /// The address as a word of a suggested command.
        static func shownURL(_ arguments: Arguments) -> String {
            ShellQuoting.quote(ArchiveConnection.withoutPassword(arguments[url] ?? ""))
        }

        /// Connects, and lets SIGINT and SIGTERM interrupt what the connection waits for.
        ///
        /// - Parameters:
        ///   - isArchive: Whether the database must have an archive of this build's version.
        ///   - needsApp: Whether it fails if the role sees no app, because an empty answer would be taken for a good one.
        ///   - isReadOnly: Whether nothing is to be written, also by functions that a user's condition calls.
        static func connect(
            _ arguments: Arguments,
            _ tool: Tool,
            isArchive: Bool = true,
            isReadOnly: Bool = false,
            needsApp: Bool = false
        ) throws -> ArchiveConnection {
            let seconds = try arguments[timeout] ?? 30
            let connection = try ArchiveConnection(
                try arguments.require(url),
                timeout: .seconds(seconds),
                isReadOnly: isReadOnly,
                isInterrupted: tool.isProcess ? { TerminationSignal.received != nil } : nil
            )
            if isArchive { try connection.checkArchive() }
            if isReadOnly || needsApp, try !connection.seesAny() {
                let reason = "This role sees no app, so nothing is found."
                let advice = """
                    The archive's owner opens one, or all by *: INSERT INTO hindsight.access VALUES ('ROLE', '*')
                    """
                if needsApp { throw Failure(.badFile, reason, advice) }
                tool.console.note("note: \(reason) \(advice)")
            }
            return connection
        }
    }
#endif
