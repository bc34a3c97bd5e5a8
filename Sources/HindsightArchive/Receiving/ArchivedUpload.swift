#if Archive
    import Foundation
    import HindsightFormat
    import HindsightSupport

    /// The state of an upload.
    package enum ArchivedUpload {
        /// The hashes of the parts that are still to come.
        case missing([String])
        case ended(UploadOutcome)
    }

    /// What became of a recording from a device.
    package struct UploadOutcome: Sendable {
        /// That of its push, or `refused`.
        package var outcome: String
        /// Its ID in the archive.
        package var recording: String?
        /// Why it was refused.
        package var reason: String?

        package init(outcome: String, recording: String? = nil, reason: String? = nil) {
            (self.outcome, self.recording, self.reason) = (outcome, recording, reason)
        }
    }

    extension ArchiveConnection {
        /// Begins an upload, or continues it.
        ///
        /// - Parameter maxPending: The largest size of all uploads of an app that have not ended, in bytes.
        /// - Throws: An ``ArchiveError`` with the kind `full` if there is no room for it now.
        package func upload(
            _ manifest: UploadManifest,
            id: [UInt8],
            with token: UploadToken,
            maxPending: Int
        ) throws(ArchiveError) -> ArchivedUpload {
            let row = try run(
                """
                SELECT outcome, recording::text, reason, missing
                FROM hindsight.begin_upload($1, $2, $3, $4, $5, $6)
                """,
                [
                    .text(token.app), .bytes(id), .number(token.number), .number(manifest.bytes),
                    .byteStrings(manifest.parts.sorted().compactMap(UploadManifest.bytes)), .number(maxPending),
                ]
            )[0]
            switch row.optionalText(0) {
            case "full": throw ArchiveError(.full, "Too many recordings of \(token.app) are on their way.")
            case let outcome?:
                return .ended(
                    UploadOutcome(outcome: outcome, recording: row.optionalText(1), reason: row.optionalText(2))
                )
            case nil:
                let hashes = row.bytes(3)
                return .missing(stride(from: 0, to: hashes.count, by: 32).map { hex(hashes[$0..<$0 + 32]) })
            }
        }

        /// Keeps a part of an upload that has begun. Returns `false` if it has not, has ended, or has no such part.
        package func addPart(_ body: [UInt8], hash: [UInt8], of id: [UInt8], app: String) throws(ArchiveError) -> Bool {
            try run(
                "SELECT hindsight.add_part($1, $2, $3, $4)",
                [.text(app), .bytes(id), .bytes(hash), .bytes(body)]
            )[0].boolean(0)
        }

        /// Writes the files of an upload that has all its parts.
        ///
        /// - Returns: Whether the files are as long as the manifest says.
        /// - Throws: An ``ArchiveError`` with the kind `conflict` if a part has gone, or the file system's error.
        package func writeFiles(of manifest: UploadManifest, id: [UInt8], app: String, to path: String) throws -> Bool {
            for file in manifest.files {
                let name = path + file.suffix
                guard FileManager.default.createFile(atPath: name, contents: nil),
                    let output = FileHandle(forWritingAtPath: name)
                else { throw SystemError.last }
                defer { try? output.close() }
                for hash in file.parts.compactMap(UploadManifest.bytes) {
                    let row = try run("SELECT hindsight.part($1, $2, $3)", [.text(app), .bytes(id), .bytes(hash)])[0]
                    guard !row.isNull(0), let part = try Inflater.inflate(row.bytes(0), limit: UploadManifest.partBytes)
                    else { throw ArchiveError(.conflict, "A part of the upload has gone.") }
                    try output.write(contentsOf: Data(part))
                }
                if try output.offset() != UInt64(file.bytes) { return false }
            }
            return true
        }

        /// Notes what became of an upload, or forgets it, and removes its parts.
        package func end(_ outcome: UploadOutcome?, of id: [UInt8], app: String) throws(ArchiveError) {
            try run(
                "SELECT hindsight.end_upload($1, $2, $3, $4::text::uuid, $5)",
                [
                    .text(app), .bytes(id), .optional(outcome?.outcome), .optional(outcome?.recording),
                    .optional(outcome?.reason),
                ]
            )
        }

        /// Removes uploads to which nothing came for a day, and what became of those that ended a week ago.
        package func tidyUploads() throws(ArchiveError) {
            // In small steps, so that none takes long.
            while try run("SELECT hindsight.tidy_uploads(100)")[0].integer(0) == 100 {}
        }
    }
#endif
