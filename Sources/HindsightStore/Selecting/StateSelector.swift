/// A reusable computation of one value from another, such as a view's content from an app's state.
///
/// ```swift
/// struct OpenTodos: StateSelector {
///     func select(_ todos: [Todo]) -> [Todo] { todos.filter { !$0.isDone } }
/// }
///
/// let token = store.subscribe(OpenTodos().lift(\.todos)) { print($0.count, "to do") }
/// ```
///
/// Lift a selector of a small value by the path to that value, as you lift a reducer: ``lift(_:)``.
///
/// A selector is a value: you can test it without a store, and subscriptions to equal selectors share one evaluation an
/// action.
///
/// To combine several values of the state, and to compute only when one of them has changed, use ``DerivedSelector``.
public protocol StateSelector<Input, Output>: Hashable, Sendable {
    associatedtype Input
    associatedtype Output

    /// Computes the output. It must depend only on `input` and on the selector's properties.
    func select(_ input: Input) -> Output

    /// Returns a function that does the same as ``select(_:)``, and may cache its last output.
    ///
    /// A store calls this once for all subscriptions to equal selectors, and never calls the function concurrently. The
    /// default caches nothing.
    func makeSelection() -> (Input) -> Output
}

extension StateSelector {
    public func makeSelection() -> (Input) -> Output {
        { input in select(input) }
    }
}

/// Selects a stored or computed property.
///
/// ```swift
/// let title = PathSelector(\AppState.draft).then(PathSelector(\.title))
/// ```
public struct PathSelector<Input, Output>: StateSelector {
    /// The property.
    package let path: KeyPath<Input, Output> & Sendable

    /// Creates a selector of the property at `path`.
    public init(_ path: KeyPath<Input, Output> & Sendable) {
        self.path = path
    }

    public func select(_ input: Input) -> Output { input[keyPath: path] }

    public static func == (one: Self, other: Self) -> Bool { one.path == other.path }

    public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}
