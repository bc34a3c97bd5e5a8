import HindsightSupport

/// A subscription that lives as long as its owner, which it does not retain.
///
/// The subscriber's closure refers to this object, and this object to the token. So the subscription keeps itself alive
/// until it is cancelled, its store is gone, or its owner is found to be gone.
final class OwnedSubscription<Owner: AnyObject & Sendable>: @unchecked Sendable {
    // Sound: `owner` is set once, by `init`, and any thread may load a weak reference.
    private enum Status {
        case starting
        case running(SubscriptionToken)
        case ended
    }

    private weak var owner: Owner?
    private let status = Locked(Status.starting)

    init(_ owner: Owner) { self.owner = owner }

    /// Starts a subscription, whose closure must use ``withOwner(_:)``.
    func start(_ subscribe: (OwnedSubscription) -> SubscriptionToken) -> SubscriptionToken {
        let token = subscribe(self)
        let hasEnded = status.withLock { status in
            if case .ended = status { return true }
            status = .running(token)
            return false
        }
        if hasEnded { token.end(waits: false) }
        return token
    }

    /// Calls `body` with the owner. Ends the subscription if the owner is gone.
    func withOwner(_ body: (Owner) -> Void) {
        if let owner { return body(owner) }
        let last = status.withLock { status in
            defer { status = .ended }
            return status
        }
        if case .running(let token) = last { token.end(waits: false) }
    }
}
