import HindsightFormat
import HindsightSupport
import Synchronization

/// Finds the thread and the task that dispatch an action.
///
/// Seen on a 2-core machine: 16 ns an action, without a task or in one without a name. Reading the name of a task that has
/// one costs 50 to 100 ns more: the system keeps it in a list behind a lock.
package struct ThreadTracker {
    /// The number and the task of the action before; 0 before the first, and if the number is not known.
    private var number = 0
    private var task: String?

    package init() {}

    /// The thread and the task that run now, compared with those of the last call.
    package mutating func change() -> ThreadChange {
        let (number, task) = (ThreadIdentity.number, TaskName.current)
        if number == self.number, DispatchingThread.areIdentical(task, self.task), number > 0 { return .unchanged }
        return note(number, task)
    }

    @inline(never)
    private mutating func note(_ number: Int, _ task: String?) -> ThreadChange {
        (self.number, self.task) = (number, task)
        guard number > 0 else { return .unknown }
        return .thread(DispatchingThread(number: number, name: ThreadIdentity.name, task: task))
    }
}

/// The number and the name of a thread, which it keeps from its first dispatch on.
///
/// The number is this library's own: 1 for the main thread, and for each other thread the next one of a counter of the
/// process. It is not the number that debuggers show, because a system gives that of an ended thread to a later one. In one
/// process, no two threads have the same number. Threads of two processes may, also those of a process and its fork.
final class ThreadIdentity: Sendable {
    private let number: Int
    private let name: String?

    private static let next = Atomic<Int>(DispatchingThread.main + 1)

    /// Each thread's identity, released when the thread ends.
    ///
    /// Sound: only its own thread reads it.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key) { ThreadIdentity.release($0) } == 0 ? key : nil
    }()

    private init() {
        let isMain = CurrentThread.number.isMain
        number = isMain ? DispatchingThread.main : Self.next.add(1, ordering: .relaxed).oldValue
        name = isMain ? nil : CurrentThread.name
    }

    private static func release(_ identity: UnsafeMutableRawPointer?) {
        if let identity { Unmanaged<ThreadIdentity>.fromOpaque(identity).release() }
    }

    /// The number of the current thread: see ``DispatchingThread/number``. 0 if it cannot be known. After the first
    /// call, costs reading a thread-local value.
    static var number: Int { current?._withUnsafeGuaranteedRef { $0.number } ?? 0 }

    /// The name of the current thread; `nil` if it had none when it first dispatched, and for the main thread.
    static var name: String? { current?._withUnsafeGuaranteedRef { $0.name } }

    private static var current: Unmanaged<ThreadIdentity>? {
        guard let key else { return nil }
        if let identity = pthread_getspecific(key) { return .fromOpaque(identity) }
        return assign(key)
    }

    @inline(never)
    private static func assign(_ key: pthread_key_t) -> Unmanaged<ThreadIdentity>? {
        let identity = Unmanaged.passRetained(ThreadIdentity())
        if pthread_setspecific(key, identity.toOpaque()) == 0 { return identity }
        identity.release()
        return nil
    }
}

/// The name of the current task.
enum TaskName {
    /// `nil` if it has none, if no task runs, or if the system cannot tell.
    static var current: String? {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) { return Task<Never, Never>.name }
        return nil
    }
}
