#if Archive
    import Foundation
    import HindsightArchive
    import HindsightSupport
    import HindsightTree

    /// The arguments of `archive verify` and `archive find` that concern their jobs.
    enum ArchiveJobArguments {
        static let jobs = Option<Int>(
            "jobs",
            short: "j",
            value: "N",
            expected: "a number of processes from 0 to 512, or auto",
            help: "Run N processes at once; auto is one for each core. 0 runs none, and only adds jobs or waits."
        ) { CorpusArguments.processes($0, from: 0) }
        static let wait = Flag(
            "wait",
            help: "Also wait for the jobs that other workers have, and print the whole answer."
        )
        static let build = Option<String>(
            "build",
            text: "NAME",
            expected: "a name",
            help: "What this build is called, such as a commit; by default, a hash of this executable."
        )
        static let again = Flag("again", help: "Also run jobs again that have ended. Give it on one machine only.")
        static let lease = Option<Int>(
            "lease",
            value: "SECONDS",
            from: 1,
            to: 86_400,
            help: "How long the job of a worker that died waits for another; 60 by default. The first call decides."
        )
        static let attempts = Option<Int>(
            "attempts",
            from: 1,
            to: 1000,
            help: "How often to try a job whose process is ended from outside; 3 by default. The first call decides."
        )

        static var declarations: [any Argument] {
            [jobs, wait, build, again, lease, attempts, ArchiveArguments.timeout]
        }

        static let discussion = """
            Each recording that fits is a job. Run the same command on as many machines as you like: all of them work on
            the same jobs, and each job has one result. A worker claims a job for the time of a lease, which heart-beats
            lengthen while it works. If a worker dies, another one takes its job when the lease has ended. A job whose
            process is ended from outside too often, as for want of memory, gets the verdict poison. Later, the command takes
            only recordings that are new or have changed. The verdict empty says that nothing was recorded: the process ended before its first state.
            """

        /// Joins the run of a question, adds the jobs, and works on them.
        ///
        /// - Returns: The queue, for the results.
        /// - Throws: ``Failure`` if a signal stops the tool; an `ArchiveError` if the server stays away.
        static func work(
            _ question: ArchiveQuestion,
            _ asked: ArchiveWorker.Question,
            timeout: Double?,
            _ arguments: Arguments,
            _ tool: Tool
        ) throws -> ArchiveQueue {
            guard tool.isProcess else {
                throw Failure(
                    .usage,
                    "\(arguments.syntax.name) needs a tool of its own, because it runs child processes."
                )
            }
            TerminationSignal.observe(unlessIgnored: true)
            func connect() throws -> ArchiveConnection { try ArchiveArguments.connect(arguments, tool, needsApp: true) }
            let queue = try ArchiveQueue(
                question,
                lease: .seconds(try arguments[lease] ?? 60),
                attempts: try arguments[attempts] ?? 3,
                isInterrupted: { TerminationSignal.received != nil },
                connect: connect
            )
            let added = try queue.add(repeats: arguments[again])
            if !arguments[GlobalOptions.json] {
                tool.console.note("Run \(queue.run): \(Quantities.counted(added, "recording")) to do.")
            }
            let worker = try ArchiveWorker(
                queue,
                asked,
                jobs: try arguments[jobs] ?? 1,
                timeout: timeout,
                tool,
                connect: connect
            )
            try worker.run(waits: arguments[wait])
            return queue
        }

        /// The name of this build.
        static func build(_ arguments: Arguments) throws -> String {
            if let name = try arguments[build] { return name }
            var hash = ContentHash()
            guard hash.addFile(try Isolation.executable(of: arguments.syntax.name).path) else {
                throw Failure(.badFile, "This executable cannot be read.", "Name the build with --build NAME.")
            }
            return hash.text
        }

        /// The text of a question or an answer, as JSON with sorted keys.
        static func json(_ value: some Encodable) throws -> String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        }

        /// `9,800 equal, 12 diverged`
        static func text(of progress: ArchiveProgress, _ verdicts: [String]) -> String {
            typealias Answer = ArchiveWorker.Answer
            let order = verdicts + [Answer.empty, Answer.failed, Answer.poison]
            let others = progress.verdicts.keys.filter { !order.contains($0) }.sorted()
            var parts = (order + others).compactMap { verdict in
                progress.verdicts[verdict].map { "\(Quantities.grouped($0)) \(escape(verdict))" }
            }
            if progress.waiting > 0 { parts.append("\(Quantities.grouped(progress.waiting)) waiting") }
            if progress.claimed > 0 { parts.append("\(Quantities.grouped(progress.claimed)) with other workers") }
            let all = Quantities.counted(progress.all, "recording")
            return parts.isEmpty ? all : "\(all): \(parts.joined(separator: ", "))"
        }

        static func node(of verdicts: [String: Int]) -> Node {
            .object(verdicts.sorted { $0.key < $1.key }.map { Node.Member($0.key, .int($0.value)) })
        }
    }
#endif
