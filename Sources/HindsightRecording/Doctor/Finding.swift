import HindsightTree

/// The doctor's own name.
typealias Finding = Examination.Finding

extension Examination {
    /// A problem found in a recording.
    package struct Finding: Codable, Sendable, Hashable {
        /// The part that is damaged.
        package let part: FaultPart
        /// The numbers of the actions; 0 is the initial state. `nil` if the problem concerns none.
        @Nullable package internal(set) var actions: ClosedRange<Int>?
        /// The number of the reducer, from 1.
        @Nullable package internal(set) var reducer: Int?
        /// What is wrong, as a clause. May contain text from the file.
        package let what: String

        /// Whether something is damaged. Otherwise nothing is known of it.
        package var isDamage: Bool { part != .limit && part != .missingJournal }

        init(_ part: FaultPart, at seq: Int? = nil, reducer: Int? = nil, _ what: String) {
            self.init(part, in: seq.map { $0...$0 }, reducer: reducer, what)
        }

        init(_ part: FaultPart, in actions: ClosedRange<Int>?, reducer: Int? = nil, _ what: String) {
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
    private var counts: [FaultPart: Int] = [:]

    /// The limit for each part.
    private static let most = 200

    mutating func add(_ finding: Finding) {
        counts[finding.part, default: 0] += 1
        if counts[finding.part, default: 0] <= Self.most { all.append(finding) } else { more += 1 }
    }
}
