/// A value of a store that is followed synchronously, and what is made of it by operators.
///
/// ```swift
/// let token = store.observe(\.name)
///     .filter { !$0.isEmpty }
///     .map { "Welcome, \($0)" }
///     .subscribe { label.text = $0 }
/// ```
///
/// Nothing happens before ``subscribe(_:)``. Each subscription is first told the present value, then each changed one,
/// on the dispatching thread, before `dispatch` returns. Only values that operators hold back for a while
/// (``debounce(for:clock:)``, and the later ones of ``throttle(for:latest:clock:)``) are told by a task.
///
/// **Order.** A subscriber is told one value at a time. Values of different stores, and those told by tasks, come from
/// several threads: one that comes while the subscriber is busy waits, the newest of each source in place of older
/// ones. So memory is bounded, no store is kept waiting, and nobody is told an older value after a newer one.
///
/// A signal does not keep its store alive.
public struct StateSignal<Value: Sendable>: Sendable {
    /// Calls what it is given with one value at a time until the subscription ends; lets go of it at the end.
    let start: @Sendable (@escaping @Sendable (Value) -> Void) -> Subscription

    /// Whether two values are the same, where that is known.
    let isSame: (@Sendable (Value, Value) -> Bool)?

    init(
        isSame: (@Sendable (Value, Value) -> Bool)?,
        start: @escaping @Sendable (@escaping @Sendable (Value) -> Void) -> Subscription
    ) {
        self.isSame = isSame
        self.start = start
    }

    /// Calls `onValue` with the present value, and then with each changed one.
    ///
    /// - Returns: A token; dropping it ends the subscription.
    public func subscribe(_ onValue: @escaping @Sendable (Value) -> Void) -> Subscription {
        let gate = Gate()
        let upstream = start { value in
            if gate.isOpen { onValue(value) }
        }
        return Subscription(
            EndingOnce {
                gate.close()
                upstream.cancel()
            }
        )
    }
}
