import HindsightSupport

/// The calling thread's stack.
struct StackSpace {
    let lowest: UInt
    /// In bytes.
    let size: Int

    /// An address in the caller's part of the stack. Stacks grow to lower addresses.
    @inline(never)
    static func here() -> UInt {
        var local: UInt8 = 0
        return withUnsafeMutablePointer(to: &local) { UInt(bitPattern: $0) }
    }

    func contains(_ address: UInt) -> Bool { address > lowest && address - lowest <= UInt(size) }

    /// The calling thread's stack; `nil` if the system does not tell.
    ///
    /// **Cost.** One look-up of a thread-specific value, except for a thread's first call.
    static var current: StackSpace? {
        guard let key else { return nil }
        if let known = pthread_getspecific(key) {
            return known.assumingMemoryBound(to: StackSpace.self).pointee
        }
        guard let space = ofThisThread() else { return nil }
        let memory = UnsafeMutablePointer<StackSpace>.allocate(capacity: 1)
        memory.initialize(to: space)
        if pthread_setspecific(key, memory) != 0 { memory.deallocate() }
        return space
    }

    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, release) == 0 ? key : nil
    }()

    #if canImport(Darwin)
        private static let release: @convention(c) (UnsafeMutableRawPointer) -> Void = { $0.deallocate() }

        private static func ofThisThread() -> StackSpace? {
            let thread = pthread_self()
            let size = pthread_get_stacksize_np(thread)
            let highest = UInt(bitPattern: pthread_get_stackaddr_np(thread))
            return StackSpace(lowest: highest - UInt(size), size: size)
        }
    #elseif canImport(Glibc)
        private static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { $0?.deallocate() }

        private typealias GetAttributes = @convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> Int32

        // Sound: this is the function's type. Its header hides it from Swift.
        private static let getAttributes = dlsym(nil, "pthread_getattr_np").map { symbol in
            unsafeBitCast(symbol, to: GetAttributes.self)
        }

        private static func ofThisThread() -> StackSpace? {
            var attributes = pthread_attr_t()
            guard let getAttributes, getAttributes(pthread_self(), &attributes) == 0 else { return nil }
            defer { pthread_attr_destroy(&attributes) }
            var lowest: UnsafeMutableRawPointer?
            var size = 0
            guard pthread_attr_getstack(&attributes, &lowest, &size) == 0 else { return nil }
            return StackSpace(lowest: UInt(bitPattern: lowest), size: size)
        }
    #else
        private static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { $0?.deallocate() }
        private static func ofThisThread() -> StackSpace? { nil }
    #endif
}
