import HindsightFormat
import HindsightSQLite
import HindsightTree

extension Recording {
    /// What the recording says of itself, as its file has it.
    package func rawFacts() throws(RecordingError) -> [String: Metadata.Value] {
        var metadata = Metadata()
        try file.reading { try metadata.read(from: file.connection) }
        return metadata.values
    }

    /// Counts what the recording contains. Costs a pass over the whole file.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func summary() throws(RecordingError) -> Summary {
        var tally = Tally(typesOfDescribedStates)
        return try file.reading {
            try file.connection.snapshot {
                // Actions before the start are being deleted.
                try tally.addActions(of: self, after: try presentStart())
                try tally.addKeyframes(of: file)
                return tally.summary(fileBytes: file.bytes)
            }
        }
    }
}

/// Counts the actions that are descriptions by reflection, and the types because of which they and the states are.
struct DescriptionTally {
    private(set) var count = 0
    /// By name; the order of the names is that in which they were found.
    private var found: [ScalarKey: Recording.Summary.DescribedType] = [:]
    private var names: [ScalarKey] = []

    init(_ stateTypes: [String]) {
        for type in stateTypes { add(type) { $0.states = true } }
    }

    /// Adds an action.
    ///
    /// - Parameter problem: What the recording says of it.
    mutating func add(_ problem: String) {
        count += 1
        for type in DescriptionText.types(in: problem) { add(type) { $0.actions += 1 } }
    }

    private mutating func add(_ type: String, _ change: (inout Recording.Summary.DescribedType) -> Void) {
        let key = ScalarKey(type)
        if found[key] == nil { names.append(key) }
        change(&found[key, default: Recording.Summary.DescribedType(type: type)])
    }

    /// First those of the states, then by decreasing number of actions.
    var types: [Recording.Summary.DescribedType] {
        names.compactMap { found[$0] }.sorted { one, other in
            one.states == other.states ? one.actions > other.actions : one.states
        }
    }
}

extension Recording {
    /// The types because of which values are descriptions by reflection, and the first actions that are. Costs a pass
    /// over the actions without their contents.
    ///
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`.
    package func descriptions(atMost limit: Int) throws(RecordingError) -> (types: [Summary.DescribedType], seqs: [Int])
    {
        var (tally, seqs) = (DescriptionTally(typesOfDescribedStates), [Int]())
        let cursor = try ActionCursor(of: self, reading: [.payload, .problem])
        try cursor.forEach { seq in
            guard let problem = try cursor.problem(), try cursor.withPayload({ _ in }) != nil else { return }
            tally.add(problem)
            if seqs.count < limit { seqs.append(seq) }
        }
        return (tally.types, seqs)
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

    }

    private var types: [ScalarKey: Count] = [:]
    private var described: DescriptionTally
    /// What is counted without looking at types.
    private var counts = Recording.Summary()

    init(_ stateTypes: [String]) { described = DescriptionTally(stateTypes) }

    mutating func addActions(of recording: Recording, after start: Int) throws {
        let cursor = try ActionCursor(of: recording, reading: [.type, .payload, .problem, .steps])
        try cursor.forEach(in: start + 1...max(start + 1, recording.actionCount)) { seq in
            let cases = try cursor.withPayload { text in
                counts.bytes.actions += Int64(text.count)
                return Self.cases(in: text)
            }
            types[ScalarKey(try cursor.type()), default: Count()].add(bare: cases == nil, cases: cases ?? [])
            if cases != nil, let problem = try cursor.problem() { described.add(problem) }
            try cursor.withSteps { text in
                // The last action of a run without states has the changes of the whole run: no reducer's step.
                if recording.bounds.run(of: seq) == nil { counts.changes += TimedPatches.countChanges(in: text) }
                counts.bytes.patches += Int64(text.count)
            }
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
            counts.keyframes += 1
            row.withText(1) { counts.bytes.keyframes += Int64($0.count) }
        }
    }

    func summary(fileBytes: Int64) -> Recording.Summary {
        var summary = counts
        summary.travels = types[ScalarKey(Schema.travelType)]?.bare ?? 0
        summary.actions = types.values.reduce(0) { $0 + $1.all }
        summary.gaps = types.values.reduce(0) { $0 + $1.bare } - summary.travels
        summary.descriptions = described.count
        summary.describedTypes = described.types
        summary.types = types.map { type, count in
            Recording.Summary.TypeCount(type: type.key, count: count.all, nested: count.cases.types(in: type.key))
        }.sorted()
        summary.bytes.file = fileBytes
        return summary
    }
}

/// Counts the cases of enums inside the actions of one type.
private struct CaseTally {
    /// A dictionary with one entry looks like a case too, but it has more different keys than an enum has cases.
    private static let maxCases = 64
    private static let deepest = 8

    private var all = 0
    private var cases: [ScalarKey: CaseTally] = [:]
    private var isNoEnum = false

    mutating func add(_ names: ArraySlice<String>, depth: Int = 0) {
        all += 1
        guard !isNoEnum else { return }
        guard let name = names.first.map(ScalarKey.init), depth < Self.deepest,
            cases[name] != nil || cases.count < Self.maxCases
        else {
            // If one action has no case inside, the others have a struct or a dictionary that looks like one.
            return giveUp()
        }
        cases[name, default: CaseTally()].add(names.dropFirst(), depth: depth + 1)
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
