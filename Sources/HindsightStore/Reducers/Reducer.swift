/// A pure change of state: what an action does to a value.
///
/// A store runs a *flat list of named leaves*, however its reducer was composed; recorder, micro-history and
/// replay speak of leaves by their names and by their numbers, which count from 1.
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
/// nothing but reducers, and finds those that break this rule.
public struct Reducer<State, Action>: Sendable {
    /// One named reducer that is not composed of others.
    ///
    /// ```swift
    /// print(app.leaves.map(\.name))
    /// ```
    public struct Leaf: Sendable {
        /// The name under which recordings know this reducer, such as `cart.totals`.
        public let name: String
        /// Applies an action to the state in place.
        public let reduce: @Sendable (inout State, Action) -> Void

        @inlinable
        init(name: String, reduce: @escaping @Sendable (inout State, Action) -> Void) {
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

    /// Creates a leaf that changes the state in place.
    ///
    /// - Parameters:
    ///   - name: The name under which recordings know this reducer. Keep it when you rename the code.
    ///   - reduce: Applies an action to the state.
    @inlinable
    public init(_ name: String, _ reduce: @escaping @Sendable (inout State, Action) -> Void) {
        self.init(leaves: [Leaf(name: name, reduce: reduce)])
    }

    /// Creates a leaf from a function that returns the new state.
    ///
    /// It costs a copy of what it changes, since the old state is alive while the new one is made.
    @inlinable
    public init(_ name: String, returning reduce: @escaping @Sendable (State, Action) -> State) {
        self.init(name) { state, action in state = reduce(state, action) }
    }

    /// Runs several reducers one after the other, each on what the one before it left.
    @inlinable
    public static func combine(_ reducers: Reducer...) -> Reducer {
        combine(reducers)
    }

    /// Runs several reducers one after the other, each on what the one before it left.
    @inlinable
    public static func combine(_ reducers: [Reducer]) -> Reducer {
        Reducer(leaves: reducers.flatMap(\.leaves))
    }

    /// The same reducer, with `prefix.` before the name of each of its leaves.
    @inlinable
    public func named(_ prefix: String) -> Reducer {
        Reducer(leaves: leaves.map { Leaf(name: "\(prefix).\($0.name)", reduce: $0.reduce) })
    }
}

extension Reducer {
    /// Lifts this reducer into a bigger state and a bigger action.
    ///
    /// - Parameters:
    ///   - state: Where this reducer's state stands in the bigger one. The change is made in place, at the cost of one
    ///     key path access.
    ///   - action: Takes this reducer's action out of the bigger one; `nil` where the bigger action is another one, and
    ///     then the leaf does not run.
    @inlinable
    public func lift<Whole, WholeAction>(
        state: WritableKeyPath<Whole, State> & Sendable,
        action extract: @escaping @Sendable (WholeAction) -> Action?
    ) -> Reducer<Whole, WholeAction> {
        Reducer<Whole, WholeAction>(
            leaves: leaves.map { leaf in
                Reducer<Whole, WholeAction>.Leaf(name: leaf.name) { whole, wholeAction in
                    guard let action = extract(wholeAction) else { return }
                    leaf.reduce(&whole[keyPath: state], action)
                }
            }
        )
    }

    /// Lifts this reducer into a bigger state that is changed by the same actions.
    @inlinable
    public func lift<Whole>(state: WritableKeyPath<Whole, State> & Sendable) -> Reducer<Whole, Action> {
        lift(state: state, action: { $0 })
    }

    /// Lifts this reducer into a bigger action on the same state.
    @inlinable
    public func lift<WholeAction>(
        action extract: @escaping @Sendable (WholeAction) -> Action?
    ) -> Reducer<State, WholeAction> {
        lift(state: \.self, action: extract)
    }
}
