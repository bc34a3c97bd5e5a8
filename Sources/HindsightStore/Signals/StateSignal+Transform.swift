import HindsightSupport

extension StateSignal {
    /// Transforms each value.
    @_disfavoredOverload
    public func map<Output: Sendable>(_ transform: @escaping @Sendable (Value) -> Output) -> StateSignal<Output> {
        mapped(isSame: nil, transform)
    }

    /// Transforms each value.
    ///
    /// Different values may become equal ones. ``removeDuplicates()`` drops those.
    public func map<Output: Sendable & Equatable>(
        _ transform: @escaping @Sendable (Value) -> Output
    ) -> StateSignal<Output> {
        mapped(isSame: ==, transform)
    }

    /// Transforms each value, and drops `nil`.
    public func compactMap<Output: Sendable>(
        _ transform: @escaping @Sendable (Value) -> Output?
    ) -> StateSignal<Output> {
        StateSignal<Output>(topics: topics, isSame: nil) { receive in
            start { value in
                if let output = transform(value) { receive(output) }
            }
        }
    }

    private func mapped<Output: Sendable>(
        isSame: (@Sendable (Output, Output) -> Bool)?,
        _ transform: @escaping @Sendable (Value) -> Output
    ) -> StateSignal<Output> {
        StateSignal<Output>(topics: topics, isSame: isSame) { receive in
            start { receive(transform($0)) }
        }
    }

    /// Pairs each value with the one before, from the second value on.
    ///
    /// ```swift
    /// let token = store.observe(\.count).pairwise()
    ///     .filter { $0.new > $0.old }
    ///     .subscribe { old, new in print("it rose by", new - old) }
    /// ```
    ///
    /// Keeps one value, which shares its storage with the state.
    public func pairwise() -> StateSignal<(old: Value, new: Value)> {
        StateSignal<(old: Value, new: Value)>(topics: topics, isSame: nil) { receive in
            let last = Last<Value>()
            return start { value in
                if let old = last.exchange(with: value) { receive((old, value)) }
            }
        }
    }

    /// Drops the values for which `isIncluded` returns `false`.
    public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> StateSignal {
        StateSignal(topics: topics, isSame: isSame) { receive in
            start { value in
                if isIncluded(value) { receive(value) }
            }
        }
    }

    /// Drops values that are the same as the one before.
    ///
    /// - Parameter isSame: Returns whether two consecutive values are the same.
    public func removeDuplicates(by isSame: @escaping @Sendable (Value, Value) -> Bool) -> StateSignal {
        StateSignal(topics: topics, isSame: isSame) { receive in
            let last = Last<Value>()
            return start { value in
                if last.replace(with: value, unless: isSame) { receive(value) }
            }
        }
    }

    /// Drops values that equal the one before, as decided by their `==`.
    ///
    /// A store's signal has no duplicates, but the result of `map` may have some.
    public func removeDuplicates() -> StateSignal where Value: Equatable & SendableMetatype {
        removeDuplicates { $0 == $1 }
    }
}

/// The last value of a signal. Values arrive one at a time: the lock guards the memory, not the order.
private final class Last<Value: Sendable>: Sendable {
    private let value = Locked<Value?>(nil)

    /// Replaces the value, and returns the one before.
    func exchange(with new: Value) -> Value? {
        value.withLock { value in
            defer { value = new }
            return value
        }
    }

    /// Returns whether it replaced the value.
    func replace(with new: Value, unless isSame: (Value, Value) -> Bool) -> Bool {
        if let old = value.withLock({ $0 }), isSame(old, new) { return false }
        // Releases the old value outside of the lock: its end may dispatch.
        _ = exchange(with: new)
        return true
    }
}
