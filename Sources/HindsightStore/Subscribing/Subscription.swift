/// A subscription's token: it ends when the token is dropped, or when ``cancel()`` is called.
public final class Subscription: Sendable {
    private let ending: any SubscriptionEnding

    init(_ ending: any SubscriptionEnding) {
        self.ending = ending
    }

    deinit { ending.end() }

    /// Ends the subscription. Its closure is not called any more, not even by a round of notifications that is under
    /// way. Calling it twice is fine.
    public func cancel() { ending.end() }
}

protocol SubscriptionEnding: AnyObject, Sendable {
    func end()
}
