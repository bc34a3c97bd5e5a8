import HindsightFormat
import HindsightStore
import HindsightSupport
import HindsightTree

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Records every action of a store, and the state after every action and every reducer, into one file.
///
/// ```swift
/// let recorder = Recorder<AppState, AppAction>.start(to: url, app: AppInfo(name: "todo", version: "1.4"))
/// let store = Store(initial: AppState(), reducer: appReducer, middleware: [recorder?.middleware ?? .empty])
/// // …
/// try recorder?.close()
/// ```
///
/// An action is safe from a crash of the process before its first reducer runs; after a crash the file tells in which
/// action and which reducer it happened.
///
/// **Never harms the app.** Whatever fails is told through ``RecorderOptions/onError`` and ``status``, and the app goes on. A
/// recorder that cannot be made, as on a full disk, is `nil` where it is made by ``start(to:app:actions:options:)``; the
/// initializers throw instead.
///
/// **Cost.** On the dispatching thread: encoding the action and appending it to a mapped file, and keeping the state after
/// each reducer, so that the first change of a collection copies it: some one and a half microseconds for a small action.
/// A thread behind it looks for what changed and writes that in batches; it lets nothing wait for more than five
/// milliseconds before it begins. Where it cannot keep up, dispatching waits for it, or states are left out: see
/// ``RecorderOptions/whenBehind``. What changes in a state that holds class instances is looked for at once.
///
/// **What survives.** The process may end at any moment, in whatever way: every action whose reducers had begun is in the
/// recording, and every state up to some milliseconds before; replaying computes those after. Where the machine stops,
/// the recording is sound and ends some seconds before.
///
/// **Ending.** ``close()`` may be called by any thread, also while others dispatch, and again. A process that exits without
/// it leaves a recording that every command reads, as one that is killed does. A recorder that is dropped, with its store,
/// is closed. A process that is forked off does not record, and closing its
/// recorder does nothing to the recording.
///
/// **What runs where.** An action's `encode(to:)` runs where it is dispatched, before its reducers, and may dispatch, flush
/// and close. A state's, and the `deinit` of what only states hold, run on the recorder's own thread as a rule; those of the
/// first state, and of all that hold class instances, where the store is made and dispatched to. They must not dispatch to
/// the store that is recorded, which may be waiting for them. Where they read its state, a dispatch that waits for room
/// goes on without after a tenth of a second; where the journal is full too, the recorder stops after some seconds. On the recorder's own thread ``flush()`` and ``close()`` do not
/// wait; elsewhere they may end the process where a state calls them.
public final class Recorder<State: Codable & Sendable, Action: Sendable>: Sendable {
    let core: RecorderCore<State, Action>
    private let cleaning: RunCleaner?

    /// Creates the output and starts recording. The first store that ``middleware`` is handed to is the one recorded.
    ///
    /// - Parameters:
    ///   - url: The output, usually `NAME.hindsight`. While it is being recorded, SQLite's `-wal` and `-shm` and the
    ///     recorder's own `-ahead` stand beside it.
    ///   - app: What the app says about itself.
    ///   - actions: How actions become nodes.
    ///   - options: How the recorder behaves.
    /// - Throws: A ``RecordingError``: `exists`, `unwritable`, `inUse` or `badRedaction`.
    public init(
        to url: URL,
        app: AppInfo,
        actions: ActionCodec<Action>,
        options: RecorderOptions = RecorderOptions()
    ) throws {
        core = try RecorderCore(to: url.path, app: app, actions: actions, options: options)
        cleaning = nil
    }

    /// The recorder of a run beside others.
    init(_ core: RecorderCore<State, Action>, _ cleaning: RunCleaner) {
        self.core = core
        self.cleaning = cleaning
    }

    /// The recording's file.
    public var url: URL { URL(fileURLWithPath: core.path) }

    /// Hands a store to the recorder. It records alike wherever it stands among the store's middleware.
    ///
    /// Each recorder records one store: any other is told through ``RecorderOptions/onError`` and not recorded.
    public var middleware: Middleware<State, Action> {
        Middleware(observer: StoreAttachment(to: core))
    }

    /// What the recorder is doing. Any thread may ask.
    public var status: RecorderStatus { core.status }

    /// How far it has come. Any thread may ask; costs a lock that the dispatching thread and the writer take too.
    public var progress: RecorderProgress { core.progress }

    /// The names of the files that stand beside the recording and are part of it.
    ///
    /// While it is recorded these are SQLite's `-wal` and `-shm` and the journal. After ``close()`` there is none, unless
    /// another process was reading the recording: then `-wal` and `-shm` stay. Every reader reads them, and
    /// ``Recording/recover(_:)`` folds them in.
    public var companions: [String] {
        let place = FileSystem.place(of: core.path)
        return SidecarFiles.existing(beside: place).map { FileSystem.name(of: place + $0) }
    }

    /// Waits until all that was dispatched before, with its states, is in the file.
    ///
    /// - Throws: A ``RecordingError`` where the recorder had to stop; what it is was told before.
    public func flush() throws {
        try core.flush()
    }

    /// Ends the recording: the output then stands alone, with no file beside it.
    ///
    /// Others may be reading it. They are waited for, for half a second at most; where one of them goes on, what SQLite
    /// still needs for it stays beside the output: see ``companions``.
    ///
    /// Any thread may close it, more than once. Close it between two actions: one that is being reduced meanwhile stays
    /// without an end in the recording, and what is dispatched afterwards is not in it.
    ///
    /// - Throws: A ``RecordingError`` where the recording is not complete, since the recorder had to stop.
    public func close() throws {
        try core.close()
        cleaning?.wait()
    }
}

extension Recorder where Action: Codable {
    /// Creates the output and starts recording actions as their `Codable` conformance writes them.
    ///
    /// - Throws: A ``RecordingError``: `exists`, `unwritable`, `inUse` or `badRedaction`.
    public convenience init(to url: URL, app: AppInfo, options: RecorderOptions = RecorderOptions()) throws {
        try self.init(to: url, app: app, actions: .codable, options: options)
    }
}
