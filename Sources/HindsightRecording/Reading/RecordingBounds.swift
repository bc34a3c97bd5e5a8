import HindsightFormat
import HindsightSQLite
import HindsightSupport

/// The bounds and the ending of a recording at one moment.
struct RecordingBounds {
    var reducers: [String]
    /// The number of the last action; 0 if there is none.
    var lastAction: Int
    /// The number of the last action that finished.
    var lastFinished: Int
    /// The number of the last action with a known state.
    var lastKnown: Int
    /// The actions after those in the file, which are only in the journal.
    var journalOnly = JournalOnlyActions()
    /// The first action with a keyframe after it; 0 if there is none.
    var firstKeyframe: Int
    /// The runs of actions whose states were left out because the recorder fell behind. The state after the last action
    /// of a run is known, unless the recording ends there.
    var skipped: [ClosedRange<Int>] = []
    /// Those runs whose changes are unknown.
    var gaps: [ClosedRange<Int>] = []
    /// The ranges of actions with doubtful states.
    var doubtful: [Recording.DoubtfulStates] = []
    /// The number of actions whose states were not audited.
    var unaudited = 0
    /// Actions that had begun and are in no file, according to the journal or a recovery.
    var lost: ClosedRange<Int>?
    /// Whether the journal is missing although the recording was neither closed nor recovered. The last actions are
    /// then unknown.
    var lacksJournal = false
    /// Whether the journal has actions after the lost ones, so that it does not continue where the file ends.
    var lacksLog = false
    /// Whether the recording has a state: whether a store was attached to the recorder.
    var hasKeyframe: Bool
    /// When the last dropped action was dispatched, if there is one.
    var keptSince: Int64?
    var closed: Int64?
    var stopped: String?
    /// Where the process ended, as a ``Recovery`` wrote it. The journal is gone.
    var died: Recording.Position?
    /// The origin of a file that was salvaged.
    var salvaged: String?
    /// Whether the recording was recovered.
    var isRecovered = false
    var ending: Recording.Ending
    /// What the store was doing when the process ended, from the journal or a ``Recovery``.
    var lastActivity: LastActivity?
    /// The signal that ended the process, and whether it called `exit`, from the journal or a ``Recovery``.
    var crashSignal: CrashSignal?
    var exited = false

}

