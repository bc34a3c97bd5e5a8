import Foundation
import HindsightFormat
import HindsightSupport

extension Recorder {
    /// Creates the file and starts recording. If that fails, reports the error, and the app continues with a recorder
    /// that does not record.
    ///
    /// ```swift
    /// let recorder = Recorder<AppState, AppAction>.start(to: url, app: AppInfo(name: "todo", version: "1.4"))
    /// let store = Store(initial: AppState(), reducer: appReducer, middleware: [recorder.middleware])
    /// ```
    ///
    /// - Parameters:
    ///   - url: The file to create, usually `NAME.hindsight`. `NAME.jsonl` is an error: it is the name of a text.
    ///   - app: The name and version of the app.
    ///   - actions: Converts actions to nodes.
    ///   - options: The recorder's options.
    /// - Returns: A recorder. If the file cannot be created, its ``status`` is `stopped`, with the error, which
    ///   ``RecorderOptions/onError`` receives. Without `onError`, the error is printed to the standard error stream.
    public static func start(
        to url: URL,
        app: AppInfo,
        actions: ActionCodec<ActionValue>,
        options: RecorderOptions = RecorderOptions()
    ) -> Recorder {
        reporting(options, at: url) { () throws(RecordingError) in
            try Recorder(to: url, app: app, actions: actions, options: options)
        }
    }

    /// Creates a recorder. If that fails, reports the error, and returns a recorder that does not record.
    static func reporting(
        _ options: RecorderOptions,
        at url: URL,
        _ make: () throws(RecordingError) -> Recorder
    ) -> Recorder {
        do {
            return try make()
        } catch {
            if let onError = options.onError { onError(error) } else { complain("Not recorded: \(error)\n") }
            return Recorder(to: url, failedWith: error)
        }
    }

    private static func complain(_ text: String) {
        // A failure to write is ignored: there is no other place to report to.
        _ = Array(text.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

extension Recorder where ActionValue: Codable {
    /// Creates the file and starts recording. Actions are encoded by their `Codable` conformance. If that fails,
    /// reports the error.
    ///
    /// - Returns: A recorder. If the file cannot be created, its ``status`` is `stopped`, with the error, which
    ///   ``RecorderOptions/onError`` receives. Without `onError`, the error is printed to the standard error stream.
    public static func start(to url: URL, app: AppInfo, options: RecorderOptions = RecorderOptions()) -> Recorder {
        start(to: url, app: app, actions: .codable, options: options)
    }
}
