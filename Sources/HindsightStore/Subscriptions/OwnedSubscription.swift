import HindsightSupport

/// A subscription that lives as long as its owner, which it does not retain.
///
/// The subscriber's closure refers to this object, and this object to the token. So the subscription keeps itself alive
/// until it is cancelled, its store is gone, or its owner is found to be gone: when it has a value for the owner, or
/// when the store looks at it, as it does at some of these with each action.
final class OwnedSubscription<Owner: AnyObject & Sendable>: EndingWithOwner, @unchecked Sendable {
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
    func start(in topics: Topics, _ subscribe: (OwnedSubscription) -> SubscriptionToken) -> SubscriptionToken {
        let token = subscribe(self)
        let hasEnded = status.withLock { status in
            if case .ended = status { return true }
            status = .running(token)
            return false
        }
        if hasEnded { token.end(waits: false) } else { topics.endWithOwner(self) }
        return token
    }

    /// Calls `body` with the owner. Ends the subscription if the owner is gone.
    func withOwner(_ body: (Owner) -> Void) {
        if let owner { body(owner) } else { end() }
    }

    var isOver: Bool {
        if owner == nil { return true }
        return status.withLock { status in
            switch status {
            case .starting: false
            case .running(let token): token.hasEnded
            case .ended: true
            }
        }
    }

    func end() {
        let last = status.withLock { status in
            defer { status = .ended }
            return status
        }
        if case .running(let token) = last { token.end(waits: false) }
    }
}

/// A subscription that the store ends when its owner is gone.
protocol EndingWithOwner: AnyObject {
    /// Whether the owner is gone, or the subscription has ended. Asking may run the app's code: the owner's end.
    var isOver: Bool { get }
    func end()
}
