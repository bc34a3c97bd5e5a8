import HindsightFormat
import HindsightSupport
import HindsightTree

/// The actions that are only in a recording's journal. The states after them are unknown.
struct JournalOnlyActions {
    /// In order, without a gap.
    private(set) var actions: [RecordedAction] = []
    /// Parents that became known for earlier actions.
    private(set) var parents: [Int: Int] = [:]

    init() {}

    /// Takes the actions of a journal after the last action in the file. Leaves those that do not fit.
    ///
    /// - Parameter thread: The thread of the last action in the file; `nil` if it is not known.
    init(of journal: JournalSnapshot?, after last: Int, on thread: DispatchingThread?) {
        var thread = thread
        for (action, duration) in journal?.actions(after: last) ?? [] {
            for child in action.adopted { parents[child] = action.seq }
            thread = action.thread.form({ $0 }, after: thread)
            actions.append(RecordedAction(action, duration: duration, on: thread))
        }
    }

    subscript(seq: Int) -> RecordedAction? {
        guard let first = actions.first?.seq, actions.indices.contains(seq - first) else { return nil }
        return adopted(actions[seq - first])
    }

    /// Sets the parent of an earlier action.
    func adopted(_ action: RecordedAction) -> RecordedAction {
        guard let parent = parents[action.seq] else { return action }
        var fields = action.fields
        fields.parent = parent
        return RecordedAction(fields)
    }
}

extension JournalInspection {
    /// The journal as far as it can be true beside a file, otherwise with its trouble. The contents of another
    /// recording's journal are left out.
    ///
    /// - Parameters:
    ///   - id: The recording's UUID; `nil` if it has none.
    ///   - stored: The last action in the file; `nil` if it is not known.
    ///   - isClosed: Whether the file says that its recorder was closed.
    ///   - file: The file. Of its recorder's end, the last action is compared with the journal's, which costs a pass over
    ///     the journal.
    func beside(_ id: String?, stored: Int?, isClosed: Bool, in file: ReadableFile) -> JournalInspection {
        switch self {
        case .absent: .absent
        case .live(let snapshot): .live(snapshot.beside(id, stored: nil, isClosed: false))
        case .dead(let snapshot):
            .dead(snapshot.beside(id, stored: stored, isClosed: isClosed).comparedWithLog(of: file, at: stored))
        }
    }

    /// Whether the journal is this recording's, and damaged.
    var isDamaged: Bool { if case .damaged? = snapshot?.trouble { true } else { false } }
}

extension JournalSnapshot {
    fileprivate func beside(_ id: String?, stored: Int?, isClosed: Bool) -> JournalSnapshot {
        guard hasHeader else { return self }
        func isForeign() -> Bool {
            if let id, let own = self.id { return id != own }
            // A recorder that closes the file has marked its last action.
            guard isClosed, let mark, let stored else { return false }
            return mark.phase != .stopped && !mark.isOf(stored)
        }
        if isForeign() {
            var journal = JournalSnapshot.empty
            journal.hasHeader = true
            journal.trouble = .foreign(id: self.id)
            return journal
        }
        // A recorder marks an action before it writes it to the file.
        guard trouble == nil, let mark, mark.phase != .stopped, let stored, mark.lead(over: stored) < 0 else {
            return self
        }
        var journal = self
        let marked = max(0, stored + mark.lead(over: stored))
        journal.trouble = .damaged(
            "its mark says that action \(marked) was the last, and the file has action \(stored)"
        )
        return journal
    }

    /// The journal; with a trouble if it has another action than the file's last one. Both have the recording's UUID, so
    /// the `-wal` from which SQLite reads that action is another recording's.
    fileprivate func comparedWithLog(of file: ReadableFile, at last: Int?) -> JournalSnapshot {
        guard trouble == nil, id != nil, let last, FileSystem.size(of: file.place + "-wal") > 0,
            let stored = try? file.connection.integer("SELECT at FROM action WHERE seq = \(last)"),
            let records = try? JournalInspection.everyRecord(beside: file.place),
            let own = records.actions.last(where: { $0.action.seq == last }), own.action.at != stored
        else { return self }
        var journal = self
        journal.trouble = .damaged("the file has another action \(last): the -wal beside it is of another recording")
        return journal
    }

