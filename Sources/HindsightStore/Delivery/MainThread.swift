import HindsightSupport

/// The thread on which the main actor runs.
enum MainThread {
    #if canImport(Darwin)
        static var isCurrent: Bool { pthread_main_np() != 0 }
    #elseif canImport(Glibc)
        /// Whether this is the process's first thread, on which the main actor runs.
        ///
        /// An asynchronous `main` gives that thread up at its first suspension, and the main actor then runs on other
        /// threads. This is `false` on those.
        static var isCurrent: Bool {
            guard let threadID else { return false }
            return threadID() == getpid()
        }

        // Sound: `gettid` has no parameters and returns a `pid_t`. Its header hides it from Swift.
        private static let threadID = dlsym(nil, "gettid").map { symbol in
            unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
        }
    #else
        /// Unknown on this platform.
        static var isCurrent: Bool { false }
    #endif
}
