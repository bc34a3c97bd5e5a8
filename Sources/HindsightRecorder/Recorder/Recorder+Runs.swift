import HindsightFormat
import HindsightSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Recorder {
    /// Creates a new file in a directory for this run, and starts recording.
    ///
    /// ```swift
    /// var options = RecorderOptions()
    /// options.limit = .bytes(50 << 20)
    /// let recorder = try Recorder<AppState, AppAction>(
    ///     in: directory, keep: Retention(runs: 10), app: AppInfo(name: "todo", version: "1.4"), options: options
    /// )
    /// print(recorder.url.path)
    /// ```
    ///
    /// No other run gets the same name, even where two processes start at the same moment: a number is added where a name
    /// is taken. Old runs are deleted on a thread of its own; ``close()`` waits for it. What cannot be deleted is told
    /// through ``RecorderOptions/onError`` with the code ``RecordingError/Code/notDeleted``, and recording goes on.
    ///
    /// - Parameters:
    ///   - directory: Where the runs are. It is made, readable by its owner only, where there is none.
    ///   - name: The files' name, `.hindsight` is added. `{app}` and `{version}` are what the app says of itself, `{date}`
    ///     and `{time}` when the run began (2026-11-20 and 18-54-32, UTC), `{pid}` is the process.
    ///   - retention: Which runs are kept.
    ///   - app: What the app says about itself.
    ///   - actions: How actions become nodes.
    ///   - options: How the recorder behaves; `overwrite` has no meaning here.
    /// - Throws: A ``RecordingError``: `badRunName`, `unwritable` or `badRedaction`.
    public convenience init(
        in directory: URL,
        name: String = "{app}_{date}_{time}",
        keep retention: Retention,
        app: AppInfo,
        actions: ActionCodec<Action>,
        options: RecorderOptions = RecorderOptions()
    ) throws {
        var options = options
        options.overwrite = false
        let runName = RunName(app: app, now: SystemClock.wall, process: getpid())
        _ = try runName.name(by: name, number: 1)
        try Self.makeDirectory(directory)
        var number = 1
        while true {
            let url = directory.appendingPathComponent(try runName.name(by: name, number: number))
            do {
                let core = try RecorderCore<State, Action>(to: url.path, app: app, actions: actions, options: options)
                let bytes = options.limit.bytes
                let cleaning = RunCleaner(of: directory, by: retention, app: app.name, besides: url, bytes: bytes)
                self.init(core, cleaning)
                let onError = options.onError
                cleaning.start { onError?($0) }
                return
            } catch let error as RecordingError where number < 10_000 && [.exists, .inUse].contains(error.code) {
                number += 1
            }
        }
    }

    /// Creates a new file in a directory for this run and starts recording, or says why it cannot, so that the app goes on
    /// unrecorded.
    ///
    /// See ``init(in:name:keep:app:actions:options:)``.
    ///
    /// - Returns: `nil` where there is no file to be made. ``RecorderOptions/onError`` is told why, or, where there is none,
    ///   the standard error stream.
    public static func start(
        in directory: URL,
        name: String = "{app}_{date}_{time}",
        keep retention: Retention,
        app: AppInfo,
        actions: ActionCodec<Action>,
        options: RecorderOptions = RecorderOptions()
    ) -> Recorder? {
        reporting(directory, options) {
            try Recorder(in: directory, name: name, keep: retention, app: app, actions: actions, options: options)
        }
    }

    private static func makeDirectory(_ directory: URL) throws {
        guard !FileSystem.isDirectory(directory.path) else { return }
        do {
            try FileManager.default.createDirectory(
                at: directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw RecordingError(.unwritable, file: directory.path, cause: error)
        }
    }
}

extension Recorder where Action: Codable {
    /// Creates a new file in a directory for this run, and records actions as their `Codable` conformance writes them.
    ///
    /// - Throws: A ``RecordingError``: `badRunName`, `unwritable` or `badRedaction`.
    public convenience init(
        in directory: URL,
        name: String = "{app}_{date}_{time}",
        keep retention: Retention,
        app: AppInfo,
        options: RecorderOptions = RecorderOptions()
    ) throws {
        try self.init(in: directory, name: name, keep: retention, app: app, actions: .codable, options: options)
    }

    /// Creates a new file in a directory for this run and records actions as their `Codable` conformance writes them, or
    /// says why it cannot.
    ///
    /// - Returns: `nil` where there is no file to be made. ``RecorderOptions/onError`` is told why, or, where there is none,
    ///   the standard error stream.
    public static func start(
        in directory: URL,
        name: String = "{app}_{date}_{time}",
        keep retention: Retention,
        app: AppInfo,
        options: RecorderOptions = RecorderOptions()
    ) -> Recorder? {
        start(in: directory, name: name, keep: retention, app: app, actions: .codable, options: options)
    }
}
