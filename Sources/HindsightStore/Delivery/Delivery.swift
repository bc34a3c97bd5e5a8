/// Where a subscriber is told, such as a dispatch queue, an operation queue or an executor.
///
/// ```swift
/// extension Delivery {
///     static let background = Delivery { [queue = DispatchQueue(label: "subscribers")] work in queue.async(execute: work) }
/// }
///
/// let token = store.subscribe(\.count, on: .background) { print($0) }
/// ```
///
/// A subscription has one piece of work scheduled at a time, so a concurrent queue is fine too. The value is the newest
/// at the time when the work runs: values that changed again before are left out, and memory is bounded however slow
/// the queue is.
///
/// To be told on an actor, name the actor itself.
public struct Delivery: Sendable {
    let schedule: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Creates a delivery.
    ///
    /// - Parameter schedule: Runs the work it is given once, later and elsewhere. Called on the dispatching thread, while
    ///   the store waits.
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
