import HindsightSupport
import Synchronization

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

/// A flag that is set once and for all.
final class CancellationFlag: Sendable {
    private let flag = Atomic(false)

    var isCancelled: Bool { flag.load(ordering: .acquiring) }

    func cancel() { flag.store(true, ordering: .releasing) }
}
