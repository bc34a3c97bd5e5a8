import HindsightFormat
import HindsightRecording
import HindsightTree

extension Recording {
    /// Finds where a text appears: in a string that contains it, in the name of a member that contains it, or as a
    /// number.
    ///
    /// ```swift
    /// try recording.search(for: "out of stock") { hit in
    ///     print(hit.position, hit.path, hit.value.json)
    ///     return false  // The first one is enough.
    /// }
    /// ```
    ///
    /// In the state, a text appears where a value has it after a reducer and did not have it before. So a text that is
    /// typed letter by letter appears with the last of them. Elements are followed while others are inserted or removed
    /// before them; an element that is moved appears again. Texts are compared by scalars. A number is the same number,
    /// however it is written. Data, booleans and null are not searched.
    ///
    /// States that were left out (``Recording/skipped``), or not recorded (after ``Recording/end``), and values that
    /// were redacted, cannot be searched.
    ///
    /// Scans the bytes of all rows, and parses only those that may match. An edit of a text needs the state before it.
    ///
    /// - Parameters:
    ///   - text: The text. An empty text appears nowhere.
    ///   - scopes: Where to look.
    ///   - progress: Called now and then with how much has been searched, from 0 to 1.
    ///   - unsearched: Called with each part that cannot be searched because it is damaged. The search then goes on, and
    ///     if it has found nothing in the states of a recording of up to 50,000 actions, checks that the recorded changes
    ///     lead through them all. Without it, damage ends the search.
    ///   - body: Called with each hit, in order. Returns whether to go on.
    /// - Throws: A `RecordingError` with the code `damaged` or `unreadable`; or what `body` throws.
    package func search(
        for text: String,
        in scopes: Set<SearchScope> = Set(SearchScope.allCases),
        progress: ((Double) -> Void)? = nil,
        unsearched: ((UnsearchedPart) -> Void)? = nil,
        _ body: (SearchHit) throws -> Bool
    ) throws {
        guard !text.isEmpty else { return }
        do {
            try withoutActuallyEscaping(body) { body in
                var search = TextSearch(recording: self, pattern: TextPattern(text), scopes: scopes, body: body)
                (search.progress, search.unsearched) = (progress, unsearched)
                try search.run()
            }
        } catch {
            // A scan wraps the error of `body`.
            let cause = (error as? RecordingError)?.cause ?? error
            if cause is TextSearch.Stopped { return }
            throw (cause as? TextSearch.Outer)?.error ?? error
        }
    }
}

/// A part of a recording that a search could not read.
package struct UnsearchedPart: Sendable {
    /// What the part is.
    package enum Content: Sendable {
        /// What an action carries.
        case payload
        /// What the reducers did in an action.
        case changes
        /// The states from an action on, which the recorded changes do not lead to.
        case states
    }

    package var content: Content
    /// The number of the action.
    package var seq: Int
    /// What is damaged, and where.
    package var error: RecordingError
}

/// One search.
private struct TextSearch {
    /// The caller has seen enough.
    struct Stopped: Error {}

    /// An error of the caller.
    struct Outer: Error {
        let error: any Error
    }

