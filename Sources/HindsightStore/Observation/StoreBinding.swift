/// A value of the state that can be set: setting it dispatches an action.
///
/// ```swift
/// let title = store.binding(\.title, sending: { .rename($0) })
/// title.wrappedValue = "Milk"    // dispatches .rename("Milk")
/// ```
///
/// It is shaped like SwiftUI's `Binding`, and makes one: `Binding(get: title.get, set: title.set)`. Reading it is
/// tracked as reading ``Store/observed`` is, so that a view is updated when the value changes. It may also stand as a
/// property wrapper, set up as `_title = store.binding(…)`.
///
/// What comes back is what the reducers made of it, not what was set.
@propertyWrapper
public struct StoreBinding<Value>: Sendable {
    /// Reads the value.
    public let get: @Sendable () -> Value
    /// Dispatches the action for a new value; also for one that is equal to the present one.
    public let set: @Sendable (Value) -> Void

    /// Creates a binding from what reads and what sets its value.
    public init(get: @escaping @Sendable () -> Value, set: @escaping @Sendable (Value) -> Void) {
        self.get = get
        self.set = set
    }

    public var wrappedValue: Value {
        get { get() }
        nonmutating set { set(newValue) }
    }

    /// The binding itself.
    public var projectedValue: StoreBinding { self }
}

extension Store {
    /// A value of the state that can be set by an action.
    ///
    /// - Parameters:
    ///   - value: What is read.
    ///   - action: The action that a new value is sent with.
    ///   - fileID: The caller's file, the origin of the actions.
    ///   - line: The caller's line.
    public func binding<Value: Equatable & SendableMetatype>(
        _ value: KeyPath<State, Value> & Sendable,
        sending action: @escaping @Sendable (Value) -> Action,
        fileID: String = #fileID,
        line: Int = #line
    ) -> StoreBinding<Value> {
        StoreBinding {
            self.observed[value]
        } set: {
            self.dispatch(action($0), fileID: fileID, line: line)
        }
    }

    /// A value of the state that can be set by an action; it cannot be compared, so it counts as changed by every
    /// action.
    public func binding<Value>(
        _ value: KeyPath<State, Value> & Sendable,
        sending action: @escaping @Sendable (Value) -> Action,
        fileID: String = #fileID,
        line: Int = #line
    ) -> StoreBinding<Value> {
        StoreBinding {
            self.observed[value]
        } set: {
            self.dispatch(action($0), fileID: fileID, line: line)
        }
    }
}
