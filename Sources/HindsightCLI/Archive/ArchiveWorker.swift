#if Archive
    import Foundation
    import HindsightArchive
    import HindsightFormat
    import HindsightRecording
    import HindsightSupport

    /// Works on the jobs of a run: claims one, pulls its recording into a temporary folder, asks it in a child process, and
    /// writes the result.
    ///
    /// The claim is committed before the work begins, so no transaction is open meanwhile. A recording that ends its child
    /// is one job's result. If this process dies, its jobs wait for the end of their leases, and another worker takes them.
    final class ArchiveWorker {
        /// What a child found in a recording.
        struct Answer {
            /// The verdict on a recording that could not be read or replayed.
            static let failed = "failed"
            /// The verdict on a recording whose process ended before there was a state.
            static let empty = "empty"

            /// The verdict that the queue gives.
            static let poison = "poison"

            /// Why a verdict has no result that can be read.
            static func whyNoResult(_ verdict: String) -> String {
                if verdict == poison { return "its process was ended from outside too often, as for want of memory" }
                return "its result cannot be read, such as one of another version of this tool; --again replaces it"
            }

            let verdict: String
            /// A JSON object.
            let result: String
        }

        private struct Child {
            let job: ArchiveJob
            let file: String
            let process: Isolation
        }

        /// What a run asks of a recording.
        struct Question {
            /// The task of a child for a file.
            let task: (_ file: String) -> any IsolatedTask
            /// The answer of a child that has ended.
            let answer: (_ file: String, _ id: String, _ process: Isolation, _ end: Isolation.End) throws -> Answer
            /// The answer if the recording cannot be pulled.
            let failure: (_ id: String, _ failure: Failure) throws -> Answer
        }

        private let tool: Tool
        private let executable: URL
        private let queue: ArchiveQueue
        private let connect: () throws -> ArchiveConnection
        private var connection: ArchiveConnection?
        private let question: Question
        private let jobs: Int
        private let timeout: Double?
        private let folder: TemporaryFolder
        private var children: [Child] = []
        /// When to ask for a job again, after none waited.
        private var nextClaim = ContinuousClock.now

        /// - Parameters:
        ///   - jobs: The number of children at once.
        ///   - timeout: The seconds that one action may take.
        ///   - connect: Connects for pulling.
        init(
            _ queue: ArchiveQueue,
            _ question: Question,
            jobs: Int,
            timeout: Double?,
            _ tool: Tool,
            connect: @escaping () throws -> ArchiveConnection
        ) throws {
            (self.queue, self.question, self.jobs, self.timeout) = (queue, question, jobs, timeout)
            (self.tool, self.connect) = (tool, connect)
            executable = try Isolation.executable(of: tool.name)
            folder = try TemporaryFolder(named: "hindsight-archive-")
        }

        /// Works until no job waits, and with `waits` until no worker has one.
        ///
        /// - Throws: ``Failure`` if a signal stops the tool; an `ArchiveError` if the server stays away. The jobs of this
        ///   worker are given back.
        func run(waits: Bool) throws {
            defer {
                for child in children { child.process.end() }
                queue.giveBack()
                folder.remove()
            }
            tool.console.output.flush()
            var (lastReport, lastCheck) = (ContinuousClock.now - .seconds(60), ContinuousClock.now - .seconds(60))
            while true {
                try stopIfAsked()
                var isIdle = children.isEmpty
                while children.count < jobs, let job = try claim() {
                    try start(job)
                    isIdle = false
                    try advanceAll()
                }
                try advanceAll()
                queue.beatIfDue()
                let now = ContinuousClock.now
                if now - lastReport > .seconds(2) {
                    lastReport = now
                    try report()
                }
                guard isIdle else {
                    Isolation.wait(for: children.map(\.process))
                    continue
                }
                if !waits { break }
                if now - lastCheck >= .milliseconds(500) || jobs == 0 {
                    lastCheck = now
                    if try !queue.isOpen() { break }
                }
                _ = TerminationSignal.wait(milliseconds: 200, output: -1)
            }
            tool.console.clearProgress()
        }

        /// Claims a job. If none waits, it does not ask the server again for a while.
        private func claim() throws -> ArchiveJob? {
            guard ContinuousClock.now >= nextClaim else { return nil }
            let job = try queue.claim()
            if job == nil { nextClaim = .now + .milliseconds(500) }
            return job
        }

        private func stopIfAsked() throws {
            try TerminationSignal.check {
                "Stopped by signal \($0). What was found is in the archive; the same command continues."
            }
        }

        private func report() throws {
            guard tool.console.terminal.isErrorTerminal else { return }
            let progress = try queue.progress()
            let all = Quantities.counted(progress.all, "recording")
            let claimed = progress.claimed > 0 ? ", \(Quantities.grouped(progress.claimed)) being worked on" : ""
            tool.console.progress("\(Quantities.grouped(progress.ended)) of \(all)\(claimed)")
        }

        /// Pulls the recording of a job, and starts its child.
        private func start(_ job: ArchiveJob) throws {
            let file = folder.path + "/\(job.number).hindsight"
            do {
                try pull(job, to: file)
                // A child names the temporary file, so its messages are not shown.
                let process = try Isolation(question.task(file), by: executable, errors: nil)
                children.append(Child(job: job, file: file, process: process))
            } catch {
                // Another error concerns this machine: the connection, a full disk, no process.
                guard Self.isOfRecording(error) else { throw error }
                let failure = tool.failure(for: error)
                let answer = try question.failure(job.recording.id, Self.naming(failure, file, job.recording.id))
                try finish(job, file, answer)
            }
        }

        /// Whether an error says that no machine can pull the recording.
        private static func isOfRecording(_ error: any Error) -> Bool {
            switch error {
            case let error as ArchiveError:
                error.kind == .damagedChunk || error.kind == .server(sqlstate: "02000")
            case let error as RecordingError:
                ![.unwritable, .unreadable, .notFound, .exists, .inUse].contains(error.code)
            default: false
            }
        }

        /// A failure that names the recording, and not its temporary file.
        static func naming(_ failure: Failure, _ file: String, _ id: String) -> Failure {
            Failure(failure.code, lines: failure.lines.map { $0.replacing(escape(file), with: id) })
        }

        private func pull(_ job: ArchiveJob, to file: String) throws {
            // Waiting for the server, and writing a large recording, must not cost the leases.
            let beats = HeartBeats(of: queue)
            try beats.start()
            defer { beats.end() }
            for turn in 1... {
                do {
                    let open = try connection.flatMap { $0.isOpen ? $0 : nil } ?? connect()
                    connection = open
                    _ = try open.pull(job.recording, to: URL(filePath: file), overwrite: true)
                    return
                } catch let error as ArchiveError {
                    try stopIfAsked()
                    guard error.isPassing, turn < 20 else { throw error }
                    usleep(UInt32(min(turn, 8)) * 250_000)
                }
            }
        }

        /// Lengthens the leases of a queue on a thread of its own, from its start to its end. Nothing else may use the
        /// queue meanwhile.
        private final class HeartBeats: @unchecked Sendable {
            private let queue: ArchiveQueue
            private let isOver = DispatchSemaphore(value: 0)
            private let hasEnded = DispatchSemaphore(value: 0)

            init(of queue: ArchiveQueue) { self.queue = queue }

            func start() throws(SystemError) {
                try BackgroundThread.start { [self] in
                    while isOver.wait(timeout: .now() + .milliseconds(200)) == .timedOut { queue.beatIfDue() }
                    hasEnded.signal()
                }
            }

            /// Waits for the beat that runs.
            func end() {
                isOver.signal()
                hasEnded.wait()
            }
        }

        private func advanceAll() throws {
            for child in children {
                guard
                    let end = try child.process.advance(
                        timeout: timeout,
                        show: { _ in },
                        waiting: { _ in try stopIfAsked() }
                    )
                else { continue }
                children.removeAll { $0.process === child.process }
                if case .signal = end.ending, !end.ending.isCrash {
                    // Something outside ended it.
                    try stopIfAsked()
                    try queue.giveUp(child.job)
                    nextClaim = .now
                    TemporaryFolder.removeRecording(child.file)
                } else {
                    let answer = try question.answer(child.file, child.job.recording.id, child.process, end)
                    try finish(child.job, child.file, answer)
                }
            }
        }

        private func finish(_ job: ArchiveJob, _ file: String, _ answer: Answer) throws {
            var answer = answer
            if answer.verdict == Answer.failed, (try? Recording(at: URL(filePath: file)))?.isEmpty == true {
                answer = Answer(verdict: Answer.empty, result: "{}")
            }
            try queue.finish(job, verdict: answer.verdict, result: answer.result)
            TemporaryFolder.removeRecording(file)
        }
    }
#endif
