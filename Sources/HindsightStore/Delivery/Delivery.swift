/// A way to the place where a subscriber is called, such as an operation queue or an executor.
///
/// ```swift
/// let operations = OperationQueue()
/// let background = Delivery { work in operations.addOperation(work) }
///
/// let token = store.subscribe(\.count, .on(background) { print($0) })
/// ```
///
/// A subscription schedules one piece of work at a time, so the queue may be concurrent. The work receives the newest
/// value. Values that change again before the work runs are dropped, so memory is bounded even if the queue is slow.
public struct Delivery: Sendable {
    let schedule: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Creates a delivery.
    ///
    /// - Parameter schedule: Schedules a closure to run once, later and elsewhere. Called on the dispatching thread,
    ///   while the store waits.
    public init(_ schedule: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Void) {
        self.schedule = schedule
    }

    /// Creates a delivery to an executor.
    public init(on executor: any TaskExecutor) {
        self.init { work in
            _ = Task(executorPreference: executor) { work() }
        }
    }
}
