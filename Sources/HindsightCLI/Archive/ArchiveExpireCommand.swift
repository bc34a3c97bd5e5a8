#if Archive
    import HindsightArchive
    import HindsightTree

    /// `hindsight archive expire URL --keep RULE…`
    enum ArchiveExpireCommand: Command {
        static let keep = Option<ExpiryRule>(
            "keep",
            value: "RULE",
            expected: """
                a limit such as 30d, 10000 or 200GB, or one with an app and an ending: crashed=1y, shop/=90d or \
                shop/crashed=20GB
                """,
            repeating: true,
            help: "What to keep: an age (30d, 1y), a number of recordings, or a size (200GB). May be repeated."
        ) { ExpiryRule($0) }
        static let unfinished = Option<Int64>(
            "unfinished",
            value: "AGE",
            expected: "an age such as 12h or 7d",
            help: "Remove what pushes sent that ended in the middle this long ago; 7d by default."
        ) { ArchiveMoment.seconds($0) }
        static let dryRun = Flag("dry-run", help: "Remove nothing: only say what would go.")

        /// A week, in seconds.
        private static let usualAge: Int64 = 604_800

        static let syntax = Syntax(
            "archive expire",
            abstract: "Removes the oldest recordings of an archive, by age, number or size",
            discussion: """
                A rule is LIMIT, ENDING=LIMIT, APP/=LIMIT or APP/ENDING=LIMIT. For a recording, the most specific
                rules apply: those with its app and ending, or else its app, or else its ending, or else those for all.
                It stays only if all of these keep it, or if there is no rule for it. A number and a size count the
                newest recordings of each app by itself.
                If nothing of a month stays, its partitions are dropped at once. Recordings of other months are deleted
                in small steps. With a recording goes what archive verify and archive find found in it. If it is
                stopped, what was removed is removed, and the next run continues.
                Age and order count from when a recording came into the archive, by the server's clock. A recording that
                has expired is not taken again.
                Chunks of pushes that ended in the middle, and never came again, go too. A push that runs meanwhile sends
                again what it needs of them.
                A pull or a query that reads a month delays its removal for at most some seconds: then the command
                fails, and says so.

                \(ArchiveArguments.discussion)
                """,
            arguments: [ArchiveArguments.url, keep, unfinished, dryRun, ArchiveArguments.timeout],
            examples: [
                "archive expire postgres://db/fleet --keep 90d --keep crashed=1y":
                    "Crashes for a year, all else for 90 days.",
                "archive expire postgres://db/fleet --keep shop/=200GB --dry-run":
                    "What would go if one app had 200 GB.",
            ],
            jsonShape:
                "a line a month, {month, recordings (removed), bytes, staying, dropped (the whole month)}; then {unfinished (chunks), bytes}, if there were any"
        )

        static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
            let rules = try arguments.all(keep)
            if rules.isEmpty { throw UsageError(syntax.name, .missingOption(keep.declaration)) }
            if tool.isProcess { TerminationSignal.observe(unlessIgnored: true) }
            let connection = try ArchiveArguments.connect(arguments, tool, needsApp: true)
            let expiry = try ArchiveExpiry(rules, connection)
            let months = try expiry.months()
            let isDry = arguments[dryRun]
            var (removed, dropped) = (0, 0)
            for month in months {
                let name = month.name
                var result = (recordings: month.recordings, isDropped: month.isWhole)
                if !isDry {
                    result = try expiry.expire(month) { count in
                        tool.console.progress(
                            "\(name): \(Quantities.grouped(count)) of \(Quantities.grouped(month.recordings))"
                        )
                    }
                }
                removed += result.recordings
                dropped += result.isDropped ? 1 : 0
                if arguments[GlobalOptions.json] {
                    tool.console.print(json: [
                        "month": .string(name), "recordings": .int(result.recordings), "bytes": .int(month.bytes),
                        "staying": .int(month.staying), "dropped": .bool(result.isDropped),
                    ])
                    continue
                }
                let verb = isDry ? "would go" : "removed"
                let rest = result.isDropped ? "the whole month" : "\(Quantities.grouped(month.staying)) stay"
                let count = Quantities.counted(result.recordings, "recording")
                tool.console.print("\(name)  \(count) (\(Quantities.bytes(month.bytes))) \(verb), \(rest)", hanging: 4)
            }
            if !isDry { try expiry.deleteResults() }
            let age = try arguments[unfinished] ?? usualAge
            let left = try expiry.removeUnfinished(olderThan: age, isDry: isDry)
            tool.console.clearProgress()
            if arguments[GlobalOptions.json] {
                if left.chunks > 0 {
                    tool.console.print(json: ["unfinished": .int(left.chunks), "bytes": .int(left.bytes)])
                }
                return .fine
            }
            if left.chunks > 0 {
                let chunks = "\(Quantities.counted(left.chunks, "chunk")) (\(Quantities.bytes(left.bytes)))"
                tool.console.print("\(chunks) of pushes that did not end \(isDry ? "would go" : "removed")")
            }
            let all = Quantities.counted(removed, "recording")
            let whole = dropped > 0 ? ", \(Quantities.counted(dropped, "whole month")) among them" : ""
            tool.console.print(isDry ? "\(all) would go\(whole). Nothing was removed." : "Removed \(all)\(whole).")
            return .fine
        }
    }
#endif
