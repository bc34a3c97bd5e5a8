import HindsightFormat
import HindsightSQLite
import HindsightSupport
import HindsightTree

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A recording, opened for reading. Changes nothing on disk. One thread at a time; open another for another thread.
///
/// It may be open while it is being recorded, by this process or another: it then shows what had been recorded when it
/// was opened, or last ``refresh()``ed.
public final class Recording {
    /// The recording's file.
    public let url: URL
    /// What the app said about itself.
    public let app: AppInfo
    /// The system that the app ran on.
    public let platform: String
    /// The format of the file; 1 is the first.
    public let formatVersion: Int
    /// When the recorder was made, in nanoseconds since 1970.
    public let created: Int64
    /// How much of its past it was to keep; ``RecordingLimit/none`` where everything.
    public let limit: RecordingLimit
    /// The names of the reducers in the order in which they run; the first has number 1.
    public var reducers: [String] { bounds.reducers }
    /// When the recorder was closed, in nanoseconds since 1970; `nil` where it was not.
    public var closed: Int64? { bounds.closed }
    /// The name of a reducer: of 1 to ``reducers``' count, or of 0, which is time travel. `nil` for any other number.
    public func name(ofReducer number: Int) -> String? {
        if number == 0 { return Schema.travelName }
        return reducers.indices.contains(number - 1) ? reducers[number - 1] : nil
    }
    /// Why the recorder stopped before it was closed; `nil` where it did not.
    public var stopped: String? { bounds.stopped }
    /// Of which recording this is which part, in words, where ``Examination/salvage(to:overwrite:)`` has saved it; `nil`
    /// where it is no part.
    public var salvaged: String? { bounds.salvaged }
    /// How the recording ended.
    public var ending: Ending { bounds.ending }
    /// What the store was doing when its process ended; `nil` where the recording was closed, had to stop, is being made, or
    /// does not say, as those of earlier versions.
    public var lastActivity: LastActivity? { bounds.lastActivity }
    /// The signal that ended the process, where ``RecorderOptions/marksCrashes`` was on; `nil` where it ended in another way,
    /// as by `SIGKILL`, or nobody has marked it.
    public var crashSignal: CrashSignal? { bounds.crashSignal }
    /// Whether the process ended by `exit`, or since its main function returned, with the recording open. Known where
    /// ``RecorderOptions/marksCrashes`` was on.
    public var exited: Bool { bounds.exited }
    /// The number of the last action, also where it never finished. 0 where there is none.
    public var actionCount: Int { bounds.lastAction }
    /// The first position there is: the initial state, or, where the recording's ``limit`` has dropped what was before,
    /// the state after the last action that was dropped.
    public var start: Position { Position(seq: bounds.firstKeyframe) }
    /// How many actions the recording's ``limit`` has dropped: those up to ``start``.
    public var dropped: Int { bounds.firstKeyframe }
    /// When the last action that was dropped came, in nanoseconds since 1970: everything since is here. `nil` where
    /// nothing was dropped.
    public var keptSince: Int64? { bounds.keptSince }
    /// The last position whose state is known.
    ///
    /// Where the process ended without closing the recording, or is recording now, actions may have finished after it:
    /// see ``lastFinished``. Replaying them computes their states.
    public var end: Position { Position(seq: bounds.lastKnown) }
    /// The runs of actions whose states were left out, since the recorder was behind, in their order.
    ///
    /// Replaying computes them. The state after the last action of a run was recorded again, unless it lies beyond
    /// ``end``. What is in the journal alone is in none.
    public var skipped: [ClosedRange<Int>] { bounds.skipped }
    /// The states that are doubtful, since a later whole state shows a change that the recorder had not seen, in their
    /// order.
    ///
    /// They are given as they were recorded; what is named there may have been another value.
    public var doubtful: [DoubtfulStates] { bounds.doubtful }
    /// Of how many actions the recorder did not compare the states with a whole one: it had no time, or the state is too big.
    public var unaudited: Int { bounds.unaudited }

    /// Actions that had begun and are in no file: of a machine that stopped, or if a file beside the recording is missing or
    /// cut. `nil` if there are none.
    public var lost: ClosedRange<Int>? { bounds.lost }
    /// Whether the recording's journal is missing, though nobody closed or recovered it: nobody knows then which actions came
    /// last.
    public var lacksJournal: Bool { bounds.lacksJournal }
    /// Whether the recording's journal has actions that come after those that are ``lost``, as if the file was copied without
    /// its `-wal`. ``recover(_:)`` refuses it then.
    public var lacksLog: Bool { bounds.lacksLog }

    /// The doubtful states that the one at a position is among; `nil` if it is not doubtful.
    public func doubt(at position: Position) -> DoubtfulStates? { bounds.doubt(at: position) }

    /// The number of the last action that finished.
    public var lastFinished: Int { bounds.lastFinished }

    /// The number of the last action that is in the file, and not in the journal alone.
    package var lastStored: Int { bounds.lastAction - bounds.journalOnly.actions.count }

    /// What the recording does not show, as far as was known when it was opened or last ``refresh()``ed.
    public private(set) var redaction: RecordedRedaction

    let file: ReadableFile
    let selectAction: Statement
    let selectSteps: Statement
    private(set) var bounds: RecordingBounds

    /// Opens a recording.
    ///
    /// Costs a few reads, however long the recording is.
    ///
    /// - Throws: A ``RecordingError``: `notFound`, `unreadable`, `empty`, `notARecording`, `newerFormat` or `damaged`.
    public init(at url: URL) throws {
        self.url = url
        do {
            let file = try ReadableFile(path: url.path)
            self.file = file
            selectAction = try file.reading { try file.connection.prepare("\(ActionRow.selection) WHERE seq = ?") }
            selectSteps = try file.reading { try file.connection.prepare("SELECT steps FROM action WHERE seq = ?") }
            let facts = try file.facts()
            app = AppInfo(name: facts.app, version: facts.version)
            platform = facts.platform
            created = facts.created
            limit = facts.limit
            formatVersion = file.formatVersion
            redaction = try file.redaction()
            bounds = try file.bounds()
        } catch let error as RecordingError {
            throw try JournalInspection.of(FileSystem.place(of: url.path)).explaining(error)
        }
    }

    /// Looks at how far the recording has come. Costs a few reads.
    ///
    /// - Throws: A ``RecordingError``: `unreadable` or `damaged`.
    public func refresh() throws {
        bounds = try file.bounds()
        redaction = try file.redaction()
    }
}

extension Recording {
    /// Limits the memory that SQLite takes in this process to a gigabyte, whatever a file asks for. For a process that does
    /// nothing else with SQLite.
    package static func limitMemory() {
        Connection.limitMemory(toBytes: 1 << 30)
    }
}
