#if Archive
    import HindsightArchive
    import HindsightTree

    /// `hindsight archive forget URL FILTER…`
    enum ArchiveForgetCommand: Command {
        static let recordings = Option<String>(
            "recording",
            value: "ID",
            expected: "a UUID",
            repeating: true,
            help: "This recording, also if its push did not end. May be repeated."
        ) { ArchiveFilter.isID($0) && $0.filter { $0 != "-" }.count == 32 ? $0.lowercased() : nil }

        static let syntax = Syntax(
            "archive forget",
            abstract: "Removes recordings from an archive for good, such as all of a device",
            discussion: """
                All that the archive has of them goes: chunks, also of pushes that did not end, summaries, notes, and what
                archive verify and archive find have found. The archive keeps their IDs with the time and the role that
                removed them (archive sql has the view removed), and takes none of them again.
                Parts and salvaged or migrated forms of a recording go with it, since they have its UUID; a what-if is
                another recording. With --device, also with --app, tokens of that installation go, so archive receive takes
                no more of it; recordings that come with the app's token are taken, as are pushes: end these first. The
                question of a run of archive verify or find stays if it was about other recordings, too.
                Chunks of a first push that never ended name no device: --recording removes them, or archive expire in its
                time. Backups of the database, and its files until it is vacuumed, still have what was removed.
                \(ArchiveFilterArguments.discussion)

                \(ArchiveArguments.discussion)
                """,
            arguments: [ArchiveArguments.url, recordings] + ArchiveFilterArguments.declarations
                + [ArchiveExpireCommand.dryRun, ArchiveArguments.timeout],
            examples: [
                "archive forget postgres://db/fleet --device kiosk-7": "All of a device.",
                "archive forget postgres://db/fleet --app shop --until 2026-01-01 --dry-run":
                    "What would go if an app's recordings before a date were forgotten.",
            ],
            jsonShape: "{recordings (their number), bytes (in the archive), removed (false with --dry-run)}"
        )

        static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
            let filter = try ArchiveFilterArguments.filter(arguments)
            let named = try arguments.all(recordings)
            guard named.isEmpty != (filter == ArchiveFilter()) else {
                throw Failure(
                    .usage,
                    named.isEmpty
                        ? "archive forget without a filter would remove every recording."
                        : "--recording names the recordings, so no other filter can go with it.",
                    "\(tool.name) help archive forget"
                )
            }
            let names = [filter.app, filter.version, filter.device, filter.platform, filter.actionType]
            let isOpen = names.contains { $0?.allSatisfy { $0 == "*" } == true }
            if isOpen { throw Failure(.usage, "A name of stars alone would remove every recording. Write the name.") }
            if tool.isProcess { TerminationSignal.observe(unlessIgnored: true) }
            let isDry = arguments[ArchiveExpireCommand.dryRun]
            let connection = try ArchiveArguments.connect(arguments, tool, isReadOnly: isDry, needsApp: true)
            // Nothing of the device arrives meanwhile.
            if !isDry, filter.namesDeviceAlone { try connection.removeTokens(of: filter) }
            let found = try connection.found(filter, named)
            // A recording whose push did not end has no row, but chunks.
            let ids = named.isEmpty ? found.ids : named
            var count = found.ids.count
            if !isDry {
                count = try connection.erase(ids) { done in
                    tool.console.progress("\(Quantities.grouped(done)) of \(Quantities.grouped(ids.count))")
                }
            }
            tool.console.clearProgress()
            if arguments[GlobalOptions.json] {
                tool.console.print(json: [
                    "recordings": .int(count), "bytes": .int(found.bytes), "removed": .bool(!isDry),
                ])
                return .fine
            }
            if count == 0 {
                let isKept = !named.isEmpty && !isDry
                tool.console.note(
                    isKept
                        ? "The archive has no such recordings. It takes none with these IDs, if this role sees all apps."
                        : "The archive has no such recordings."
                )
                return .fine
            }
            let all = "\(Quantities.counted(count, "recording")) (\(Quantities.bytes(found.bytes)))"
            tool.console.print(
                isDry
                    ? "\(all) would go. Nothing was removed." : "Removed \(all). The archive takes none of them again."
            )
            return .fine
        }
    }
#endif
