import HindsightStore
import HindsightTree

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Records every action of a store, and the state after every action and every reducer, into one file.
///
/// ```swift
/// let recorder = try Recorder<AppState, AppAction>(to: url, app: AppInfo(name: "todo", version: "1.4"))
/// let store = Store(initial: AppState(), reducer: appReducer, middleware: [recorder.middleware])
/// // …
/// try recorder.close()
/// ```
///
/// An action is safe from a crash of the process before its first reducer runs; after a crash the file tells in which
/// action and which reducer it happened.
///
/// **Never harms the app.** Whatever fails once the recorder stands is told through ``RecorderOptions/onError`` and
/// ``status``, and the app goes on.
///
/// **Cost.** On the dispatching thread: two small SQLite transactions an action, and for each reducer one write of a few
/// bytes and a search for what it changed. The store's state is kept until the next action, so that the first change of
/// a collection copies it.
///
/// A recorder that is dropped, with its store, is closed; its failures then go untold.
public final class Recorder<State: Codable & Sendable, Action: Sendable>: Sendable {
    let core: RecorderCore<State, Action>

    /// Creates the output and starts recording. The first store that ``middleware`` is handed to is the one recorded.
    ///
    /// - Parameters:
    ///   - url: The output, usually `NAME.hindsight`. While it is being recorded, SQLite's `-wal` and `-shm` and the
    ///     recorder's own `-ahead` stand beside it.
    ///   - app: What the app says about itself.
    ///   - actions: How actions become nodes.
    ///   - options: How the recorder behaves.
    /// - Throws: A ``RecordingError``: `exists`, `unwritable` or `inUse`.
    public init(
        to url: URL,
        app: AppInfo,
        actions: ActionCodec<Action>,
        options: RecorderOptions = RecorderOptions()
    ) throws {
        core = RecorderCore(
            output: try RecordingFile(path: url.path, app: app, overwrite: options.overwrite),
            actions: actions,
            options: options
        )
    }

    /// Hands a store to the recorder. It records alike wherever it stands among the store's middleware.
    ///
    /// Each recorder records one store: any other is told through ``RecorderOptions/onError`` and not recorded.
    public var middleware: Middleware<State, Action> {
        Middleware(observer: StoreAttachment(to: core))
    }

    /// What the recorder is doing. Any thread may ask.
    public var status: RecorderStatus { core.status }

    /// Ends the recording: the output then stands alone, with no file beside it.
    ///
    /// Any thread may close it, more than once. Close it between two actions: one that is being reduced meanwhile stays
    /// without an end in the recording.
    ///
    /// - Throws: A ``RecordingError`` with code `stopped` where the rest could not be written.
    public func close() throws {
        try core.close()
    }
}

extension Recorder where Action: Codable {
    /// Creates the output and starts recording actions as their `Codable` conformance writes them.
    ///
    /// - Throws: A ``RecordingError``: `exists`, `unwritable` or `inUse`.
    public convenience init(to url: URL, app: AppInfo, options: RecorderOptions = RecorderOptions()) throws {
        try self.init(to: url, app: app, actions: .codable, options: options)
    }
}
