import Foundation

/// A thread that another one can join.
final class RunningThread: @unchecked Sendable {
    // Sound: the semaphore orders the work of the thread before that of its waiter.
    private let finished = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () -> Void) {
        let finished = finished
        Thread.detachNewThread {
            body()
            finished.signal()
        }
    }

    func join() { finished.wait() }
}
