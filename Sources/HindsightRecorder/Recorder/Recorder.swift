import Foundation
import HindsightFormat
import HindsightStore
import HindsightSupport
import HindsightTree

/// Records every action of a store, and the state after every action and every reducer, into one file.
///
/// ```swift
/// let recorder = Recorder<AppState, AppAction>.start(to: url, app: AppInfo(name: "todo", version: "1.4"))
/// let store = Store(initial: AppState(), reducer: appReducer, middleware: [recorder.middleware])
/// // …
/// try recorder.close()
/// ```
///
/// An action survives a crash of the process from the moment its first reducer runs. After a crash, the file names the
/// action and the reducer.
///
/// **Safety.** A failure never stops the app. ``RecorderOptions/onError`` and ``status`` report it, and the app
/// continues. If the file cannot be created, for example because the disk is full, ``start(to:app:actions:options:)``
/// returns a recorder that does not record, whose ``status`` says why. The initializers throw instead.
///
/// **Cost.** About 1.5 µs for a small action, on the dispatching thread: to encode the action, to append it to a mapped
/// file, and to keep the state after each reducer, so that the first change of a collection copies it. A background
/// thread finds the changes and writes them in batches. It begins after at most five milliseconds. If it falls behind,
/// dispatching waits, or states are left out; see ``RecorderOptions/whenBehind``. If a state contains class instances,
/// the changes are found on the dispatching thread.
///
/// **Durability.** The process may end at any moment and in any way. The recording has every action whose reducers had
/// begun, and every state but those of the actions that wait for the writer: those of the last 50 ms or, after a burst,
/// at most ``RecorderOptions/queueLimit``. Replaying computes these. If the machine stops, the recording is sound, and
/// ends some seconds earlier; one that had just begun may be empty.
///
/// **Closing.** Any thread may call ``close()``, while others dispatch, and more than once. If a process exits or is
/// killed without closing, every command can read the recording. A recorder is closed when it is released together with
/// its store. A forked process does not record, and closing its recorder does not change the recording.
///
/// **Threads.** An action's `encode(to:)` runs on the dispatching thread before the reducers. It may dispatch, flush
/// and close.
///
/// A state's `encode(to:)`, and the `deinit` of objects that only states reference, usually run on the recorder's
/// thread. For the first state, and for states with class instances, they run on the thread that creates the store or
/// dispatches. They must not dispatch to the recorded store, which may be waiting for them. If they read its state, a
/// dispatch that waits for room continues without room after a tenth of a second; if the journal is full too, the
/// recorder stops after some seconds. On the recorder's thread, ``flush()`` and ``close()`` do not wait. On another
/// thread, calling them from a state's `encode(to:)` or `deinit` may end the process.
public final class Recorder<StateValue: Codable & Sendable, ActionValue: Sendable>: Sendable {
    /// What records, or why nothing does.
    let core: Result<RecorderCore<StateValue, ActionValue>, RecordingError>
    private let cleaning: RunCleaner?

    /// The recording's file. If it could not be created, the file or the directory that `start` was given.
    public let url: URL

    /// Creates the file and starts recording. The first store that gets ``middleware`` is the recorded one.
    ///
    /// - Parameters:
    ///   - url: The file to create, usually `NAME.hindsight`, not `NAME.jsonl`. While it is recorded, SQLite's `-wal`
    ///     and `-shm` and the recorder's `-ahead` stand beside it.
    ///   - app: The name and version of the app.
    ///   - actions: Converts actions to nodes.
    ///   - options: The recorder's options.
    /// - Throws: A `RecordingError` with the code `exists`, `unwritable`, `inUse` or `badRedaction`.
    public init(
        to url: URL,
        app: AppInfo,
        actions: ActionCodec<ActionValue>,
        options: RecorderOptions = RecorderOptions()
    ) throws(RecordingError) {
        core = .success(try RecorderCore(to: url.path, app: app, actions: actions, options: options))
        self.url = URL(fileURLWithPath: url.path)
        cleaning = nil
    }

    /// Creates the recorder of a run in a directory.
    init(_ core: RecorderCore<StateValue, ActionValue>, _ cleaning: RunCleaner) {
        self.core = .success(core)
        url = URL(fileURLWithPath: core.path)
        self.cleaning = cleaning
    }

    /// Creates a recorder that does not record.
    init(to url: URL, failedWith error: RecordingError) {
        core = .failure(error)
        self.url = url
        cleaning = nil
    }

    /// Middleware that connects a store to the recorder. It may stand anywhere among the store's middleware, because it
    /// observes the reducers: an action is recorded as the reducers receive it.
    ///
    /// A recorder records one store. ``RecorderOptions/onError`` reports any other store, which is not recorded.
    ///
    /// If the file could not be created, it is empty, and costs nothing.
    public var middleware: Middleware<StateValue, ActionValue> {
        switch core {
        case .success(let core): Middleware(observer: StoreAttachment(to: core))
        case .failure: .empty
        }
    }

    /// Whether the recorder records. Any thread may read it.
    public var status: RecorderStatus {
        switch core {
        case .success(let core): core.status
        case .failure(let error): .stopped(error)
        }
    }

    /// The progress of the recorder. Any thread may read it. Costs a lock that the dispatching thread and the writer
    /// also take.
    public var progress: RecorderProgress {
        switch core {
        case .success(let core): core.progress
        case .failure: RecorderProgress()
        }
    }

    /// The names of the files that stand beside the recording and belong to it.
    ///
    /// During a recording, these are SQLite's `-wal` and `-shm` and the journal. After ``close()`` there is none,
    /// unless another process was reading the recording: then `-wal` and `-shm` stay. Every reader reads them, and
    /// `Recording.recover(at:)` merges them.
    public var sidecarFiles: [String] {
        // What stands beside a file that this recorder could not create is another one's.
        guard case .success(let core) = core else { return [] }
        let place = FileSystem.place(of: core.path)
        return SidecarFiles.existing(beside: place).map { FileSystem.name(of: place + $0) }
    }

    /// Waits until every action dispatched before, with its states, is in the file.
    ///
    /// - Throws: A `RecordingError` if the recorder had to stop, or could not start. `onError` has received it before.
    public func flush() throws(RecordingError) {
        try core.get().flush()
    }

    /// Ends the recording. The file then stands alone.
    ///
    /// It waits for readers of the recording, for half a second at most. If one continues, the files that SQLite still
    /// needs for it stay beside the recording: see ``sidecarFiles``.
    ///
    /// Any thread may close the recorder, more than once. Close it between two actions. An action that is being reduced
    /// meanwhile has no end in the recording, and later actions are not in it.
    ///
    /// - Throws: A `RecordingError` if the recorder had to stop, so that the recording is incomplete, or could not
    ///   start, so that there is none.
    public func close() throws(RecordingError) {
        try core.get().close()
        cleaning?.wait()
    }
}

/// A state may refer to a model that has the recorder.
extension Recorder: Undescribed {}

extension Recorder where ActionValue: Codable {
    /// Creates the file and starts recording. Actions are encoded by their `Codable` conformance.
    ///
    /// - Throws: A `RecordingError` with the code `exists`, `unwritable`, `inUse` or `badRedaction`.
    public convenience init(
        to url: URL,
        app: AppInfo,
        options: RecorderOptions = RecorderOptions()
    ) throws(RecordingError) {
        try self.init(to: url, app: app, actions: .codable, options: options)
    }
}
