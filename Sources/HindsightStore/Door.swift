/// What is going on at a store's reducers' door. Knows no types, so that looking at it costs next to nothing.
@usableFromInline
struct Door {
    @usableFromInline
    enum Phase { case idle, reducing, notifying }

    @usableFromInline var phase = Phase.idle
    @usableFromInline var lastSeq = 0
    @usableFromInline var hasMiddleware = false
    /// Whether observers or the history want to know about every action.
    @usableFromInline var isWatched = false
    /// Whether observers want to know about every action, and where it is on its way.
    @usableFromInline var hasObservers = false
    /// Whether the store keeps something of its past.
    @usableFromInline var keepsPast = false
    @usableFromInline var hasTopics = false
    @usableFromInline var hasStepTopics = false
    @usableFromInline var isServingWaiting = false
    /// Whether subscribers want something done. Kept here, for looking at an array of a generic type asks the runtime
    /// what type that is, which takes longer than subscribing does.
    var hasWaiting = false
    @usableFromInline var passages = Passages()

    fileprivate init() {}

    /// Whether an action can take the short way: nothing goes on, and nobody but the reducers wants to know about it.
    @usableFromInline var isPlain: Bool {
        @inline(__always) get {
            phase == .idle && !(hasMiddleware || isWatched || hasTopics || hasStepTopics)
        }
    }

    /// Whether an action's way through the middleware is under way.
    @usableFromInline var isBeingPassed: Bool {
        @inline(__always) get { passages.innermost != nil }
    }

    /// Begins an action's way through the middleware, and says how many actions led to it.
    @usableFromInline
    mutating func beginPassage(from origin: Origin, answering seq: Int?) -> Int {
        passages.begin(from: origin, answering: seq)
    }

    /// Ends an action's way; what it gives is to be let go of once the door is not being changed.
    @usableFromInline
    mutating func endPassage() -> Passage? { passages.end() }
}

/// A store's lock and what it guards of the door. Outlives the store where a token or middleware is kept longer.
@usableFromInline
final class Doorway: @unchecked Sendable {
    // Sound: what `door` points to is touched only while `lock` is held.
    @usableFromInline let lock = RecursiveLock()
    @usableFromInline let door: UnsafeMutablePointer<Door>

    init() {
        door = .allocate(capacity: 1)
        door.initialize(to: Door())
    }

    deinit {
        door.deinitialize(count: 1)
        door.deallocate()
    }
}
