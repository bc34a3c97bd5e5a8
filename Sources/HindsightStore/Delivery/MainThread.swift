import HindsightSupport

/// The thread on which the main actor runs.
enum MainThread {
    #if canImport(Darwin)
        static var isCurrent: Bool { pthread_main_np() != 0 }
    #elseif canImport(Glibc)
        /// Whether this is the process's first thread, which is the main actor's as long as it lives.
        ///
        /// An asynchronous `main` gives that thread up at its first wait, and the main actor runs on others from then on:
        /// there is no telling then, and this is `false`.
        static var isCurrent: Bool {
            guard let threadID else { return false }
            return threadID() == getpid()
        }

        // Sound: `gettid` takes nothing and returns a `pid_t`. Swift does not import it, as its header hides it.
        private static let threadID = dlsym(nil, "gettid").map { symbol in
            unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
        }
    #else
        /// There is no telling.
        static var isCurrent: Bool { false }
    #endif
}
