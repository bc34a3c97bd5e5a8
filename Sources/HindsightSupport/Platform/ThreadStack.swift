/// The stack of the calling thread.
package enum ThreadStack {
    /// The lowest address, and the size in bytes; `nil` if the system does not tell.
    ///
    /// **Cost.** On Linux, the first thread reads `/proc/self/maps`.
    package static var bounds: (lowest: UInt, size: Int)? {
        #if canImport(Darwin)
            let thread = pthread_self()
            let size = pthread_get_stacksize_np(thread)
            let highest = UInt(bitPattern: pthread_get_stackaddr_np(thread))
            return (highest - UInt(size), size)
        #elseif canImport(Glibc)
            var attributes = pthread_attr_t()
            guard let getAttributes, getAttributes(pthread_self(), &attributes) == 0 else { return nil }
            defer { pthread_attr_destroy(&attributes) }
            var lowest: UnsafeMutableRawPointer?
            var size = 0
            guard pthread_attr_getstack(&attributes, &lowest, &size) == 0 else { return nil }
            return (UInt(bitPattern: lowest), size)
        #else
            return nil
        #endif
    }

    #if canImport(Glibc)
        private typealias GetAttributes = @convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> Int32

        // Sound: this is the function's type. Its header hides it from Swift.
        private static let getAttributes = dlsym(nil, "pthread_getattr_np").map { symbol in
            unsafeBitCast(symbol, to: GetAttributes.self)
        }
    #endif
}
