#if Archive
    import Foundation
    import HindsightFormat
    import HindsightRecording
    import HindsightSupport

    /// What a pull of one recording did.
    package struct ArchivePull: Sendable {
        package var actions = 0
        /// The size of the text, and of the deflated bytes that were received.
        package var bytes = 0
        package var receivedBytes = 0
        /// The time for receiving, and for inflating, checking and importing.
        package var receiving = Duration.zero
        package var writing = Duration.zero
    }

    extension ArchiveConnection {
        /// Returns recordings by the beginning of their ID.
        ///
        /// - Returns: `nil` if the text is no beginning of an ID.
        package func recordings(withID text: String, limit: Int) throws -> [RecordingKey]? {
            // No condition consists of hexadecimal digits.
            guard ArchiveFilter.isID(text) else { return nil }
            let digits = text.filter { $0 != "-" }
            // The ids that begin so lie between two.
            let bounds = ["0", "f"].map { digits.padding(toLength: 32, withPad: $0, startingAt: 0) }
            return try recordings("r.id BETWEEN $1::uuid AND $2::uuid", bounds.map(ArchiveValue.text), limit)
        }

        /// Returns recordings by a condition in SQL over the columns of `hindsight.recording`. The transaction can only
        /// read.
        package func recordings(where condition: String, limit: Int) throws -> [RecordingKey] {
            try transaction {
                try run("SET TRANSACTION READ ONLY")
                return try recordings("(\(condition)\n)", [], limit)
            }
        }

        private func recordings(_ condition: String, _ parameters: [ArchiveValue], _ limit: Int) throws
            -> [RecordingKey]
        {
            try run(
                """
                SELECT r.started, r.id::text FROM hindsight.recording AS r WHERE \(condition)
                ORDER BY r.started, r.id LIMIT \(limit)
                """,
                parameters
            ).map { RecordingKey(id: $0.text(1), started: $0.integer(0)) }
        }

        /// Brings a recording back into a file, and checks it: each chunk by its hash, all of it by the recording's
        /// hash, and the file by the text that it must give.
        ///
        /// - Parameters:
        ///   - last: The last action to bring; `nil` for all. The file then has the actions of whole chunks, at least
        ///     up to this one.
        ///   - url: The recording to create. It appears once it is complete.
        /// - Throws: An ``ArchiveError``, with the kind `damagedChunk` if something does not match its hash; or a
        ///   `RecordingError` if the text is no recording, or the file cannot be written.
        package func pull(
            _ key: RecordingKey,
            upTo last: Int? = nil,
            to url: URL,
            overwrite: Bool = false
        ) throws -> ArchivePull {
            try NewFile.check(url.path, overwrite: overwrite)
            let draft = try DraftFile(for: url.path + TextForm.suffix, overwrite: true)
            defer { draft.discard() }
            let file = try PulledText(draft.path, for: url.path)
            var pull = ArchivePull()
            let begun = ContinuousClock.now
            try transaction {
                try run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
                try receive(key, upTo: last, into: file, &pull)
            }
            try file.finish()
            pull.receiving = ContinuousClock.now - begun - pull.writing
            let received = ContinuousClock.now
            pull.bytes = file.bytes
            pull.actions = try Recording.importText(from: URL(filePath: draft.path), to: url, overwrite: overwrite)
            pull.writing += ContinuousClock.now - received
            return pull
        }

        private func receive(_ key: RecordingKey, upTo last: Int?, into file: PulledText, _ pull: inout ArchivePull)
            throws
        {
            let identity: [ArchiveValue] = [.text(key.startedText), .text(key.id)]
            let found = try run(
                """
                SELECT r.hash, h.body, r.dropped, (
                    SELECT coalesce(string_agg(c.key, ''::bytea ORDER BY c.n), '')
                    FROM unnest(h.chunks) WITH ORDINALITY AS c (key, n)
                )
                FROM hindsight.recording AS r
                JOIN hindsight.head AS h ON h.started = r.started AND h.recording = r.id
                WHERE r.started = $1 AND r.id = $2
                """,
                identity
            )
            guard let row = found.first else {
                throw ArchiveError(.server(sqlstate: "02000"), "The archive has no recording \(key.id).")
            }
            let keys = ChunkKey.keys(row.bytes(3))
            let stored = row.bytes(1)
            pull.receivedBytes += stored.count
            guard let head = try Inflater.inflate(stored, limit: ArchivedHead.maxBytes),
                ArchivedHead.hash(ofRecordingWith: head, keys) == row.bytes(0)
            else { throw Self.damaged(key, "its head") }
            guard Self.areInOrder(keys) else { throw Self.damaged(key, "the list of its chunks") }
            try file.begin(head, after: keys.first.map { $0.first - 1 } ?? Int(row.integer(2)))
            var rest = keys.prefix { $0.first <= last ?? .max }
            try each(
                """
                SELECT hindsight.chunk_key(c.first, c.last, c.hash), c.body
                FROM hindsight.chunk AS c
                JOIN hindsight.head AS h ON h.started = c.started AND h.recording = c.recording
                WHERE c.started = $1 AND c.recording = $2 AND ($3::bigint IS NULL OR c.first <= $3)
                    AND hindsight.chunk_key(c.first, c.last, c.hash) = ANY (h.chunks)
                ORDER BY c.first
                """,
                identity + [last.map { .number($0) } ?? .null]
            ) { row in
                let begun = ContinuousClock.now
                let body = row.bytes(1)
                pull.receivedBytes += body.count
                // The rows have the keys of the head, so there is none too many.
                guard let next = rest.popFirst() else { return }
                guard row.bytes(0)[...] == next.bytes,
                    let text = try Inflater.inflate(body, limit: ArchivedHead.maxBytes),
                    SHA256.digest(of: text)[...] == next.hash, try file.add(text, from: next.first) == next.last
                else { throw Self.damaged(key, "its chunk of actions \(next.first) to \(next.last)") }
                pull.writing += ContinuousClock.now - begun
            }
            if let missing = rest.first {
                throw Self.damaged(key, "its chunk of actions \(missing.first) to \(missing.last)")
            }
        }

        /// Whether each chunk begins after the one before it.
        private static func areInOrder(_ keys: [ChunkKey]) -> Bool {
            var next = keys.first?.first ?? 1
            guard (1...maxActions).contains(next) else { return false }
            for key in keys {
                guard key.first == next, (key.first...maxActions).contains(key.last) else { return false }
                next = key.last + 1
            }
            return true
        }

        /// More than any recording has.
        private static let maxActions = 1 << 53

        private static func damaged(_ key: RecordingKey, _ part: String) -> ArchiveError {
            ArchiveError(
                .damagedChunk,
                "The recording \(key.id) is damaged in the archive: \(part) is missing or does not match its hash.",
                advice:
                    "Nothing was written. If its file exists, run SELECT hindsight.forget('\(key.id)') and push it again."
            )
        }
    }
#endif
