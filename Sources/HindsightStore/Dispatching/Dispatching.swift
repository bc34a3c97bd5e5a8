/// Something that takes actions: a ``Store``, a ``Dispatcher``, or a type of your own.
///
/// Code that only dispatches need not know the store or the type of its state:
///
/// ```swift
/// func importLines(_ lines: [String], into target: some Dispatching<AppAction>) {
///     for line in lines { target.dispatch(.rename(line)) }
/// }
/// ```
///
/// A conforming type needs ``dispatch(_:from:)`` only, for example to note actions in a test:
///
/// ```swift
/// final class ActionLog: Dispatching {
///     let actions = Mutex<[AppAction]>([])
///     func dispatch(_ action: AppAction, from origin: Origin) { actions.withLock { $0.append(action) } }
/// }
/// ```
public protocol Dispatching<ActionValue>: Sendable {
    associatedtype ActionValue: Sendable

    /// Dispatches an action whose origin is not the calling line, such as an action from a file.
    func dispatch(_ action: ActionValue, from origin: Origin)
}

extension Dispatching {
    /// Dispatches an action.
    ///
    /// A ``Store`` sends it through the middleware and the reducers, and notifies the subscribers, before it returns.
    ///
    /// - Parameters:
    ///   - action: The action to reduce.
    ///   - fileID: The caller's file, which recordings show.
    ///   - line: The caller's line.
    @inlinable
    public func dispatch(_ action: ActionValue, fileID: String = #fileID, line: Int = #line) {
        dispatch(action, from: Origin(file: fileID, line: line))
    }

    /// Dispatches an action of unknown origin. Use it as a function value; calls choose the other `dispatch`.
    ///
    /// ```swift
    /// let send: (AppAction) -> Void = store.dispatch
    /// actions.forEach(store.dispatch)
    /// ```
    ///
    /// Write the function's type. `let send = store.dispatch` has the parameters of the other `dispatch`, and calls of it
    /// fail with "missing argument for parameter #2".
    @inlinable
    @_disfavoredOverload
    public func dispatch(_ action: ActionValue) {
        dispatch(action, from: .unknown)
    }
}
