/// A value type that can be copied with a few properties changed.
///
/// ```swift
/// struct Counter: Updatable {
///     var count = 0
///     var name = ""
/// }
///
/// let counter = Reducer<Counter, CounterAction>("counter", returning: { state, action in
///     switch action {
///     case .increment: state.update { $0.count += 1 }
///     case .decrement: state.update { $0.count -= 1 }
///     }
/// })
/// ```
///
/// It lets a reducer that returns its new state name only what changes. Such a reducer copies what it changes, such as
/// an array of which it changes one element; one that takes its state `inout` does not.
public protocol Updatable {}

extension Updatable {
    /// A copy of this value, with what `change` changes in it.
    ///
    /// - Throws: What `change` throws.
    @inlinable
    public consuming func update<Failure: Error>(
        _ change: (inout Self) throws(Failure) -> Void
    ) throws(Failure) -> Self {
        var value = self
        try change(&value)
        return value
    }
}

extension Updatable where Self: AnyObject {
    @available(*, unavailable, message: "An object would not be copied but changed itself. Use a struct or an enum.")
    public func update<Failure: Error>(_ change: (inout Self) throws(Failure) -> Void) throws(Failure) -> Self {
        self
    }
}

/// A value type that has defaults, of which a test or a preview names only what it is about.
///
/// ```swift
/// extension Order: UpdatableDefaults {
///     static var defaults: Order { Order(customer: "Ada", items: [], isPaid: false) }
/// }
///
/// let paid = Order.with { $0.isPaid = true }
/// ```
public protocol UpdatableDefaults: Updatable {
    /// A value that is fit for most uses.
    static var defaults: Self { get }
}

extension UpdatableDefaults {
    /// The defaults, with what `change` changes in them.
    ///
    /// - Throws: What `change` throws.
    @inlinable
    public static func with<Failure: Error>(
        _ change: (inout Self) throws(Failure) -> Void
    ) throws(Failure) -> Self {
        try defaults.update(change)
    }
}
