import HindsightFormat

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is damaged in a recording, and what is sound.
///
/// ```swift
/// let examination = try Recording.examine(url)
/// for finding in examination.findings { print(finding.part.rawValue, finding.what) }
/// if !examination.isSound { try examination.salvage(to: other) }
/// ```
public struct Examination: Sendable {
    /// The recording's file.
    public let url: URL
    /// What is damaged, and what was not examined. Of each part at most 200 are listed.
    public internal(set) var findings: [Finding] = []
    /// How many more there are.
    public internal(set) var moreFindings = 0
    /// What no recorder made, and does no harm, such as an index that somebody has added; each as a sentence.
    public internal(set) var remarks: [String] = []
    /// The number of actions that can be read, those in the journal alone included.
    public internal(set) var actions = 0
    /// The actions that stand in the journal alone; `nil` where none does, or a recorder is at work.
    public internal(set) var journaled: ClosedRange<Int>?
    /// The number of whole states.
    public internal(set) var wholeStates = 0
    /// From the first position to the last; `nil` where there is none.
    public internal(set) var positions: ClosedRange<Int>?
    /// Positions whose states can be reconstructed, and nothing in the file contradicts them.
    public internal(set) var sound: [ClosedRange<Int>] = []
    /// Positions for which the file has two states that contradict each other.
    public internal(set) var doubtful: [ClosedRange<Int>] = []
    /// Positions whose states were never written, as where the process died; replaying computes them.
    public internal(set) var unwritten: [ClosedRange<Int>] = []
    /// The longest run of consecutive actions that can be saved: from a position, which is its initial state then, to
    /// another, with the actions of the journal that follow. `nil` where there is none.
    public internal(set) var longest: ClosedRange<Int>?

    /// What of the longest run is in the file itself.
    var stored: ClosedRange<Int>?
    var pieces: [ConsistencyVerdict.Piece] = []
    /// The runs of actions whose states the recorder left out.
    var skipped: [ClosedRange<Int>] = []
    /// The actions whose states the recorder itself marked as doubtful: see ``Recording/doubtful``.
    public internal(set) var marked: [ClosedRange<Int>] = []
    /// The reducers' names, as far as they can be read; the first has number 1.
    public internal(set) var reducerNames: [String] = []

    /// Whether everything was examined, and nothing is damaged.
    public var isSound: Bool { findings.isEmpty }
    /// Whether something is damaged.
    public var isDamaged: Bool { findings.contains { $0.part != .limit } }
}

extension Recording {
    /// Examines a recording: SQLite's pages, every action, every state forward and backward, the journal beside it.
    ///
    /// Nothing on disk is changed. Costs reading everything about twice; in memory some states, or, where those are bigger
    /// than some hundreds of megabytes, the finding that they are.
    ///
    /// - Parameters:
    ///   - limit: How long it may take, about: what was not examined then is a finding. `nil` for a minute, and a second
    ///     for each 100 KB, which only a file needs that was made for it.
    ///   - progress: Told the number of each action that was examined, and that of the last.
    /// - Throws: A ``RecordingError``: `notFound`, `unreadable`, `empty`, `notARecording` or `newerFormat`. Damage is no
    ///   error.
    public static func examine(
        _ url: URL,
        within limit: Duration? = nil,
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws -> Examination {
        try Examiner(url, within: limit).examine(progress)
    }
}
