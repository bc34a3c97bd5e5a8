import HindsightSQLite
import HindsightTree

extension Recording {
    /// What the recording consists of.
    ///
    /// Costs a pass over the whole file.
    ///
    /// - Throws: A ``RecordingError``: `damaged` or `unreadable`.
    public func summary() throws -> Summary {
        let tail = extent.tail
        return try file.reading {
            try file.connection.snapshot {
                let last = try file.connection.integer("SELECT max(seq) FROM action") ?? 0
                // What stands before the beginning is being deleted.
                let first = try file.connection.integer("SELECT min(seq) FROM keyframe") ?? 0
                // The length of text as a blob is its number of bytes.
                let (actions, actionBytes) = try pair(
                    "SELECT count(*), \(Self.bytes("payload")) FROM action WHERE seq > \(first)"
                )
                let (missing, travels) = try pair(
                    """
                    SELECT count(*), coalesce(sum(type IN (SELECT id FROM name WHERE text = '\(Schema.travelType)')), 0)
                    FROM action WHERE payload IS NULL AND seq > \(first)
                    """
                )
                let (changes, patchBytes) = try changes(after: first)
                let (keyframes, keyframeBytes) = try pair("SELECT count(*), \(Self.bytes("state")) FROM keyframe")
                // What is in the journal alone; a recorder may have written of it meanwhile.
                let rest = tail.actions.filter { $0.seq > Int(last) }
                return Summary(
                    actions: Int(actions) + rest.count,
                    gaps: Int(missing - travels) + rest.count { $0.isGap },
                    travels: Int(travels) + rest.count { $0.isTravel },
                    types: try typeCounts(rest, after: first),
                    changes: changes,
                    keyframes: Int(keyframes),
                    actionBytes: actionBytes + rest.reduce(0) { $0 + Int64($1.payload?.json.utf8.count ?? 0) },
                    patchBytes: patchBytes,
                    keyframeBytes: keyframeBytes,
                    fileBytes: ReadableFile.fileSize(file.place) + ReadableFile.fileSize(file.place + "-wal")
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
    private func changes(after first: Int64) throws -> (count: Int, bytes: Int64) {
        let row = try file.connection.prepare("SELECT steps FROM action WHERE steps IS NOT NULL AND seq > \(first)")
        var (count, bytes) = (0, 0)
        while try row.step() {
            row.withText(0) { text in
                count += TimedPatches.countChanges(in: text)
                bytes += text.count
            }
        }
        return (count, Int64(bytes))
    }

    private func typeCounts(_ rest: [ActionRecord], after first: Int64) throws -> [Summary.TypeCount] {
        let row = try file.connection.prepare(
            "SELECT type, count(*) FROM action WHERE seq > \(first) GROUP BY type"
        )
        var counts: [String: Int] = [:]
        while try row.step() {
            counts[try file.names.text(row, 0, of: file), default: 0] += Int(try row.integer(1))
        }
        for action in rest { counts[action.type, default: 0] += 1 }
        return counts.map { Summary.TypeCount(type: $0.key, count: $0.value) }
            .sorted { ($1.count, $0.type) < ($0.count, $1.type) }
    }
}
