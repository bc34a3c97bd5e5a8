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
    private static let interruption = Atomic<Int32>(0)

    /// The signal that has ended the waiting.
    static var signal: Int32? {
        let number = interruption.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    /// From now on Ctrl-C, and being asked to end, only end the waiting.
    ///
    /// - Parameter unlessIgnored: Whether a signal that whoever started this process had it ignore stays ignored.
    static func endOnSignals(unlessIgnored: Bool = false) {
        // Made before a signal comes: its handler may only store.
        _ = interruption.load(ordering: .relaxed)
        var asked = sigset_t()
        sigemptyset(&asked)
        for number in [SIGINT, SIGTERM] {
            let before = setHandler(number) { Waiting.interruption.store($0, ordering: .relaxed) }
            if unlessIgnored, unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
                _ = setHandler(number, SIG_IGN)
                continue
            }
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
        return signal == nil
    }

    private static func setHandler(
        _ number: Int32,
        _ handler: (@convention(c) (Int32) -> Void)?
    ) -> (@convention(c) (Int32) -> Void)? {
        #if canImport(Glibc)
            Glibc.signal(number, handler)
        #elseif canImport(Musl)
            Musl.signal(number, handler)
        #else
            Darwin.signal(number, handler)
        #endif
    }
}
