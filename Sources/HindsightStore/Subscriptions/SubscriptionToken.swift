import HindsightSupport
import Synchronization

/// A token that keeps a subscription alive: the subscription ends when you release the token or call ``cancel()``.
///
/// Keep tokens in properties:
///
/// ```swift
/// @MainActor final class Screen {
///     private var tokens: Set<SubscriptionToken> = []
///
///     func appear(_ store: Store<AppState, AppAction>) {
///         store.subscribe(\.count) { print("count is", $0) }.store(in: &tokens)
///         store.subscribe(\.name, .onMain { [weak self] name in self?.show(name) }).store(in: &tokens)
///     }
///
///     func disappear() { tokens = [] }
///     func show(_ name: String) { print("name is", name) }
/// }
/// ```
///
/// **Owners.** The object has the token, and the subscription has the closure. If the closure refers to the
/// object, capture it weakly, and do not pass one of its methods (`store.subscribe(\.name, show)`), which retains it.
/// Or let the object own the subscription, without a token: ``OwnedStateSubscriber``.
///
/// **Local tokens.** The compiler may release a local variable after its last use, before the end of its scope. So a
/// token that only a local variable holds may end at once, whatever the variable's type. End it yourself, which is a
/// use:
///
/// ```swift
/// let token = store.subscribe(\.count) { print("count is", $0) }
/// defer { token.cancel() }
/// store.dispatch(.add(1))
/// ```
public final class SubscriptionToken: Sendable {
    private enum Cancellation: Sendable {
        case place(Topics.Place, in: Topics)
        /// A closure that ends it, until it has been called.
        case other(Locked<(@Sendable (_ waits: Bool) -> Void)?>)
    }

    private let cancellation: Cancellation
    private let isCancelled = Atomic(false)

    /// Creates a token of a subscription that consists of others.
    ///
    /// - Parameter body: Ends the others, each by ``end(waits:)`` with its argument.
    init(_ body: @escaping @Sendable (_ waits: Bool) -> Void) {
        cancellation = .other(Locked(body))
    }

    init(_ place: Topics.Place, in topics: Topics) {
        cancellation = .place(place, in: topics)
    }

    deinit { end(waits: false) }

    /// Ends the subscription. The store does not call its closure again, not even in a round of notifications that is
    /// under way. Further calls have no effect.
    ///
    /// If another thread dispatches, `cancel()` waits until its subscribers have been called and its middleware has
    /// unwound. So no call of the closure is under way when it returns, except of one that is called on an actor, a
    /// queue or in a task. Do not call it where a subscriber may wait for you; release the token instead.
    ///
    /// Releasing the token never waits. The store begins no further call of the closure, but a call that has begun on
    /// another thread may still be under way. That thread then releases the closure.
    public func cancel() { end(waits: true) }

    var hasEnded: Bool { isCancelled.load(ordering: .acquiring) }

    /// Ends the subscription.
    ///
    /// - Parameter waits: Whether to wait for another thread's dispatch.
    func end(waits: Bool) {
        if hasEnded { return }
        switch cancellation {
        case .place(let place, let topics): topics.remove(place, waits: waits)
        case .other(let once):
            let body = once.withLock { $0.take() }
            body?(waits)
        }
        // Last: a thread that reads `true` may rely on the closure not being called again.
        isCancelled.store(true, ordering: .releasing)
    }

    /// Ends the subscription before the store reads a value or calls a subscriber again, and runs no other code now.
    func endLater() {
        guard case .place(let place, let topics) = cancellation else { return end(waits: false) }
        topics.removeLater(place)
        isCancelled.store(true, ordering: .releasing)
    }
}

extension SubscriptionToken: Hashable {
    /// Tokens are equal if they are the same object.
    public static func == (one: SubscriptionToken, other: SubscriptionToken) -> Bool { one === other }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension SubscriptionToken {
    /// Keeps this token in a set, which is usually a property.
    public func store(in tokens: inout Set<SubscriptionToken>) { tokens.insert(self) }

    /// Keeps this token in an array or another collection.
    public func store(in tokens: inout some RangeReplaceableCollection<SubscriptionToken>) { tokens.append(self) }
}
