/// A value of a store that you follow synchronously, and that operators transform.
///
/// ```swift
/// let token = store.observe(\.name)
///     .filter { !$0.isEmpty }
///     .map { "Welcome, \($0)" }
///     .subscribe { label.text = $0 }
/// ```
///
/// A signal does nothing until you call ``subscribe(_:)``. Each subscription receives the present value first, and then
/// each changed one, on the dispatching thread, before `dispatch` returns. Only values that an operator delays
/// (``debounce(for:clock:)``, and the later values of ``throttle(for:latest:clock:)``) arrive in a task.
///
/// **Order.** A subscriber receives one value at a time, and never an older one after a newer one. Values of several
/// stores, and delayed ones, come from several threads. While the subscriber is busy, the newest value of each source
/// waits for it. So memory is bounded, and no store waits.
///
/// A signal does not keep its store alive.
public struct StateSignal<Value: Sendable>: Sendable {
    /// The topics of its store, or of one of its stores.
    let topics: Topics

    /// Compares two values, if they can be compared.
    let isSame: (@Sendable (Value, Value) -> Bool)?

    /// Subscribes a closure, which receives one value at a time. The end of the subscription releases the closure.
    let start: @Sendable (@escaping @Sendable (Value) -> Void) -> SubscriptionToken

    /// Calls `onValue` with the present value, and then with each changed one.
    ///
    /// - Returns: A token. Releasing it ends the subscription.
    public func subscribe(_ onValue: @escaping @Sendable (Value) -> Void) -> SubscriptionToken {
        let flag = CancellationFlag()
        let upstream = start { value in
            if !flag.isCancelled { onValue(value) }
        }
        return SubscriptionToken { waits in
            flag.cancel()
            upstream.end(waits: waits)
        }
    }

    /// Calls a subscriber with the present value, and then with each changed one: on the main actor, on another actor,
    /// or on a queue.
    ///
    /// If you subscribe on the main thread, a subscriber on the main actor receives the present value at once.
    public func subscribe(_ subscriber: StateSubscriber<Value>) -> SubscriptionToken {
        subscriber.start(StateSubscriber.Source(topics: topics, isSame: isSame) { subscribe($0) })
    }

    /// Calls a subscriber with an object and the present value, and then with each changed one, as long as the object
    /// lives.
    ///
    /// - Returns: A token that can end the subscription earlier. Releasing it has no effect.
    @discardableResult
    public func subscribe(_ subscriber: OwnedStateSubscriber<Value>) -> SubscriptionToken {
        subscriber.start(StateSubscriber.Source(topics: topics, isSame: isSame) { subscribe($0) })
    }
}
