/// A value computed from others, whenever one of those has changed, as decided by its `==`.
///
/// ```swift
/// extension AppState {
///     static let visible = DerivedSelector(\AppState.todos, \.filter) { todos, filter in
///         todos.filter { filter.shows($0) }
///     }
/// }
///
/// let token = store.subscribe(AppState.visible) { show($0) }
/// ```
///
/// Its parts are any number of key paths, or any number of selectors. To mix them, wrap a key path in a
/// ``PathSelector``. If a part is not `Equatable`, the value is computed after every action.
///
/// **Identity.** Functions cannot be compared, so a derived selector equals only its own copies. Keep it in a `static
/// let`, so that all subscriptions share one evaluation.
///
/// **Cost.** While it has subscribers, one comparison of each part an action, and memory for the last parts and the
/// last result. ``select(_:)`` always computes the result anew.
public struct DerivedSelector<Input, Output>: StateSelector {
    private let recipe: Recipe

    private final class Recipe: Sendable {
        let select: @Sendable (Input) -> Output
        let makeSelection: @Sendable () -> (Input) -> Output

        init(
            select: @escaping @Sendable (Input) -> Output,
            makeSelection: @escaping @Sendable () -> (Input) -> Output
        ) {
            self.select = select
            self.makeSelection = makeSelection
        }
    }

    /// Creates a selector that computes `result` from the outputs of other selectors.
    @_disfavoredOverload
    public init<each Value: Equatable & SendableMetatype>(
        _ parts: repeat any StateSelector<Input, each Value>,
        result: @escaping @Sendable (repeat each Value) -> Output
    ) {
        recipe = Recipe(
            select: { input in result(repeat (each parts).select(input)) },
            makeSelection: {
                let selections = (repeat (each parts).makeSelection())
                let memoized = Memoized<repeat each Value, Output>(result)
                return { input in memoized.result(of: repeat (each selections)(input)) }
            }
        )
    }

    /// Creates a selector that computes `result` from the outputs of other selectors, after every action. For outputs
    /// of which one is not `Equatable`.
    @_disfavoredOverload
    public init<each Value>(
        _ parts: repeat any StateSelector<Input, each Value>,
        result: @escaping @Sendable (repeat each Value) -> Output
    ) {
        self.init(select: { input in result(repeat (each parts).select(input)) })
    }

    /// Creates a selector that computes `result` from properties, after every action. For properties of which one is
    /// not `Equatable`.
    @_disfavoredOverload
    public init<each Value>(
        _ paths: repeat KeyPath<Input, each Value> & Sendable,
        result: @escaping @Sendable (repeat each Value) -> Output
    ) {
        self.init(select: { input in result(repeat input[keyPath: each paths]) })
    }

    /// Creates a selector that computes its output after every action.
    ///
    /// ```swift
    /// let initials = DerivedSelector { (state: AppState) in state.name.prefix(1) }
    /// ```
    public init(select: @escaping @Sendable (Input) -> Output) {
        recipe = Recipe(select: select, makeSelection: { select })
    }

    /// Creates a selector that computes `result` from properties.
    public init<each Value: Equatable & SendableMetatype>(
        _ paths: repeat KeyPath<Input, each Value> & Sendable,
        result: @escaping @Sendable (repeat each Value) -> Output
    ) {
        self.init(repeat PathSelector(each paths), result: result)
    }

    public func select(_ input: Input) -> Output { recipe.select(input) }

    public func makeSelection() -> (Input) -> Output { recipe.makeSelection() }

    public static func == (one: Self, other: Self) -> Bool { one.recipe === other.recipe }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(recipe)) }
}

/// A function of several values that caches its last result.
private final class Memoized<each Value: Equatable, Result> {
    private let function: (repeat each Value) -> Result
    private var last: (values: (repeat each Value), result: Result)?

    init(_ function: @escaping (repeat each Value) -> Result) {
        self.function = function
    }

    func result(of values: repeat each Value) -> Result {
        if let last, isSame(repeat each last.values, as: repeat each values) { return last.result }
        let result = function(repeat each values)
        last = ((repeat each values), result)
        return result
    }

    private func isSame(_ ones: repeat each Value, as others: repeat each Value) -> Bool {
        for (one, other) in repeat (each ones, each others) {
            guard one == other else { return false }
        }
        return true
    }
}
