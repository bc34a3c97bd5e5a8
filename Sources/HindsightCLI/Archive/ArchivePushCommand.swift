#if Archive
    /// `hindsight archive push URL FILE…`
    enum ArchivePushCommand: Command {
        static let files = Positional(
            "FILE",
            repeating: true,
            help: "Recordings; for a directory, those in it and below it."
        )
        static let device = Option<String>(
            "device",
            value: "NAME",
            help: "A name for the device that recorded; by default, the installation that a recording names."
        )
        static let salvage = Flag("salvage", help: "Of a damaged recording, send the part that is sound.")
        static let replace = Flag("replace", help: "Replace another recording that has the same ID.")
        static let follow = Flag("follow", help: "Send what is recorded from now on too, until you press Ctrl-C.")

        static let syntax = Syntax(
            "archive push",
            abstract: "Sends recordings to an archive",
            discussion: """
                A recording whose process has ended is recovered first, as recover does. Its text is cut into parts, which
                are deflated and sent, except those that the archive has: a push that was interrupted continues where it
                stopped, and a second push of the same file sends nothing. A file that has not changed since its push is not
                read again: the user's cache folder has a list, which may be deleted. Readers of the archive see all of a recording
                or what they saw before. Pushing a recording that has grown, or has got notes, replaces it. One whose actions
                are others than those that the archive has under its ID, such as a recording that was migrated in its place,
                is refused without --replace. One that is there as it is gets the device that --device names.
                A recording that cannot be read is reported, and the others are sent.
                With --follow, directories are looked at again each second. A recording in progress is read again as a whole, so
                one whose push takes long is pushed less often. If the server is away, the push waits for it.

                \(ArchiveArguments.discussion)
                """,
            arguments: [ArchiveArguments.url, files, device, follow, replace, salvage, ArchiveArguments.timeout],
            examples: [
                "archive push postgres://localhost/fleet runs/": "A directory of runs.",
                "archive push postgres://localhost/fleet --follow --device kiosk-7 runs/":
                    "What a running app records.",
            ],
            jsonShape: """
                a line a file, {file, id, outcome (new, grown, same, older: the archive has more, or forgotten or expired: it takes it no more), actions, complete,
                bytes (of text), chunks, sent {chunks, bytes}, nanoseconds {reading, sending}}; or {file, error}
                """
        )

        static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
            let paths = arguments.all(files)
            if tool.isProcess { TerminationSignal.observe() }
            let pusher = ArchivePusher(
                tool: tool,
                device: try arguments[device] ?? "",
                salvages: arguments[salvage],
                replaces: arguments[replace],
                asJSON: arguments[GlobalOptions.json]
            )
            if arguments[follow] {
                let follower = ArchiveFollower(pusher: pusher, tool: tool, paths: paths)
                return try follower.run { try ArchiveArguments.connect(arguments, tool) }
            }
            let files = try Tool.recordings(below: paths)
            return try pusher.push(files, to: try ArchiveArguments.connect(arguments, tool))
        }
    }
#endif
