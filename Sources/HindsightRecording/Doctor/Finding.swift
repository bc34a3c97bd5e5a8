import HindsightTree

/// The doctor's own name.
typealias Finding = Examination.Finding

extension Examination {
    /// A problem found in a recording.
    package struct Finding: Codable, Sendable, Hashable {
        /// The damaged part of a recording. Later versions may add parts.
        package struct Part: RawRepresentable, Codable, Sendable, Hashable {
            package let rawValue: String
            package init(rawValue: String) { self.rawValue = rawValue }

            /// The file as a whole: its header, its length, its tables.
            package static let file = Part(rawValue: "file")
            /// SQLite's pages.
            package static let pages = Part(rawValue: "pages")
            /// The recording's facts about itself: the table `recording`.
            package static let head = Part(rawValue: "head")
            /// A reducer's name.
            package static let reducer = Part(rawValue: "reducer")
            /// A name that actions refer to.
            package static let name = Part(rawValue: "name")
            /// Actions that are missing or cannot be read.
            package static let missing = Part(rawValue: "missing")
            /// An action.
            package static let action = Part(rawValue: "action")
            /// The steps of an action.
            package static let steps = Part(rawValue: "steps")
            /// A keyframe.
            package static let state = Part(rawValue: "state")
            /// A part that is too large to examine, or would take too long. Nothing is known of it.
            package static let limit = Part(rawValue: "limit")
            /// A note.
            package static let note = Part(rawValue: "note")
            /// The journal beside the file.
            package static let journal = Part(rawValue: "journal")
            /// The journal that should be beside the file, and is missing or empty. Nothing is known of what came after
            /// the last action.
            package static let missingJournal = Part(rawValue: "missing journal")
        }

        /// The part that is damaged.
        package let part: Part
        /// The numbers of the actions; 0 is the initial state. `nil` if the problem concerns none.
        @Nullable package internal(set) var actions: ClosedRange<Int>?
        /// The number of the reducer, from 1.
        @Nullable package internal(set) var reducer: Int?
        /// What is wrong, as a clause. May contain text from the file.
        package let what: String

        /// Whether something is damaged. Otherwise nothing is known of it.
        package var isDamage: Bool { part != .limit && part != .missingJournal }

        init(_ part: Part, at seq: Int? = nil, reducer: Int? = nil, _ what: String) {
            self.init(part, in: seq.map { $0...$0 }, reducer: reducer, what)
        }

        init(_ part: Part, in actions: ClosedRange<Int>?, reducer: Int? = nil, _ what: String) {
            self.part = part
            self.actions = actions
            self.reducer = reducer
            self.what = what
        }
    }
}

extension Examination.Finding: Answer {
    package static let notes = [
        "part": """
        file, pages, head, reducer, name, missing, action, steps, state, note, journal, missing journal: not known, or \
        limit: not examined
        """
    ]
}

/// A limited list of findings, and the number of further ones.
struct Findings {
    private(set) var all: [Finding] = []
    private(set) var more = 0
    private var counts: [Finding.Part: Int] = [:]

    /// The limit for each part.
    private static let most = 200

    mutating func add(_ finding: Finding) {
        counts[finding.part, default: 0] += 1
        if counts[finding.part, default: 0] <= Self.most { all.append(finding) } else { more += 1 }
    }
}
