import HindsightSupport
import Synchronization

/// Ends a subscription that is made of others, once.
final class EndingOnce: SubscriptionEnding {
    private let body: Locked<(@Sendable () -> Void)?>

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = Locked(body)
    }

    func end() {
        let body = body.withLock { body in
            defer { body = nil }
            return body
        }
        body?()
    }
}

/// Closed once and for all when a subscription ends.
final class Gate: Sendable {
    private let isClosed = Atomic(false)

    var isOpen: Bool { !isClosed.load(ordering: .acquiring) }

    func close() { isClosed.store(true, ordering: .releasing) }
}
