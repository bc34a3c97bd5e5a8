#if Archive
    import Foundation
    import HindsightArchive
    import HindsightFormat
    import HindsightRecording
    import HindsightSupport
    import HindsightTree

    /// `hindsight archive pull URL ID|CONDITION -o OUT`
    enum ArchivePullCommand: Command {
        static let query = Positional(
            "ID|CONDITION",
            help:
                "The beginning of an ID; or a condition in SQL over the view hindsight.recordings: \"actions > 9\"."
        )
        static let output = Option<String>(
            output: "OUT|DIR",
            expected: "a file or a directory",
            help: "The recording to create, or the directory for ID.hindsight; by default, the current one."
        )
        static let limit = Option<Int>(
            "limit",
            from: 1,
            to: 1_000_000,
            help: "The largest number of recordings that a condition may bring; 1,000 by default."
        )
        static let from = Option<Int>(
            "from",
            value: "P",
            from: 0,
            help: "Bring a part that begins with the state after action P, as cut makes it."
        )
        static let to = Option<Int>("to", from: 0, help: "Bring a part that ends with action N, as cut makes it.")
        static let force = Flag("force", help: "Replace files that exist.")

        static let syntax = Syntax(
            "archive pull",
            abstract: "Brings recordings back from an archive, checked by their hashes",
            discussion: """
                A recording that was pulled has the same text as the one that was pushed: export gives the same bytes, and
                sqlite3 sees the same rows in its views. Each part is compared with its SHA-256, and the whole with the
                recording's. A file appears once it is complete.
                The archive has the changes of each action, and a state only at the start. So with --from or --to, it reads
                what comes before N, and then cuts: the part has the actions after P with numbers from 1, and an ID of its
                own. info says what it was cut from. A part that goes to the end ends as the recording does.

                \(ArchiveArguments.discussion)
                """,
            arguments: [ArchiveArguments.url, query, output, from, to, limit, force, ArchiveArguments.timeout],
            examples: [
                "archive pull postgres://localhost/fleet 3f2a91 -o crash.hindsight": "One recording.",
                "archive pull postgres://localhost/fleet \"ending = 'crashed'\" -o crashes/": "All that crashed.",
                "archive pull postgres://localhost/fleet 3f2a91 --from 400 --to 450 -o part.hindsight":
                    "What led to a position that archive find printed.",
            ],
            jsonShape: """
                a line a recording, {id, output, actions (their count), bytes (of text), received (deflated bytes), nanoseconds
                {receiving, writing}}; or {id, error}
                """
        )

        static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
            let text = try arguments.require(query)
            let (chosen, limit) = (try arguments[output], try arguments[limit] ?? 1000)
            let (first, last) = (try arguments[from], try arguments[to])
            if let first, let last, first > last {
                throw Failure(.usage, "The part would end at \(last), before it begins at \(first).")
            }
            if tool.isProcess { TerminationSignal.removeDraftsAtEnd() }
            let connection = try ArchiveArguments.connect(arguments, tool, isReadOnly: true)
            let found = try find(text, limit, connection)
            let directory = try directory(chosen, found.count)
            var worst = ExitCode.fine
            for recording in found {
                let file = directory.map { Tool.path(of: recording.id + RunName.suffix, in: $0) } ?? chosen ?? ""
                do {
                    let isForced = arguments[force]
                    let pull =
                        if first != nil || last != nil {
                            try bringPart(of: recording, first, last, to: file, overwrite: isForced, connection, tool)
                        } else {
                            try connection.pull(recording, to: URL(filePath: file), overwrite: isForced)
                        }
                    report(pull, recording.id, file, arguments, tool)
                } catch {
                    let failure = tool.failure(for: error)
                    if !connection.isOpen || found.count == 1 { throw failure }
                    if arguments[GlobalOptions.json] {
                        let words = failure.lines.joined(separator: " ")
                        tool.console.print(json: ["id": .string(recording.id), "error": .string(words)])
                    }
                    let code = tool.report(failure)
                    worst = max(worst, code)
                }
            }
            return worst
        }

        /// Brings what comes before the end of a part, and cuts it.
        private static func bringPart(
            of archived: RecordingKey,
            _ first: Int?,
            _ last: Int?,
            to file: String,
            overwrite: Bool,
            _ connection: ArchiveConnection,
            _ tool: Tool
        ) throws -> ArchivePull {
            try NewFile.check(file, overwrite: overwrite)
            let folder = try TemporaryFolder(named: "hindsight-archive-")
            defer { folder.remove() }
            let whole = Tool.path(of: archived.id + RunName.suffix, in: folder.path)
            // One more, so that a part before the end does not end as the recording does.
            let needed = last.map { $0 < .max ? $0 + 1 : $0 }
            var pull = try connection.pull(archived, upTo: needed, to: URL(filePath: whole))
            let received = ContinuousClock.now
            do {
                let recording = try Recording(at: URL(filePath: whole))
                // The action of a crash is the last one, although the state after it is not known.
                let origin = try recording.cut(
                    from: first.map { Recording.Position(seq: $0) } ?? recording.start,
                    to: Recording.Position(seq: min(last ?? .max, recording.actionCount)),
                    into: URL(filePath: file),
                    overwrite: overwrite
                )
                pull.actions = origin.last - origin.first
            } catch {
                let failure = Messages.failure(for: error, tool: tool.name)
                throw ArchiveWorker.naming(failure, whole, archived.id)
            }
            pull.writing += ContinuousClock.now - received
            return pull
        }

        private static func find(_ text: String, _ limit: Int, _ connection: ArchiveConnection) throws -> [RecordingKey]
        {
            guard let found = try connection.recordings(withID: text, limit: 10) else {
                let found = try connection.recordings(where: text, limit: limit + 1)
                guard !found.isEmpty else { throw Failure(.badFile, "No recording fits \(quote(text)).") }
                guard found.count <= limit else {
                    throw Failure(
                        .usage,
                        "More than \(Quantities.counted(limit, "recording")) fit \(quote(text)).",
                        "Narrow the condition, or bring more with --limit."
                    )
                }
                return found
            }
            guard !found.isEmpty else { throw Failure(.badFile, "The archive has no recording \(quote(text)).") }
            guard found.count == 1 else {
                throw Failure(
                    .usage,
                    "Several recordings have an ID that begins with \(quote(text)).",
                    "Give more of it: \(found.prefix(5).map { escape($0.id) }.joined(separator: ", "))."
                )
            }
            return found
        }

        /// The directory for the files; `nil` if the output is the only file.
        private static func directory(_ chosen: String?, _ count: Int) throws -> String? {
            guard let chosen else { return "." }
            if FileSystem.isDirectory(chosen) { return chosen }
            guard count > 1 || chosen.hasSuffix("/") else { return nil }
            try FileManager.default.createDirectory(atPath: chosen, withIntermediateDirectories: true)
            return chosen
        }

        private static func report(
            _ pull: ArchivePull,
            _ id: String,
            _ file: String,
            _ arguments: Arguments,
            _ tool: Tool
        ) {
            if arguments[GlobalOptions.json] {
                tool.console.print(json: [
                    "id": .string(id), "output": .string(file), "actions": .int(pull.actions),
                    "bytes": .int(pull.bytes), "received": .int(pull.receivedBytes),
                    "nanoseconds": [
                        "receiving": .int(Int(pull.receiving.nanoseconds)),
                        "writing": .int(Int(pull.writing.nanoseconds)),
                    ],
                ])
            } else {
                tool.console.print("Wrote \(Quantities.counted(pull.actions, "action")) to \(escape(file)).")
            }
        }
    }
#endif
