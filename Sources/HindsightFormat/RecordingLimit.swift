/// How much of its past a recording keeps, so that a recorder can stay on for ever.
///
/// ```swift
/// var options = RecorderOptions()
/// options.limit = .bytes(50 << 20)
/// options.limit = RecordingLimit(actions: 100_000, bytes: 50 << 20, age: .seconds(3600))
/// ```
///
/// What is older is dropped from the recording's beginning, a little at a time, on the recorder's own thread; whatever
/// limit is met first counts. A recording begins with a whole state, so its beginning moves from one whole state to
/// another, and a little more is kept than was asked for. The last whole state and all since are always kept.
///
/// What was dropped may stand in unused parts of the file until they are written over.
public struct RecordingLimit: Sendable, Hashable {
    /// A limit of fewer bytes counts as this: what stands beside the file is never smaller.
    package static let fewestBytes = 1 << 20
    /// So many whole states must fit into the limit: two in the file, one in the `-wal`, and what is between them.
    package static let fewestStates = 8

    /// At least this many actions are kept, and an eighth more. Where the state is big against what changes in it, more:
    /// whole states would be most of the file otherwise.
    public var actions: Int? { didSet { actions = actions.map { max(1, $0) } } }

    /// Bytes on the disk: the file and all that stands beside it, SQLite's `-wal` and `-shm` and the recorder's own
    /// `-ahead`, never take more than 1.25 times as much. At least 1 MB.
    ///
    /// A limit of less than eight whole states counts as eight whole states, which is told once, with the code
    /// ``RecordingError/Code/limitTooSmall``; an action bigger than the limit exceeds it until it is dropped itself.
    /// A reader of another process that holds one moment of the recording, as a transaction in the `sqlite3` shell does,
    /// makes the `-wal` grow until it is done. Hindsight's own commands do not.
    public var bytes: Int? { didSet { bytes = bytes.map { max(Self.fewestBytes, $0) } } }

    /// What is younger is kept, and what is an eighth older. Looked at when something is recorded: an app that does
    /// nothing keeps what it has. Time while the machine sleeps counts.
    public var age: Duration? { didSet { age = age.map { max(.seconds(1), $0) } } }

    public init(actions: Int? = nil, bytes: Int? = nil, age: Duration? = nil) {
        self.actions = actions.map { max(1, $0) }
        self.bytes = bytes.map { max(Self.fewestBytes, $0) }
        self.age = age.map { max(.seconds(1), $0) }
    }

    /// Nothing is ever dropped.
    public static let none = RecordingLimit()

    /// Keeps so many actions.
    public static func actions(_ count: Int) -> RecordingLimit { RecordingLimit(actions: count) }

    /// Keeps so many bytes.
    public static func bytes(_ count: Int) -> RecordingLimit { RecordingLimit(bytes: count) }

    /// Keeps what is younger.
    public static func age(_ age: Duration) -> RecordingLimit { RecordingLimit(age: age) }

    package var isNone: Bool { self == .none }
}

extension Duration {
    /// Whole nanoseconds, at most what a number of them can hold.
    package var nanoseconds: Int64 {
        let (seconds, rest) = components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLong ? (seconds < 0 ? .min : .max) : whole &+ rest / 1_000_000_000
    }
}

/// What a recording's file says of its limit, and what follows from it for the file.
extension RecordingLimit {
    /// Keys of the table `recording`, with whole numbers.
    package enum Key {
        package static let actions = "limit_actions"
        package static let bytes = "limit_bytes"
        /// In nanoseconds.
        package static let age = "limit_age"
    }

    /// The rows that say it.
    package var facts: [(key: String, value: Int64)] {
        [
            actions.map { (Key.actions, Int64($0)) }, bytes.map { (Key.bytes, Int64($0)) },
            age.map { (Key.age, $0.nanoseconds) },
        ].compactMap { $0 }
    }

    /// Reads what the file says. What no limit can be is none.
    package init(reading value: (_ key: String) throws -> Int64?) rethrows {
        let positive = { (number: Int64?) in number.flatMap { $0 > 0 ? Int($0) : nil } }
        actions = positive(try value(Key.actions))
        bytes = positive(try value(Key.bytes))
        age = positive(try value(Key.age)).map { .nanoseconds($0) }
    }

    /// How many texts the table `name` takes. It never shrinks.
    package var nameCount: Int { bytes.map { min(max(64, $0 >> 13), 4096) } ?? 4096 }
}
