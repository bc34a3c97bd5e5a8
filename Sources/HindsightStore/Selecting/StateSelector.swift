/// A reusable way to make one value out of another, such as what a view shows out of an app's state.
///
/// ```swift
/// struct OpenTodos: StateSelector {
///     func select(_ todos: [Todo]) -> [Todo] { todos.filter { !$0.isDone } }
/// }
///
/// let token = store.subscribe(\.todos, through: OpenTodos()) { print($0.count, "to do") }
/// ```
///
/// A selector is a value: it can be tested without a store, and two equal ones are the same selector. Subscriptions
/// of equal selectors share one evaluation an action.
///
/// To combine several values of the state, and to compute only when one of them has changed, see ``DerivedSelector``.
public protocol StateSelector<Input, Output>: Hashable, Sendable {
    associatedtype Input
    associatedtype Output

    /// Makes the value. Must depend on `input` and on the selector's own properties only.
    func select(_ input: Input) -> Output

    /// Makes a function that selects as ``select(_:)`` does, and may remember what it selected last.
    ///
    /// A store calls this once for all subscriptions of equal selectors, and never runs the function twice at a time.
    /// The default remembers nothing.
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
    public let path: KeyPath<Input, Output> & Sendable

    /// Creates a selector of the property at `path`.
    public init(_ path: KeyPath<Input, Output> & Sendable) {
        self.path = path
    }

    public func select(_ input: Input) -> Output { input[keyPath: path] }

    public static func == (one: Self, other: Self) -> Bool { one.path == other.path }

    public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}
