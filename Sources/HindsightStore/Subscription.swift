/// A subscription's token: it ends when the token is dropped, or when ``cancel()`` is called.
public final class Subscription: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit { end() }

    /// Ends the subscription. Its closure is not called any more, not even by a round that is under way. Calling it
    /// twice is fine.
    public func cancel() { end() }
}
