import HindsightSQLite
import HindsightTree

extension Recording {
    /// What the recording consists of.
    ///
    /// Costs a pass over the whole file.
    ///
    /// - Throws: A ``RecordingError``: `damaged` or `unreadable`.
    public func summary() throws -> Summary {
        var tally = Tally()
        return try file.reading {
            try file.connection.snapshot {
                // What stands before the beginning is being deleted.
                let first = try file.connection.integer("SELECT min(seq) FROM keyframe") ?? 0
                try tally.addActions(of: file, after: Int(first))
                try tally.addKeyframes(of: file)
                // What is in the journal alone; a recorder may have written of it meanwhile.
                for action in extent.tail.actions where action.seq > tally.last { tally.add(action) }
                return tally.summary(
                    fileBytes: ReadableFile.fileSize(file.place) + ReadableFile.fileSize(file.place + "-wal")
                )
            }
        }
    }
}

/// Counts what is in a recording, row by row: SQL that counts would go on as long as a damaged file's pages lead on.
private struct Tally {
    private struct Count {
        var all = 0
        /// How many have no payload.
        var bare = 0

        mutating func add(_ all: Int, bare: Int) {
            self.all += all
            self.bare += bare
        }
    }

    private(set) var last = 0
    private var types: [ScalarKey: Count] = [:]
    private var actionBytes = 0
    private var changes = 0
    private var patchBytes = 0
    private var keyframes = 0
    private var keyframeBytes = 0

    mutating func addActions(of file: ReadableFile, after first: Int) throws {
        let row = try file.connection.prepare(
            "SELECT seq, type, payload, steps FROM action WHERE seq > ? ORDER BY seq"
        )
        try row.bind(first, at: 1)
        last = first
        var ids: [Int64: Count] = [:]
        while try row.step() {
            let seq = Int(try row.integer(0))
            guard seq > last else { throw file.damaged("its actions are not in their order", seq: seq) }
            last = seq
            let bare = row.isNull(2) ? 1 : 0
            if row.isInteger(1) {
                ids[try row.integer(1), default: Count()].add(1, bare: bare)
            } else {
                types[ScalarKey(try row.text(1)), default: Count()].add(1, bare: bare)
            }
            row.withText(2) { actionBytes += $0.count }
            row.withText(3) { text in
                changes += TimedPatches.countChanges(in: text)
                patchBytes += text.count
            }
        }
        for (id, count) in ids {
            types[ScalarKey(try file.names.text(id, of: file)), default: Count()].add(count.all, bare: count.bare)
        }
    }

    mutating func addKeyframes(of file: ReadableFile) throws {
        let row = try file.connection.prepare("SELECT seq, state FROM keyframe ORDER BY seq")
        var last = -1
        while try row.step() {
            let seq = Int(try row.integer(0))
            guard seq > last else { throw file.damaged("its whole states are not in their order", seq: seq) }
            last = seq
            keyframes += 1
            row.withText(1) { keyframeBytes += $0.count }
        }
    }

    mutating func add(_ action: ActionRecord) {
        types[ScalarKey(action.type), default: Count()].add(1, bare: action.payload == nil ? 1 : 0)
        actionBytes += action.payload?.json.utf8.count ?? 0
    }

    func summary(fileBytes: Int64) -> Summary {
        let travels = types[ScalarKey(Schema.travelType)]?.bare ?? 0
        return Summary(
            actions: types.values.reduce(0) { $0 + $1.all },
            gaps: types.values.reduce(0) { $0 + $1.bare } - travels,
            travels: travels,
            types: types.map { Summary.TypeCount(type: $0.key.key, count: $0.value.all) }
                .sorted { ($1.count, $0.type) < ($0.count, $1.type) },
            changes: changes,
            keyframes: keyframes,
            actionBytes: Int64(actionBytes),
            patchBytes: Int64(patchBytes),
            keyframeBytes: Int64(keyframeBytes),
            fileBytes: fileBytes
        )
    }
}
