import HindsightSupport

extension Store {
    /// How middleware reaches its store: directly while the store handles an action, and weakly at other times.
    ///
    /// Loading a weak reference costs as much as a short action's whole dispatch, so the handle avoids it if it can.
    @usableFromInline
    final class StoreHandle: @unchecked Sendable {
        // Sound: `store` and `unretainedStore` are set once, before other code knows the store. The memory at
        // `statePointer` is touched only while the lock is held. `unretainedStore` is read only if this thread holds
        // the lock and a frame is on the stack: then a method of the store is further up on this thread's stack, and
        // its caller keeps the store alive.
        @usableFromInline let core = StoreCore()
        /// The state, at one address for as long as the store or a `getState` lives.
        let statePointer: UnsafeMutablePointer<StateValue>
        private weak var store: Store?
        @usableFromInline var unretainedStore: Unmanaged<Store>?

        @usableFromInline
        init(_ initial: StateValue) {
            statePointer = .allocate(capacity: 1)
            statePointer.initialize(to: initial)
        }

        deinit {
            statePointer.deinitialize(count: 1)
            statePointer.deallocate()
        }

        /// The present state, or the last one if the store is gone.
        @usableFromInline var state: StateValue {
            core.lock.withLock {
                require(
                    core.dispatchState.pointee.phase != .reducing,
                    "A reducer read its store's state. Use the state that the reducer is given."
                )
                return statePointer.pointee
            }
        }

        /// The state after the last reduction.
        var reducedState: StateValue {
            if core.lock.isMine { return state }
            if core.isStateShared.load(ordering: .acquiring) {
                // Sound: whoever changes the state holds this lock, too.
                return core.stateLock.withLock { statePointer.pointee }
            }
            // No reduction is under way while this thread holds the lock, so each later one sees the flag.
            return core.lock.withLock {
                core.dispatchState.pointee.parts.insert(.readers)
                core.isStateShared.store(true, ordering: .releasing)
                return statePointer.pointee
            }
        }

        /// The state and the number of the last action; `nil` in the middle of an action, or if another thread holds the
        /// lock. Does not wait.
        var presentState: (state: StateValue, seq: Int)? {
            guard core.lock.tryLock() else { return nil }
            defer { core.lock.unlock() }
            switch core.dispatchState.pointee.phase {
            case .idle, .notifying: return (statePointer.pointee, core.dispatchState.pointee.lastSeq)
            case .reducing, .betweenReducers: return nil
            }
        }

        func attach(_ store: Store) {
            self.store = store
            unretainedStore = Unmanaged.passUnretained(store)
        }

        /// Calls `body` with the store while this thread holds its lock.
        ///
        /// - Returns: `nil` if the store is gone.
        @inlinable
        func withStore<Result>(_ body: (Store) -> Result) -> Result? {
            if core.lock.isMine, core.dispatchState.pointee.hasFrames, let unretainedStore {
                return unretainedStore._withUnsafeGuaranteedRef(body)
            }
            // Middleware calls outside of a dispatch, or from another thread.
            guard let store = liveStore else { return nil }
            core.lock.lock()
            defer { core.lock.unlock() }
            return body(store)
        }

        /// Passes on an action from a layer of the middleware, counted from 1, to the rest of the chain.
        @inlinable
        func pass(_ action: ActionValue, from layer: Int, to next: Middleware<StateValue, ActionValue>.Next) {
            guard core.lock.isMine, core.dispatchState.pointee.hasFrames else { return next(action) }
            if core.dispatchState.pointee.passedLayers < layer {
                core.dispatchState.pointee.passedLayers = layer
                next(action)
            } else {
                withStore { $0.passAgain(action, from: layer, to: next) }
            }
        }

        /// Dispatches to the store, and does not keep it alive.
        @inlinable var dispatcher: Dispatcher<ActionValue> {
            Dispatcher(
                send: { action, origin in self.withStore { $0.dispatch(action, from: origin) } },
                target: { self.liveStore }
            )
        }

        /// The store, if it is alive.
        @usableFromInline var liveStore: Store? { store }
    }
}
