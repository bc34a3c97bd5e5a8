/// A value type that can be copied with a few properties changed.
///
/// ```swift
/// struct Counter: Updatable {
///     var count = 0
///     var name = ""
/// }
///
/// let counter = Reducer<Counter, CounterAction>.returning("counter") { state, action in
///     switch action {
///     case .increment: state.update { $0.count += 1 }
///     case .decrement: state.update { $0.count -= 1 }
///     }
/// }
/// ```
///
/// With it, a reducer that returns its new state names only the properties that change. Such a reducer copies what it
/// changes, for example a whole array to change one element. A reducer with an `inout` state does not.
public protocol Updatable {}

extension Updatable {
    /// Returns a copy of this value, changed by `change`.
    ///
    /// - Throws: The error that `change` throws.
    @inlinable
    public consuming func update<Failure: Error>(
        _ change: (inout Self) throws(Failure) -> Void
    ) throws(Failure) -> Self {
        var value = self
        try change(&value)
        return value
    }

    /// Returns a copy of this value, without a change.
    @inlinable
    public consuming func update() -> Self { self }
}

extension Updatable where Self: AnyObject {
    @available(*, unavailable, message: "An object would not be copied but changed itself. Use a struct or an enum.")
    public func update<Failure: Error>(_ change: (inout Self) throws(Failure) -> Void) throws(Failure) -> Self {
        self
    }
}

/// A value type with defaults, so that a test or a preview names only the properties that matter.
///
/// ```swift
/// extension Order: UpdatableDefaults {
///     static var defaults: Order { Order(customer: "Ada", items: [], isPaid: false) }
/// }
///
/// let paid = Order.with { $0.isPaid = true }
/// ```
public protocol UpdatableDefaults: Updatable {
    /// A value with sensible properties for tests and previews.
    static var defaults: Self { get }
}

extension UpdatableDefaults {
    /// Returns the defaults, changed by `change`.
    ///
    /// - Throws: The error that `change` throws.
    @inlinable
    public static func with<Failure: Error>(
        _ change: (inout Self) throws(Failure) -> Void
    ) throws(Failure) -> Self {
        try defaults.update(change)
    }

    /// Returns the defaults.
    @inlinable
    public static func with() -> Self { defaults }
}
