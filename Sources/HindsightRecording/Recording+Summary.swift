import HindsightSQLite

extension Recording {
    /// What the recording consists of.
    ///
    /// Costs a pass over the whole file.
    ///
    /// - Throws: A ``RecordingError``: `damaged` or `unreadable`.
    public func summary() throws -> Summary {
        try file.reading {
            try file.connection.snapshot {
                // The length of text as a blob is its number of bytes.
                let (actions, actionBytes) = try pair("SELECT count(*), \(Self.bytes("payload")) FROM action")
                let (gaps, _) = try pair("SELECT count(*), 0 FROM action WHERE payload IS NULL")
                let (changes, patchBytes) = try pair("SELECT count(patch), \(Self.bytes("patch")) FROM step")
                let (keyframes, keyframeBytes) = try pair("SELECT count(*), \(Self.bytes("state")) FROM keyframe")
                return Summary(
                    actions: Int(actions),
                    gaps: Int(gaps),
                    types: try typeCounts(),
                    changes: Int(changes),
                    keyframes: Int(keyframes),
                    actionBytes: actionBytes,
                    patchBytes: patchBytes,
                    keyframeBytes: keyframeBytes,
                    fileBytes: ReadableFile.fileSize(file.path) + ReadableFile.fileSize(file.path + "-wal")
                )
            }
        }
    }

    private static func bytes(_ column: String) -> String { "coalesce(sum(length(CAST(\(column) AS BLOB))), 0)" }

    private func pair(_ sql: String) throws -> (Int64, Int64) {
        let row = try file.connection.prepare(sql)
        guard try row.step() else { return (0, 0) }
        return (try row.integer(0), try row.integer(1))
    }

    private func typeCounts() throws -> [Summary.TypeCount] {
        let row = try file.connection.prepare("SELECT type, count(*) FROM action GROUP BY type ORDER BY 2 DESC, 1")
        var counts: [Summary.TypeCount] = []
        while try row.step() {
            counts.append(Summary.TypeCount(type: try row.text(0), count: Int(try row.integer(1))))
        }
        return counts
    }
}
