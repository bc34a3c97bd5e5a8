import HindsightFormat
import HindsightSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Recorder {
    /// Creates the output and starts recording, or says why it cannot, so that the app goes on unrecorded.
    ///
    /// ```swift
    /// let recorder = Recorder<AppState, AppAction>.start(to: url, app: AppInfo(name: "todo", version: "1.4"))
    /// let store = Store(initial: AppState(), reducer: appReducer, middleware: [recorder?.middleware ?? .empty])
    /// ```
    ///
    /// - Parameters:
    ///   - url: The output, usually `NAME.hindsight`.
    ///   - app: What the app says about itself.
    ///   - actions: How actions become nodes.
    ///   - options: How the recorder behaves.
    /// - Returns: `nil` where the output cannot be made. ``RecorderOptions/onError`` is told why, or, where there is none,
    ///   the standard error stream.
    public static func start(
        to url: URL,
        app: AppInfo,
        actions: ActionCodec<Action>,
        options: RecorderOptions = RecorderOptions()
    ) -> Recorder? {
        reporting(url, options) { try Recorder(to: url, app: app, actions: actions, options: options) }
    }

    /// Makes a recorder, or tells why it cannot.
    static func reporting(
        _ url: URL,
        _ options: RecorderOptions,
        _ make: () throws -> Recorder
    ) -> Recorder? {
        do {
            return try make()
        } catch {
            let failure = error as? RecordingError ?? RecordingError(.unwritable, file: url.path, cause: error)
            if let onError = options.onError { onError(failure) } else { complain("Not recorded: \(failure)\n") }
            return nil
        }
    }

    private static func complain(_ text: String) {
        // A failure to write is ignored: there is no other place to report to.
        _ = Array(text.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

extension Recorder where Action: Codable {
    /// Creates the output and starts recording actions as their `Codable` conformance writes them, or says why it cannot.
    ///
    /// - Returns: `nil` where the output cannot be made. ``RecorderOptions/onError`` is told why, or, where there is none,
    ///   the standard error stream.
    public static func start(to url: URL, app: AppInfo, options: RecorderOptions = RecorderOptions()) -> Recorder? {
        start(to: url, app: app, actions: .codable, options: options)
    }
}
