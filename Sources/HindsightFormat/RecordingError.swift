import HindsightTree

/// Why something could not be recorded, or a recording not be read.
///
/// ``description`` says what happened, where, and what to do, in one to three lines. The facts are here as values; those
/// that a code does not speak of are `nil`.
public struct RecordingError: Error, Sendable {
    /// What kind of failure it is. More may be added.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        // Opening for reading.

        /// There is no such file.
        public static let notFound = Code(rawValue: "not found")
        /// The file may not be read, or is a directory, or the disk failed.
        public static let unreadable = Code(rawValue: "unreadable")
        /// The file is empty, or no store was attached to its recorder.
        public static let empty = Code(rawValue: "empty")
        /// The file is something else.
        public static let notARecording = Code(rawValue: "not a recording")
        /// The file was written by a newer version of Hindsight; ``RecordingError/version`` is its format.
        public static let newerFormat = Code(rawValue: "newer format")
        /// The file is truncated or damaged, or what it says does not fit together.
        public static let damaged = Code(rawValue: "damaged")

        // Asking a recording.

        /// A text is no position.
        public static let badPosition = Code(rawValue: "bad position")
        /// The recording has no such position.
        public static let positionOutOfRange = Code(rawValue: "position out of range")

        // Opening for recording.

        /// The output exists.
        public static let exists = Code(rawValue: "exists")
        /// The output cannot be created or written.
        public static let unwritable = Code(rawValue: "unwritable")
        /// Another recorder is writing the output.
        public static let inUse = Code(rawValue: "in use")
        /// A pattern of what is to be redacted cannot be followed.
        public static let badRedaction = Code(rawValue: "bad redaction")

        // Recovering.

        /// The recording is being recorded: its recorder, and nobody else, may write it.
        public static let live = Code(rawValue: "live")
        /// Another connection, of this or another process, reads the recording.
        public static let beingRead = Code(rawValue: "being read")
        /// Actions are missing between the file and its journal, as if the file was copied without its `-wal`;
        /// ``RecordingError/actions`` are those.
        public static let journalGap = Code(rawValue: "journal gap")
        /// The file has what no recorder makes, and what SQLite would run when the file is written.
        public static let foreignSchema = Code(rawValue: "foreign schema")

        /// The pattern of a run's name has a placeholder that there is not.
        public static let badRunName = Code(rawValue: "bad run name")

        // While recording.

        /// An earlier run could not be deleted; the recording goes on.
        public static let notDeleted = Code(rawValue: "not deleted")

        /// The recorder could not write any more and stopped.
        public static let stopped = Code(rawValue: "stopped")
        /// A recorder was handed to a second store.
        public static let secondStore = Code(rawValue: "second store")
        /// What stands for a redacted value is none of its type, so that replaying will not be possible from there; the
        /// recording goes on.
        public static let unfitPlaceholder = Code(rawValue: "unfit placeholder")
        /// The state is so big that the recording cannot be kept within its limit of bytes. It goes on, bigger.
        public static let limitTooSmall = Code(rawValue: "limit too small")
        /// A whole state is not what the changes before it lead to: something changed that the recorder cannot see, such as an
        /// object of a class that cannot be encoded. The recording goes on from the whole state.
        public static let doubtfulStates = Code(rawValue: "doubtful states")
        /// A state's `encode(to:)` writes something else each time. The recording goes on.
        public static let impureEncoding = Code(rawValue: "impure encoding")
        /// A state could not be encoded exactly, and the recorder stopped.
        public static let unencodableState = Code(rawValue: "unencodable state")

        // Actions.

        /// An action's type is not in the registry it is to be encoded by.
        public static let unregisteredAction = Code(rawValue: "unregistered action")
        /// An action could not be encoded exactly; the recording has a gap.
        public static let unencodableAction = Code(rawValue: "unencodable action")
        /// A node names an action type that is not in the registry, or none at all.
        public static let unknownAction = Code(rawValue: "unknown action")
        /// A recorded action does not decode as the app's action type any more.
        public static let undecodableAction = Code(rawValue: "undecodable action")
    }

    public let code: Code
    /// The recording's path.
    public var file: String?
    /// The action it is about.
    public var seq: Int?
    /// The number of the reducer it is about, from 1.
    public var reducer: Int?
    /// The actions it is about.
    public var actions: ClosedRange<Int>?
    /// The name of the action type, or of the type in the state, it is about.
    public var type: String?
    /// The place in the state or the action.
    public var path: NodePath?
    /// The format's version that was found.
    public var version: Int?
    /// The text that was given.
    public var given: String?
    /// What would have been right: names, or positions.
    public var allowed: [String] = []
    /// Whether replaying computes what the recording does not have.
    public var isComputable = false
    /// What exactly is wrong, as a clause.
    public var reason: String?
    /// The error that led to this one.
    public var cause: (any Error)?

    public init(_ code: Code, file: String? = nil, reason: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.file = file
        self.reason = reason
        self.cause = cause
    }
}

extension RecordingError {
    /// An action whose type a registry does not have.
    public static func unregisteredAction(type: String, known: [String]) -> RecordingError {
        var error = RecordingError(.unregisteredAction)
        error.type = type
        error.allowed = known
        return error
    }

    /// A node that names an action type that a registry does not have, or, where `type` is `nil`, none at all.
    public static func unknownAction(type: String?, known: [String]) -> RecordingError {
        var error = RecordingError(.unknownAction)
        error.type = type
        error.allowed = known
        return error
    }

    /// A whole state that is not what the changes before it lead to, in a recording that does not say so.
    package static func contradiction(_ file: String, seq: Int, path: NodePath) -> RecordingError {
        var error = RecordingError(
            .damaged,
            file: file,
            reason: "the whole state there is not what the recorded changes lead to"
        )
        error.seq = seq
        error.path = path
        return error
    }

    /// An action that was recorded and does not decode; `cause` says what is wrong with it.
    public static func undecodableAction(seq: Int, type: String, file: String?, cause: any Error) -> RecordingError {
        var error = RecordingError(.undecodableAction, file: file, cause: cause)
        error.seq = seq
        error.type = type
        error.path = (cause as? TreeError)?.path
        return error
    }
}

extension RecordingError {
    /// Reasons by which an error says what to do.
    package static let isBeginning = "its recorder is about to begin"
    package static let hasNothingSound = "no state in it can be reconstructed"
}
