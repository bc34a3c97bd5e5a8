import HindsightSupport
import Synchronization

/// A token that keeps a subscription alive: the subscription ends when you release the token or call ``cancel()``.
///
/// ```swift
/// final class Screen {
///     private var token: SubscriptionToken?
///
///     func appear(_ store: Store<AppState, AppAction>) {
///         token = store.subscribe(\.count) { print("count is", $0) }
///     }
///
///     func disappear() { token = nil }
/// }
/// ```
public final class SubscriptionToken: Sendable {
    private enum Cancellation: Sendable {
        case place(Topics.Place, in: Topics)
        case other(OneShotCancellation)
    }

    private let cancellation: Cancellation
    private let isCancelled = Atomic(false)

    init(_ body: @escaping @Sendable () -> Void) {
        cancellation = .other(OneShotCancellation(body))
    }

    init(_ place: Topics.Place, in topics: Topics) {
        cancellation = .place(place, in: topics)
    }

    deinit { cancel() }

    /// Ends the subscription. The store does not call its closure again, not even in a round of notifications that is
    /// under way. Further calls have no effect.
    public func cancel() {
        if isCancelled.load(ordering: .acquiring) { return }
        switch cancellation {
        case .place(let place, let topics): topics.remove(place)
        case .other(let cancellation): cancellation.cancel()
        }
        // Last: a thread that reads `true` may rely on the closure not being called again.
        isCancelled.store(true, ordering: .releasing)
    }
}

/// Runs a closure at most once, and releases it then.
final class OneShotCancellation: Sendable {
    private let body: Locked<(@Sendable () -> Void)?>

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = Locked(body)
    }

    func cancel() {
        let body = body.withLock { body in
            defer { body = nil }
            return body
        }
        body?()
    }
}
