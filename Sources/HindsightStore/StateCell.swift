/// Where a store's state is kept, with the lock and the door that guard it.
///
/// Lives as long as anybody may ask for the state: the store, and each `getState` that it gave away. So those neither
/// keep the store alive nor lose sight of the last state when it is gone.
@usableFromInline
final class StateCell<State: Sendable>: @unchecked Sendable {
    // Sound: what `state` and `door` point to is touched only while `lock` is held, and freed with this object.
    let lock = RecursiveLock()
    let state: UnsafeMutablePointer<State>
    let door: UnsafeMutablePointer<Door>

    init(_ initial: State) {
        state = .allocate(capacity: 1)
        state.initialize(to: initial)
        door = .allocate(capacity: 1)
        door.initialize(to: Door())
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
        door.deinitialize(count: 1)
        door.deallocate()
    }

    /// The state as it is now.
    @usableFromInline
    func read() -> State {
        lock.withLock {
            precondition(
                door.pointee.phase != .reducing,
                "A reducer read its store's state. Use the state that the reducer is given."
            )
            return state.pointee
        }
    }
}
