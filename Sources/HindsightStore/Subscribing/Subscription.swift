import Synchronization

/// A subscription's token: it ends when the token is dropped, or when ``cancel()`` is called.
///
/// ```swift
/// final class Screen {
///     private var token: Subscription?
///
///     func appear(_ store: Store<AppState, AppAction>) {
///         token = store.subscribe(\.count) { print("count is", $0) }
///     }
///
///     func disappear() { token = nil }
/// }
/// ```
public final class Subscription: Sendable {
    private enum Ending: Sendable {
        case place(Topics.Place, in: Topics)
        case other(any SubscriptionEnding)
    }

    private let ending: Ending
    private let isOver = Atomic(false)

    init(_ ending: any SubscriptionEnding) {
        self.ending = .other(ending)
    }

    init(_ place: Topics.Place, in topics: Topics) {
        ending = .place(place, in: topics)
    }

    deinit { cancel() }

    /// Ends the subscription. Its closure is not called any more, not even by a round of notifications that is under
    /// way. Calling it twice is fine.
    public func cancel() {
        if isOver.load(ordering: .acquiring) { return }
        switch ending {
        case .place(let place, let topics): topics.end(place)
        case .other(let ending): ending.end()
        }
        // Only now: who finds it over must not be in time to see the closure called.
        isOver.store(true, ordering: .releasing)
    }
}

protocol SubscriptionEnding: AnyObject, Sendable {
    func end()
}
