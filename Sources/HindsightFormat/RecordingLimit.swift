/// A limit on the actions, bytes or time that a recording keeps, so that a recorder can stay on.
///
/// ```swift
/// let options = RecorderOptions(limit: .bytes(50 << 20))
/// let stricter = RecorderOptions(limit: RecordingLimit(actions: 100_000, bytes: 50 << 20, age: .seconds(3600)))
/// ```
///
/// The recorder drops the oldest actions a few at a time, on its own thread. The limit that is reached first applies. A
/// recording begins with a keyframe, a state that is stored in full. So its start moves from one keyframe to the next,
/// and it keeps a little more than the limit asks for. It always keeps the last keyframe and everything after it.
///
/// Dropped data may remain in unused parts of the file until they are overwritten.
public struct RecordingLimit: Sendable, Hashable {
    /// The lowest limit of bytes, because the files beside the recording never take less.
    package static let fewestBytes = 1 << 20
    /// The number of keyframes that must fit into the limit: two in the file, one in the `-wal`, and the rows
    /// between them.
    package static let fewestStates = 8

    /// The number of actions to keep. The recording has at least that many, and about an eighth more. If the state is
    /// large compared with its changes, it has more, because keyframes would otherwise be most of the file.
    public var actions: Int? { didSet { actions = actions.map { max(1, $0) } } }

    /// The number of bytes to keep on the disk, at least 1 MB. The recording and the files beside it (SQLite's `-wal`
    /// and `-shm`, and the recorder's `-ahead`) take at most 1.25 times as much.
    ///
    /// A limit of less than eight keyframes counts as eight keyframes, and the recorder reports
    /// ``RecordingError/Code/limitTooSmall`` once. An action that is larger than the limit exceeds it until the
    /// recorder drops the action. If a reader of another process keeps a transaction open, as the `sqlite3` shell may,
    /// the `-wal` grows until it ends. Hindsight's commands do not do that.
    public var bytes: Int? { didSet { bytes = bytes.map { max(Self.fewestBytes, $0) } } }

    /// The age up to which actions are kept; about an eighth more is kept. The recorder checks it when it records
    /// something, so an idle app keeps what it has. Time while the machine sleeps counts.
    public var age: Duration? { didSet { age = age.map { max(.seconds(1), $0) } } }

    /// Creates a limit. `nil` limits nothing; a smaller value than the least one counts as the least one.
    ///
    /// - Parameters:
    ///   - actions: The number of actions to keep, at least 1.
    ///   - bytes: The number of bytes to keep on the disk, at least 1 MB.
    ///   - age: The age up to which actions are kept, at least a second.
    public init(actions: Int? = nil, bytes: Int? = nil, age: Duration? = nil) {
        self.actions = actions.map { max(1, $0) }
        self.bytes = bytes.map { max(Self.fewestBytes, $0) }
        self.age = age.map { max(.seconds(1), $0) }
    }

    /// No limit: the recording keeps everything.
    public static let none = RecordingLimit()

    /// Keeps `count` actions.
    public static func actions(_ count: Int) -> RecordingLimit { RecordingLimit(actions: count) }

    /// Keeps `count` bytes.
    public static func bytes(_ count: Int) -> RecordingLimit { RecordingLimit(bytes: count) }

    /// Keeps what is younger than `age`.
    public static func age(_ age: Duration) -> RecordingLimit { RecordingLimit(age: age) }

    package var isNone: Bool { self == .none }
}

extension Duration {
    /// The duration in whole nanoseconds, clamped to what fits.
    package var nanoseconds: Int64 {
        let (seconds, rest) = components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLong ? (seconds < 0 ? .min : .max) : whole &+ rest / 1_000_000_000
    }
}

/// The limit as a recording's file states it, and what follows from it for the file.
extension RecordingLimit {
    /// Keys of the table `recording`. Their values are integers.
    package enum Key {
        package static let actions = "limit_actions"
        package static let bytes = "limit_bytes"
        /// In nanoseconds.
        package static let age = "limit_age"
    }

    /// The rows for the table `recording`.
    package var facts: [(key: String, value: Int64)] {
        [
            actions.map { (Key.actions, Int64($0)) }, bytes.map { (Key.bytes, Int64($0)) },
            age.map { (Key.age, $0.nanoseconds) },
        ].compactMap { $0 }
    }

    /// Reads the rows. A value that is not a valid limit counts as none.
    package init(reading value: (_ key: String) throws -> Int64?) rethrows {
        let positive = { (number: Int64?) in number.flatMap { $0 > 0 ? Int($0) : nil } }
        actions = positive(try value(Key.actions))
        bytes = positive(try value(Key.bytes))
        age = positive(try value(Key.age)).map { .nanoseconds($0) }
    }

    /// The number of texts that the table `name` takes. The table never shrinks.
    package var nameCount: Int { bytes.map { min(max(64, $0 >> 13), 4096) } ?? 4096 }
}
