import HindsightSQLite
import HindsightTree

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
                let (missing, travels) = try pair(
                    """
                    SELECT count(*), coalesce(sum(type IN (SELECT id FROM name WHERE text = '\(Schema.travelType)')), 0)
                    FROM action WHERE payload IS NULL
                    """
                )
                let (changes, patchBytes) = try changes()
                let (keyframes, keyframeBytes) = try pair("SELECT count(*), \(Self.bytes("state")) FROM keyframe")
                return Summary(
                    actions: Int(actions),
                    gaps: Int(missing - travels),
                    travels: Int(travels),
                    types: try typeCounts(),
                    changes: changes,
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

    /// How many steps changed something, and the bytes of all.
    private func changes() throws -> (count: Int, bytes: Int64) {
        let row = try file.connection.prepare("SELECT steps FROM action WHERE steps IS NOT NULL")
        var (count, bytes) = (0, 0)
        while try row.step() {
            row.withText(0) { text in
                count += TimedPatches.countChanges(in: text)
                bytes += text.count
            }
        }
        return (count, Int64(bytes))
    }

    private func typeCounts() throws -> [Summary.TypeCount] {
        let row = try file.connection.prepare("SELECT type, count(*) FROM action GROUP BY type")
        var counts: [Summary.TypeCount] = []
        while try row.step() {
            counts.append(
                Summary.TypeCount(type: try file.names.text(row, 0, of: file), count: Int(try row.integer(1)))
            )
        }
        return counts.sorted { ($1.count, $0.type) < ($0.count, $1.type) }
    }
}
