import HindsightFormat
import HindsightSupport

/// The options of a recorder.
public struct RecorderOptions: Sendable {
    /// Whether to replace an existing file. Otherwise an existing file is an error.
    public var overwrite: Bool

    /// The limit of the recording. By default, it keeps everything.
    public var limit: RecordingLimit

    /// The values to hide. They are replaced before anything is written.
    public var redaction: Redaction

    /// What an action survives once its reducers begin.
    public var durability: Durability

    /// Where the recorder gets the states from.
    public var states: StateSource

    /// The policy for actions that come faster than they can be written.
    public var whenBehind: WhenBehind

    /// The limit of actions and bytes on their way to the file. Beyond it, ``whenBehind`` applies.
    public var queueLimit: QueueLimit

    /// The names of the steps that ``ActionStep`` runs, in the order in which they run. They have no effect on a `Store`,
    /// whose reducers have names.
    public var steps: [String]

    /// Whether to record the signal that ends the process.
    ///
    /// The first recorder with this option installs handlers for `SIGSEGV`, `SIGBUS`, `SIGILL`, `SIGTRAP`, `SIGFPE` and
    /// `SIGABRT`, which stay until the process ends. A handler writes the signal, the address of a fault, the thread
    /// and the addresses of its stack frames into the journal of each recorder with this option. Then it runs the
    /// previous handler, or restores the signal's default effect. `Recording.crashSignal` has the result, and
    /// `Recording.hasExited` says whether the process called `exit`. The article *Post-mortem* of `HindsightRecording`
    /// lists the limits.
    public var marksCrashes: Bool

    /// Receives each failure, on the dispatching thread or on the recorder's own. The app always continues.
    ///
    /// If writing or encoding a state fails, the recorder stops and reports it once. If an action cannot be encoded,
    /// the recording has a gap, which is reported once for each type.
    ///
    /// The closure may read the status, flush and close. To dispatch, use another thread: middleware or a subscriber
    /// that flushes or closes waits until the closure returns, and a dispatch waits for them.
    public var onError: (@Sendable (RecordingError) -> Void)?

    /// The size of the journal's ring in bytes. The ring grows for a larger action.
    package var journalBytes = 1 << 20

    /// The least number of patch bytes between two keyframes in the file.
    package var keyframeFloor = KeyframeRule.usualFloor

    /// A field of the state whose changes the change finder ignores, to simulate an error in tests.
    package var missedField: String?
    /// The clock for the ages of actions.
    var now: @Sendable () -> Int64 = { SystemClock.sinceBoot }

    /// Creates options. Each has a default, with which the recorder keeps everything, hides nothing, and never leaves
    /// out a state.
    ///
    /// ```swift
    /// let options = RecorderOptions(limit: .bytes(50 << 20), whenBehind: .dropSnapshots) { error in print(error) }
    /// ```
    public init(
        overwrite: Bool = false,
        limit: RecordingLimit = .none,
        redaction: Redaction = Redaction(),
        durability: Durability = .process,
        states: StateSource = .captured,
        whenBehind: WhenBehind = .block,
        queueLimit: QueueLimit = QueueLimit(),
        steps: [String] = [],
        marksCrashes: Bool = false,
        onError: (@Sendable (RecordingError) -> Void)? = nil
    ) {
        self.overwrite = overwrite
        self.limit = limit
        self.redaction = redaction
        self.durability = durability
        self.states = states
        self.whenBehind = whenBehind
        self.queueLimit = queueLimit
        self.steps = steps
        self.marksCrashes = marksCrashes
        self.onError = onError
    }
}

/// The limit of what a recorder has on its way to the file.
public struct QueueLimit: Sendable, Hashable {
    /// The number of actions.
    public var actions: Int
    /// The number of bytes. An action counts as its own text, and the memory that its states do not share with earlier
    /// ones: the arrays, dictionaries, sets and strings that changed. A state that keeps memory elsewhere, for example
    /// in an enum, counts as the text of a whole state. One action is always accepted.
    public var bytes: Int

    /// Creates a limit. Numbers below 1 count as 1.
    public init(actions: Int = 4096, bytes: Int = 64 << 20) {
        self.actions = max(1, actions)
        self.bytes = max(1, bytes)
    }
}

/// What a recorder does if actions come faster than it can write them, and its queue is full.
public enum WhenBehind: Sendable, Hashable {
    /// Dispatching waits until there is room.
    case block
    /// Dispatching continues, and the recorder leaves out states until the queue is nearly empty. Then it writes what
    /// all these actions changed together, and records exactly from there. It never leaves out an action: if the
    /// journal, which holds some thousands of actions, is full too, dispatching waits.
    ///
    /// ``Recorder/progress`` and the recording have the number of actions without states. Replaying computes the
    /// states. The recorder keeps the states of actions that replay cannot run (time travel, and actions that could not
    /// be encoded), and all states that contain class instances.
    case dropSnapshots
}

/// Where a recorder gets the states from.
public enum StateSource: Sendable, Hashable {
    /// The recorder keeps the app's state after each reducer. The first change of a collection then copies it, as the
    /// change of any value with two owners does.
    case captured
    /// The recorder runs the reducers a second time, on its own thread and on a state of its own. The dispatching thread
    /// keeps nothing of the state, and copies nothing, so recording costs the same for any size of state.
    ///
    /// For a `Store` whose reducers are pure, and may run on another thread: a reducer that asserts that it runs on the
    /// main thread would end the process, and so would an impure one that traps only the second time. The second state, and
    /// the work of the reducers, are the price.
    ///
    /// The recorder does not trust that the reducers are pure. At intervals of `audit`, if the writer keeps up (and after
    /// ten intervals if it does not), and when the recorder is closed, it compares the app's state with its own. If they
    /// differ, ``RecorderOptions/onError`` receives the code `impureReducer` with the path, the states since the last
    /// comparison are marked as doubtful, and the recorder goes on with the app's own states. A difference that is undone
    /// before the next comparison is not found. After a crash, `hindsight info` says up to which action the states were
    /// compared.
    ///
    /// The recorder falls back on ``captured``, and reports the code `notComputable`, if states may hold instances of any
    /// class, or closures, which two states would share, and for ``Recorder/record(_:in:fileID:line:_:)``, which has no
    /// reducers. It does not see what is behind an unsafe pointer.
    case computed(audit: Duration = .seconds(1))
}

/// The progress of a recorder.
public struct RecorderProgress: Sendable, Hashable {
    /// The number of actions in the recording's file.
    public internal(set) var recorded = 0
    /// The number of actions on their way to the file. They are in the journal, and survive the end of the process.
    public internal(set) var waiting = 0
    /// The number of actions without states: see ``WhenBehind/dropSnapshots``.
    public internal(set) var withoutStates = 0
}

/// What an action survives once its reducers begin.
public enum Durability: Sendable, Hashable {
    /// The end of the process, in any way. If the machine stops, the recording is sound, and may end some seconds
    /// earlier, depending on how long the system keeps written data in memory. No dispatch waits for the disk.
    case process
    /// The end of the machine too, for example by loss of power. The action is on the disk before its first reducer
    /// runs, and all states are on the disk when ``Recorder/flush()`` returns. Each dispatch waits for the disk once.
    ///
    /// Holds only if the disk honours flushes.
    case power
}

/// The status of a recorder.
public enum RecorderStatus: Sendable {
    /// The recorder records every action.
    case recording
    /// The recorder could not start, or had to stop, and records nothing since. ``RecorderOptions/onError`` has
    /// received the error.
    case stopped(RecordingError)
    /// The recorder was closed, and the recording is complete.
    case closed
}
