#if Archive
    import HindsightArchive
    import HindsightSupport

    /// `hindsight archive crashes URL`
    enum ArchiveCrashesCommand: Command {
        static let limit = Option<Int>(
            "limit",
            value: "N",
            expected: "a whole number from 1 up",
            help: "The most groups to list of each kind; \(usual) by default, and with --json 10,000."
        ) { Int($0).flatMap { 1...1_000_000 ~= $0 ? $0 : nil } }

        private static let usual = 20

        static let syntax = Syntax(
            "archive crashes",
            abstract: "Groups the crashes of a fleet, and what archive verify found, by action type, reducer and path",
            discussion: """
                A group has the recordings that ended in the same action type and reducer, with counts by version, when it
                was first and last seen, and its newest recording. The path of a crash is not known: a recording has what a
                reducer changed once it returns. After that come the differences that the newest archive verify of each app
                found.
                \(ArchiveFilterArguments.discussion)

                \(ArchiveArguments.discussion)
                """,
            isPaged: true,
            arguments: [ArchiveArguments.url] + ArchiveFilterArguments.declarations + [
                limit, ArchiveArguments.timeout,
            ],
            examples: [
                "archive crashes postgres://db/fleet --since 7d": "Those of a week.",
                "archive crashes postgres://db/fleet --app shop --app-version '3.*'": "Those of one app's versions.",
            ],
            jsonShape: """
                a line a group, {kind (crash, divergence), app, type (null: not known), reducer, path (null: not
                known; empty: the whole state), cause, state (new: not verified; seen; fixed; regressed), build (the one
                that was verified last), recordings (their number), devices (those with names), versions [{version, recordings}],
                firstSeen, lastSeen, example (an ID), seq (the action in it)}
                """
        )

        static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
            let filter = try ArchiveFilterArguments.filter(arguments)
            let isJSON = arguments[GlobalOptions.json]
            let most = try arguments[limit] ?? (isJSON ? 10_000 : usual)
            let connection = try ArchiveArguments.connect(arguments, tool, isReadOnly: true)
            // One more than asked for tells whether there are more.
            let crashes = try connection.crashes(filter, most: most + 1)
            let divergences = try connection.divergences(filter, most: most + 1)
            if isJSON {
                for group in crashes.prefix(most) + divergences.prefix(most) {
                    tool.console.print(answer: group)
                }
                return .fine
            }
            if crashes.isEmpty { tool.console.print("No recording of these crashed.") }
            let url = ArchiveArguments.shownURL(arguments)
            for group in crashes.prefix(most) { print(group, url, tool) }
            if crashes.count > most { printMore(tool) }
            if divergences.isEmpty { return .fine }
            tool.console.print()
            tool.console.print("Differences that archive verify found:")
            for group in divergences.prefix(most) { print(group, url, tool) }
            if divergences.count > most { printMore(tool) }
            return .fine
        }

        private static func printMore(_ tool: Tool) {
            tool.console.print()
            tool.console.print(tool.console.style.faint("… and more (--limit N lists more)"))
        }

        private static func print(_ group: CrashGroup, _ url: String, _ tool: Tool) {
            let style = tool.console.style
            let count = Quantities.counted(group.recordings, "recording")
            let devices = group.devices > 0 ? " of \(Quantities.counted(group.devices, "device"))" : ""
            let kind = group.kind == .crash || group.cause == "crash" ? style.bad("crash") : style.changed("differs")
            tool.console.print()
            tool.console.print("\(kind)  \(style.strong(title(of: group)))", hanging: 4)
            let seen = "\(ArchiveText.day(group.firstSeen)) to \(ArchiveText.day(group.lastSeen))"
            tool.console.print("  \(count)\(devices), \(seen)", hanging: 4)
            if let build = group.build.map({ brief($0, longest: 60) }) {
                let verb = group.kind == .crash ? "crashes" : "differs"
                let state =
                    switch group.state {
                    case .new, .seen: "\(verb) in build \(build)"
                    case .fixed: "fixed in build \(build)"
                    case .regressed: "\(verb) again in build \(build), and did not in an earlier one"
                    }
                tool.console.print("  \(group.state == .fixed ? style.good(state) : state)", hanging: 4)
            }
            let versions = group.versions.map {
                "\(brief($0.version, longest: 30)) (\(Quantities.grouped($0.recordings)))"
            }
            tool.console.print("  versions \(Quantities.list(versions, most: 6))", hanging: 4)
            let id = escape(group.example)
            tool.console.printExactly("  \(style.faint("newest"))  \(tool.name) archive pull \(url) \(id)")
        }

        private static func title(of group: CrashGroup) -> String {
            var parts = [group.type.map { brief($0, longest: 60) } ?? "the action is not known"]
            if group.type == nil, group.kind == .divergence { parts = ["the state at the start"] }
            if let reducer = group.reducer { parts.append("reducer \(brief(reducer, longest: 60))") }
            if let path = group.path { parts.append(path.isEmpty ? "the whole state" : brief(path, longest: 120)) }
            if let cause = group.cause, !["crash", "none", "initialState"].contains(cause) {
                parts.append("likely \(escape(cause))")
            }
            return "\(brief(group.app, longest: 40)): \(parts.joined(separator: ", "))"
        }
    }
#endif
