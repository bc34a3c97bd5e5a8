#if Archive
    import Foundation
    import HindsightArchive
    import HindsightSupport
    import HindsightTree

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
            let status = try ArchiveArguments.connect(arguments, tool).status()
            if arguments[GlobalOptions.json] {
                tool.console.print(printable(json(of: status)))
            } else {
                text(of: status, tool)
            }
            return .fine
        }

        private static func text(of status: ArchiveStatus, _ tool: Tool) {
            let months = Quantities.counted(status.months, "month")
            let disk = Quantities.bytes(status.diskBytes)
            tool.console.print(
                "PostgreSQL \(escape(status.server)), schema \(status.schema), \(months), \(disk) on disk"
            )
            if status.waiting + status.claimed + status.done > 0 {
                let waiting = "\(Quantities.grouped(status.waiting)) waiting"
                let parts = [
                    waiting, "\(Quantities.grouped(status.claimed)) claimed", "\(Quantities.grouped(status.done)) done",
                ]
                tool.console.print("  jobs of verify and find: \(parts.joined(separator: ", "))")
            }
            for version in status.versions {
                let recordings = Quantities.counted(version.recordings, "recording")
                var parts = [recordings, Quantities.counted(version.actions, "action")]
                parts.append("\(Quantities.bytes(version.storedBytes)) of \(Quantities.bytes(version.bytes))")
                if version.crashed > 0 { parts.append("\(Quantities.grouped(version.crashed)) crashed") }
                if version.open > 0 { parts.append("\(Quantities.grouped(version.open)) being recorded") }
                parts.append("\(day(version.oldest)) to \(day(version.newest))")
                tool.console.print(
                    "  \(brief(version.app)) \(brief(version.version))  \(parts.joined(separator: ", "))"
                )
            }
        }

        private static func json(of status: ArchiveStatus) -> Node {
            [
                "server": .string(status.server), "schema": .int(status.schema), "months": .int(status.months),
                "disk": .int(status.diskBytes),
                "jobs": [
                    "waiting": .int(status.waiting), "claimed": .int(status.claimed), "done": .int(status.done),
                ],
                "versions": .array(
                    status.versions.map { version in
                        [
                            "app": .string(version.app), "version": .string(version.version),
                            "recordings": .int(version.recordings), "open": .int(version.open),
                            "crashed": .int(version.crashed), "actions": .int(version.actions),
                            "bytes": .int(version.bytes), "stored": .int(version.storedBytes),
                            "oldest": .string(day(version.oldest)), "newest": .string(day(version.newest)),
                        ]
                    }
                ),
            ]
        }

        /// The day in UTC.
        private static func day(_ date: Date) -> String {
            let day = CivilDate(daysSince1970: Int((date.timeIntervalSince1970 / 86400).rounded(.down)))
            func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
            return "\(day.year)-\(padded(day.month))-\(padded(day.day))"
        }
    }
#endif
