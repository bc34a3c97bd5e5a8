extension Store {
    /// The way through the middleware to the reducers' door.
    @usableFromInline
    struct Chain: Sendable {
        @usableFromInline let start: Middleware<State, Action>.Next

        /// Puts the layers of middleware one around the other, the first outermost; `nil` where there are none.
        @inlinable
        init?(_ middleware: [Middleware<State, Action>], around reach: Reach) {
            let layers = middleware.compactMap { $0.layer }
            if layers.isEmpty { return nil }
            let getState: @Sendable () -> State = { reach.state }
            let dispatch = Dispatch<Action>(
                send: { action, origin in reach.withStore { $0.dispatch(action, from: origin) } },
                target: { reach.whileItLives }
            )
            var next: Middleware<State, Action>.Next = { action in
                reach.withStore { $0.enterDoor(action) }
            }
            for layer in layers.reversed() {
                next = layer.make(getState, dispatch)(next)
            }
            start = next
        }
    }
}
