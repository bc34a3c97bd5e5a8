/// A selector that applies one selector to the output of another.
///
/// ```swift
/// let openTitles = PathSelector(\AppState.todos).then(OpenTodos()).then(Titles())
/// ```
///
/// A selector's `then(_:)` creates it. Two chains are equal if their selectors are.
struct ChainedSelector<First: StateSelector, Second: StateSelector>: StateSelector
where First.Output == Second.Input {
    /// Selects from the input.
    let first: First
    /// Selects from the output of ``first``.
    let second: Second

    func select(_ input: First.Input) -> Second.Output {
        second.select(first.select(input))
    }

    func makeSelection() -> (First.Input) -> Second.Output {
        let first = first.makeSelection()
        let second = second.makeSelection()
        guard let isSame = equality(of: First.Output.self) else { return { second(first($0)) } }
        var last: (input: First.Output, output: Second.Output)?
        return { input in
            let between = first(input)
            if let last, isSame(last.input, between) { return last.output }
            let output = second(between)
            last = (between, output)
            return output
        }
    }
}

extension StateSelector {
    /// Applies another selector to the output of this one, whenever that has changed, as decided by its `==`.
    ///
    /// Costs one comparison an action, and keeps the last value. If the output is not `Equatable`, the other selector
    /// runs after every action.
    public func then<Next: StateSelector>(_ next: Next) -> some StateSelector<Input, Next.Output>
    where Next.Input == Output {
        ChainedSelector(first: self, second: next)
    }

    /// Lifts this selector into a larger state: it selects from the value at a path, whenever that has changed, as
    /// decided by its `==`.
    ///
    /// ```swift
    /// let token = store.subscribe(OpenTodos().lift(\.todos)) { print($0.count, "to do") }
    /// ```
    ///
    /// - Parameter path: The path from the larger state to this selector's input.
    public func lift<Whole>(_ path: KeyPath<Whole, Input> & Sendable) -> some StateSelector<Whole, Output> {
        PathSelector(path).then(self)
    }
}
