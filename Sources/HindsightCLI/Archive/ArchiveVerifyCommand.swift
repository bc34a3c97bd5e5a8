#if Archive
    import Foundation
    import HindsightArchive
    import HindsightRecording
    import HindsightReplay
    import HindsightSupport
    import HindsightTree

    /// `hindsight archive verify URL`
    enum ArchiveVerifyCommand: Command {
        static let timeout = Option<Double>(
            seconds: "action-timeout",
            help: "End a replay in which one action takes longer than this. Without it, there is no limit."
        )

        private static let equal = "equal"
        /// The most recordings whose differences are read for the classes.
        private static let maxResults = 20_000
        private static let maxClasses = 20
        private static let maxBytes = 1 << 20

        static let syntax = Syntax(
            "archive verify",
            abstract: "Checks the recordings of an archive with this build's reducers, by any number of workers",
            discussion: """
                Replays recordings through the reducers of this build, goes on after differences, and puts those that look
                alike into classes, as review does. With --isolated, each action is compared on the recorded state before
                it.
                \(ArchiveJobArguments.discussion)
                Without --wait, it ends when no job waits.
                \(ArchiveFilterArguments.discussion)
                The exit code is 0 if all recordings that have a result are equal, 1 if one differs, 3 or 4 if one could
                not be verified, 5 if a reducer ended a replay, and 6 if no recording fits, or none that has a state.

                \(ArchiveArguments.discussion)
                """,
            arguments: [ArchiveArguments.url] + ArchiveFilterArguments.declarations + [
                VerificationArguments.isolated, VerificationArguments.ignore,
                VerificationArguments.tolerance, timeout,
            ] + ArchiveJobArguments.declarations,
            examples: [
                "archive verify postgres://db/fleet --app-version '3.2.*' --jobs auto --wait":
                    "All recordings of a version, on each machine that runs this.",
                "archive verify postgres://db/fleet --build $COMMIT --jobs 0 --wait":
                    "Waits for the workers of other machines.",
            ],
            jsonShape: """
                one object with run, build, waiting, claimed (by others), verdicts {equal, diverged, crash, empty, failed, poison},
                classes [as review prints them; files are IDs], notVerified [{file, error}]
                """
        )

        static func run(_ arguments: Arguments, in tool: Tool) throws -> ExitCode {
            let options = try ReviewOptions(arguments)
            let text = try ArchiveJobArguments.json(options)
            let question = ArchiveQuestion(
                .verify,
                build: try ArchiveJobArguments.build(arguments),
                text: text,
                filter: try ArchiveFilterArguments.filter(arguments)
            )
            let limit = try arguments[timeout]
            let queue = try ArchiveJobArguments.work(
                question,
                try asked(options, limit, tool),
                timeout: limit,
                arguments,
                tool
            )
            return try report(queue, question, arguments, tool)
        }

        /// What a child is asked, and how its answer is read.
        private static func asked(_ options: ReviewOptions, _ timeout: Double?, _ tool: Tool) throws
            -> ArchiveWorker.Question
        {
            let review = try ReviewProcess(tool, timeout: timeout)
            return ArchiveWorker.Question(
                task: { ExaminationTask(files: [$0], options: options) },
                answer: { file, id, process, end in
                    if process.verdict(of: end.ending) != nil {
                        let json = Data(process.progress.takeAnswers().first ?? [])
                        return try answer(try JSONDecoder().decode(ExaminedFile.self, from: json), file, id)
                    }
                    var result = ExaminedFile(file: file)
                    result.problem =
                        try review.problem(process, end)
                        ?? ExaminedFile.Problem(Failure(.crash, "The replay ended its process without a verdict."))
                    result.app = try Recording(at: URL(filePath: file)).app.name
                    return try answer(result, file, id)
                },
                failure: { id, failure in
                    var result = ExaminedFile(file: id)
                    result.problem = ExaminedFile.Problem(failure)
                    return try answer(result, id, id)
                }
            )
        }

        private static func answer(_ result: ExaminedFile, _ file: String, _ id: String) throws -> ArchiveWorker.Answer
        {
            var result = result
            result.file = id
            if let problem = result.problem {
                result.problem?.lines = ArchiveWorker.naming(problem.failure, file, id).lines
            }
            let verdict =
                result.problem.map { $0.isCrash ? "crash" : ArchiveWorker.Answer.failed }
                ?? (result.differences.isEmpty ? equal : "diverged")
            var text = try ArchiveJobArguments.json(result)
            if text.utf8.count > maxBytes {
                // The values stay in the recording.
                for index in result.differences.indices {
                    result.differences[index].first.action = nil
                    result.differences[index].first.expected = nil
                    result.differences[index].first.actual = nil
                    result.differences[index].first.patch = Patch()
                }
                text = try ArchiveJobArguments.json(result)
            }
            return ArchiveWorker.Answer(verdict: verdict, result: text)
        }

        private static func report(
            _ queue: ArchiveQueue,
            _ question: ArchiveQuestion,
            _ arguments: Arguments,
            _ tool: Tool
        ) throws -> ExitCode {
            let progress = try queue.progress()
            var files: [ExaminedFile] = []
            let unlisted = [equal, ArchiveWorker.Answer.empty]
            try queue.results(unlisted, isWanted: false, most: maxResults) { id, verdict, result in
                var file = ExaminedFile(file: id)
                do {
                    file = try JSONDecoder().decode(ExaminedFile.self, from: Data((result ?? "").utf8))
                    file.file = id
                } catch {
                    // Poison has no result. Another may be hostile.
                    let reason = ArchiveWorker.Answer.whyNoResult(verdict)
                    file.problem = ExaminedFile.Problem(Failure(.badFile, "\(id): \(reason)."))
                }
                files.append(file)
            }
            let review = Review(files)
            if arguments[GlobalOptions.json] {
                let all = ReviewReport.json(review, written: [], failures: [], stale: nil)
                tool.console.print(json: [
                    "run": .int(Int(queue.run)), "build": .string(question.build), "waiting": .int(progress.waiting),
                    "claimed": .int(progress.claimed), "verdicts": ArchiveJobArguments.node(of: progress.verdicts),
                    "classes": .optional(all["classes"]), "notVerified": .optional(all["notReviewed"]),
                ])
            } else {
                printText(progress, review, arguments, tool)
            }
            if files.count == maxResults {
                let count = Quantities.grouped(maxResults)
                tool.console.note(
                    "The classes have the first \(count) recordings that are not equal. archive sql has all."
                )
            }
            var codes = files.compactMap { $0.problem?.code }.map { code -> ExitCode in
                [0, 1, 3, 4, 5, 6].contains(code) ? ExitCode(rawValue: code) : .badFile
            }
            if !review.classes.isEmpty { codes.append(.difference) }
            // A misspelt filter must not pass for a build without differences.
            if progress.all == progress.verdicts[ArchiveWorker.Answer.empty] ?? 0 {
                codes.append(.nothingCompared)
                tool.console.note("Nothing was compared: no recording of the archive that fits has a state.")
            }
            return codes.max() ?? .fine
        }

        private static func printText(
            _ progress: ArchiveProgress,
            _ review: Review,
            _ arguments: Arguments,
            _ tool: Tool
        ) {
            tool.console.print(ArchiveJobArguments.text(of: progress, [equal, "diverged", "crash"]))
            let report = ReviewReport(tool, review)
            for index in review.classes.indices.prefix(maxClasses) { report.print(index, of: review) }
            if review.classes.count > maxClasses {
                let more = Quantities.counted(review.classes.count - maxClasses, "more class", "more classes")
                tool.console.print()
                tool.console.print("and \(more); --json has all")
            }
            report.printUnreviewed(review, as: "not verified", most: maxClasses)
            if review.unreviewed.count > maxClasses {
                let more = Quantities.grouped(review.unreviewed.count - maxClasses)
                tool.console.print("and \(more) more that were not verified; --json has all")
            }
            guard let index = review.classes.first?.fileIndices.first else { return }
            let url = ArchiveArguments.shownURL(arguments)
            tool.console.print()
            tool.console.printExactly(
                "To look at one: \(tool.name) archive pull \(url) \(escape(review.files[index].file))"
            )
        }
    }
#endif
