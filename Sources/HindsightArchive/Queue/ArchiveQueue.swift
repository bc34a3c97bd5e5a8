#if Archive
    import Foundation
    import HindsightSupport

    /// A job that this worker has claimed.
    package struct ArchiveJob: Sendable {
        package let number: Int64
        package let recording: RecordingKey
        /// How often the job has been claimed, this time included.
        package let attempt: Int64
    }

    /// How far a run is.
    package struct ArchiveProgress: Sendable {
        package var waiting = 0
        package var claimed = 0
        /// The jobs that have ended, by their verdict.
        package var verdicts: [String: Int] = [:]

        package var ended: Int { verdicts.values.reduce(0, +) }
        package var all: Int { waiting + claimed + ended }
    }

    /// What a run asks of each recording.
    package struct ArchiveQuestion: Sendable {
        package enum Kind: String, Sendable { case verify, find }

        package let kind: Kind
        /// What runs the reducers, or searches. Another build has jobs of its own.
        package let build: String
        /// The options, or the expression, as JSON.
        package let text: String
        package let filter: ArchiveFilter

        package init(_ kind: Kind, build: String, text: String, filter: ArchiveFilter) {
            (self.kind, self.build, self.text, self.filter) = (kind, build, text, filter)
        }
    }

    /// A worker's view of a run: it claims jobs, keeps their leases, and writes their results.
    ///
    /// All workers that ask the same of the same recordings with the same build share one run, on any number of machines.
    /// Each statement is a transaction of its own. If the connection is lost, it connects again; each call can be repeated,
    /// and a result is written only by the worker that has the lease.
    package final class ArchiveQueue {
        /// The number of the run.
        package let run: Int64
        /// The name of this worker: the machine, the process and a random part.
        package let worker: String
        /// How long a job is this worker's without a heart-beat.
        package let lease: Duration
        package private(set) var jobs: [Int64: ArchiveJob] = [:]

        private let filter: ArchiveFilter
        private let connect: () throws -> ArchiveConnection
        private var connection: ArchiveConnection
        private let isInterrupted: () -> Bool
        private var lastNumber: Int64 = 0
        private var (lastBeat, lastLook) = (ContinuousClock.now, ContinuousClock.now - .seconds(60))

        /// How long to try to reach a server that is away.
        private static let patience = Duration.seconds(60)

        /// Joins the run of a question, or makes it.
        ///
        /// - Parameters:
        ///   - lease: How long a job of a worker that died waits for another one, if this call makes the run.
        ///   - attempts: The number of claims after which a job that ends its workers is given up, likewise.
        ///   - connect: Connects to the archive, and checks that it is one.
        ///   - isInterrupted: Whether to stop waiting for a server.
        package init(
            _ question: ArchiveQuestion,
            lease: Duration,
            attempts: Int,
            isInterrupted: @escaping () -> Bool,
            connect: @escaping () throws -> ArchiveConnection
        ) throws {
            self.isInterrupted = isInterrupted
            filter = question.filter
            self.connect = {
                let connection = try connect()
                // The statements are short. One that is interrupted would end the connection, and jobs could not be given
                // back.
                connection.isInterrupted = nil
                return connection
            }
            connection = try self.connect()
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            let filterText = String(decoding: try encoder.encode(filter), as: UTF8.self)
            let whole = [question.kind.rawValue, question.build, question.text, filterText]
            let key = SHA256.digest(of: Array(try encoder.encode(whole)))
            run = try connection.run(
                "SELECT hindsight.join_run($1::text, $2, $3::text, $4::text, $5::text, $6::bigint, $7::bigint)",
                [
                    .text(question.kind.rawValue), .bytes(key), .text(question.build), .text(question.text),
                    .text(filterText), .integer(lease.components.seconds), .number(attempts),
                ]
            )[0].integer(0)
            // A statement does not see the rows that its functions make.
            let found = try connection.run("SELECT lease_seconds FROM hindsight.run WHERE id = $1", [.integer(run)])
            guard let row = found.first else { throw Self.deletion }
            self.lease = .seconds(row.integer(0))
            let random = hex((0..<4).map { _ in UInt8.random(in: 0...255) })
            worker = "\(ProcessInfo.processInfo.hostName)/\(getpid())/\(random)"
        }

        /// Adds the jobs of complete recordings that fit the question.
        ///
        /// - Parameter repeats: Whether jobs that have ended run again.
        /// - Returns: The number of jobs that were added, or wait again.
        package func add(repeats: Bool) throws -> Int {
            let (condition, parameters) = filter.condition(after: [.integer(run), .boolean(repeats)])
            do {
                return try add(where: condition, parameters)
            } catch let error as ArchiveError where error.kind == .server(sqlstate: "23503") {
                throw Self.deletion
            }
        }

        /// What `archive forget` and `archive expire` do to a run without jobs.
        private static var deletion: ArchiveError { ArchiveError(.conflict, "The run was deleted meanwhile.") }

        private func add(where condition: String, _ parameters: [ArchiveValue]) throws -> Int {
            try attempt { connection in
                // Many recordings take long, and the server is silent meanwhile.
                let usual = connection.timeout
                connection.timeout = .seconds(3600)
                connection.isInterrupted = isInterrupted
                defer { (connection.timeout, connection.isInterrupted) = (usual, nil) }
                let rows = try connection.run(
                    """
                    SELECT hindsight.add_jobs($1, array_agg(r.started), array_agg(r.id), $2)
                    FROM hindsight.recordings AS r WHERE r.complete AND \(condition) HAVING count(*) > 0
                    """,
                    parameters
                )
                return Int(rows.first?.integer(0) ?? 0)
            }
        }

        /// Claims a job. The claim is committed when this returns.
        ///
        /// - Returns: `nil` if no job waits. Another worker may still have some.
        package func claim() throws -> ArchiveJob? {
            // The leases of others end rarely, and looking for them costs more than the claim, if many have.
            let looks = ContinuousClock.now - lastLook >= .seconds(1)
            if let job = try claim(looks: looks) { return job }
            return looks ? nil : try claim(looks: true)
        }

        private func claim(looks: Bool) throws -> ArchiveJob? {
            if looks { lastLook = .now }
            return try attempt { connection in
                let rows = try connection.run(
                    "SELECT number, started, recording::text, attempts FROM hindsight.claim($1, $2::text, $3, $4)",
                    [.integer(run), .text(worker), .integer(lastNumber), .boolean(looks)]
                )
                guard let row = rows.first else { return nil }
                let job = ArchiveJob(
                    number: row.integer(0),
                    recording: RecordingKey(id: row.text(2), started: row.integer(1)),
                    attempt: row.integer(3)
                )
                jobs[job.number] = job
                lastNumber = job.number
                return job
            }
        }

        /// Lengthens the leases of this worker's jobs, if a third of a lease has passed since the last time. A job that
        /// another worker has taken over is forgotten.
        ///
        /// It is called while another statement or a child works, which may take longer than a lease. So it connects again
        /// if the connection is lost, but only once: if the server is away, a later call tries again.
        package func beatIfDue() {
            guard ContinuousClock.now - lastBeat >= lease / 3, !jobs.isEmpty else { return }
            lastBeat = .now
            do {
                do {
                    try beat()
                } catch let error as ArchiveError where error.kind == .dropped {
                    try beat()
                }
            } catch {
                // The leases last for a while yet.
                lastBeat = .now - lease / 3 + .seconds(1)
            }
        }

        private func beat() throws {
            if !connection.isOpen { connection = try connect() }
            let numbers = Array(jobs.keys)
            let rows = try connection.run(
                "SELECT hindsight.beat($1, $2::text, $3::bigint[])",
                [.integer(run), .text(worker), .integers(numbers)]
            )
            let kept = Set(rows.map { $0.integer(0) })
            for number in numbers where !kept.contains(number) { jobs[number] = nil }
        }

        /// Writes the result of a job, unless another worker has the job, because this one was too slow.
        ///
        /// - Parameter result: A JSON object.
        package func finish(_ job: ArchiveJob, verdict: String, result: String) throws {
            let text = Self.storable(result)
            _ = try attempt { connection in
                try connection.run(
                    "SELECT hindsight.finish($1, $2, $3::text, $4, $5::text, $6::jsonb)",
                    [
                        .integer(run), .integer(job.number), .text(worker), .integer(job.attempt), .text(verdict),
                        .text(text),
                    ]
                )
            }
            jobs[job.number] = nil
        }

        /// Ends the lease of a job whose process was ended from outside, so that it is tried again, or given up.
        package func giveUp(_ job: ArchiveJob) throws {
            _ = try attempt { connection in
                try connection.run(
                    "SELECT hindsight.give_up($1, $2::text, $3)",
                    [.integer(run), .text(worker), .integer(job.number)]
                )
            }
            jobs[job.number] = nil
        }

        /// Gives all jobs back, so that other workers need not wait for the end of their leases. Without a server, they do.
        package func giveBack() {
            if jobs.isEmpty { return }
            connection.timeout = .seconds(5)
            _ = try? connection.run(
                "SELECT hindsight.give_back($1, $2::text, $3::bigint[])",
                [.integer(run), .text(worker), .integers(Array(jobs.keys))]
            )
            jobs = [:]
        }

        /// How far the run is with the recordings that fit now. It reads all jobs of the run.
        package func progress() throws -> ArchiveProgress {
            let (condition, parameters) = filter.condition(onJobAfter: [.integer(run)])
            return try attempt { connection in
                var progress = ArchiveProgress()
                let rows = try connection.run(
                    """
                    SELECT state, COALESCE(verdict, ''), count(*) FROM hindsight.job AS j
                    WHERE run = $1 AND \(condition) GROUP BY state, verdict
                    """,
                    parameters
                )
                for row in rows {
                    switch row.text(0) {
                    case "waiting": progress.waiting += Int(row.integer(2))
                    case "claimed": progress.claimed += Int(row.integer(2))
                    default: progress.verdicts[row.text(1), default: 0] += Int(row.integer(2))
                    }
                }
                return progress
            }
        }

        /// Whether a job waits, or a worker has one.
        package func isOpen() throws -> Bool {
            try attempt { connection in
                try connection.run(
                    """
                    SELECT EXISTS (SELECT FROM hindsight.job WHERE run = $1 AND state = 'waiting')
                        OR EXISTS (SELECT FROM hindsight.job WHERE run = $1 AND state = 'claimed')
                    """,
                    [.integer(run)]
                )[0].boolean(0)
            }
        }

        /// The results of the jobs that have ended with one of some verdicts, or with any but these, of recordings that fit
        /// now.
        ///
        /// - Parameter most: The most results to read.
        package func results(
            _ verdicts: [String],
            isWanted: Bool,
            most: Int = Int(Int32.max),
            _ body: (_ id: String, _ verdict: String, _ result: String?) throws -> Void
        ) throws {
            let (condition, parameters) = filter.condition(
                onJobAfter: [.integer(run), .texts(verdicts), .boolean(isWanted), .number(most)]
            )
            try connection.each(
                """
                SELECT j.recording::text, j.verdict, j.result FROM hindsight.job AS j
                WHERE j.run = $1 AND j.state = 'done' AND (j.verdict = ANY ($2::text[])) = $3 AND \(condition)
                ORDER BY j.number LIMIT $4
                """,
                parameters
            ) { try body($0.text(0), $0.text(1), $0.optionalText(2)) }
        }

        /// Runs statements, and again after a lost connection.
        private func attempt<Value>(_ body: (ArchiveConnection) throws -> Value) throws -> Value {
            var deadline: ContinuousClock.Instant?
            while true {
                do {
                    if !connection.isOpen { connection = try connect() }
                    return try body(connection)
                } catch let error as ArchiveError where error.isPassing {
                    let end = deadline ?? .now + Self.patience
                    deadline = end
                    if ContinuousClock.now >= end || isInterrupted() { throw error }
                    usleep(250_000)
                }
            }
        }

        /// JSON that `jsonb` takes, which has no NUL character: `\u0000` becomes `\u2400`.
        static func storable(_ json: String) -> String {
            guard json.containsScalars("u0000") else { return json }
            // Takes each escape as a whole, so that none seems to begin at the second backslash of another.
            return json.replacing(#/\\(u0000|.)/#.matchingSemantics(.unicodeScalar)) { match in
                match.1 == "u0000" ? "\\u2400" : match.0
            }
        }
    }
#endif
