/// Starts threads of the recorder's own.
package enum BackgroundThread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Bytes of the stack.
    ///
    /// The platform's default may be as little as 128 KB, and states that are nested as deep as may be are encoded and let
    /// go of here, by unoptimized code too. These are addresses: memory is taken where the stack reaches.
    package static let stackBytes = 16 << 20

    /// Runs `body` on a thread of its own, which ends with it.
    ///
    /// Sound: the body is retained once for the thread, which takes it over.
    package static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let box = Unmanaged.passRetained(Body(body))
        let result = create(box.toOpaque(), stackBytes)
        guard result == 0 else {
            box.release()
            throw SystemError(number: result)
        }
    }

    private static func create(_ context: UnsafeMutableRawPointer, _ stackBytes: Int) -> Int32 {
        var attributes = pthread_attr_t()
        let result = pthread_attr_init(&attributes)
        guard result == 0 else { return result }
        defer { pthread_attr_destroy(&attributes) }
        // Both fail only for what is no such value.
        pthread_attr_setstacksize(&attributes, stackBytes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        return pthread_create(&thread, &attributes, { Self.enter($0) }, context)
    }

    private static func enter(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context else { return nil }
        // Signals are for the app's own threads.
        var all = sigset_t()
        sigfillset(&all)
        for fault in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT] { sigdelset(&all, fault) }
        pthread_sigmask(SIG_SETMASK, &all, nil)
        Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
        return nil
    }
}
