import HindsightRecording
import HindsightStore
import HindsightTree

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An app's reducers, initial state and action codec with their types erased: what a tool needs to record and replay it.
///
/// ```swift
/// let app = ReplayableApp("todo", initial: TodoState(), reducer: todoReducer)
/// let result = try app.verify(Recording(at: url))
/// ```
public struct ReplayableApp: Sendable {
    /// The name that the app's recordings carry.
    public let name: String
    /// The version of this build, in any form.
    public let version: String
    /// The names of the reducers in the order in which they run; a reducer's number is its place here, from 1.
    public let reducers: [String]
    /// The names of the action types, as far as they are known.
    public let actionTypes: [String]

    /// The names of the action types, also where they cannot be listed.
    let names: ActionNames
    let makeMachine: @Sendable (Redactor?) -> any ReplayMachine
    let makeSession: @Sendable (AppInfo, RecordingPlace, RecorderOptions) throws -> RecordingSession
    let encodeInitial: @Sendable (Redactor?) throws -> Node

    /// Describes an app.
    ///
    /// - Parameters:
    ///   - name: The name that the app's recordings carry. Keep it when you rename the app.
    ///   - version: The version of this build, in any form.
    ///   - initial: The state before the first action.
    ///   - reducer: What actions do.
    ///   - actions: How actions are written and read; for existential actions that of an `ActionRegistry`.
    ///   - middleware: Makes the middleware of a store that is to be recorded, the first outermost. Replay runs none.
    public init<State: Codable & Sendable, Action: Sendable>(
        _ name: String,
        version: String = "",
        initial: State,
        reducer: Reducer<State, Action>,
        actions: ActionCodec<Action>,
        middleware: @escaping @Sendable () -> [Middleware<State, Action>] = { [] }
    ) {
        self.init(
            name,
            version: version,
            initial: initial,
            reducer: reducer,
            actions: actions,
            names: ActionNames(actions.knownTypes),
            middleware: middleware
        )
    }

    /// Describes an app whose actions are written and read by their own `Codable` conformance.
    ///
    /// - Parameters:
    ///   - name: The name that the app's recordings carry. Keep it when you rename the app.
    ///   - version: The version of this build, in any form.
    ///   - initial: The state before the first action.
    ///   - reducer: What actions do.
    ///   - middleware: Makes the middleware of a store that is to be recorded, the first outermost. Replay runs none.
    public init<State: Codable & Sendable, Action: Codable & Sendable>(
        _ name: String,
        version: String = "",
        initial: State,
        reducer: Reducer<State, Action>,
        middleware: @escaping @Sendable () -> [Middleware<State, Action>] = { [] }
    ) {
        self.init(
            name,
            version: version,
            initial: initial,
            reducer: reducer,
            actions: .codable,
            names: ActionNames(of: Action.self),
            middleware: middleware
        )
    }

    private init<State: Codable & Sendable, Action: Sendable>(
        _ name: String,
        version: String,
        initial: State,
        reducer: Reducer<State, Action>,
        actions: ActionCodec<Action>,
        names: ActionNames,
        middleware: @escaping @Sendable () -> [Middleware<State, Action>]
    ) {
        self.name = name
        self.version = version
        reducers = reducer.uniqueNames
        actionTypes = actions.knownTypes
        self.names = names
        makeMachine = { TypedMachine(initial: initial, reducer: reducer, actions: actions, redactor: $0) }
        makeSession = { app, place, options in
            let recorder =
                switch place {
                case .file(let url):
                    try Recorder<State, Action>(to: url, app: app, actions: actions, options: options)
                case .directory(let url, let retention):
                    try Recorder<State, Action>(in: url, keep: retention, app: app, actions: actions, options: options)
                }
            let store = Store(initial: initial, reducer: reducer, middleware: [recorder.middleware] + middleware())
            return RecordingSession(store: store, recorder: recorder, actions: actions, names: names)
        }
        encodeInitial = { try NodeEncoder(redactor: $0).encode(initial) }
    }

    /// The state before the first action, as this build has it.
    ///
    /// Throws where it cannot be encoded exactly. Costs as much as encoding the whole state.
    public func initialState() throws -> Node {
        try encodeInitial(nil)
    }
}
