import Dispatch

/// What receives the values of a subscription, and where: on the main actor, on another actor, or on a queue.
///
/// ```swift
/// let token = store.subscribe(\.count, .onMain { [weak label] count in label?.text = "\(count)" })
/// ```
///
/// In another place, at most one value waits: a value that changes again before the call is dropped. The subscriber
/// never receives an older value after a newer one, nor the same value twice in a row, unless it asks for repeats.
///
/// If you end the subscription in the place where the subscriber is called, no call follows. If you end it elsewhere,
/// a call that has begun may still be under way.
public struct StateSubscriber<Value> {
    /// What a subscriber subscribes to.
    struct Source {
        let topics: Topics
        /// Compares two values, if repeats are left out.
        let isSame: (@Sendable (Value, Value) -> Bool)?
        let follow: (_ receive: @escaping @Sendable (Value) -> Void) -> SubscriptionToken
    }

    let start: (Source) -> SubscriptionToken

    /// Calls `onChange` on the dispatching thread.
    init(_ onChange: @escaping @Sendable (Value) -> Void) {
        start = { $0.follow(onChange) }
    }
}

extension StateSubscriber where Value: Sendable {
    private init(scheduler make: @escaping (Source) -> DeliveryScheduler<Value>) {
        start = { source in make(source).follow(source.follow) }
    }

    /// Calls `onChange` on the main actor.
    ///
    /// If you dispatch on the main thread, the store calls `onChange` before `dispatch` returns. If you dispatch on
    /// another thread, a task calls it, in order. On Linux, an asynchronous `main` gives the main thread up; from then
    /// on, a task always calls it.
    ///
    /// The subscription retains `onChange`. If that is an object's own closure, capture the object weakly, or make it
    /// the subscription's owner.
    public static func onMain(_ onChange: @escaping @MainActor @Sendable (Value) -> Void) -> StateSubscriber {
        StateSubscriber(scheduler: { source in .main(isSame: source.isSame, onChange) })
    }

    /// Calls `onChange` on an actor.
    ///
    /// ```swift
    /// let token = store.subscribe(\.count, .on(session) { session, count in session.show(count) })
    /// ```
    ///
    /// A task calls `onChange`, in order. The subscription does not keep the actor alive.
    public static func on<A: Actor>(
        _ actor: A,
        _ onChange: @escaping @Sendable (isolated A, Value) -> Void
    ) -> StateSubscriber {
        StateSubscriber(scheduler: { [weak actor] source in
            DeliveryScheduler(isSame: source.isSame) { [weak actor] scheduler in
                guard let actor else { return }
                Task { await scheduler.deliver(on: actor, onChange) }
            }
        })
    }

    /// Calls `onChange` on a dispatch queue.
    ///
    /// ```swift
    /// let onQueue = store.subscribe(\.count, .on(DispatchQueue(label: "subscribers")) { print($0) })
    /// ```
    public static func on(
        _ queue: DispatchQueue,
        _ onChange: @escaping @Sendable (Value) -> Void
    ) -> StateSubscriber {
        .on(Delivery { work in queue.async(execute: work) }, onChange)
    }

    /// Calls `onChange` in the place that a delivery describes, such as an operation queue.
    public static func on(
        _ delivery: Delivery,
        _ onChange: @escaping @Sendable (Value) -> Void
    ) -> StateSubscriber {
        StateSubscriber(scheduler: { source in
            DeliveryScheduler(isSame: source.isSame) { scheduler in
                delivery.schedule { scheduler.deliver(onChange) }
            }
        })
    }
}

/// What receives the values of a subscription that lives as long as an object.
///
/// ```swift
/// final class Header: Sendable {
///     init(_ store: Store<AppState, AppAction>) {
///         store.subscribe(\.count, .owner(self) { header, count in header.show(count) })
///     }
///
///     func show(_ count: Int) { print("header shows", count) }
/// }
/// ```
///
/// You need not keep the token, and the object is not retained, so it can neither end the subscription too early nor
/// leak. When the object is gone, the store releases the subscription at the value's next change, or after some more
/// actions: each looks at one owner that lives, and ends up to 32 subscriptions of owners that are gone.
///
/// `onChange` should use the object that it receives, and not capture it.
public struct OwnedStateSubscriber<Value> {
    let start: (StateSubscriber<Value>.Source) -> SubscriptionToken

    private init<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        _ makeSubscriber: @escaping (OwnedSubscription<Owner>) -> StateSubscriber<Value>
    ) {
        start = { [weak owner] source in
            guard let owner else { return SubscriptionToken { _ in } }
            return OwnedSubscription(owner).start(in: source.topics) { makeSubscriber($0).start(source) }
        }
    }

    /// Calls `onChange` on the dispatching thread with the object and the value.
    public static func owner<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        _ onChange: @escaping @Sendable (Owner, Value) -> Void
    ) -> OwnedStateSubscriber {
        OwnedStateSubscriber(owner) { owned in
            StateSubscriber { value in owned.withOwner { onChange($0, value) } }
        }
    }

    /// Calls `onChange` on the main actor with the object and the value.
    ///
    /// ```swift
    /// @MainActor final class CountView {
    ///     var text = ""
    ///
    ///     init(_ store: Store<AppState, AppAction>) {
    ///         store.subscribe(\.count, .onMain(owner: self) { view, count in view.text = "\(count)" })
    ///     }
    /// }
    /// ```
    public static func onMain<Owner: AnyObject & Sendable>(
        owner: Owner,
        _ onChange: @escaping @MainActor @Sendable (Owner, Value) -> Void
    ) -> OwnedStateSubscriber where Value: Sendable {
        OwnedStateSubscriber(owner) { owned in
            .onMain { value in owned.withOwner { onChange($0, value) } }
        }
    }
}
