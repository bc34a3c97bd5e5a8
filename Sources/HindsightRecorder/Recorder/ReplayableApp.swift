import HindsightFormat
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

    /// The names of the action types, also if they cannot be listed.
    package let names: ActionNames
    package let typed: any TypedApp

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
        typed = AppDescription(initial: initial, reducer: reducer, actions: actions, middleware: middleware)
    }

    /// The state before the first action, as this build has it.
    ///
    /// Throws where it cannot be encoded exactly. Costs as much as encoding the whole state.
    public func initialState() throws -> Node {
        try typed.encodeInitial(nil)
    }
}

/// An app's parts with their types.
package protocol TypedApp<State, Action>: Sendable {
    associatedtype State: Codable & Sendable
    associatedtype Action: Sendable

    var initial: State { get }
    var reducer: Reducer<State, Action> { get }
    var actions: ActionCodec<Action> { get }
    var middleware: @Sendable () -> [Middleware<State, Action>] { get }
}

extension TypedApp {
    /// The initial state as a node, in which the redactor hides what is to be hidden.
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
