#if Archive
    import HindsightFormat
    import HindsightRecording
    import HindsightSupport
    import HindsightTree

    /// What a push of one recording did.
    package struct ArchivePush: Codable, Sendable {
        package enum Outcome: String, Codable, Sendable {
            /// The archive did not have the recording.
            case new
            /// The archive had an earlier state of it.
            case grown
            /// The archive had it as it is.
            case same
            /// The archive has more of it.
            case older
            /// It was removed from the archive for good, by `archive forget` or `archive expire`: nothing was sent.
            case forgotten, expired
        }

        package let key: RecordingKey
        package var app = ""
        /// The UUID that the recorder made; `nil` if it made none.
        package var root: String?
        /// The hash of the recording in the archive; empty if it does not have it.
        package var hash: [UInt8] = []
        package var outcome = Outcome.same
        /// The number of its last action.
        package var actions = 0
        /// Whether its process has ended.
        package var isComplete = false
        /// The size of its text.
        package var bytes = 0
        /// The number of its chunks, and of those that were sent.
        package var chunks = 0
        package var sentChunks = 0
        /// The deflated bytes that were sent.
        package var sentBytes = 0
        /// The time for reading, hashing and deflating, and for sending and waiting for the server.
        package var reading = Duration.zero
        package var sending = Duration.zero
    }

    extension ArchiveConnection {
        /// Whether the archive has a recording whose process has ended, with all that it had when it was pushed: its row,
        /// its head, and its chunks.
        ///
        /// - Parameter hash: The hash of the recording then.
        package func has(_ key: RecordingKey, of app: String, hash: [UInt8]) throws(ArchiveError) -> Bool {
            let rows = try run(
                """
                SELECT coalesce(complete AND hash = $4, false), chunks, parts
                FROM hindsight.begin_push($1, $2, $3)
                """,
                [.text(key.startedText), .text(key.id), .text(app), .bytes(hash)]
            )
            let parts = ChunkKey.keys(rows[0].bytes(2))
            return rows[0].boolean(0) && !parts.isEmpty && Set(ChunkKey.keys(rows[0].bytes(1))).isSuperset(of: parts)
        }

        /// Names the device of a recording that the archive has.
        package func setDevice(_ device: String, of key: RecordingKey) throws(ArchiveError) {
            try run(
                "SELECT hindsight.set_device($1, $2, $3)",
                [.text(key.startedText), .text(key.id), .text(device)]
            )
        }

        /// Why the archive takes a recording no more; `nil` if it does.
        ///
        /// - Parameter root: The UUID that the recorder made, which parts of the recording have, too.
        package func refusal(
            of key: RecordingKey,
            root: String?,
            app: String
        ) throws(ArchiveError) -> ArchivePush.Outcome? {
            let rows = try run(
                "SELECT hindsight.why_gone($1::text::uuid, $2::text::uuid, $3)",
                [.text(key.id), .optional(root), .text(app)]
            )
            return rows[0].optionalText(0).flatMap(ArchivePush.Outcome.init(rawValue:))
        }

        /// Sends a recording as it was when it was opened, except the chunks that the archive has.
        ///
        /// Chunks are committed as they are sent, so a push that is killed continues where it stopped. What readers see
        /// of the recording changes once, at the end. Behind a pooler, a push whose chunks another one has removed is one
        /// transaction at its second try.
        ///
        /// - Parameters:
        ///   - device: A name for the device, for questions by device. If it is empty, the device is the installation that
        ///     the recording names. It stays as it was if the archive has the recording as it is.
        ///   - replaces: Whether it takes the place of another recording with its ID.
        ///   - isSound: Whether it is known that the recording is sound. Another one is examined once before anything is
        ///     sent, unless it is being recorded, or the archive has it as it is.
        ///   - text: The text of the recording if it was read before. It is read again if the archive has another part of
        ///     it.
        ///   - progress: Takes the number of actions so far.
        /// - Throws: An ``ArchiveError``; ``DamagedRecording`` before anything is sent, because nobody could pull a
        ///   damaged one; or a `RecordingError` if the recording is damaged. Then the archive has of the recording what it
        ///   had before.
        package func push(
            _ recording: Recording,
            device: String,
            replacing replaces: Bool = false,
            isSound: Bool = false,
            read text: ReadText? = nil,
            progress: (_ action: Int) -> Void = { _ in }
        ) throws -> ArchivePush {
            // Others may use the connection after this.
            defer { if isOpen, !isPooled { _ = try? run("RESET synchronous_commit") } }
            // Another push of the same recording may remove chunks that are not yet part of it.
            for attempt in 0..<3 {
                let run = try PushRun(of: recording, device: device, replacing: replaces, isSound: isSound, by: self)
                run.text = text
                do {
                    if let push = try attempt == 0 ? run.run(progress) : run.runAlone(progress) { return push }
                } catch let error as ArchiveError {
                    guard let push = run.refused(by: error) else { throw error }
                    return push
                }
            }
            throw ArchiveError(.conflict, "Other pushes of the same recording got in the way.")
        }

        /// Pushes, and again if another session got in the way: it dropped the month that the recording is in, or the
        /// server ended a deadlock.
        package func pushing<Value>(_ body: () throws -> Value) throws -> Value {
            try retrying([.conflict, Self.noPartition], body)
        }

        /// What the server says if the month of a row has no partition, and of rows that a table's checks refuse.
        private static let noPartition = ArchiveError.Kind.server(sqlstate: "23514")
    }

    /// A recording that can be read, but not replayed.
    package struct DamagedRecording: Error {
        package let examination: Examination

        /// What is wrong, as a clause.
        package var reason: String {
            guard let finding = examination.findings.first(where: \.isDamage) else { return "it contradicts itself" }
            return finding.part == .journal ? "its journal is damaged" : finding.what
        }
    }

    /// One attempt to send a recording.
    private final class PushRun {
        private let connection: ArchiveConnection
        private let recording: Recording
        private let device: String
        private let replaces: Bool
        /// Whether the recording needs no examination, or no further one.
        private var isExamined: Bool
        /// What was read before.
        var text: ReadText? { didSet { isExamined = isExamined || text != nil } }
        private var push: ArchivePush
        /// The examination, if it has begun.
        private var soundness: Soundness?
        /// Why the archive takes the recording no more.
        private var refusal: ArchivePush.Outcome?
        /// The hash of the recording as the archive has it, and its chunks in order.
        private var storedHash: [UInt8] = []
        private var storedChunks: [ChunkKey] = []
        /// The chunks that are at the server.
        private var known: Set<ChunkKey> = []
        private var chunks: [ChunkKey] = []
        private var batch: [DeflatedChunk] = []
        private var batchBytes = 0

        /// The size of the bodies that one transaction sends.
        private static let maxBytes = 16 << 20

        init(
            of recording: Recording,
            device: String,
            replacing replaces: Bool,
            isSound: Bool,
            by connection: ArchiveConnection
        ) throws {
            (self.connection, self.recording) = (connection, recording)
            (self.device, self.replaces) = (device, replaces)
            isExamined = isSound || recording.ending == .open(live: true)
            var header = ""
            try recording.writeText(of: TextPart(lines: .header)) { header += $0 }
            let key = RecordingKey(of: recording, header: try Node(json: String(header.dropLast())))
            push = ArchivePush(key: key)
            // Chunks that are lost with the server are sent again. The end of the push waits for the disk, and for all
            // that was committed before it. Behind a pooler the setting would reach others.
            if !connection.isPooled { try connection.run("SET synchronous_commit = off") }
            try begin()
        }

        private func begin() throws(ArchiveError) {
            let begun = ContinuousClock.now
            refusal = try connection.refusal(of: push.key, root: recording.id, app: recording.app.name)
            let answer = try connection.run(
                "SELECT chunks, hash, parts FROM hindsight.begin_push($1, $2, $3)",
                [.text(push.key.startedText), .text(push.key.id), .text(recording.app.name)]
            )
            known = Set(ChunkKey.keys(answer[0].bytes(0)))
            storedHash = answer[0].bytes(1)
            storedChunks = ChunkKey.keys(answer[0].bytes(2))
            push.sending += ContinuousClock.now - begun
        }

        /// Lets no other push of the recording end meanwhile.
        func runAlone(_ progress: (_ action: Int) -> Void) throws -> ArchivePush? {
            let name: [ArchiveValue] = [.text("hindsight \(push.key.id)")]
            if connection.isPooled {
                // Behind a pooler, only a transaction has the same session until its end. It should be short.
                try examineOnce()
                return try connection.transaction {
                    try connection.run("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", name)
                    try begin()
                    return try run(progress)
                }
            }
            try connection.run("SELECT pg_advisory_lock(hashtextextended($1, 0))", name)
            // A connection that fails releases the lock.
            defer {
                if connection.isOpen {
                    _ = try? connection.run("SELECT pg_advisory_unlock(hashtextextended($1, 0))", name)
                }
            }
            try begin()
            return try run(progress)
        }

        /// Returns `nil` if chunks that were there have gone.
        func run(_ progress: (_ action: Int) -> Void) throws -> ArchivePush? {
            if let refusal { return refused(refusal) }
            let (begun, sentBefore) = (ContinuousClock.now, push.sending)
            let cutter = try readText(progress)
            let head = cutter.head
            let body = try Deflater.deflate(head)
            let facts = RecordingFacts(recording: recording, key: push.key, device: device, text: cutter)
            (push.actions, push.bytes, push.chunks) = (cutter.last, cutter.bytes, chunks.count)
            (push.app, push.isComplete) = (recording.app.name, facts.isComplete)
            let hash = ArchivedHead.hash(ofRecordingWith: head, chunks)
            if hash != storedHash { try examineOnce() }
            let parameters: [ArchiveValue] = [
                .text(try facts.node().json), .bytes(hash), .bytes(body),
                .byteStrings(chunks.map { Array($0.bytes) }), .text(facts.types.json), .text(facts.notes.json),
                .boolean(replaces), .bytes(storedHash), .boolean(continuesStored(cutter.keyAtMark)),
                .boolean(recording.id != nil),
            ]
            push.reading += ContinuousClock.now - begun - (push.sending - sentBefore)
            let sent = ContinuousClock.now
            try insert()
            if !connection.isPooled { try connection.run("RESET synchronous_commit") }
            let text = try connection.run(
                "SELECT hindsight.finish_push($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
                parameters
            )[0].text(0)
            push.sending += ContinuousClock.now - sent
            if text == "other" {
                throw ArchiveError(
                    .otherRecording,
                    "The archive has another recording with the ID \(push.key.id), with other actions.",
                    advice: "It stays. --replace puts this one in its place."
                )
            }
            guard let outcome = ArchivePush.Outcome(rawValue: text) else { return nil }
            push.outcome = outcome
            push.hash = hash
            if outcome == .new || outcome == .grown { push.sentBytes += body.count }
            return push
        }

        /// Cuts the text, and adds its chunks.
        private func readText(_ progress: (_ action: Int) -> Void) throws -> TextCutter {
            if let text, storedChunks.isEmpty {
                push.reading += text.duration
                try add(text.chunks)
                return text.cutter
            }
            // A new one is examined while it is read.
            if storedHash.isEmpty, !isExamined { soundness = try Soundness(of: recording) }
            var cutter = TextCutter(start: recording.start.seq, mark: storedChunks.last?.last)
            let deflater = ChunkDeflater(known: known)
            try recording.writeText { line in
                try cutter.add(line) {
                    progress($0.actions.upperBound)
                    deflater.add($0)
                    try add(try deflater.take())
                    if connection.isInterrupted?() == true { throw ArchiveError(.interrupted, "Interrupted.") }
                }
            }
            cutter.end(deflater.add)
            try add(try deflater.finish())
            return cutter
        }

        /// The outcome if the recording was removed meanwhile; `nil` for another error.
        func refused(by error: ArchiveError) -> ArchivePush? {
            switch error.kind {
            case .server(sqlstate: "HS001"): refused(.forgotten)
            case .server(sqlstate: "HS002"): refused(.expired)
            default: nil
            }
        }

        private func refused(_ outcome: ArchivePush.Outcome) -> ArchivePush {
            var refused = ArchivePush(key: push.key)
            (refused.app, refused.root, refused.outcome) = (recording.app.name, recording.id, outcome)
            refused.isComplete = recording.ending != .open(live: true)
            return refused
        }

        /// Whether the recording begins with all actions that the archive has of it, with the same texts.
        private func continuesStored(_ keyAtMark: ChunkKey?) -> Bool {
            guard let last = storedChunks.last else { return true }
            guard chunks.count >= storedChunks.count else { return false }
            return chunks.starts(with: storedChunks.dropLast())
                && [chunks[storedChunks.count - 1], keyAtMark].contains(last)
        }

        private func add(_ deflated: [DeflatedChunk]) throws {
            for chunk in deflated {
                chunks.append(chunk.key)
                guard let body = chunk.body, !known.contains(chunk.key) else { continue }
                batch.append(chunk)
                batchBytes += body.count
                (push.sentChunks, push.sentBytes) = (push.sentChunks + 1, push.sentBytes + body.count)
            }
            if batchBytes >= Self.maxBytes { try send() }
        }

        private func examineOnce() throws {
            if isExamined { return }
            try (soundness ?? Soundness(of: recording)).wait()
            isExamined = true
        }

        private func send() throws {
            try examineOnce()
            let begun = ContinuousClock.now
            try insert()
            push.sending += ContinuousClock.now - begun
        }

        /// Inserts the batch, except chunks that are there. `COPY` could not leave them out.
        private func insert() throws {
            try connection.run(
                """
                INSERT INTO hindsight.chunk (started, recording, app, first, last, hash, bytes, body)
                VALUES ($1::timestamptz, $2::uuid, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING
                """,
                withEach: batch.map { chunk in
                    [
                        .text(push.key.startedText), .text(push.key.id), .text(recording.app.name),
                        .number(chunk.key.first), .number(chunk.key.last), .bytes(Array(chunk.key.hash)),
                        .number(chunk.bytes), .bytes(chunk.body ?? []),
                    ]
                }
            )
            batch.removeAll()
            batchBytes = 0
        }
    }
#endif
