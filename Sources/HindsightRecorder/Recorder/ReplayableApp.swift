import Foundation
import HindsightFormat
import HindsightStore
import HindsightTree

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
    /// The version of the forms of states and actions, from 1.
    public let schema: Int
    /// Converts what was recorded with earlier schemas.
    package let migrations: [Migration]
    /// The names of the reducers in the order in which they run. Reducer 1 is the first.
    public let reducers: [String]
    /// The names that each reducer had before, parallel to ``reducers``.
    package let formerReducers: [[String]]
    /// Whether its only reducer is the whole work for an action, which recordings may divide into steps.
    package private(set) var runsWhole = false
    /// The known names of action types.
    public let actionTypes: [String]

    /// The known names of action types, including those of types that cannot be listed.
    package private(set) var names: ActionNames
    package let typed: any TypedApp

    /// Describes an app.
    ///
    /// - Parameters:
    ///   - name: The name of the app in its recordings. Keep it when you rename the app.
    ///   - version: The version of this build, in any form.
    ///   - initial: The state before the first action.
    ///   - reducer: The app's reducer.
    ///   - actions: Converts actions to nodes and back; for existential actions, the codec of an ``ActionRegistry``.
    ///   - schema: The version of the forms of states and actions, from 1; `nil` for that of the last migration.
    ///   - migrations: Converts what was recorded with earlier schemas: one for each schema from 2 on.
    ///   - middleware: Creates the middleware of a store to record, the outermost first. Replay does not run it.
    public init<StateValue: Codable & Sendable, ActionValue: Sendable>(
        _ name: String,
        version: String = "",
        initial: StateValue,
        reducer: Reducer<StateValue, ActionValue>,
        actions: ActionCodec<ActionValue>,
        schema: Int? = nil,
        migrations: [Migration] = [],
        middleware: @escaping @Sendable () -> [Middleware<StateValue, ActionValue>] = { [] }
    ) {
        self.name = name
        self.version = version
        self.schema = schema ?? migrations.map(\.schema).max() ?? AppInfo.firstSchema
        self.migrations = migrations
        reducers = reducer.uniqueNames
        formerReducers = reducer.leaves.map(\.formerNames)
        actionTypes = actions.knownTypes
        names = ActionNames(actions.knownTypes)
        typed = AppDescription(initial: initial, reducer: reducer, actions: actions, middleware: middleware)
    }

    /// Describes an app whose actions are encoded and decoded by their `Codable` conformance.
    ///
    /// - Parameters:
    ///   - name: The name of the app in its recordings. Keep it when you rename the app.
    ///   - version: The version of this build, in any form.
    ///   - initial: The state before the first action.
    ///   - reducer: The app's reducer.
    ///   - schema: The version of the forms of states and actions, from 1; `nil` for that of the last migration.
    ///   - migrations: Converts what was recorded with earlier schemas: one for each schema from 2 on.
    ///   - middleware: Creates the middleware of a store to record, the outermost first. Replay does not run it.
    public init<StateValue: Codable & Sendable, ActionValue: Codable & Sendable>(
        _ name: String,
        version: String = "",
        initial: StateValue,
        reducer: Reducer<StateValue, ActionValue>,
        schema: Int? = nil,
        migrations: [Migration] = [],
        middleware: @escaping @Sendable () -> [Middleware<StateValue, ActionValue>] = { [] }
    ) {
        self.init(
            name,
            version: version,
            initial: initial,
            reducer: reducer,
            actions: .codable,
            schema: schema,
            migrations: migrations,
            middleware: middleware
        )
        names = ActionNames(of: ActionValue.self)
    }

    /// Describes an app whose store is not a `Store`, and that is recorded by ``Recorder/record(_:in:fileID:line:_:)``.
    ///
    /// ```swift
    /// public let myApp = ReplayableApp("todo", version: "1.4", initial: TodoState(), reduce: reduce)
    /// ```
    ///
    /// A replay runs `reduce` as a whole, as the one reducer `reduce`, and compares the states after each action, also if
    /// the recording has steps. To replay each step by itself, describe the app by a `Reducer` with the same names, of
    /// which the first is `reduce`.
    ///
    /// - Parameters:
    ///   - name: The name of the app in its recordings. Keep it when you rename the app.
    ///   - version: The version of this build, in any form.
    ///   - initial: The state before the first action.
    ///   - schema: The version of the forms of states and actions, from 1; `nil` for that of the last migration.
    ///   - migrations: Converts what was recorded with earlier schemas: one for each schema from 2 on.
    ///   - reduce: The function that the app runs for each action.
    public init<StateValue: Codable & Sendable, ActionValue: Codable & Sendable>(
        _ name: String,
        version: String = "",
        initial: StateValue,
        schema: Int? = nil,
        migrations: [Migration] = [],
        reduce: @escaping @Sendable (inout StateValue, ActionValue) -> Void
    ) {
        self.init(
            name,
            version: version,
            initial: initial,
            reducer: Reducer(ExternalStore<StateValue, ActionValue>.firstStep, reduce),
            schema: schema,
            migrations: migrations
        )
        runsWhole = true
    }

    /// The name, version and schema, for a `Recorder`.
    public var info: AppInfo { AppInfo(name: name, version: version, schema: schema) }

    /// Encodes the state before the first action, as this build has it. Costs as much as encoding the whole state.
    ///
    /// - Throws: `TreeError` if the state cannot be encoded exactly.
    package func initialState() throws -> Node {
        try typed.encodeInitial(nil)
    }
}

/// The parts of an app, with their types.
package protocol TypedApp<StateValue, ActionValue>: Sendable {
    associatedtype StateValue: Codable & Sendable
    associatedtype ActionValue: Sendable

    var initial: StateValue { get }
    var reducer: Reducer<StateValue, ActionValue> { get }
    var actions: ActionCodec<ActionValue> { get }
    var middleware: @Sendable () -> [Middleware<StateValue, ActionValue>] { get }
}

extension TypedApp {
    /// Encodes the initial state, and redacts it.
    package func encodeInitial(_ redactor: Redactor?) throws -> Node {
        try NodeEncoder(redactor: redactor).encode(initial)
    }
}

private struct AppDescription<StateValue: Codable & Sendable, ActionValue: Sendable>: TypedApp {
    let initial: StateValue
    let reducer: Reducer<StateValue, ActionValue>
    let actions: ActionCodec<ActionValue>
    let middleware: @Sendable () -> [Middleware<StateValue, ActionValue>]
}
