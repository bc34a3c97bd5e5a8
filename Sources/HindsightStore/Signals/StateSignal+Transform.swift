import HindsightSupport

extension StateSignal {
    /// What `transform` makes of each value.
    public func map<Output: Sendable>(_ transform: @escaping @Sendable (Value) -> Output) -> StateSignal<Output> {
        mapped(isSame: nil, transform)
    }

    /// What `transform` makes of each value.
    ///
    /// Different values may become equal ones; ``removeDuplicates()`` leaves those out.
    public func map<Output: Sendable & Equatable>(
        _ transform: @escaping @Sendable (Value) -> Output
    ) -> StateSignal<Output> {
        mapped(isSame: ==, transform)
    }

    /// What `transform` makes of each value, without `nil`.
    public func compactMap<Output: Sendable>(
        _ transform: @escaping @Sendable (Value) -> Output?
    ) -> StateSignal<Output> {
        StateSignal<Output>(isSame: nil) { receive in
            start { value in
                if let output = transform(value) { receive(output) }
            }
        }
    }

    private func mapped<Output: Sendable>(
        isSame: (@Sendable (Output, Output) -> Bool)?,
        _ transform: @escaping @Sendable (Value) -> Output
    ) -> StateSignal<Output> {
        StateSignal<Output>(isSame: isSame) { receive in
            start { receive(transform($0)) }
        }
    }

    /// The values for which `isIncluded` holds.
    public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> StateSignal {
        StateSignal(isSame: isSame) { receive in
            start { value in
                if isIncluded(value) { receive(value) }
            }
        }
    }

    /// Leaves out values that are the same as the one before.
    ///
    /// - Parameter isSame: Whether two values that follow one another are the same.
    public func removeDuplicates(by isSame: @escaping @Sendable (Value, Value) -> Bool) -> StateSignal {
        StateSignal(isSame: isSame) { receive in
            let last = Last<Value>()
            return start { value in
                if last.replace(with: value, unless: isSame) { receive(value) }
            }
        }
    }

    /// Leaves out values that equal the one before, by their own `==`.
    ///
    /// What a store gives has no duplicates; what `map` made of it may have.
    public func removeDuplicates() -> StateSignal where Value: Equatable & SendableMetatype {
        removeDuplicates { $0 == $1 }
    }
}

/// The last value of a signal. Values come one at a time: the lock guards the memory, not the order.
private final class Last<Value: Sendable>: Sendable {
    private let value = Locked<Value?>(nil)

    /// Says whether it was replaced.
    func replace(with new: Value, unless isSame: (Value, Value) -> Bool) -> Bool {
        if let old = value.withLock({ $0 }), isSame(old, new) { return false }
        value.withLock { $0 = new }
        return true
    }
}
