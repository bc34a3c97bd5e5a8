import Foundation
import HindsightFormat
import HindsightSQLite
import HindsightSupport
import HindsightTree

/// An open recording. Reading changes nothing on disk. Use a recording from one thread at a time, and open another for
/// another thread.
///
/// You may open a recording while this or another process records it. It then shows the moment at which it was opened,
/// or last ``refresh()``ed.
public final class Recording {
    /// A point in the time of a recording.
    public typealias Position = RecordingPosition
    /// A range of states that the recorder got wrong.
    package typealias DoubtfulStates = HindsightFormat.DoubtfulStates

    /// The recording's file.
    public let url: URL
    /// The name, version and schema of the app.
    public let app: AppInfo
    /// The system on which the app ran.
    public let platform: String
    /// The format of the file, from 1.
    package let formatVersion: Int
    /// A UUID, in lower case, that is made when a recording begins; `nil` if the recording has none.
    ///
    /// Copies, parts, exports and recovered files of a recording have its UUID. A what-if has one of its own.
    package let id: String?
    /// When the recorder was created.
    public var created: Date { Date(nanosecondsSinceEpoch: createdNanoseconds) }
    /// The limit of the recording; `RecordingLimit.none` if it keeps everything.
    public let limit: RecordingLimit
    /// The names of the reducers in the order in which they run. Reducer 1 is the first.
    public var reducers: [String] { bounds.reducers }
    /// When the recorder was closed; `nil` if it was not closed.
    public var closed: Date? { closedNanoseconds.map(Date.init(nanosecondsSinceEpoch:)) }
    /// Returns the name of a reducer by its number, from 1; 0 is time travel. `nil` for any other number.
    public func name(ofReducer number: Int) -> String? {
        if number == 0 { return Schema.travelName }
        return reducers.indices.contains(number - 1) ? reducers[number - 1] : nil
    }
    /// Why the recorder stopped before it was closed; `nil` if it did not.
    package var stopReason: String? { bounds.stopped }
    /// If ``Examination/salvage(to:overwrite:)`` wrote this file, a description of the damaged recording and the saved
    /// part; otherwise `nil`.
    package var salvageNote: String? { bounds.salvaged }
    /// The recording of which this is a what-if, and the changes of its actions; `nil` if an app was recorded.
    package var parent: RecordingParent? { bounds.parent }
    /// How the recording ended.
    public var ending: Ending { bounds.ending }
    /// What the store was doing when its process ended; `nil` if the recording was closed, had to stop or is live, or if
    /// it is not known.
    public var lastActivity: LastActivity? { bounds.lastActivity }
    /// The signal that ended the process, if the recorder had the option `marksCrashes`; `nil` if the process ended in
    /// another way, for example by `SIGKILL`, or the signal was not marked.
    public var crashSignal: CrashSignal? { bounds.crashSignal }
    /// Whether the process ended by `exit`, or by returning from its main function, without closing the recording.
    /// Known only if the recorder had the option `marksCrashes`.
    public var hasExited: Bool { bounds.exited }
    /// The number of the last action, even if it never finished; 0 if there is none.
    public var actionCount: Int { bounds.lastAction }
    /// The first position: the initial state, or, if the ``limit`` has dropped actions, the state after the last
    /// dropped one.
    public var start: Position { Position(seq: bounds.firstKeyframe) }
    /// The number of actions that the ``limit`` has dropped: those up to ``start``.
    public var droppedCount: Int { bounds.firstKeyframe }
    /// When the last dropped action was dispatched. The recording has everything since. `nil` if nothing was dropped.
    public var keptSince: Date? { keptSinceNanoseconds.map(Date.init(nanosecondsSinceEpoch:)) }
    /// The last position whose state is known.
    ///
    /// If the recording is live or was not closed, later actions may have finished: see ``lastFinished``. Replaying
    /// computes their states.
    public var end: Position { Position(seq: bounds.lastKnown) }
    /// The runs of actions whose states were left out because the recorder fell behind, in order.
    ///
    /// Replaying computes the states. The state after the last action of a run was recorded, unless it lies beyond
    /// ``end``. Actions that are only in the journal are in no run.
    public var skipped: [ClosedRange<Int>] { bounds.skipped }
    /// The run of ``skipped`` that has an action. Costs a binary search.
    package func skippedRun(with seq: Int) -> ClosedRange<Int>? { bounds.run(of: seq) }
    /// The doubtful states, in order: a later keyframe shows a change that the recorder missed.
    ///
    /// Reading returns them as they were recorded. The value at the path may have been different.
    package var doubtful: [DoubtfulStates] { bounds.doubtful }
    /// The types that are not `Codable`, because of which the states are descriptions by reflection. No state can be
    /// made of them, so nothing can be replayed. Empty if the states are the app's own.
    package var typesOfDescribedStates: [String] { bounds.facts.described }
    /// The end of a sentence about states that were not recorded: what a replay computes, if there can be one.
    package func computing(_ what: String) -> String {
        if !typesOfDescribedStates.isEmpty { return "" }
        let end = firstGapAfterEnd.map { ", up to action \($0), which was not recorded as a value" } ?? ""
        return "; replaying computes \(what)\(end)"
    }
    /// More actions than a recorder has in its queue.
    private static let maxSearched = 10_000
    /// The first action after ``end`` that no replay runs, and whose state is not known, among those that a recorder may
    /// not have written. Costs reading these actions.
    package var firstGapAfterEnd: Int? {
        guard end.seq < lastFinished else { return nil }
        // An action that cannot be read is told where it is asked for.
        return (end.seq + 1...lastFinished).prefix(Self.maxSearched).first { (try? action($0))?.isGap == true }
    }
    /// The number of actions whose states were not audited, because there was no time or the state is too large.
    package var unauditedCount: Int { bounds.unaudited }

