import HindsightFormat
import HindsightSQLite
import HindsightSupport
import HindsightTree

extension ReadableFile {
    /// Reads the bounds of the recording, and how it ended according to the ``journal``.
    func bounds() throws(RecordingError) -> RecordingBounds {
        try reading { try connection.snapshot { try RecordingBounds(of: self) } }
    }
}

extension RecordingBounds {
    /// Reads the bounds of a file at one moment. The first fault is thrown.
    fileprivate init(of file: ReadableFile) throws {
        let connection = file.connection
        let keyframe = try connection.integer("SELECT min(seq) FROM keyframe")
        hasKeyframe = keyframe != nil
        firstKeyframe = Int(keyframe ?? 0)
        (lastAction, lastFinished) = try Self.last(of: file)
        if lastAction == 0, 0...Recording.Position.lastPossibleAction ~= firstKeyframe {
            // A salvaged file may consist of a state alone.
            (lastAction, lastFinished) = (firstKeyframe, firstKeyframe)
        }
        guard 0...lastAction ~= firstKeyframe else {
            throw file.damaged("its first keyframe stands at no action")
        }
        // No command may take longer than its file is large, whatever the numbers in it are.
        guard file.isText || Int64(lastAction - firstKeyframe) <= file.bytes else {
            throw file.damaged("its actions are not numbered one by one", seq: lastAction)
        }
        let steps = "SELECT seq FROM action WHERE steps IS NOT NULL ORDER BY seq DESC LIMIT 1"
        let states = "SELECT max(seq) FROM keyframe WHERE seq <= \(lastAction)"
        let known = try Int(max(connection.integer(steps) ?? 0, connection.integer(states) ?? 0))
        // No recorder writes a result for an action that never finished.
        lastKnown = max(firstKeyframe, min(known, lastFinished))

        var policy = StrictPolicy(file: file)
        let head = try RecordingHead(file, after: firstKeyframe, upTo: lastAction, &policy)
        (reducers, skipped, doubtful) = (head.reducers, head.skipped, head.doubtful)
        gaps = try Self.gaps(skipped, lastKnown, file)
        openDoubt = try Set(
            doubtful.map(\.actions.upperBound).filter { last in
                try connection.integer("SELECT 1 FROM keyframe WHERE seq = \(last)") == nil
            }
        )

        facts = try head.metadata.facts(of: file.path)
        redaction = try file.redaction(head.metadata)
        closed = try head.metadata.number(Metadata.Key.closed)
        stopped = try head.metadata.text(Metadata.Key.stopped)
        died = try head.metadata.text(Metadata.Key.died).flatMap(Recording.Position.init)
        salvaged = try head.metadata.text(Metadata.Key.salvaged)
        cutOrigin = try head.metadata.text(Metadata.Key.cut).flatMap(CutOrigin.init(json:))
        parent = try head.metadata.text(Metadata.Key.parent).flatMap(RecordingParent.init(json:))
        isRecovered = head.metadata[Metadata.Key.recovered] != nil
        if case .text(let count)? = head.metadata[Metadata.Key.unaudited] { unaudited = Int(count) ?? 0 }
        if firstKeyframe > 0 {
            keptSince = try connection.integer("SELECT at FROM action WHERE seq = \(firstKeyframe)")
            guard salvaged != nil || !facts.limit.isNone else {
                throw file.damaged("the keyframe at its beginning is missing")
            }
        }
        journal = file.journal.beside(facts.id, stored: lastAction, isClosed: closed != nil, in: file)
        // A closed file has everything that was recorded.
        if closed == nil, let snapshot = journal.snapshot {
            let thread = snapshot.actions.isEmpty ? nil : try Self.thread(of: lastAction, file)
            add(JournalOnlyActions(of: snapshot, after: lastAction, on: thread))
            try addNotes(of: snapshot, file)
        }
        settleEnding(journal)
        try settleLoss(journal, head.metadata, hasLog: WriteAheadLog.isThereAndWhole(beside: file.place))
        try settleActivity(journal, head.metadata)
    }

    /// The last action, and the last one that finished; 0 if there is none.
    private static func last(of file: ReadableFile) throws -> (action: Int, finished: Int) {
        let row = try file.connection.prepare("SELECT seq, duration FROM action ORDER BY seq DESC LIMIT 1")
        guard try row.step() else { return (0, 0) }
        let last = Int(try row.integer(0))
        guard 1...Recording.Position.lastPossibleAction ~= last else {
            throw file.damaged("its actions are not numbered from 1")
        }
        // In a damaged file, the last row may not have the largest number.
        if let seq = try file.connection.integer("SELECT seq FROM action WHERE seq > \(last) LIMIT 1") {
            throw file.damaged("its actions are not in their order", seq: Int(seq))
        }
        return (last, row.isNull(1) ? last - 1 : last)
    }

