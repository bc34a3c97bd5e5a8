#if Archive
    import HindsightArchive
    import HindsightSupport

    /// `hindsight archive status URL`
    enum ArchiveStatusCommand: Command {
        static let syntax = Syntax(
            "archive status",
            abstract: "Shows what an archive has: recordings by app and version, sizes, and the queue",
            discussion: ArchiveArguments.discussion,
            arguments: [ArchiveArguments.url, ArchiveArguments.timeout],
            examples: [
                "archive status postgres://localhost/fleet": "What is there."
            ],
            jsonShape: """
                one object with server (its version), schema, months, disk (bytes), jobs {waiting, claimed, done} and versions [{app, version, recordings,
                open (still recorded), crashed, actions, bytes (of text), stored (deflated), oldest, newest}]
                """
        )

        static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
            let status = try ArchiveArguments.connect(arguments, tool, isReadOnly: true).status()
            tool.print(arguments, json: printable(answer: status)) { text(of: status, tool) }
            if status.versions.count == ArchiveConnection.maxVersions {
                let count = Quantities.grouped(ArchiveConnection.maxVersions)
                tool.console.note("These are the first \(count) apps and versions. archive sql has all.")
            }
            return .fine
        }

        private static func text(of status: ArchiveStatus, _ tool: Tool) {
            let months = Quantities.counted(status.months, "month")
            let disk = Quantities.bytes(status.disk)
            tool.console.print(
                "PostgreSQL \(escape(status.server)), schema \(status.schema), \(months), \(disk) on disk"
            )
            if status.jobs.waiting + status.jobs.claimed + status.jobs.done > 0 {
                let waiting = "\(Quantities.grouped(status.jobs.waiting)) waiting"
                let parts = [
                    waiting, "\(Quantities.grouped(status.jobs.claimed)) claimed",
                    "\(Quantities.grouped(status.jobs.done)) done",
                ]
                tool.console.print("  jobs of verify and find: \(parts.joined(separator: ", "))")
            }
            for version in status.versions {
                let recordings = Quantities.counted(version.recordings, "recording")
                var parts = [recordings, Quantities.counted(version.actions, "action")]
                parts.append("\(Quantities.bytes(version.stored)) of \(Quantities.bytes(version.bytes))")
                if version.crashed > 0 { parts.append("\(Quantities.grouped(version.crashed)) crashed") }
                if version.open > 0 { parts.append("\(Quantities.grouped(version.open)) being recorded") }
                parts.append("\(version.oldest) to \(version.newest)")
                tool.console.print(
                    "  \(brief(version.app)) \(brief(version.version))  \(parts.joined(separator: ", "))"
                )
            }
        }
    }
#endif