    /// The actions that the journal beside a file has whole: see ``JournalContents/salvageable(after:)``.
    func salvageable(beside place: String, after last: Int) throws(RecordingError) -> SalvageableActions {
        try records(beside: place)?.salvageable(after: last) ?? ([], [])
    }

    /// The notes that the journal beside a file has whole, after the last one in the file.
    func salvageableNotes(beside place: String, after last: Int) throws(RecordingError) -> [JournalNote] {
        try records(beside: place)?.notes.filter { $0.id > last } ?? []
    }

    /// Every whole record of the recording's journal.
    private func records(beside place: String) throws(RecordingError) -> JournalContents? {
        switch trouble {
        case .foreign?, .newer?: nil
        case .damaged?, nil: try JournalInspection.everyRecord(beside: place)
        }
    }

    /// Actions that had begun according to the mark, and are neither in the file nor in the journal.
    func lost(after last: Int) -> ClosedRange<Int>? {
        guard let mark, mark.phase != .stopped else { return nil }
        let lead = mark.lead(over: last)
        return lead > 0 ? last + 1...last + lead : nil
    }

    /// The actions that follow the last one in the file, in order, without a gap.
    func actions(after last: Int) -> [(action: DispatchedAction, duration: Int64?)] {
        // In a malicious file, the last action may have any number.
        guard last < .max else { return [] }
        var next = last + 1
        return actions.filter { action, _ in
            guard action.seq == next else { return false }
            next &+= 1
            return true
        }
    }

    /// The actions between the last one in the file and the first one in the journal; `nil` if there are none. A
    /// recorder leaves no such gap, because the journal keeps each action until the file or its `-wal` has it.
    func missing(after last: Int) -> ClosedRange<Int>? {
        let end = last + actions(after: last).count
        let next = actions.lazy.map(\.action.seq).filter { $0 > end + 1 }.min()
        return next.map { end + 1...$0 - 1 }
    }
}

/// Actions with their durations, in order, and those of them that are gaps.
typealias SalvageableActions = (
    actions: [(action: DispatchedAction, duration: Int64?)], gaps: [ClosedRange<Int>]
)

extension JournalContents {
    /// The actions after the last one in the file, from records that are whole wherever they stand. An action whose
    /// record is not is a gap, as one whose payload was lost.
    fileprivate func salvageable(after last: Int) -> SalvageableActions {
        var (found, gaps): SalvageableActions = ([], [])
        for (action, duration) in actions {
            let next = found.last?.action.seq ?? last
            guard action.seq > next, action.seq - last <= actions.count + Self.maxMissing else { continue }
            if action.seq > next + 1 {
                gaps.append(next + 1...action.seq - 1)
                found += gaps[gaps.count - 1].map { seq in
                    let problem = "Its record in the journal was lost to damage."
                    return (DispatchedAction(seq: seq, type: "unknown", at: action.at, problem: problem), nil)
                }
            }
            found.append((action, duration))
        }
        return (found, gaps)
    }

    /// The largest number of gaps. All actions that the file lacks had room in the ring.
    private static let maxMissing = 1 << 16
}

extension DispatchedAction {
    /// Parses the payload, and removes it if it is not JSON, because the journal is damaged.
    fileprivate mutating func parsePayload() -> Node? {
        do {
            return try payload.map { try Node(json: $0) }
        } catch {
            payload = nil
            problem = "Its journal is damaged: \(error)."
            return Node?.none
        }
    }

    /// The action, without its payload if that is not JSON.
    var withoutBadPayload: DispatchedAction {
        var action = self
        _ = action.parsePayload()
        return action
    }
}

extension RecordedAction {
    fileprivate init(_ action: DispatchedAction, duration: Int64?, on thread: DispatchingThread?) {
        var action = action
        let payload = action.parsePayload()
        let fields = Fields(
            seq: action.seq,
            parent: action.parent,
            type: action.type,
            payload: payload,
            nanosecondsSinceEpoch: action.at,
            durationInNanoseconds: duration,
            source: action.origin,
            problem: action.problem,
            thread: thread
        )
        self.init(fields)
    }
}
