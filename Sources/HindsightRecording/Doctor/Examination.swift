import Foundation
import HindsightFormat
import HindsightTree

/// What is damaged in a recording, and what is sound.
///
/// ```swift
/// let examination = try Recording.examine(at: url)
/// for finding in examination.findings { print(finding.part.rawValue, finding.what) }
/// if !examination.isSound { try examination.salvage(to: other) }
/// ```
package struct Examination: Codable, Sendable {
    /// The recording's file.
    package internal(set) var url = URL(filePath: "")
    /// What is damaged, and what was not examined or is not known: at most 200 findings for each part.
    package internal(set) var findings: [Finding] = []
    /// The number of further findings.
    package internal(set) var moreFindings = 0
    /// Harmless additions to the file, such as an index of your own; each as a sentence.
    package internal(set) var remarks: [String] = []
    /// The number of readable actions, including those that are only in the journal.
    package internal(set) var actions = 0
    /// The actions that are only in the journal; `nil` if there are none, or if a recorder is writing. Some of them may
    /// be lost if the journal is damaged.
    @Nullable package internal(set) var journaled: ClosedRange<Int>? = nil
    /// The number of keyframes.
    package internal(set) var wholeStates = 0
    /// The first and the last position; `nil` if there is none.
    @Nullable package internal(set) var positions: ClosedRange<Int>? = nil
    /// Positions whose states can be reconstructed without contradiction.
    package internal(set) var sound: [ClosedRange<Int>] = []
    /// Positions for which the file has two contradictory states.
    package internal(set) var doubtful: [ClosedRange<Int>] = []
    /// Positions whose states were never written, for example because the process died. Replaying computes them.
    package internal(set) var unwritten: [ClosedRange<Int>] = []
    /// Whether the states are descriptions by reflection, so that nothing is computed.
    package internal(set) var describesStates = false
    /// The longest run of actions that can be saved: from the position that becomes the initial state to the last one,
    /// including actions of the journal. `nil` if there is none.
    @Nullable package internal(set) var longest: ClosedRange<Int>? = nil

    /// Whether the time limit passed before the last action.
    var isCutShort = false
    /// Whether the last actions of the file cannot be read.
    var isEndLost = false
    /// The part of the longest run that is in the file itself.
    var stored: ClosedRange<Int>?
    var pieces: [ConsistencyVerdict.Piece] = []
    /// The runs of actions whose states the recorder left out.
    var skipped: [ClosedRange<Int>] = []
    /// The actions whose states the recorder marked as doubtful: see `Recording.doubtful`.
    package internal(set) var marked: [ClosedRange<Int>] = []
    /// The readable names of reducers. Reducer 1 is the first.
    package internal(set) var reducerNames: [String] = []

    private enum CodingKeys: String, CodingKey {
        case actions, wholeStates
        case journaled = "journal"
        case positions, findings
        case moreFindings = "more"
        case remarks
        case sound = "soundPositions"
        case doubtful, marked, unwritten, longest
    }

    /// Whether everything was examined, and nothing is damaged or not known.
    package var isSound: Bool { findings.isEmpty }
    /// Whether something is damaged.
    package var isDamaged: Bool { findings.contains(where: \.isDamage) }
}

/// The answer of `doctor`.
package typealias ExaminationAnswer = Joined<Examination.Head, Joined<Examination, Examination.Salvaged>>

extension Examination: Answer {
    package struct Head: Answer {
        package let file: String
        package let sound: Bool
    }

    package struct Salvaged: Answer {
        package struct Part: Answer {
            package let file: String
            package let positions: ClosedRange<Int>
        }

        @Nullable package var saved: Part?
    }

    package static let notes = [
        "wholeStates": "keyframes", "journal": "actions that are in no file yet",
        "more": "findings that are not listed",
        "marked": "as doubtful by the recorder", "longest": "what --salvage saves",
    ]

    /// - Parameters:
    ///   - saved: The positions that were saved in `output`; `nil` if none were.
    package func answer(_ file: String, saved: ClosedRange<Int>?, to output: String?) -> ExaminationAnswer {
        let saved = saved.map { Salvaged.Part(file: output ?? "", positions: $0) }
        return Joined(Head(file: file, sound: isSound), Joined(self, Salvaged(saved: saved)))
    }
}

extension Recording {
    /// Examines a recording: SQLite's pages, every action, every state forward and backward, and the journal.
    ///
    /// Changes nothing on disk. Costs reading everything about twice, and memory for some states. States of more than
    /// some hundreds of megabytes are not examined, which is a finding.
    ///
    /// - Parameters:
    ///   - limit: The approximate time limit. Parts that were not examined are a finding. `nil` for a minute plus a
    ///     second for each 100 KB, which only a malicious file exceeds.
    ///   - progress: Receives the numbers of the examined action and of the last one.
    /// - Throws: A `RecordingError` with the code `notFound`, `unreadable`, `empty`, `notARecording` or `newerFormat`.
    ///   Damage is a finding, not an error.
    package static func examine(
        at url: URL,
        within limit: Duration? = nil,
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws(RecordingError) -> Examination {
        do {
            return try Examiner(url, within: limit).examine(progress)
        } catch {
            throw RecordingError(error, reading: url.path)
        }
    }
}
