public import Foundation
import HindsightFormat
import HindsightRecorder
import HindsightStore
import HindsightTree

/// A recorded store of an app, to which actions are dispatched as nodes.
public final class RecordingSession: Sendable {
    /// The recording's file.
    public let url: URL
    private let send: @Sendable (Node, Origin) throws(ReplayError) -> Void
    private let read: @Sendable () throws(TreeError) -> Node
    private let settle: @Sendable () throws(RecordingError) -> Void
    private let finish: @Sendable () throws(RecordingError) -> Void
    private let report: @Sendable () -> RecorderStatus

    init<StateValue: Codable & Sendable, ActionValue: Sendable>(
        store: Store<StateValue, ActionValue>,
        recorder: Recorder<StateValue, ActionValue>,
        actions: ActionCodec<ActionValue>,
        names: ActionNames
    ) {
        send = { (node, origin) throws(ReplayError) in
            let action: ActionValue
            do {
                action = try actions.decode(node)
            } catch {
                throw ReplayError.badAction(node, names: names, cause: error)
            }
            store.dispatch(action, from: origin)
        }
        read = { () throws(TreeError) in try NodeEncoder().encode(store.state) }
        settle = { () throws(RecordingError) in try recorder.flush() }
        finish = { () throws(RecordingError) in try recorder.close() }
        report = { recorder.status }
        url = recorder.url
    }

    /// Dispatches an action through the app's middleware and reducers; it is recorded when this returns.
    ///
    /// - Parameters:
    ///   - action: The action, such as `{"toggle":{"id":3}}`.
    ///   - origin: The origin of the action, such as a line of an input file.
    /// - Throws: ``ReplayError`` with code ``ReplayError/Code/badAction`` if the node is not an action of the
    ///   app. Then nothing is dispatched.
    public func dispatch(_ action: Node, origin: Origin) throws(ReplayError) {
        try send(action, origin)
    }

    /// The store's state as it is now.
    ///
    /// Costs as much as encoding the whole state.
    ///
    /// - Throws: `TreeError` if it cannot be encoded exactly.
    public func state() throws(TreeError) -> Node {
        try read()
    }

    /// The status of the recorder. If the recorder had to stop, the store continues.
    public var status: RecorderStatus { report() }

    /// Waits until all dispatched actions and their states are in the file.
    ///
    /// - Throws: `RecordingError` if the recorder had to stop.
    public func flush() throws(RecordingError) {
        try settle()
    }

    /// Ends the recording. A second call does nothing.
    ///
    /// - Throws: `RecordingError` if the recording is incomplete, because the recorder had to stop.
    public func close() throws(RecordingError) {
        try finish()
    }
}

extension ReplayableApp {
    /// Creates a store of the app, and records it from its initial state on.
    ///
    /// The recorder observes the reduction, so the position of the app's own middleware does not change the recording.
    ///
    /// - Throws: `RecordingError` if the file cannot be made.
    public func record(to url: URL, options: RecorderOptions = RecorderOptions()) throws(RecordingError)
        -> RecordingSession
    {
        try session(at: url, keeping: nil, options)
    }

    /// Creates a store of the app, and records it from its initial state on, into a new file in a directory.
    ///
    /// - Throws: `RecordingError` if the file cannot be made.
    public func record(
        in directory: URL,
        keep retention: Retention,
        options: RecorderOptions = RecorderOptions()
    ) throws(RecordingError) -> RecordingSession {
        try session(at: directory, keeping: retention, options)
    }

    /// - Parameter retention: The runs to keep, if the recording is a new file in a directory; `nil` if `url` is the file.
    private func session(
        at url: URL,
        keeping retention: Retention?,
        _ options: RecorderOptions
    ) throws(RecordingError) -> RecordingSession {
        let info = info
        func make<App: TypedApp>(_ app: App) throws(RecordingError) -> RecordingSession {
            typealias Output = Recorder<App.StateValue, App.ActionValue>
            let recorder =
                if let retention {
                    try Output(in: url, keep: retention, app: info, actions: app.actions, options: options)
                } else {
                    try Output(to: url, app: info, actions: app.actions, options: options)
                }
            let store = Store(
                initial: app.initial,
                reducer: app.reducer,
                middleware: [recorder.middleware] + app.middleware()
            )
            return RecordingSession(store: store, recorder: recorder, actions: app.actions, names: names)
        }
        return try make(typed)
    }
}
