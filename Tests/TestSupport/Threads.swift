import Foundation

/// Runs `body` on `count` threads concurrently, and returns when all are done.
public func onThreads(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) {
    let start = DispatchSemaphore(value: 0)
    let done = DispatchGroup()
    for thread in 0..<count {
        done.enter()
        Thread {
            start.wait()
            body(thread)
            done.leave()
        }.start()
    }
    for _ in 0..<count { start.signal() }
    done.wait()
}
