/// A pure function that applies an action to a state.
///
/// However you compose it, a reducer is a *flat list of named leaves*, which a store runs in order. The recorder,
/// micro-history and replay identify leaves by name and by number, counted from 1.
///
/// ```swift
/// let counter = Reducer<Int, CounterAction>("counter") { count, action in
///     switch action {
///     case .increment: count += 1
///     case .decrement: count -= 1
///     }
/// }
/// let app = Reducer.combine(
///     counter.lift(state: \AppState.count, action: AppAction.counter),
///     audit
/// )
/// ```
///
/// A reducer changes its state in place and does nothing else: no clock, no random numbers, no effects. Replay runs
/// only reducers, and finds those that break this rule.
public struct Reducer<StateValue, ActionValue>: Sendable {
    /// One named reducer that is not a composition.
    ///
    /// ```swift
    /// print(app.leaves.map(\.name))
    /// ```
    public struct Leaf: Sendable {
        /// The name under which recordings know this reducer, such as `cart.totals`.
        public let name: String
        /// Applies an action to the state in place.
        public let reduce: @Sendable (inout StateValue, ActionValue) -> Void

        @inlinable
        init(name: String, reduce: @escaping @Sendable (inout StateValue, ActionValue) -> Void) {
            self.name = name
            self.reduce = reduce
        }
    }

    /// The leaves in the order in which they run.
    public let leaves: [Leaf]

    @inlinable
    init(leaves: [Leaf]) {
        self.leaves = leaves
    }

    /// Creates a reducer of one leaf, which changes the state in place.
    ///
    /// - Parameters:
    ///   - name: The name under which recordings know this reducer. Keep it when you rename the code.
    ///   - reduce: Applies an action to the state.
    @inlinable
    public init(_ name: String, _ reduce: @escaping @Sendable (inout StateValue, ActionValue) -> Void) {
        self.init(leaves: [Leaf(name: name, reduce: reduce)])
    }

    /// Creates a reducer of one leaf from a function that returns the new state.
    ///
    /// ```swift
    /// let account = Reducer<Account, AccountAction>.returning("account") { _, action in
    ///     switch action {
    ///     case .signIn(let name, let email): Account(name: name, email: email)
    ///     case .signOut: Account()
    ///     }
    /// }
    /// ```
    ///
    /// The function copies what it changes, because the old state is alive meanwhile.
    @inlinable
    public static func returning(
        _ name: String,
        _ reduce: @escaping @Sendable (StateValue, ActionValue) -> StateValue
    ) -> Reducer {
        Reducer(name) { state, action in state = reduce(state, action) }
    }

    /// Applies an action to a state without a store, by all leaves in order.
    ///
    /// ```swift
    /// var state = AppState()
    /// appReducer.reduce(&state, .add(1))
    /// ```
    @inlinable
    public func reduce(_ state: inout StateValue, _ action: ActionValue) {
        for leaf in leaves { leaf.reduce(&state, action) }
    }

    /// Combines reducers: they run in order, each on the result of the one before.
    @inlinable
    public static func combine(_ reducers: Reducer...) -> Reducer {
        combine(reducers)
    }

    /// Combines reducers: they run in order, each on the result of the one before.
    @inlinable
    public static func combine(_ reducers: [Reducer]) -> Reducer {
        Reducer(leaves: reducers.flatMap(\.leaves))
    }

    /// The same reducer with `prefix.` before the name of each leaf.
    @inlinable
    public func prefixed(with prefix: String) -> Reducer {
        Reducer(leaves: leaves.map { Leaf(name: "\(prefix).\($0.name)", reduce: $0.reduce) })
    }

    /// The names of the leaves in the order in which they run. A repeated name gets a suffix: `#2`, `#3` …
    package var uniqueNames: [String] {
        var seen: Set<String> = []
        return leaves.map { leaf in
            var name = leaf.name
            var count = 1
            while !seen.insert(name).inserted {
                count += 1
                name = "\(leaf.name)#\(count)"
            }
            return name
        }
    }
}
