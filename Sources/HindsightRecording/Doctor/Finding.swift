import HindsightFormat

/// Something about a recording that no recorder makes so.
public struct Finding: Sendable, Hashable {
    /// What is damaged. More may be added.
    public struct Part: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The file as a whole: its head, its length, its tables.
        public static let file = Part(rawValue: "file")
        /// SQLite's pages.
        public static let pages = Part(rawValue: "pages")
        /// What the recording says about itself: the table `recording`.
        public static let head = Part(rawValue: "head")
        /// A reducer's name.
        public static let reducer = Part(rawValue: "reducer")
        /// A name that actions refer to.
        public static let name = Part(rawValue: "name")
        /// Actions that are missing or cannot be read.
        public static let missing = Part(rawValue: "missing")
        /// Something about an action.
        public static let action = Part(rawValue: "action")
        /// What an action's reducers did.
        public static let steps = Part(rawValue: "steps")
        /// A whole state.
        public static let state = Part(rawValue: "state")
        /// Something that is too big, or would take too long, to be examined: nothing is known of it.
        public static let limit = Part(rawValue: "limit")
        /// The journal beside the file.
        public static let journal = Part(rawValue: "journal")
    }

    public let part: Part
    /// The actions it is about; 0 is the initial state. `nil` where it is about none.
    public var actions: ClosedRange<Int>?
    /// The number of the reducer it is about, from 1.
    public var reducer: Int?
    /// What is wrong, as a clause. May hold text from the file.
    public let what: String

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

/// Findings, as many as a person reads, and how many more there are.
struct Findings {
    private(set) var all: [Finding] = []
    private(set) var more = 0
    private var counts: [Finding.Part: Int] = [:]

    /// So many of each part are kept.
    private static let most = 200

    mutating func add(_ finding: Finding) {
        counts[finding.part, default: 0] += 1
        if counts[finding.part, default: 0] <= Self.most { all.append(finding) } else { more += 1 }
    }
}
