#if Archive
    import Foundation
    import HindsightArchive
    import HindsightQuery
    import HindsightSupport
    import HindsightTree

    /// `hindsight archive find URL EXPR`
    enum ArchiveFindCommand: Command {
        static let all = Flag("all", help: "List all recordings with it; otherwise the first \(usual).")

        private static let usual = 50
        private static let (found, none) = ("found", "none")
        /// The verdict on a recording that has it at no position that is known, and in which others are not known.
        private static let unknown = "unknown"

        static let syntax = Syntax(
            "archive find",
            abstract: "Lists the recordings of an archive, and their positions, at which an expression is true",
            discussion: """
                EXPR is an expression of find, over state and action. It is evaluated by workers, as archive verify does;
                an expression over the summaries alone is quicker with archive list or archive sql.
                \(ArchiveJobArguments.discussion)
                Without --wait, it ends when no job waits.
                \(ArchiveFilterArguments.discussion)
                The exit code is 0, 2 if no recording has what EXPR names, or 3 if a recording could not be searched.

                \(ArchiveArguments.discussion)
                """,
            isPaged: true,
            arguments: [ArchiveArguments.url, FindCommand.expression] + ArchiveFilterArguments.declarations
                + [FindCommand.becomes, ExpressionArguments.by, all]
                + ArchiveJobArguments.declarations,
            examples: [
                "archive find postgres://db/fleet '/cart/total < 0' --becomes --app shop --jobs auto --wait":
                    "In which recordings, and where, the total became negative."
            ],
            jsonShape: """
                a line a recording with the expression, or in which it is true at none of the positions that are known, and
                others are not known, {id, stretches [{position, to, count}] (the first 100), stretchCount, trueCount,
                nullCount, unknownCount, doubtful (true if some of the states searched are doubtful)}, or {id, error}; then
                {event: "summary", run, waiting, claimed (by others), verdicts {found, none, unknown, empty, failed,
                poison}, unknownNames [{kind, name}] (what no recording has)}
                """
        )

        static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
            let text = try arguments.require(FindCommand.expression)
            // A mistake is told here, and not by each job.
            _ = try RecordingExpression(text)
            let asked = ArchiveFindTask.Question(
                expression: text,
                becomes: arguments[FindCommand.becomes],
                by: try arguments[ExpressionArguments.by]?.rawValue
            )
            let question = ArchiveQuestion(
                .find,
                // No reducers run, so another build of this version finds the same.
                build: try arguments[ArchiveJobArguments.build] ?? Tool.version,
                text: try ArchiveJobArguments.json(asked),
                filter: try ArchiveFilterArguments.filter(arguments)
            )
            let queue = try ArchiveJobArguments.work(question, search(asked), timeout: nil, arguments, tool)
            return try report(queue, arguments, tool)
        }

        private static func search(_ question: ArchiveFindTask.Question) -> ArchiveWorker.Question {
            ArchiveWorker.Question(
                task: { ArchiveFindTask(question: question, file: $0) },
                answer: { file, id, process, end in
                    guard process.verdict(of: end.ending) != nil, let json = process.progress.takeAnswers().first else {
                        return try failed("the search ended its process")
                    }
                    let answer = try JSONDecoder().decode(ArchiveFindTask.Answer.self, from: Data(json))
                    if let error = answer.error { return try failed(error.replacing(escape(file), with: id)) }
                    let verdict = answer.stretchCount > 0 ? found : answer.unknownCount > 0 ? unknown : none
                    return ArchiveWorker.Answer(verdict: verdict, result: try ArchiveJobArguments.json(answer))
                },
                failure: { _, failure in try failed(failure.lines.joined(separator: " ")) }
            )
        }

        private static func failed(_ reason: String) throws -> ArchiveWorker.Answer {
            ArchiveWorker.Answer(
                verdict: ArchiveWorker.Answer.failed,
                result: try ArchiveJobArguments.json(ArchiveFindTask.Answer(error: reason))
            )
        }

        private static func report(_ queue: ArchiveQueue, _ arguments: Arguments, _ tool: Tool) throws -> ExitCode {
            let isJSON = arguments[GlobalOptions.json]
            let most = isJSON || arguments[all] ? Int(Int32.max) : usual
            var (count, failures, unknowns) = (0, 0, 0)
            var first: (id: String, position: String)?
            let progress = try queue.progress()
            try queue.results([none, ArchiveWorker.Answer.empty], isWanted: false) { id, verdict, result in
                try tool.console.checkIsOpen()
                let answer = read(result, verdict)
                if isJSON { tool.console.print(json: try node(of: answer, id)) }
                if verdict == unknown, answer.error == nil {
                    unknowns += 1
                    return
                }
                if answer.error != nil { failures += 1 } else { count += 1 }
                if first == nil, let stretch = answer.stretches.first { first = (id, stretch.position) }
                if !isJSON, count + failures <= most { print(answer, id, arguments, tool) }
            }
            // A recording that was not searched may have it.
            let isWhole = count == 0 && failures == 0 && progress.waiting + progress.claimed == 0
            let names = isWhole ? try unknownNames(of: queue) : []
            if isJSON {
                tool.console.print(json: [
                    "event": "summary", "run": .int(Int(queue.run)), "waiting": .int(progress.waiting),
                    "claimed": .int(progress.claimed), "verdicts": ArchiveJobArguments.node(of: progress.verdicts),
                    "unknownNames": .array(
                        names.map { ["kind": .string($0.kind.rawValue), "name": .string($0.name)] }
                    ),
                ])
            } else {
                tool.console.printRest(count + failures - most, "recording", " (--all lists them)")
                tool.console.print(ArchiveJobArguments.text(of: progress, [found, none, unknown]))
                if unknowns > 0 {
                    let recordings = Quantities.counted(unknowns, "recording")
                    tool.console.note(
                        "Not known: in \(recordings), it is true at none of the positions that are known. At others, the states "
                            + "were not recorded, or what it reads is redacted. --json lists them."
                    )
                }
                for name in names { tool.console.note(line(name)) }
                if let first {
                    let url = ArchiveArguments.shownURL(arguments)
                    let (id, position) = (escape(first.id), escape(first.position))
                    tool.console.printExactly(
                        "  \(tool.console.style.faint("the first"))  \(tool.name) archive pull \(url) \(id)"
                    )
                    tool.console.print("             \(tool.name) jump \(id).hindsight \(position)")
                }
            }
            return failures > 0 ? .badFile : names.isEmpty ? .fine : .usage
        }

        /// What makes the answer empty in every recording, in order; empty if one of them has all that the expression names.
        private static func unknownNames(of queue: ArchiveQueue) throws -> [ArchiveFindTask.UnknownName] {
            var common: [ArchiveFindTask.UnknownName]?
            try queue.results([none, unknown], isWanted: true) { _, verdict, result in
                if common?.isEmpty == true { return }
                let names = read(result, verdict).unknownNames ?? []
                common = common?.filter(names.contains) ?? names
            }
            return common ?? []
        }

        private static func line(_ name: ArchiveFindTask.UnknownName) -> String {
            let shown = name.kind == .path ? escape(name.name) : brief(name.name)
            return switch name.kind {
            case .path: "None of these recordings has anything at \(shown)."
            case .type: "None of these recordings has an action of type \(shown)."
            case .reducer: "None of these recordings has a reducer \(shown)."
            case .operation: "There is no kind of operation \(shown)."
            case .comparison:
                "In each of these recordings, \(escape(name.name)) is of another kind than what it is compared with."
            }
        }

        private static func read(_ result: String?, _ verdict: String) -> ArchiveFindTask.Answer {
            let data = Data((result ?? "").utf8)
            if let answer = try? JSONDecoder().decode(ArchiveFindTask.Answer.self, from: data) { return answer }
            // Poison has no result. Another may be hostile.
            return ArchiveFindTask.Answer(error: ArchiveWorker.Answer.whyNoResult(verdict))
        }

        private static func print(
            _ answer: ArchiveFindTask.Answer,
            _ id: String,
            _ arguments: Arguments,
            _ tool: Tool
        ) {
            if let error = answer.error {
                tool.console.print(
                    "\(escape(id))  \(tool.console.style.bad("not searched")): \(escape(error))",
                    hanging: 4
                )
                return
            }
            guard let first = answer.stretches.first else { return }
            let isOne = arguments[FindCommand.becomes] || first.position == first.to
            let place = isOne ? first.position : "\(first.position) to \(first.to)"
            let count =
                arguments[FindCommand.becomes]
                ? Quantities.counted(answer.stretchCount, "time") : Quantities.counted(answer.trueCount, "position")
            let unknown =
                answer.unknownCount > 0 ? ", not known at \(Quantities.counted(answer.unknownCount, "position"))" : ""
            let doubt = answer.doubtful == true ? "; some of the states are doubtful" : ""
            tool.console.print("\(escape(id))  \(count), first at \(escape(place))\(unknown)\(doubt)", hanging: 4)
        }

        private static func node(of answer: ArchiveFindTask.Answer, _ id: String) throws -> Node {
            if let error = answer.error { return ["id": .string(id), "error": .string(error)] }
            guard case .object(let members) = try Node(answer: answer) else { return .null }
            return .object([.init("id", .string(id))] + members)
        }
    }
#endif
