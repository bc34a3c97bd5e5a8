import HindsightSQLite
import HindsightTree

/// An error of recording, or of reading a recording.
///
/// ``description`` says what happened, where, and what to do, in one to three lines. The properties have the same facts
/// as values. A property that does not apply to the code is `nil`.
public struct RecordingError: Error, Sendable {
    /// The kind of failure. Later versions may add codes.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        // Opening for reading.

        /// The file does not exist.
        public static let notFound = Code(rawValue: "not found")
        /// The file cannot be read: it is a directory, permission is missing, or the disk failed.
        public static let unreadable = Code(rawValue: "unreadable")
        /// The file is empty, or its recorder was not attached to a store.
        public static let empty = Code(rawValue: "empty")
        /// The file is not a recording.
        public static let notARecording = Code(rawValue: "not a recording")
        /// A newer version of Hindsight wrote the file; ``RecordingError/version`` is its format.
        public static let newerFormat = Code(rawValue: "newer format")
        /// The file is truncated, damaged, or contradicts itself.
        public static let damaged = Code(rawValue: "damaged")

        // Reading positions.

        /// The text is not a position.
        public static let badPosition = Code(rawValue: "bad position")
        /// The recording does not have this position.
        public static let positionOutOfRange = Code(rawValue: "position out of range")
        /// The text may be one of several positions; ``RecordingError/allowed`` are these.
        public static let ambiguousPosition = Code(rawValue: "ambiguous position")

        // Opening for recording.

        /// The output file exists, and the options do not overwrite it.
        public static let exists = Code(rawValue: "exists")
        /// The output cannot be created or written.
        public static let unwritable = Code(rawValue: "unwritable")
        /// Another recorder is writing the output.
        public static let inUse = Code(rawValue: "in use")
        /// A redaction pattern is not a valid path pattern.
        public static let badRedaction = Code(rawValue: "bad redaction")

        // Recovering.

        /// A recorder is writing the recording.
        public static let live = Code(rawValue: "live")
        /// Another connection, of this or another process, reads the recording.
        public static let beingRead = Code(rawValue: "being read")
        /// Actions are missing between the file and its journal, for example because the file was copied without its
        /// `-wal`. ``RecordingError/actions`` are the missing ones.
        public static let journalGap = Code(rawValue: "journal gap")
        /// The journal beside the recording belongs to another recording.
        public static let foreignJournal = Code(rawValue: "foreign journal")
        /// A table of the recording was changed, so that SQLite would run code that the recorder did not write.
        public static let foreignSchema = Code(rawValue: "foreign schema")

        // Writing notes.

        /// Another note has the name.
        public static let noteExists = Code(rawValue: "note exists")
        /// The text cannot be the name of a note.
        public static let badNote = Code(rawValue: "bad note")
        /// There is no such note.
        public static let noNote = Code(rawValue: "no note")

        /// The pattern of a run's name has an unknown placeholder.
        public static let badRunName = Code(rawValue: "bad run name")

        // While recording.

        /// An earlier run could not be deleted. Recording continues.
        public static let notDeleted = Code(rawValue: "not deleted")

        /// The recorder could not write any more, and stopped.
        public static let stopped = Code(rawValue: "stopped")
        /// The recorder was given to a second store.
        public static let secondStore = Code(rawValue: "second store")
        /// A step of an action is not recorded as one: ``RecordingError/type`` is its name. Recording continues.
        public static let unknownStep = Code(rawValue: "unknown step")
        /// The placeholder of a redacted value does not decode as the value's type, so replay is not possible from
        /// there. Recording continues.
        public static let unfitPlaceholder = Code(rawValue: "unfit placeholder")
        /// The state is too large for the limit of bytes. Recording continues, and exceeds the limit.
        public static let limitTooSmall = Code(rawValue: "limit too small")
        /// A keyframe differs from the result of the recorded changes. Something changed that the recorder cannot
        /// see, such as an object of a class that is not `Encodable`. Recording continues from the keyframe.
        public static let doubtfulStates = Code(rawValue: "doubtful states")
        /// The states cannot be computed behind the app, so the app's own are recorded: see `RecorderOptions.states`.
        public static let notComputable = Code(rawValue: "not computable")
        /// The app's state is not the one that the recorder has computed with the same reducers, so one of them depends
        /// on something else than the state and the action. The recorder records the app's own states from then on.
        public static let impureReducer = Code(rawValue: "impure reducer")
        /// A state's `encode(to:)` writes something different each time. Recording continues.
        public static let impureEncoding = Code(rawValue: "impure encoding")
        /// A state could not be encoded exactly, and the recorder stopped.
        public static let unencodableState = Code(rawValue: "unencodable state")

