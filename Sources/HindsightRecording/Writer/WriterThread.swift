#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Starts threads.
enum WriterThread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs `body` on a thread of its own, which ends with it.
    ///
    /// Sound: the body is retained once for the thread, which takes it over.
    static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let box = Unmanaged.passRetained(Body(body))
        #if canImport(Darwin)
            var thread: pthread_t?
            let result = pthread_create(&thread, nil, { Self.enter($0) }, box.toOpaque())
        #else
            var thread = pthread_t()
            let result = pthread_create(&thread, nil, { Self.enter($0) }, box.toOpaque())
        #endif
        guard result == 0 else {
            box.release()
            throw SystemError(number: result)
        }
        #if canImport(Darwin)
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
    }

    private static func enter(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context else { return nil }
        // Signals are for the app's own threads.
        var all = sigset_t()
        sigfillset(&all)
        for fault in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT] { sigdelset(&all, fault) }
        pthread_sigmask(SIG_BLOCK, &all, nil)
        Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
        return nil
    }
}