extension ReadableFile {
    /// Reads the bounds of the recording.
    func bounds() throws(RecordingError) -> RecordingBounds {
        // The recorder must come first: if it is gone, later reads are final.
        let finding = try JournalInspection.of(place)
        return try reading {
            try connection.snapshot {
                let firstKeyframe = try connection.integer("SELECT min(seq) FROM keyframe")
                var bounds = RecordingBounds(
                    reducers: try reducers(),
                    lastAction: 0,
                    lastFinished: 0,
                    lastKnown: Int(firstKeyframe ?? 0),
                    firstKeyframe: Int(firstKeyframe ?? 0),
                    hasKeyframe: firstKeyframe != nil,
                    keptSince: try keptSince(firstKeyframe),
                    closed: try connection.integer("SELECT value FROM recording WHERE key = 'closed'"),
                    stopped: try connection.text("SELECT value FROM recording WHERE key = 'stopped'"),
                    died: try connection.text("SELECT value FROM recording WHERE key = 'died'").flatMap(
                        Recording.Position.init
                    ),
                    salvaged: try connection.text("SELECT value FROM recording WHERE key = 'salvaged'"),
                    isRecovered: try connection.integer("SELECT 1 FROM recording WHERE key = 'recovered'") != nil,
                    ending: .closed
                )
                let last = try connection.prepare("SELECT seq, duration FROM action ORDER BY seq DESC LIMIT 1")
                if try last.step() {
                    bounds.lastAction = Int(try last.integer(0))
                    guard 1...Recording.Position.lastPossibleAction ~= bounds.lastAction else {
                        throw damaged("its actions are not numbered from 1")
                    }
                    // In a damaged file, the last row may not have the largest number.
                    let beyond = "SELECT seq FROM action WHERE seq > \(bounds.lastAction) LIMIT 1"
                    if let seq = try connection.integer(beyond) {
                        throw damaged("its actions are not in their order", seq: Int(seq))
                    }
                    bounds.lastFinished = last.isNull(1) ? bounds.lastAction - 1 : bounds.lastAction
                }
                if bounds.lastAction == 0, 0...Recording.Position.lastPossibleAction ~= bounds.firstKeyframe {
                    // A salvaged file may consist of a state alone.
                    (bounds.lastAction, bounds.lastFinished) = (bounds.firstKeyframe, bounds.firstKeyframe)
                }
                guard 0...bounds.lastAction ~= bounds.firstKeyframe else {
                    throw damaged("its first whole state stands at no action")
                }
                let lastKnown = try connection.integer(
                    "SELECT seq FROM action WHERE steps IS NOT NULL ORDER BY seq DESC LIMIT 1"
                )
                let lastKeyframe = try connection.integer(
                    "SELECT max(seq) FROM keyframe WHERE seq <= \(bounds.lastAction)"
                )
                // No recorder writes a result for an action that never finished.
                let known = min(max(Int(lastKnown ?? 0), Int(lastKeyframe ?? 0)), bounds.lastFinished)
                bounds.lastKnown = max(bounds.lastKnown, known)
                if formatVersion >= Schema.bridgedVersion, try !hasTable(SkippedTable.table) {
                    throw damaged("there is no table \(SkippedTable.table.name)")
                }
                let runs = try skipped(after: bounds.firstKeyframe, upTo: bounds.lastAction)
                for run in runs where run.actions.upperBound < bounds.lastKnown && !run.isBridged {
                    let last = run.actions.upperBound
                    if try connection.integer("SELECT 1 FROM keyframe WHERE seq = \(last)") != nil { continue }
                    throw damaged("the state behind actions whose states were left out is missing", seq: last)
                }
                bounds.skipped = runs.map(\.actions)
                bounds.gaps = runs.filter { !$0.isBridged }.map(\.actions)
                bounds.doubtful = try doubtful(after: bounds.firstKeyframe, upTo: bounds.lastAction)
                bounds.unaudited = Int(
                    try connection.integer("SELECT CAST(value AS INTEGER) FROM recording WHERE key = 'unaudited'") ?? 0
                )
                bounds.add(JournalOnlyActions(of: finding.snapshot, after: bounds.lastAction))
                bounds.settleEnding(finding)
                func fact(_ key: String) throws -> String? {
                    try connection.text("SELECT value FROM recording WHERE key = '\(key)'")
                }
                try bounds.settleLoss(finding, hasLog: FileSystem.exists(place + "-wal"), fact)
                try bounds.settleActivity(finding, fact)
                if bounds.firstKeyframe > 0, bounds.salvaged == nil, try facts().limit.isNone {
                    throw damaged("the whole state at its beginning is missing")
                }
                return bounds
            }
        }
    }

    private func keptSince(_ firstKeyframe: Int64?) throws -> Int64? {
        guard let firstKeyframe, firstKeyframe > 0 else { return nil }
        return try connection.integer("SELECT at FROM action WHERE seq = \(firstKeyframe)")
    }

    private func reducers() throws -> [String] {
        var names: [String] = []
        let row = try connection.prepare("SELECT id, name FROM reducer WHERE id > 0 ORDER BY id")
        while try row.step() {
            guard try row.integer(0) == Int64(names.count + 1) else {
                throw damaged("its reducers are not numbered from 1")
            }
            names.append(try row.text(1))
        }
        return names
    }
}

extension RecordingBounds {
    /// The run because of which the state at a position was left out; `nil` if it was not.
    func gap(at position: Recording.Position) -> ClosedRange<Int>? {
        // The position before an action's first reducer is the one after the previous action.
        let seq = position.reducer == 0 ? position.seq - 1 : position.seq
        guard let run = run(of: seq) else { return nil }
        let isWhole = position.reducer == nil || position.reducer == 0
        return isWhole && seq == run.upperBound ? nil : run
    }

    /// The run without states that contains an action.
    func run(of seq: Int) -> ClosedRange<Int>? { skipped.range(with: seq) }

    /// Whether what changed does not lead from one position to the other.
    func hasGap(between left: Recording.Position, and right: Recording.Position) -> Bool {
        let (low, high) = (min(left, right).seq, max(left, right).seq)
        return gaps.contains { $0.lowerBound <= high && $0.upperBound > low }
            || hasDoubt(between: min(left, right), and: max(left, right))
    }

    /// Whether the path between two positions crosses doubtful states. Their changes cannot be undone, and do not lead
    /// to the keyframe after them.
    private func hasDoubt(between low: Recording.Position, and high: Recording.Position) -> Bool {
        doubtful.contains { states in
            low < Recording.Position(seq: states.actions.upperBound) && high.seq >= states.actions.lowerBound
        }
    }

    /// The doubtful states to which the one at a position belongs; `nil` if it is not doubtful.
    func doubtfulStates(at position: Recording.Position) -> Recording.DoubtfulStates? {
        doubtful.first { states in
            Recording.Position(seq: states.actions.lowerBound, reducer: 0) < position
                && position < Recording.Position(seq: states.actions.upperBound)
        }
    }