    /// How far the states were computed by the recorder; `nil` if all are the app's own.
    package var computedStates: ComputedStates? { bounds.facts.computed }

    /// Actions that had begun and cannot be read, because the machine stopped, or a file beside the recording is
    /// missing, truncated or damaged. `nil` if there are none.
    public var lost: ClosedRange<Int>? { bounds.lost }
    /// Whether the journal is missing or damaged although the recording was neither closed nor recovered. The last
    /// actions are then unknown.
    package var lacksJournal: Bool { bounds.lacksJournal }
    /// Whether the journal beside the recording belongs to another recording.
    package var hasForeignJournal: Bool {
        if case .foreign? = bounds.journal.snapshot?.trouble { true } else { false }
    }
    /// Whether the journal has actions after those that are ``lost``, for example because the file was copied without
    /// its `-wal`. ``recover(at:)`` then fails.
    package var lacksLog: Bool { bounds.lacksLog }

    /// Returns the doubtful states to which the one at a position belongs; `nil` if it is not doubtful.
    package func doubtfulStates(at position: Position) -> DoubtfulStates? { bounds.doubtfulStates(at: position) }
    /// Whether doubtful states end after an action without the keyframe that must follow them. The recording is damaged
    /// then, and the state after the action is as doubtful as those before it.
    package func hasOpenDoubt(after seq: Int) -> Bool { bounds.openDoubt.contains(seq) }

    /// The number of the last action that finished.
    package var lastFinished: Int { bounds.lastFinished }

    /// The number of the last action in the file itself, not only in the journal.
    package var lastStored: Int { bounds.lastStored }

    /// The redaction of the recording, as of opening it or of the last ``refresh()``.
    package var redaction: RecordedRedaction { bounds.redaction }

    // The exact times, in nanoseconds since 1970. A `Date` is rounded.

    /// The exact time of ``created``.
    package let createdNanoseconds: Int64
    /// The exact time of ``closed``.
    package var closedNanoseconds: Int64? { bounds.closed }
    /// The exact time of ``keptSince``.
    package var keptSinceNanoseconds: Int64? { bounds.keptSince }

    /// The local time in which positions by time are read.
    package var localClock = LocalClock.system

    let file: ReadableFile
    let names: NameTexts
    private let selectAction: Statement
    private(set) var bounds: RecordingBounds

    /// Opens a recording. Costs a few reads, however long the recording is.
    ///
    /// - Throws: A `RecordingError` with the code `notFound`, `unreadable`, `empty`, `notARecording`, `newerFormat` or
    ///   `damaged`.
    public init(at url: URL) throws(RecordingError) {
        self.url = url
        do throws(RecordingError) {
            let file = try ReadableFile(path: url.path)
            self.file = file
            let connection = file.connection
            names = try file.reading { try NameTexts(Schema.name, connection) }
            let selection = Schema.action.selection()
            selectAction = try file.reading { try connection.prepare("\(selection) WHERE seq = ?") }
            bounds = try Self.bounds(of: file)
            let facts = bounds.facts
            app = AppInfo(
                name: facts.app,
                version: facts.version,
                schema: facts.schema,
                installation: facts.installation
            )
            platform = facts.platform
            id = facts.id
            createdNanoseconds = facts.created
            limit = facts.limit
            formatVersion = file.formatVersion
        } catch {
            throw try JournalInspection.of(FileSystem.place(of: url.path)).explaining(error)
        }
    }

    private static func bounds(of file: ReadableFile) throws(RecordingError) -> RecordingBounds {
        do {
            return try file.bounds()
        } catch {
            // The other lines of a text were read before.
            var error = error
            if file.isText, error.seq == nil { error.line = 1 }
            throw error
        }
    }

    /// Reads the row of an action in the file, which has the columns of `Schema.action`; `nil` if there is none.
    func withRow<Result>(
        of seq: Int,
        _ body: (borrowing Statement) throws -> Result?
    ) throws(RecordingError) -> Result? {
        try file.reading(seq: seq) {
            defer { selectAction.reset() }
            try selectAction.bind(seq, at: 1)
            return try selectAction.step() ? body(selectAction) : nil
        }
    }

    /// Reads what was recorded since. Costs a few reads.
    ///
    /// - Throws: A `RecordingError` with the code `unreadable` or `damaged`.
    public func refresh() throws(RecordingError) {
        try file.inspectJournal()
        bounds = try file.bounds()
    }
}

extension Recording {
    /// Limits SQLite's memory in this process to a gigabyte, whatever a file asks for. Only for a process that uses
    /// SQLite for nothing else.
    package static func limitMemory() {
        Connection.limitMemory(toBytes: 1 << 30)
    }
}
