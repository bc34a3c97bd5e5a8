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
        /// The names that this reducer had before, with which older recordings know it.
        @usableFromInline package let formerNames: [String]
        /// Applies an action to the state in place.
        @usableFromInline package let reduce: @Sendable (inout StateValue, ActionValue) -> Void

        @inlinable
        init(
            name: String,
            formerNames: [String] = [],
            reduce: @escaping @Sendable (inout StateValue, ActionValue) -> Void
        ) {
            self.name = name
            self.formerNames = formerNames
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
    /// If you change its name, declare the earlier one, so that it is compared with the same reducer of older
    /// recordings:
    ///
    /// ```swift
    /// let totals = Reducer<Cart, CartAction>("totals", formerly: "sum") { cart, _ in
    ///     cart.total = cart.prices.reduce(0, +)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name under which recordings know this reducer. Keep it when you rename the code.
    ///   - formerNames: The names that it had before, if any.
    ///   - reduce: Applies an action to the state.
    @inlinable
    public init(
        _ name: String,
        formerly formerNames: FormerNames = [],
        _ reduce: @escaping @Sendable (inout StateValue, ActionValue) -> Void
    ) {
        self.init(leaves: [Leaf(name: name, formerNames: formerNames.names, reduce: reduce)])
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
    ///
    /// - Parameters:
    ///   - name: The name under which recordings know this reducer. Keep it when you rename the code.
    ///   - formerNames: The names that it had before, if any.
    ///   - reduce: Returns the state after an action.
    @inlinable
    public static func returning(
        _ name: String,
        formerly formerNames: FormerNames = [],
        _ reduce: @escaping @Sendable (StateValue, ActionValue) -> StateValue
    ) -> Reducer {
        Reducer(name, formerly: formerNames) { state, action in state = reduce(state, action) }
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

    /// The same reducer with `prefix.` before the name of each leaf, and before the names that it had.
    ///
    /// If you change the prefix, declare the earlier one:
    ///
    /// ```swift
    /// let basket = cart.prefixed(with: "basket", formerly: "cart")
    /// ```
    ///
    /// - Parameters:
    ///   - prefix: The prefix.
    ///   - formerPrefixes: The prefixes that it had before, if any. An empty one stands for none.
    @inlinable
    public func prefixed(with prefix: String, formerly formerPrefixes: FormerNames = []) -> Reducer {
        Reducer(
            leaves: leaves.map { leaf in
                let names = [leaf.name] + leaf.formerNames
                let current = names.map { "\(prefix).\($0)" }
                let former = formerPrefixes.names.flatMap { former in
                    names.map { former.isEmpty ? $0 : "\(former).\($0)" }
                }
                return Leaf(name: current[0], formerNames: current.dropFirst() + former, reduce: leaf.reduce)
            }
        )
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
