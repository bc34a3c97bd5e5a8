/// The stack on which the calling thread runs signal handlers that ask for one.
package enum SignalStack {
    /// Reads it. Safe in a signal handler.
    ///
    /// - Returns: Whether the system has such stacks: tvOS and watchOS have none.
    package static func read(_ present: UnsafeMutablePointer<stack_t>) -> Bool {
        #if os(tvOS) || os(watchOS)
            false
        #else
            sigaltstack(nil, present) == 0
        #endif
    }

    /// Replaces it.
    ///
    /// - Returns: Whether it is replaced.
    package static func replace(by stack: UnsafePointer<stack_t>) -> Bool {
        #if os(tvOS) || os(watchOS)
            false
        #else
            sigaltstack(stack, nil) == 0
        #endif
    }
}
