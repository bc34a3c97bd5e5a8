#if Archive
    import HindsightArchive

    /// The arguments that say which recordings of an archive are meant.
    enum ArchiveFilterArguments {
        private typealias Member<Value> = WritableKeyPath<ArchiveFilter, Value?> & Sendable

        private static let names: [(option: Option<String>, member: Member<String>)] = [
            (text("app", "NAME", "Only recordings of this app."), \.app),
            (text("app-version", "VERSION", "Only this version of the app: 3.2.1, or '3.2.*'."), \.version),
            (text("device", "NAME", "Only recordings of this device or installation."), \.device),
            (text("platform", "NAME", "Only recordings of this system: 'macOS *'."), \.platform),
            (ending, \.ending),
            (text("crash-type", "TYPE", "Only recordings that crashed in an action of this type."), \.crashType),
            (text("crash-reducer", "NAME", "Only recordings that crashed in this reducer."), \.crashReducer),
            (text("type", "TYPE", "Only recordings with an action of this type."), \.actionType),
        ]
        private static let times: [(option: Option<ArchiveMoment>, member: Member<ArchiveMoment>)] = [
            (moment("since", "Only recordings that began at this time or later."), \.since),
            (moment("until", "Only recordings that began before this time."), \.until),
        ]
        private static let ending = Option<String>(
            "ending",
            value: ExpiryRule.endings.joined(separator: "|"),
            expected: ExpiryRule.endings.joined(separator: ", "),
            help: "Only recordings that ended so; open means not closed."
        ) { ExpiryRule.endings.contains($0) ? $0 : nil }

        static var declarations: [any Argument] { names.map(\.option) + times.map(\.option) }

        static let discussion = """
            In names, * stands for any text. A time is a date or a time in UTC, 2026-11-20 or 2026-11-20T14:03Z, or how
            long ago: 12h, 7d, 2w, 1y. It is the time of the device that recorded.
            """

        private static func text(_ name: String, _ value: String, _ help: String) -> Option<String> {
            Option(name, text: value, expected: "a text that is not empty", help: help)
        }

        private static func moment(_ name: String, _ help: String) -> Option<ArchiveMoment> {
            Option(
                name,
                value: "TIME",
                expected:
                    "a date such as 2026-11-20, a time such as 2026-11-20T14:03Z, or an age such as 12h, 7d or 1y",
                help: help
            ) { ArchiveMoment($0) }
        }

        static func filter(_ arguments: Arguments) throws -> ArchiveFilter {
            var filter = ArchiveFilter()
            for (option, member) in names { filter[keyPath: member] = try arguments[option] }
            for (option, member) in times { filter[keyPath: member] = try arguments[option] }
            return filter
        }
    }
#endif