    let recording: Recording
    let pattern: TextPattern
    let scopes: Set<SearchScope>
    let body: (SearchHit) throws -> Bool
    private let edits = [ByteNeedle(Array(#""e/"#.utf8)), ByteNeedle(Array(#""e""#.utf8))]
    var progress: ((Double) -> Void)?
    var unsearched: ((UnsearchedPart) -> Void)?
    /// Why states cannot be read any more.
    private var lostStates: RecordingError?
    private var isWhole = true
    private var hasFoundState = false
    private let states: LazyStateCursor
    private var new: NewMatches

    init(
        recording: Recording,
        pattern: TextPattern,
        scopes: Set<SearchScope>,
        body: @escaping (SearchHit) throws -> Bool
    ) {
        (self.recording, self.pattern, self.scopes, self.body) = (recording, pattern, scopes, body)
        new = NewMatches(pattern)
        states = LazyStateCursor(on: recording)
    }

    mutating func run() throws {
        if scopes.contains(.state), recording.hasStates {
            // All of them may be many.
            try pattern.forEachMatch(in: try states.state(at: recording.start)) { match in
                try report(match, recording.start, .initialState, isDoubtful: false)
            }
        }
        let ends = Dictionary(recording.gaps.map { ($0.upperBound, $0) }) { $1 }
        let doubts = Dictionary(recording.doubtful.map { ($0.actions.upperBound, $0.actions) }) { $1 }
        let cursor = try ActionCursor(of: recording, reading: [.payload, .steps])
        try cursor.forEach { seq in
            if seq.isMultiple(of: 4096) { progress?(Double(seq) / Double(recording.actionCount)) }
            if scopes.contains(.actions) { try cursor.withPayload { try searchPayload($0, seq) } }
            guard scopes.contains(.state), seq <= recording.end.seq else { return }
            if let run = ends[seq] {
                try withStates(seq) { try $0.searchGap(run) }
            } else {
                try cursor.withSteps { try searchSteps($0, seq) }
            }
            if let range = doubts[seq] { try withStates(seq) { try $0.searchKeyframe(range) } }
        }
        if scopes.contains(.state), !hasFoundState, isWhole, unsearched != nil { try checkStates() }
    }

    private static func before(_ seq: Int) -> Recording.Position { Recording.Position(seq: seq, reducer: 0) }

    // MARK: Damage

    private mutating func leave(_ content: UnsearchedPart.Content, _ seq: Int, _ error: RecordingError) throws {
        guard let unsearched else { throw error }
        isWhole = false
        unsearched(UnsearchedPart(content: content, seq: seq, error: error))
    }

    /// Runs what may read states. If one is damaged, leaves out this and all that follows.
    private mutating func withStates(_ seq: Int, _ body: (inout Self) throws -> Void) throws {
        do {
            try body(&self)
        } catch let error as RecordingError where error.code == .damaged {
            new.jump()
            guard lostStates == nil else { return }
            lostStates = error
            try leave(.states, seq, error)
        }
    }

    private func state(at position: Recording.Position) throws -> Node {
        if let lostStates { throw lostStates }
        return try states.state(at: position)
    }

    /// The most actions whose states are all read to find damage.
    private static let maxChecked = 50_000

    private mutating func checkStates() throws {
        let actions = recording.start.seq + 1..<recording.end.seq + 1
        guard actions.count <= Self.maxChecked else { return }
        for seq in actions where lostStates == nil && recording.absence(at: Recording.Position(seq: seq)) == nil {
            try withStates(seq) { _ = try $0.state(at: Recording.Position(seq: seq)) }
        }
    }

    private mutating func report(_ matches: [NodeMatch], _ position: Recording.Position, _ source: SearchHit.Source)
        throws
    {
        if matches.isEmpty { return }
        var isDoubtful = false
        if case .reducer = source { isDoubtful = recording.doubtfulStates(at: position) != nil }
        for match in matches { try report(match, position, source, isDoubtful: isDoubtful) }
    }

    private mutating func report(
        _ match: NodeMatch,
        _ position: Recording.Position,
        _ source: SearchHit.Source,
        isDoubtful: Bool
    ) throws {
        if source != .action { hasFoundState = true }
        let hit = SearchHit(
            position: position,
            source: source,
            path: match.place.path,
            value: match.value,
            isName: match.place.isName,
            isDoubtful: isDoubtful
        )
        let goesOn: Bool
        do { goesOn = try body(hit) } catch { throw Outer(error: error) }
        if !goesOn { throw Stopped() }
    }

    private mutating func searchPayload(_ text: UnsafeBufferPointer<UInt8>, _ seq: Int) throws {
        let payload: Node
        do {
            guard pattern.mayOccur(in: text) else { return try TimedPatches.checkEnd(of: text) }
            payload = try Node(jsonBytes: text)
        } catch {
            let what = "its payload is not what it should be: \(error)"
            return try leave(.payload, seq, recording.damaged(what, seq: seq, cause: error))
        }
        try report(pattern.matches(in: payload), Self.before(seq), .action)
    }

    private mutating func searchSteps(_ text: UnsafeBufferPointer<UInt8>, _ seq: Int) throws {
        let mayOccur = pattern.mayOccur(in: text)
        let steps: [TimedPatch]
        do {
            guard mayOccur || edits.contains(where: { text.contains($0) }) || new.hasTexts else {
                return try TimedPatches.scan(text) { _ in }
            }
            steps = try (mayOccur ? nil : new.neededSteps(in: text)) ?? TimedPatches.read(text)
        } catch {
            let what = "what its reducers did is not what it should be: \(error)"
            new.jump()
            return try leave(.changes, seq, recording.damaged(what, seq: seq, cause: error))
        }
        for (index, step) in steps.enumerated() where !step.patch.isEmpty {
            let run = step.duration == nil ? recording.skippedRun(with: seq) : nil
            let position = Recording.Position(seq: seq, reducer: step.duration == nil ? nil : index + 1)
            let before = run.map { Recording.Position(seq: $0.lowerBound - 1) }
            try withStates(seq) { search in
                let (states, lost) = (search.states, search.lostStates)
                let matches = try search.new.matches(of: step.patch) {
                    if let lost { throw lost }
                    return try states.state(at: before ?? Recording.Position(seq: seq, reducer: index))
                }
                let source = run.map(SearchHit.Source.run) ?? .reducer(step.duration == nil ? 0 : index + 1)
                try search.report(matches, position, source)
            }
        }
    }

    /// Searches the state after a run of actions whose changes are not known.
    private mutating func searchGap(_ run: ClosedRange<Int>) throws {
        let before = try state(at: Recording.Position(seq: run.lowerBound - 1))
        try searchState(at: Recording.Position(seq: run.upperBound), since: before, .run(run))
    }

    /// Searches the keyframe after doubtful states for what the recorded changes do not lead to.
    private mutating func searchKeyframe(_ range: ClosedRange<Int>) throws {
        let seq = range.upperBound
        guard recording.skippedRun(with: seq) == nil else { return }
        // The state after the last reducer is the keyframe itself.
        var led = try state(at: Self.before(seq))
        for step in try recording.timedPatches(of: seq) { step.patch.applyLeniently(to: &led) }
        try searchState(at: Recording.Position(seq: seq), since: led, .missedChange(range))
    }

    /// Searches a state for what an earlier one does not have.
    private mutating func searchState(
        at position: Recording.Position,
        since before: Node,
        _ source: SearchHit.Source
    ) throws {
        new.jump()
        let known = Set(pattern.matches(in: before).map(\.place))
        let matches = pattern.matches(in: try state(at: position))
        try report(matches.filter { !known.contains($0.place) }, position, source)
    }
}