        // Actions.

        /// The registry that encodes the action does not have its type.
        public static let unregisteredAction = Code(rawValue: "unregistered action")
        /// An action could not be encoded exactly, so the recording has a gap.
        public static let unencodableAction = Code(rawValue: "unencodable action")
        /// A node names an action type that the registry does not have, or none.
        public static let unknownAction = Code(rawValue: "unknown action")
        /// A recorded action no longer decodes as the app's action type.
        public static let undecodableAction = Code(rawValue: "undecodable action")
    }

    /// The kind of failure.
    public let code: Code
    /// The recording's path.
    public package(set) var file: String?
    /// The number of the action.
    public package(set) var seq: Int?
    /// The number of the line in a recording in text, from 1.
    public package(set) var line: Int?
    /// The number of the reducer, from 1.
    public package(set) var reducer: Int?
    /// The numbers of several actions.
    public package(set) var actions: ClosedRange<Int>?
    /// The name of the action type, or of the type in the state.
    public package(set) var type: String?
    /// The path in the state or the action.
    public package(set) var path: NodePath?
    /// The format version of the file.
    public package(set) var version: Int?
    /// The text that was passed.
    public package(set) var given: String?
    /// The valid alternatives: names, or positions.
    public package(set) var allowed: [String] = []
    /// Whether replaying computes the missing values.
    package var isComputable = false
    /// The line of code to add to the app's migrations, if one may help.
    package var migration: String?
    /// The exact problem, as a clause.
    public package(set) var reason: String?
    /// What to do about this problem, as a sentence, if that is not the usual advice for the code.
    package var remedy: String?
    /// The underlying error.
    public package(set) var cause: (any Error)?

    package init(
        _ code: Code,
        file: String? = nil,
        seq: Int? = nil,
        line: Int? = nil,
        reducer: Int? = nil,
        actions: ClosedRange<Int>? = nil,
        type: String? = nil,
        path: NodePath? = nil,
        version: Int? = nil,
        given: String? = nil,
        allowed: [String] = [],
        reason: String? = nil,
        remedy: String? = nil,
        cause: (any Error)? = nil
    ) {
        self.code = code
        (self.file, self.seq, self.line, self.reducer, self.actions) = (file, seq, line, reducer, actions)
        (self.type, self.path, self.version) = (type, path, version)
        (self.given, self.allowed) = (given, allowed)
        (self.reason, self.remedy, self.cause) = (reason, remedy, cause)
    }

    /// Converts an error of reading a file. A `RecordingError` stays as it is.
    package init(_ error: any Error, reading file: String, seq: Int? = nil) {
        switch error {
        case let error as RecordingError: self = error
        case let error as SQLiteError where error.code == .interrupted:
            self.init(.damaged, file: file, seq: seq, reason: "its pages lead in circles", cause: error)
        case let error as SQLiteError
        where [.corrupt, .notADatabase, .mismatch, .tooBig, .generic].contains(error.code):
            self.init(.damaged, file: file, seq: seq, reason: error.message, cause: error)
        default: self.init(.unreadable, file: file, cause: error)
        }
    }
}

extension RecordingError {
    /// Reasons on which the advice of an error depends.
    package static let isBeginning = "its recorder is about to begin"
    package static let hasNothingSound = "no state in it can be reconstructed"
    package static let isInConflict = "it is a mark of a merge conflict"
    package static let isCut = "the file ends in the middle of this line"
    package static let lacksEnd = "the file ends here, without its last line \(TextForm.end)"
    package static let isReadOnly = "it is read-only"
    /// The output of a command is its input, which no option replaces.
    package static let isSource = "it is the recording itself, or a part of it"
    package static let isListOfActions = "it is a list of actions"
}
