/// A selector that applies one selector to the output of another.
///
/// ```swift
/// let openTitles = PathSelector(\AppState.todos).then(OpenTodos()).then(Titles())
/// ```
///
/// A selector's `then(_:)` creates it. Two chains are equal if their selectors are.
public struct ChainedSelector<First: StateSelector, Second: StateSelector>: StateSelector
where First.Output == Second.Input {
    /// Selects from the input.
    public let first: First
    /// Selects from the output of ``first``.
    public let second: Second
    /// If set, the second selector runs only when the first one's output has changed.
    private let isSame: (@Sendable (First.Output, First.Output) -> Bool)?

    init(_ first: First, _ second: Second, isSame: (@Sendable (First.Output, First.Output) -> Bool)?) {
        self.first = first
        self.second = second
        self.isSame = isSame
    }

    public func select(_ input: First.Input) -> Second.Output {
        second.select(first.select(input))
    }

    public func makeSelection() -> (First.Input) -> Second.Output {
        let first = first.makeSelection()
        let second = second.makeSelection()
        guard let isSame else { return { second(first($0)) } }
        var last: (input: First.Output, output: Second.Output)?
        return { input in
            let between = first(input)
            if let last, isSame(last.input, between) { return last.output }
            let output = second(between)
            last = (between, output)
            return output
        }
    }

    public static func == (one: Self, other: Self) -> Bool {
        one.first == other.first && one.second == other.second && (one.isSame == nil) == (other.isSame == nil)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(first)
        hasher.combine(second)
    }
}

extension StateSelector {
    /// Applies another selector to the output of this one.
    public func then<Next: StateSelector>(_ next: Next) -> ChainedSelector<Self, Next> where Next.Input == Output {
        ChainedSelector(self, next, isSame: nil)
    }

    /// Applies another selector to the output of this one, whenever that has changed, as decided by its `==`.
    ///
    /// Costs one comparison an action, and keeps the last value.
    public func then<Next: StateSelector>(_ next: Next) -> ChainedSelector<Self, Next>
    where Next.Input == Output, Output: Equatable & SendableMetatype {
        ChainedSelector(self, next, isSame: ==)
    }
}

extension StateSelector {
    /// Lifts this selector into a larger state: it selects from the value at a path.
    ///
    /// ```swift
    /// let token = store.subscribe(OpenTodos().lift(\.todos)) { print($0.count, "to do") }
    /// ```
    ///
    /// - Parameter path: The path from the larger state to this selector's input.
    public func lift<Whole>(
        _ path: KeyPath<Whole, Input> & Sendable
    ) -> ChainedSelector<PathSelector<Whole, Input>, Self> {
        PathSelector(path).then(self)
    }

    /// Lifts this selector into a larger state: it selects from the value at a path, whenever that has changed, as
    /// decided by its `==`.
    ///
    /// Costs one comparison an action, and keeps the last value.
    public func lift<Whole>(
        _ path: KeyPath<Whole, Input> & Sendable
    ) -> ChainedSelector<PathSelector<Whole, Input>, Self> where Input: Equatable & SendableMetatype {
        PathSelector(path).then(self)
    }
}