    /// The thread of the last action, which the journal's first may have too.
    private static func thread(of last: Int, _ file: ReadableFile) throws -> DispatchingThread? {
        let row = try file.connection.prepare("SELECT thread FROM action WHERE seq = \(last)")
        var policy = StrictPolicy(file: file)
        return try row.step()
            ? Optional(NameTexts(Schema.name, file.connection)).thread(row, 0, at: last, &policy) : nil
    }

    /// The runs whose changes are unknown. A keyframe must follow them.
    private static func gaps(_ skipped: [ClosedRange<Int>], _ lastKnown: Int, _ file: ReadableFile) throws
        -> [ClosedRange<Int>]
    {
        let bridge = try file.connection.prepare("SELECT 1 FROM action WHERE seq = ? AND steps IS NOT NULL")
        return try skipped.filter { run in
            let last = run.upperBound
            defer { bridge.reset() }
            try bridge.bind(last, at: 1)
            if try bridge.step() { return false }
            let state = "SELECT 1 FROM keyframe WHERE seq = \(last)"
            guard try last >= lastKnown || file.connection.integer(state) != nil else {
                throw file.damaged("the state behind actions whose states were left out is missing", seq: last)
            }
            return true
        }
    }

    /// Takes the notes of the journal after the last one in the file, except those of dropped and of missing actions.
    private mutating func addNotes(of journal: JournalSnapshot, _ file: ReadableFile) throws {
        let notes = journal.notes
        guard !notes.isEmpty else { return }
        var last = try file.connection.integer("SELECT max(id) FROM note") ?? 0
        var names: Set<ScalarKey> = []
        for var note in notes where Int64(note.id) > last && firstKeyframe...lastAction ~= note.seq {
            last = Int64(note.id)
            if NoteTable.fault(ofName: note.text) == nil, names.insert(ScalarKey(note.text)).inserted {
                note.isName = try !NoteTable.has(name: note.text, file.connection)
            }
            journalNotes.append(note)
        }
    }

    private mutating func add(_ journalOnly: JournalOnlyActions) {
        self.journalOnly = journalOnly
        guard let last = journalOnly.actions.last else { return }
        lastAction = last.seq
        lastFinished = last.duration == nil ? last.seq - 1 : last.seq
    }

    /// Determines how the recording ended, from the file and its sidecar files.
    private mutating func settleEnding(_ finding: JournalInspection) {
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
    ///   - metadata: What a recovery has written.
    ///   - hasLog: Whether SQLite's `-wal` stands beside the file. A recorder always has one.
    private mutating func settleLoss(
        _ finding: JournalInspection,
        _ metadata: Metadata,
        hasLog: @autoclosure () -> Bool
    ) throws {
        guard closed == nil, !finding.isLive else { return }
        let isNoted = try metadata.text(Metadata.Key.lacksJournal) != nil
        // A recorder that stopped, and a recovery, leave a journal only if it is needed.
        let isNeeded = !isRecovered && (stopped == nil || finding.isDamaged)
        lacksJournal = finding.isMissing && (isNoted || isNeeded)
        if let actions = try metadata.text(Metadata.Key.lost).flatMap(Metadata.actions) {
            lost = actions
        } else if let snapshot = finding.snapshot {
            let missing = snapshot.missing(after: lastAction)
            lost = missing ?? snapshot.lost(after: lastAction)
            lacksLog = missing != nil || (lost != nil && !hasLog())
        }
    }

    /// Determines what the store did last, if the recording is over and was neither closed nor stopped.
    private mutating func settleActivity(_ finding: JournalInspection, _ metadata: Metadata) throws {
        guard closed == nil, stopped == nil, !finding.isLive else { return }
        crashSignal = try finding.snapshot?.crash ?? metadata.text(Metadata.Key.signal).flatMap(CrashSignal.init(json:))
        exited = try finding.snapshot?.hasExited == true || metadata.text(Metadata.Key.exited) != nil
        let isFinished = lastFinished == lastAction
        if let snapshot = finding.snapshot, snapshot.trouble == nil {
            lastActivity = LastActivity(snapshot, last: lastAction, isFinished: isFinished)
        }
        if lastActivity == nil, let text = try metadata.text(Metadata.Key.during) {
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
        // The process went on after this action: the record of its end, and those after it, are lost.
        if finding.snapshot?.lost(after: lastAction) != nil { return .open(live: false) }
        // Whether the process went on is not known.
        if finding.isDamaged, !isRecovered { return .open(live: false) }
        // If the mark belongs to an earlier action, no reducer of this action had begun.
        var reducer: Int?
        if let mark = finding.snapshot?.mark, mark.phase == .reducing, mark.isOf(lastAction) {
            reducer = mark.reducer
        } else if let died, died.seq == lastAction {
            reducer = died.reducer
        }
        return .crashed(seq: lastAction, reducer: reducer.flatMap { 1...max(1, reducers.count) ~= $0 ? $0 : nil })
    }
}
