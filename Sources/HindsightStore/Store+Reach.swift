extension Store {
    /// How middleware reaches its store: at once while the store handles an action, and while it lives at other times.
    ///
    /// Looking for the store as one looks for any object that may be gone costs as much as a short action's whole way
    /// does, so that is done only where it has to be.
    @usableFromInline
    final class Reach: @unchecked Sendable {
        // Sound: `store` and `inside` are set once, before anybody else knows the store. What `cell` points to is touched
        // only while the lock is held. What `inside` points to is looked at only where
        // this thread holds the lock and a passage is under way: then a method of the store waits further up on this
        // thread's stack for the passage to end, and a method's caller keeps the object alive.
        @usableFromInline let doorway = Doorway()
        /// The state, at one place for as long as anybody may ask for it: the store, and whoever was handed `getState`.
        let cell: UnsafeMutablePointer<State>
        private weak var store: Store?
        @usableFromInline @exclusivity(unchecked) var inside: Unmanaged<Store>?

        @usableFromInline
        init(_ initial: State) {
            cell = .allocate(capacity: 1)
            cell.initialize(to: initial)
        }

        deinit {
            cell.deinitialize(count: 1)
            cell.deallocate()
        }

        /// The state as it is now; the last one, where the store is gone.
        @usableFromInline var state: State {
            doorway.lock.withLock {
                precondition(
                    doorway.door.pointee.phase != .reducing,
                    "A reducer read its store's state. Use the state that the reducer is given."
                )
                return cell.pointee
            }
        }

        func lead(to store: Store) {
            self.store = store
            inside = Unmanaged.passUnretained(store)
        }

        /// Does something with the store while this thread holds its lock.
        ///
        /// - Returns: `nil` where the store is gone.
        @inlinable
        func withStore<Result>(_ body: (Store) -> Result) -> Result? {
            if doorway.lock.isMine, doorway.door.pointee.isBeingPassed, let inside {
                return inside._withUnsafeGuaranteedRef(body)
            }
            // Middleware has kept something for later, or for another thread.
            guard let store = whileItLives else { return nil }
            doorway.lock.lock()
            defer { doorway.lock.unlock() }
            return body(store)
        }

        /// The store, if it lives.
        @usableFromInline var whileItLives: Store? { store }
    }
}
