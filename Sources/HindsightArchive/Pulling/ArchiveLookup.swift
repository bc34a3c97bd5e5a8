#if Archive
    import Foundation

    extension ArchiveConnection {
        /// Returns recordings by the beginning of their ID, which has at least four hexadecimal digits.
        ///
        /// - Returns: `nil` if the text is no beginning of an ID.
        package func recordings(withID text: String, limit: Int) throws -> [RecordingKey]? {
            let digits = text.filter { $0 != "-" }
            guard digits.count >= 4, ArchiveFilter.isID(text) else { return nil }
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
    }
#endif
