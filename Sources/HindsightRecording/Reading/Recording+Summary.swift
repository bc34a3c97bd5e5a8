import HindsightFormat
import HindsightSQLite
import HindsightSupport
import HindsightTree

extension Recording {
    /// Counts what the recording contains. Costs a pass over the whole file.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func summary() throws(RecordingError) -> Summary {
        var tally = Tally()
        return try file.reading {
            try file.connection.snapshot {
                // Actions before the start are being deleted.
                let first = try file.connection.integer("SELECT min(seq) FROM keyframe") ?? 0
                try tally.addActions(of: file, names, after: Int(first), skipped: bounds.skipped)
                try tally.addKeyframes(of: file)
                // Actions that are only in the journal. A recorder may have written some of them meanwhile.
                for action in bounds.journalOnly.actions where action.seq > tally.last { tally.add(action) }
                return tally.summary(
                    fileBytes: FileSystem.size(of: file.place) + FileSystem.size(of: file.place + "-wal")
                )
            }
        }
    }
}

/// Counts row by row, because a counting query would follow the pages of a damaged file without end.
private struct Tally {
    private struct Count {
        var all = 0
        /// The number of actions without a payload.
        var bare = 0
        var cases = CaseTally()

        mutating func add(bare: Bool, cases nested: [String]) {
            all += 1
            self.bare += bare ? 1 : 0
            // An action that could not be recorded may have been any case.
            if !bare { cases.add(nested[...]) }
        }

        mutating func add(_ other: Count) {
            all += other.all
            bare += other.bare
            cases.add(other.cases)
        }
    }

    private(set) var last = 0
    private var types: [ScalarKey: Count] = [:]
    private var actionBytes = 0
    private var changes = 0
    private var patchBytes = 0
    private var keyframes = 0
    private var keyframeBytes = 0

    /// - Parameter skipped: The runs of actions without states. The last action of a run has the changes of the whole
    ///   run, which are not a reducer's step.
    mutating func addActions(
        of file: ReadableFile,
        _ names: NameTexts,
        after first: Int,
        skipped: [ClosedRange<Int>]
    ) throws {
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
            let bare = row.isNull(2)
            var cases: [String] = []
            row.withText(2) { text in
                actionBytes += text.count
                cases = Self.cases(in: text)
            }
            if row.isInteger(1) {
                ids[try row.integer(1), default: Count()].add(bare: bare, cases: cases)
            } else {
                types[ScalarKey(try row.text(1)), default: Count()].add(bare: bare, cases: cases)
            }
            row.withText(3) { text in
                if skipped.range(with: seq) == nil { changes += TimedPatches.countChanges(in: text) }
                patchBytes += text.count
            }
        }
        for (id, count) in ids {
            types[ScalarKey(try names.text(id, StrictPolicy.self)), default: Count()].add(count)
        }
    }

    /// The cases inside an action. Parses only payloads that begin like a case.
    private static func cases(in text: UnsafeBufferPointer<UInt8>) -> [String] {
        let head = text.prefix(256)
        let hasPosition = zip(head, head.dropFirst()).contains { $0 == UInt8(ascii: "_") && $1 == UInt8(ascii: "0") }
        guard hasPosition else { return [] }
        do {
            return try Node(jsonBytes: Array(text)).nestedCases
        } catch {
            // Reading the action reports the problem. Here the action counts without cases.
            return []
        }
    }

    mutating func addKeyframes(of file: ReadableFile) throws {
        let row = try file.connection.prepare("SELECT seq, state FROM keyframe ORDER BY seq")
        var last = -1
        while try row.step() {
            let seq = Int(try row.integer(0))
            guard seq > last else { throw file.damaged("its keyframes are not in their order", seq: seq) }
            last = seq
            keyframes += 1
            row.withText(1) { keyframeBytes += $0.count }
        }
    }

    mutating func add(_ action: RecordedAction) {
        let cases = action.payload?.nestedCases ?? []
        types[ScalarKey(action.type), default: Count()].add(bare: action.payload == nil, cases: cases)
        actionBytes += action.payload?.json.utf8.count ?? 0
    }

    func summary(fileBytes: Int64) -> Recording.Summary {
        let travels = types[ScalarKey(Schema.travelType)]?.bare ?? 0
        return Recording.Summary(
            actions: types.values.reduce(0) { $0 + $1.all },
            gaps: types.values.reduce(0) { $0 + $1.bare } - travels,
            travels: travels,
            types: types.map {
                Recording.Summary.TypeCount(
                    type: $0.key.key,
                    count: $0.value.all,
                    nested: $0.value.cases.types(in: $0.key.key)
                )
            }
            .sorted(),
            changes: changes,
            keyframes: keyframes,
            actionBytes: Int64(actionBytes),
            patchBytes: Int64(patchBytes),
            keyframeBytes: Int64(keyframeBytes),
            fileBytes: fileBytes
        )
    }
}

/// Counts the cases of enums inside the actions of one type.
private struct CaseTally {
    /// A dictionary with one entry looks like a case too, but it has more different keys than an enum has cases.
    private static let mostCases = 64
    private static let deepest = 8

    private var all = 0
    private var cases: [ScalarKey: CaseTally] = [:]
    private var isNoEnum = false

    mutating func add(_ names: ArraySlice<String>, depth: Int = 0) {
        all += 1
        guard !isNoEnum else { return }
        guard let name = names.first.map(ScalarKey.init), depth < Self.deepest,
            cases[name] != nil || cases.count < Self.mostCases
        else {
            // If one action has no case inside, the others have a struct or a dictionary that looks like one.
            return giveUp()
        }
        cases[name, default: CaseTally()].add(names.dropFirst(), depth: depth + 1)
    }

    mutating func add(_ other: CaseTally) {
        let isEmpty = all == 0
        all += other.all
        if isEmpty, !isNoEnum {
            (cases, isNoEnum) = (other.cases, other.isNoEnum)
            return
        }
        for (name, tally) in other.cases { cases[name, default: CaseTally()].add(tally) }
        if isNoEnum || other.isNoEnum || cases.count > Self.mostCases { giveUp() }
    }

    private mutating func giveUp() {
        isNoEnum = true
        cases = [:]
    }

    func types(in name: String) -> [Recording.Summary.TypeCount] {
        cases.map { key, tally in
            let type = name + "." + key.key
            return Recording.Summary.TypeCount(type: type, count: tally.all, nested: tally.types(in: type))
        }.sorted()
    }
}

extension [Recording.Summary.TypeCount] {
    /// By decreasing frequency, then by name.
    fileprivate func sorted() -> Self {
        sorted { ($1.count, $0.type) < ($0.count, $1.type) }
    }
}
