#if Archive
    import Foundation

    /// A recording of an archive, as lookups return it.
    package struct ArchivedRecording: Sendable {
        package var key: RecordingKey
        package var app: String
        package var version: String
        package var actions: Int
        package var isComplete: Bool
    }

    extension ArchiveConnection {
        /// Returns recordings by the beginning of their ID, which has at least four hexadecimal digits.
        ///
        /// - Returns: `nil` if the text is no beginning of an ID.
        package func recordings(withID text: String, limit: Int) throws -> [ArchivedRecording]? {
            let digits = text.lowercased().filter { $0 != "-" }
            guard 4...32 ~= digits.count, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
            let rest = 32 - digits.count
            return try run(
                "\(Self.lookup) WHERE r.id BETWEEN $1::uuid AND $2::uuid ORDER BY r.started, r.id LIMIT $3",
                [
                    .text(digits + String(repeating: "0", count: rest)),
                    .text(digits + String(repeating: "f", count: rest)), .number(limit),
                ]
            ).map(Self.recording)
        }

        /// Returns recordings by a condition in SQL over the columns of `hindsight.recording`. The transaction can only
        /// read.
        package func recordings(where condition: String, limit: Int) throws -> [ArchivedRecording] {
            try transaction {
                try run("SET TRANSACTION READ ONLY")
                return try run(
                    "\(Self.lookup) WHERE (\(condition)\n) ORDER BY r.started, r.id LIMIT \(limit)"
                ).map(Self.recording)
            }
        }

        private static let lookup =
            "SELECT r.started, r.id, r.app, r.app_version, r.actions, r.complete FROM hindsight.recording AS r"

        private static func recording(_ row: ArchiveRow) -> ArchivedRecording {
            ArchivedRecording(
                key: RecordingKey(id: row.text(1), started: row.time(0)),
                app: row.text(2),
                version: row.text(3),
                actions: Int(row.integer(4)),
                isComplete: row.boolean(5)
            )
        }
    }
#endif
