extension Middleware {
    /// Tells how long each action took.
    ///
    /// ```swift
    /// .timing { action, duration in
    ///     if duration > .milliseconds(8) { print("slow:", action, duration) }
    /// }
    /// ```
    ///
    /// It measures what stands behind it: as the last middleware, the reducers and the subscribers; as the first, the
    /// other middleware too. What subscribers dispatch in answer counts in.
    ///
    /// - Parameters:
    ///   - clock: What to measure with.
    ///   - report: Called on the dispatching thread, when the action is done.
    public static func timing<Time: Clock<Duration>>(
        clock: Time = ContinuousClock(),
        _ report: @escaping @Sendable (_ action: Action, _ duration: Duration) -> Void
    ) -> Middleware {
        Middleware { _, _ in
            { next in
                { action in
                    let start = clock.now
                    next(action)
                    report(action, start.duration(to: clock.now))
                }
            }
        }
    }

    /// Lets only those actions through that fit.
    ///
    /// ```swift
    /// .filter { action in isSignedIn || action.isPublic }
    /// ```
    ///
    /// An action that is held back gets no number and leaves no trace; middleware that stands before this one has seen
    /// it.
    public static func filter(_ fits: @escaping @Sendable (_ action: Action) -> Bool) -> Middleware {
        Middleware { _, _ in
            { next in
                { action in
                    if fits(action) { next(action) }
                }
            }
        }
    }
}
