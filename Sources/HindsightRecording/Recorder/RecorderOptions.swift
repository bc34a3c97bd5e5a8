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

    /// How much of its past the recording keeps. Everything, where it says nothing.
    public var limit = RecordingLimit.none

    /// What an action survives once its reducers begin.
    public var durability = Durability.process

    /// Bytes of the journal's ring. It grows where an action is bigger.
    package var journalBytes = 1 << 20

    /// The least number of bytes of patches between two whole states in the file.
    package var keyframeFloor = 4096

    /// What an age is measured by.
    var now: @Sendable () -> Int64 = { Clock.sinceBoot }

    public init(overwrite: Bool = false, onError: (@Sendable (RecordingError) -> Void)? = nil) {
        self.overwrite = overwrite
        self.onError = onError
    }
}

extension RecorderOptions {
    var keyframeRule: KeyframeRule {
        KeyframeRule(floor: keyframeFloor, span: limit.isNone ? nil : KeyframeSpan(limit, now: now))
    }

    /// Bytes of the journal's ring, where the limit is heeded.
    var journalCapacity: Int {
        limit.bytes.map { min(journalBytes, ByteBudget($0).journalBytes) } ?? journalBytes
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

/// What an action survives once its reducers begin.
public enum Durability: Sendable, Hashable {
    /// The end of the process, in whatever way. Where the machine stops, the recording is sound and may end earlier: some
    /// seconds, or as long as the system keeps what was written in memory. No dispatch waits for the disk.
    case process
    /// The end of the machine too, as by loss of power: the action is on the disk before its first reducer runs, and the
    /// states of all actions are when ``Recorder/flush()`` returns. Each dispatch waits for the disk once.
    ///
    /// This is as true as the disk is: one that says that it has kept what it has not breaks it.
    case power
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
