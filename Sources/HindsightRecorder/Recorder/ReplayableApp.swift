import HindsightFormat
import HindsightStore
import HindsightTree

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An app's reducers, initial state and action codec with their types erased, for tools that record and replay the app.
///
/// ```swift
/// public let myApp = ReplayableApp("todo", version: "1.4", initial: TodoState(), reducer: todoReducer)
/// ```
public struct ReplayableApp: Sendable {
    /// The name of the app in its recordings.
    public let name: String
    /// The version of this build, in any form.
    public let version: String
    /// The names of the reducers in the order in which they run. Reducer 1 is the first.
    public let reducers: [String]
    /// The known names of action types.
    public let actionTypes: [String]

    /// The known names of action types, including those of types that cannot be listed.
    package let names: ActionNames
    package let typed: any TypedApp

    /// Describes an app.
    ///
    /// - Parameters:
    ///   - name: The name of the app in its recordings. Keep it when you rename the app.
    ///   - version: The version of this build, in any form.
    ///   - initial: The state before the first action.
    ///   - reducer: The app's reducer.
    ///   - actions: Converts actions to nodes and back; for existential actions, the codec of an ``ActionRegistry``.
    ///   - middleware: Creates the middleware of a store to record, the outermost first. Replay does not run it.
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

    /// Describes an app whose actions are encoded and decoded by their `Codable` conformance.
    ///
    /// - Parameters:
    ///   - name: The name of the app in its recordings. Keep it when you rename the app.
    ///   - version: The version of this build, in any form.
    ///   - initial: The state before the first action.
    ///   - reducer: The app's reducer.
    ///   - middleware: Creates the middleware of a store to record, the outermost first. Replay does not run it.
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
        typed = AppDescription(initial: initial, reducer: reducer, actions: actions, middleware: middleware)
    }

    /// Encodes the state before the first action, as this build has it. Costs as much as encoding the whole state.
    ///
    /// - Throws: `TreeError` if the state cannot be encoded exactly.
    package func initialState() throws -> Node {
        try typed.encodeInitial(nil)
    }
}

/// The parts of an app, with their types.
package protocol TypedApp<State, Action>: Sendable {
    associatedtype State: Codable & Sendable
    associatedtype Action: Sendable

    var initial: State { get }
    var reducer: Reducer<State, Action> { get }
    var actions: ActionCodec<Action> { get }
    var middleware: @Sendable () -> [Middleware<State, Action>] { get }
}

extension TypedApp {
    /// Encodes the initial state, and redacts it.
    package func encodeInitial(_ redactor: Redactor?) throws -> Node {
        try NodeEncoder(redactor: redactor).encode(initial)
    }
}

private struct AppDescription<State: Codable & Sendable, Action: Sendable>: TypedApp {
    let initial: State
    let reducer: Reducer<State, Action>
    let actions: ActionCodec<Action>
    let middleware: @Sendable () -> [Middleware<State, Action>]
}
