#if Archive
    import HindsightArchive
    import HindsightSupport

    /// `hindsight archive crashes URL`
    enum ArchiveCrashesCommand: Command {
        static let limit = Option<Int>(
            "limit",
            from: 1,
            to: 1_000_000,
            help: "The most groups to list of each kind; \(usual) by default, and with --json 10,000."
        )

        private static let usual = 20

        static let syntax = Syntax(
            "archive crashes",
            abstract: "Groups the crashes of a fleet, and what archive verify found, by kind and place",
            discussion: """
                A group has the recordings that ended in the same way (a signal, a full stack, exit) and place (a reducer,
                subscribers, middleware, another thread …) and action type, with counts by version, when it was first and
                last seen, and its newest recording. If archive verify has run on them, it says in which build they still
                crash, are fixed, or crash again. The path of a crash is not known: a recording has what a reducer changed
                once it returns. After that come the differences that the newest archive verify of each recording found.
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
                known; empty: the whole state), cause, message (SIGTRAP,
                SIGSEGV: stack overflow, exit …; null: not known, as after a kill from outside, or if the app does not mark
                crashes), phase (reducer, between
                reducers, subscribers, middleware before, middleware after, idle, another thread), state (new: not
                verified, or came after it was fixed; seen; fixed; regressed), build (the one
                that was verified last and decides it), verified (their number), recordings (their number), devices (those with names), versions [{version, recordings}],
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
            tool.console.print(faint: "… and more (--limit N lists more)")
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
                let rest = group.recordings - group.verified
                let others = rest > 0 ? "; \(Quantities.counted(rest, "recording")) not verified" : ""
                let state =
                    switch group.state {
                    case .new: "fixed in build \(build), and came again since"
                    case .seen: "\(verb) in build \(build)"
                    case .fixed: style.good("fixed in build \(build)")
                    case .regressed: "\(verb) in build \(build), and did not when another build was verified before"
                    }
                tool.console.print("  \(state)\(others)", hanging: 4)
            }
            let versions = group.versions.map {
                "\(brief($0.version, longest: 30)) (\(Quantities.grouped($0.recordings)))"
            }
            tool.console.print("  versions \(Quantities.list(versions, most: 6))", hanging: 4)
            let id = escape(group.example)
            tool.console.printExactly("  \(style.faint("newest"))  \(tool.name) archive pull \(url) \(id)")
        }

        private static func title(of group: CrashGroup) -> String {
            var parts = [group.type.map { brief($0, longest: 60) } ?? place(group)]
            if let phase = group.phase, group.type != nil, group.reducer == nil { parts.append(escape(phase)) }
            if let reducer = group.reducer { parts.append("reducer \(brief(reducer, longest: 60))") }
            if let path = group.path { parts.append(path.isEmpty ? "the whole state" : brief(path, longest: 120)) }
            if let cause = group.cause, !["crash", "none", "initialState"].contains(cause) {
                parts.append("likely \(escape(cause))")
            }
            if let message = group.message { parts.append(brief(message, longest: 60)) }
            return "\(brief(group.app, longest: 40)): \(parts.joined(separator: ", "))"
        }

        /// What a group without an action is about.
        private static func place(_ group: CrashGroup) -> String {
            if group.kind == .divergence { return "the state at the start" }
            switch group.phase {
            case nil: return "the action is not known"
            case "idle"?: return "between two actions"
            case "middleware before"?: return "an action in middleware, before its reduction"
            case let phase?: return escape(phase)
            }
        }
    }
#endif