    fileprivate mutating func add(_ journalOnly: JournalOnlyActions) {
        self.journalOnly = journalOnly
        guard let last = journalOnly.actions.last else { return }
        lastAction = last.seq
        lastFinished = last.durationInNanoseconds == nil ? last.seq - 1 : last.seq
    }

    /// Determines how the recording ended, from the file and its sidecar files.
    mutating func settleEnding(_ finding: JournalInspection) {
        ending =
            switch finding {
            case _ where closed != nil:
                .closed
            case .live(let journal) where journal.mark?.phase != .stopped:
                .open(live: true)
            case _ where stopped != nil:
                .open(live: false)
            case .live,
                .dead where finding.snapshot?.mark?.phase == .stopped:
                .open(live: false)
            case .absent, .dead:
                unfinishedEnding(finding)
            }
        if stopped == nil, finding.snapshot?.mark?.phase == .stopped {
            stopped = "The recorder could not write any more, not even why."
        }
    }

    /// Determines which actions are missing at the end.
    ///
    /// - Parameters:
    ///   - hasLog: Whether SQLite's `-wal` stands beside the file. A recorder always has one.
    ///   - fact: Reads what the recording's file says, as a recovery has written it down.
    fileprivate mutating func settleLoss(
        _ finding: JournalInspection,
        hasLog: Bool,
        _ fact: (String) throws -> String?
    ) throws {
        guard closed == nil, !finding.isLive else { return }
        let isNoted = try fact(Self.lacksJournalKey) != nil
        lacksJournal = finding == .absent && stopped == nil && (!isRecovered || isNoted)
        let bounds = try fact("lost")?.split(separator: "-").compactMap { Int($0) } ?? []
        if bounds.count == 2, bounds[0] <= bounds[1] {
            lost = bounds[0]...bounds[1]
        } else if let snapshot = finding.snapshot {
            let missing = snapshot.missing(after: lastAction)
            lost = missing ?? lost(by: snapshot)
            lacksLog = missing != nil || (lost != nil && !hasLog)
        }
    }

    /// A recovery that found no journal says so under this key of the table `recording`: what came last stays unknown.
    static let lacksJournalKey = "lacksJournal"
    /// Works out what the store did last, if the recording is over and was neither closed nor stopped.
    ///
    /// - Parameter text: Reads a fact of the recording's file.
    fileprivate mutating func settleActivity(_ finding: JournalInspection, _ text: (String) throws -> String?) throws {
        guard closed == nil, stopped == nil, !finding.isLive else { return }
        crashSignal = try finding.snapshot?.crash ?? text("signal").flatMap(CrashSignal.init(json:))
        exited = try finding.snapshot?.hasExited == true || text("exited") != nil
        let isFinished = lastFinished == lastAction
        if let snapshot = finding.snapshot {
            lastActivity = LastActivity(snapshot, last: lastAction, isFinished: isFinished)
        }
        if lastActivity == nil, let text = try text("during") {
            lastActivity = LastActivity(json: text, last: lastAction, isFinished: isFinished)
        }
        // The recorder, an observer or a subscriber was running, and not a reducer.
        guard case .crashed(let seq, let reducer) = ending, let lastActivity else { return }
        switch lastActivity {
        case .reducer(let number, seq) where 1...max(1, reducers.count) ~= number:
            ending = .crashed(seq: seq, reducer: number)
        case .betweenReducers(_, seq) where reducer != nil:
            ending = .crashed(seq: seq, reducer: nil)
        default:
            break
        }
    }

    private func unfinishedEnding(_ finding: JournalInspection) -> Recording.Ending {
        guard lastFinished < lastAction else { return .open(live: false) }
        // The mark belongs to an earlier action, so no reducer of this action had begun.
        var reducer: Int?
        if let mark = finding.snapshot?.mark, mark.phase == .reducing, mark.isOf(lastAction) {
            reducer = mark.reducer
        } else if let died, died.seq == lastAction {
            reducer = died.reducer
        }
        return .crashed(seq: lastAction, reducer: reducer.flatMap { 1...max(1, reducers.count) ~= $0 ? $0 : nil })
    }
}

extension [ClosedRange<Int>] {
    /// The range that contains a number, among ordered ranges that do not overlap. Costs a binary search.
    func range(with number: Int) -> ClosedRange<Int>? {
        let index = partitioningIndex { $0.upperBound >= number }
        return index < count && self[index].contains(number) ? self[index] : nil
    }
}
