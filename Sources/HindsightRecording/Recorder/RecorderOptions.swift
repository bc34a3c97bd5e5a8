/// How a recorder behaves.
public struct RecorderOptions: Sendable {
    /// Whether an existing file at the output's path is replaced. It is refused otherwise.
    public var overwrite: Bool

    /// Told of each failure, on the thread that dispatched or on the recorder's own; the app goes on in every case.
    ///
    /// A failure to write, or to encode a state, stops the recorder and is told once. An action that cannot be encoded
    /// leaves a gap and is told once a type.
    public var onError: (@Sendable (RecordingError) -> Void)?

    /// What is not recorded. Applied before anything is written.
    public var redaction = Redaction()

    /// How much may be on its way into the file at most. Where there is more, dispatching waits.
    public var queueLimit = QueueLimit()

    /// Bytes of the journal's ring. It grows where an action is bigger.
    var journalBytes = 1 << 20

    /// The least number of bytes of patches between two whole states in the file.
    var keyframeFloor = 4096

    public init(overwrite: Bool = false, onError: (@Sendable (RecordingError) -> Void)? = nil) {
        self.overwrite = overwrite
        self.onError = onError
    }
}

/// How much a recorder has on its way into the file at most.
public struct QueueLimit: Sendable, Hashable {
    /// The number of actions.
    public var actions: Int
    /// Their bytes: each counts as its own text and, since its states may differ in all parts, one whole state's. One
    /// action is always taken.
    public var bytes: Int

    public init(actions: Int = 4096, bytes: Int = 64 << 20) {
        self.actions = max(1, actions)
        self.bytes = max(1, bytes)
    }
}

/// What a recorder is doing.
public enum RecorderStatus: Sendable {
    /// Every action is being recorded.
    case recording
    /// It could not go on; nothing is recorded since. The app was told through ``RecorderOptions/onError``.
    case stopped(RecordingError)
    /// It was closed; the recording is complete.
    case closed
}
