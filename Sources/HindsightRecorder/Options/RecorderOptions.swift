import HindsightFormat
import HindsightSupport

/// How a recorder behaves.
public struct RecorderOptions: Sendable {
    /// Whether an existing file at the output's path is replaced. It is refused otherwise.
    public var overwrite: Bool

    /// Told of each failure, on the thread that dispatched or on the recorder's own; the app goes on in every case.
    ///
    /// A failure to write, or to encode a state, stops the recorder and is told once. An action that cannot be encoded
    /// leaves a gap and is told once a type.
    ///
    /// It may ask for the status, flush and close. It should dispatch from another thread: middleware or a subscriber that
    /// flushes or closes waits until this has returned, and what dispatches waits for those.
    public var onError: (@Sendable (RecordingError) -> Void)?

    /// What is not recorded. Applied before anything is written.
    public var redaction = Redaction()

    /// How much may be on its way into the file at most. Where there is more, ``whenBehind`` says what happens.
    public var queueLimit = QueueLimit()

    /// What happens where actions come faster than they can be written.
    public var whenBehind = WhenBehind.block

    /// How much of its past the recording keeps. Everything, where it says nothing.
    public var limit = RecordingLimit.none

    /// What an action survives once its reducers begin.
    public var durability = Durability.process

    /// Whether the recorder marks in its journal which signal ends the process.
    ///
    /// Switched on by any recorder, handlers are installed for `SIGSEGV`, `SIGBUS`, `SIGILL`, `SIGTRAP`, `SIGFPE` and `SIGABRT`,
    /// once a process and for its whole life. They write the signal, the address of a fault, the thread and the addresses of
    /// its frames into the journal of each recorder that asks for it, and then run the handlers that were installed before,
    /// or let the signal do what it does by default. ``Recording/crashSignal`` has what was written, and
    /// ``Recording/exited`` says whether the process ended by `exit`. <doc:PostMortem> has the limits.
    public var marksCrashes = false

    /// Bytes of the journal's ring. It grows where an action is bigger.
    package var journalBytes = 1 << 20

    /// The least number of bytes of patches between two whole states in the file.
    package var keyframeFloor = 4096

    /// A field of the state whose changes are missed, as a fault of the change finder would miss them; for tests.
    package var missedField: String?
    /// What an age is measured by.
    var now: @Sendable () -> Int64 = { SystemClock.sinceBoot }

    public init(overwrite: Bool = false, onError: (@Sendable (RecordingError) -> Void)? = nil) {
        self.overwrite = overwrite
        self.onError = onError
    }
}

/// How much a recorder has on its way into the file at most.
public struct QueueLimit: Sendable, Hashable {
    /// The number of actions.
    public var actions: Int
    /// Their bytes: each counts as its own text and the memory that its states do not share with those before, which are the
    /// arrays, dictionaries, sets and strings that changed. A state that keeps memory elsewhere, as behind an enum, counts as
    /// a whole state's text. One action is always taken.
    public var bytes: Int

    public init(actions: Int = 4096, bytes: Int = 64 << 20) {
        self.actions = max(1, actions)
        self.bytes = max(1, bytes)
    }
}

/// What a recorder does where actions come faster than it can write them: where its queue is full.
public enum WhenBehind: Sendable, Hashable {
    /// Dispatching waits until there is room.
    case block
    /// Dispatching goes on, and the states of actions are left out until the queue is nearly empty again; then what all of
    /// them changed follows, and the recording goes on exactly. No action is ever left out: where the journal is full
    /// too, which holds some thousands of actions, dispatching waits.
    ///
    /// How many actions have no states is in ``Recorder/progress`` and in the recording; replaying computes them. Actions
    /// that cannot be run again, since they could not be encoded or are time travel, always keep theirs, and so do all
    /// where states hold class instances.
    case dropSnapshots
}

/// How far a recorder has come.
public struct RecorderProgress: Sendable, Hashable {
    /// The actions that are in the recording's file.
    public var recorded = 0
    /// The actions that are on their way there. They are in the journal, and survive the end of the process too.
    public var waiting = 0
    /// The actions without states: see ``WhenBehind/dropSnapshots``.
    public var withoutStates = 0
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
