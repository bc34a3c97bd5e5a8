/// A value of the state with a setter that dispatches an action.
///
/// ```swift
/// let title = store.binding(\.title, sending: { .rename($0) })
/// title.wrappedValue = "Milk"    // dispatches .rename("Milk")
/// ```
///
/// To get a SwiftUI binding, write `Binding(get: title.get, set: title.set)`. `Observation` tracks a read as it does
/// for ``Store/observed``, so a change of the value updates a view. You can also use it as a property wrapper: `_title
/// = store.binding(…)`.
///
/// After setting a value, reading it returns the reducers' result, which may differ.
@propertyWrapper
public struct StoreBinding<Value>: Sendable {
    /// Reads the value.
    public let get: @Sendable () -> Value
    /// Dispatches the action for a new value, even if it equals the present one.
    public let set: @Sendable (Value) -> Void

    /// Creates a binding from a getter and a setter.
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
    /// A binding that reads a value of the state and dispatches an action to set it.
    ///
    /// - Parameters:
    ///   - value: The property to read.
    ///   - action: Returns the action for a new value.
    ///   - fileID: The caller's file, the origin of the actions.
    ///   - line: The caller's line.
    public func binding<Value: Equatable & SendableMetatype>(
        _ value: KeyPath<StateValue, Value> & Sendable,
        sending action: @escaping @Sendable (Value) -> ActionValue,
        fileID: String = #fileID,
        line: Int = #line
    ) -> StoreBinding<Value> {
        StoreBinding {
            self.observed[value]
        } set: {
            self.dispatch(action($0), fileID: fileID, line: line)
        }
    }

    /// A binding to a value that is not `Equatable`, so every action counts as a change.
    @_disfavoredOverload
    public func binding<Value>(
        _ value: KeyPath<StateValue, Value> & Sendable,
        sending action: @escaping @Sendable (Value) -> ActionValue,
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
