#if Archive
    import HindsightArchive
    import HindsightSupport
    import HindsightTree

    /// `hindsight archive list URL [CONDITION]`
    enum ArchiveListCommand: Command {
        static let condition = Positional(
            "CONDITION",
            required: false,
            help: "A condition in SQL over the view hindsight.recordings: 'actions > 1000 and notes > 0'."
        )
        static let limit = Option<Int>(
            "limit",
            from: 1,
            help: "The most recordings to list; \(usual) by default, and with --json all."
        )
        static let all = Flag("all", help: "List all of them.")
        static let count = Flag("count", help: "Only how many there are.")

        private static let usual = 50

        static let syntax = Syntax(
            "archive list",
            abstract: "Lists the recordings of an archive, the newest first",
            discussion: """
                By app, version, device, time, ending, crash and action types, or by any condition in SQL over the view
                hindsight.recordings. A filter by time reads only the months that it needs.
                \(ArchiveFilterArguments.discussion)
                For other questions, see archive sql.

                \(ArchiveArguments.discussion)
                """,
            isPaged: true,
            arguments: [ArchiveArguments.url, condition] + ArchiveFilterArguments.declarations
                + [limit, all, count, ArchiveArguments.timeout],
            examples: [
                "archive list postgres://db/fleet --ending crashed --since 7d": "The crashes of a week.",
                "archive list postgres://db/fleet --app-version '3.2.*' --type Checkout":
                    "Recordings of a version in which somebody checked out.",
            ],
            jsonShape: """
                a line a recording, {id, app, version, device, platform, started, ended (null: it was not closed), ending,
                crashType, crashReducer, actions, notes, bytes (as text), stored (bytes in the archive), complete}; with
                --count, {recordings}
                """
        )

        static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
            let filter = try ArchiveFilterArguments.filter(arguments)
            try arguments.checkAtMostOne(of: all, limit, count)
            let isJSON = arguments[GlobalOptions.json]
            let most = try arguments[limit] ?? (isJSON || arguments[all] ? Int(Int32.max) : usual)
            let connection = try ArchiveArguments.connect(arguments, tool, isReadOnly: true)
            if arguments[count] {
                let count = try connection.count(filter, where: arguments[condition])
                tool.console.print(isJSON ? printable(["recordings": .int(count)]) : "\(count)")
                return .fine
            }
            if isJSON {
                try connection.list(filter, where: arguments[condition], most: most) { recording in
                    try tool.console.checkIsOpen()
                    tool.console.print(answer: recording)
                }
            } else {
                try printTable(connection, filter, arguments, most, tool)
            }
            return .fine
        }

        private static func printTable(
            _ connection: ArchiveConnection,
            _ filter: ArchiveFilter,
            _ arguments: Arguments,
            _ most: Int,
            _ tool: Tool
        ) throws {
            var rows: [[String]] = []
            // One more than asked for tells whether there are more.
            try connection.list(filter, where: arguments[condition], most: most == .max ? most : most + 1) {
                rows.append(cells(of: $0))
            }
            let isMore = rows.count > most
            if isMore { rows.removeLast() }
            if rows.isEmpty { tool.console.note("The archive has no such recordings.") }
            let table = Table(rows, rightAligned: [4, 5])
            for row in rows { tool.console.print(table.line(row), hanging: 4) }
            if isMore {
                tool.console.print(faint: "… and more (--all lists them, --count counts them)")
            }
        }

        private static func cells(of recording: ListedRecording) -> [String] {
            var ending = recording.ending
            if recording.ending == "crashed" {
                let parts = [recording.crashType, recording.crashReducer.map { "in \($0)" }].compactMap { $0 }
                if !parts.isEmpty { ending += ": " + parts.joined(separator: " ") }
            }
            if !recording.complete { ending += ", not complete" }
            let device = recording.device.isEmpty ? "" : "  " + brief(recording.device, longest: 40)
            return [
                escape(recording.id), ArchiveText.time(recording.started),
                brief("\(recording.app) \(recording.version)", longest: 40), brief(recording.platform, longest: 30),
                Quantities.grouped(recording.actions), Quantities.bytes(recording.bytes),
                brief(ending, longest: 120) + device,
            ]
        }
    }

    /// The text of times of an archive, such as `2026-11-20T15:35:34.123Z`.
    enum ArchiveText {
        /// `2026-11-20 15:35 UTC`
        static func time(_ time: String) -> String { "\(day(time)) \(time.dropFirst(11).prefix(5)) UTC" }

        /// `2026-11-20`
        static func day(_ time: String) -> String { String(time.prefix(10)) }
    }
#endif
