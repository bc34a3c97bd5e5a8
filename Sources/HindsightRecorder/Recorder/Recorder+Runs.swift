import Foundation
import HindsightFormat
import HindsightSupport

extension Recorder {
    /// Creates a file for this run in a directory, and starts recording.
    ///
    /// ```swift
    /// let recorder = try Recorder<AppState, AppAction>(
    ///     in: directory,
    ///     keep: Retention(runs: 10),
    ///     app: AppInfo(name: "todo", version: "1.4"),
    ///     options: RecorderOptions(limit: .bytes(50 << 20))
    /// )
    /// print(recorder.url.path)
    /// ```
    ///
    /// File names are unique, even if two processes start at the same moment: if a name exists, a number is added. A
    /// background thread deletes old runs, and ``close()`` waits for it. If a run cannot be deleted,
    /// ``RecorderOptions/onError`` receives the code `notDeleted`, and recording continues.
    ///
    /// - Parameters:
    ///   - directory: The directory of the runs. It is created if it does not exist, and only its owner can read it.
    ///   - name: The pattern of the file's name, to which `.hindsight` is added. `{app}` and `{version}` come from
    ///     `app`, `{date}` and `{time}` are the start of the run (2026-11-20 and 18-54-32, UTC), and `{pid}` is the
    ///     process.
    ///   - retention: The runs to keep.
    ///   - app: The name and version of the app.
    ///   - actions: Converts actions to nodes.
    ///   - options: The recorder's options. `overwrite` has no effect here.
    /// - Throws: A `RecordingError` with the code `badRunName`, `unwritable` or `badRedaction`.
    public convenience init(
        in directory: URL,
        name: String = "{app}_{date}_{time}",
        keep retention: Retention,
        app: AppInfo,
        actions: ActionCodec<ActionValue>,
        options: RecorderOptions = RecorderOptions()
    ) throws(RecordingError) {
        var options = options
        options.overwrite = false
        let runName = RunName(app: app, now: SystemClock.wall, process: getpid())
        _ = try runName.name(by: name, number: 1)
        try Self.makeDirectory(directory)
        var number = 1
        while true {
            let url = directory.appendingPathComponent(try runName.name(by: name, number: number))
            do {
                let core = try RecorderCore<StateValue, ActionValue>(
                    to: url.path,
                    app: app,
                    actions: actions,
                    options: options
                )
                let bytes = options.limit.bytes
                let cleaning = RunCleaner(of: directory, by: retention, app: app.name, besides: url, bytes: bytes)
                self.init(core, cleaning)
                let onError = options.onError
                cleaning.start { onError?($0) }
                return
            } catch {
                guard number < 10_000, [.exists, .inUse].contains(error.code) else { throw error }
                number += 1
            }
        }
    }

    /// Creates a file for this run in a directory, and starts recording. If that fails, reports the error, and the app
    /// continues with a recorder that does not record.
    ///
    /// See ``init(in:name:keep:app:actions:options:)``.
    ///
    /// - Returns: A recorder. If the file cannot be created, its ``status`` is `stopped`, with the error, which
    ///   ``RecorderOptions/onError`` receives. Without `onError`, the error is printed to the standard error stream.
    public static func start(
        in directory: URL,
        name: String = "{app}_{date}_{time}",
        keep retention: Retention,
        app: AppInfo,
        actions: ActionCodec<ActionValue>,
        options: RecorderOptions = RecorderOptions()
    ) -> Recorder {
        reporting(options, at: directory) { () throws(RecordingError) in
            try Recorder(in: directory, name: name, keep: retention, app: app, actions: actions, options: options)
        }
    }

    private static func makeDirectory(_ directory: URL) throws(RecordingError) {
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

extension Recorder where ActionValue: Codable {
    /// Creates a file for this run in a directory, and starts recording. Actions are encoded by their `Codable`
    /// conformance.
    ///
    /// - Throws: A `RecordingError` with the code `badRunName`, `unwritable` or `badRedaction`.
    public convenience init(
        in directory: URL,
        name: String = "{app}_{date}_{time}",
        keep retention: Retention,
        app: AppInfo,
        options: RecorderOptions = RecorderOptions()
    ) throws(RecordingError) {
        try self.init(in: directory, name: name, keep: retention, app: app, actions: .codable, options: options)
    }

    /// Creates a file for this run in a directory, and starts recording. Actions are encoded by their `Codable`
    /// conformance. If that fails, reports the error.
    ///
    /// - Returns: A recorder. If the file cannot be created, its ``status`` is `stopped`, with the error, which
    ///   ``RecorderOptions/onError`` receives. Without `onError`, the error is printed to the standard error stream.
    public static func start(
        in directory: URL,
        name: String = "{app}_{date}_{time}",
        keep retention: Retention,
        app: AppInfo,
        options: RecorderOptions = RecorderOptions()
    ) -> Recorder {
        start(in: directory, name: name, keep: retention, app: app, actions: .codable, options: options)
    }
}
