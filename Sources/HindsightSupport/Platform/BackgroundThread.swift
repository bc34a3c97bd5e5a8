/// Starts threads of the recorder.
package enum BackgroundThread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// The size of the stack in bytes.
    ///
    /// The default may be as small as 128 KB, too small to encode and release states at the depth limit, above all in
    /// unoptimized code. Only the pages that the stack reaches use memory.
    package static let stackBytes = 16 << 20

    /// Runs `body` on a new thread.
    ///
    /// Sound: the body is retained once, and the thread releases it.
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
        // Both calls fail only for invalid values.
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
        // The app's own threads receive signals.
        var all = sigset_t()
        sigfillset(&all)
        for fault in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT] { sigdelset(&all, fault) }
        pthread_sigmask(SIG_SETMASK, &all, nil)
        Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
        return nil
    }
}
