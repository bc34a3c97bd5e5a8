import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Waiting, until something says that there is no more point in it.
enum Waiting {
    private static let isInterrupted = Atomic(false)

    /// From now on Ctrl-C, and being asked to end, only end the waiting.
    static func endOnSignals() {
        // Made before a signal comes: its handler may only store.
        _ = isInterrupted.load(ordering: .relaxed)
        var asked = sigset_t()
        sigemptyset(&asked)
        for number in [SIGINT, SIGTERM] {
            signal(number) { _ in Waiting.isInterrupted.store(true, ordering: .relaxed) }
            sigaddset(&asked, number)
        }
        // Whoever started this process may have kept signals from it.
        pthread_sigmask(SIG_UNBLOCK, &asked, nil)
    }

    /// Waits for some milliseconds.
    ///
    /// - Returns: Whether to go on: nobody has interrupted, and somebody still takes what is printed.
    static func goesOn(milliseconds: Int32, output: Int32) -> Bool {
        var entry = pollfd(fd: output, events: 0, revents: 0)
        // A pipe whose reader has gone says so without being asked; a signal ends the wait.
        _ = poll(&entry, 1, milliseconds)
        if entry.revents & Int16(POLLERR | POLLHUP) != 0 { return false }
        return !isInterrupted.load(ordering: .relaxed)
    }
}
