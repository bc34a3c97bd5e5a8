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
        guard let (lowest, size) = ThreadStack.bounds else { return nil }
        let space = StackSpace(lowest: lowest, size: size)
        let memory = UnsafeMutablePointer<StackSpace>.allocate(capacity: 1)
        memory.initialize(to: space)
        if pthread_setspecific(key, memory) != 0 { memory.deallocate() }
        return space
    }

    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key) { StackSpace.release($0) } == 0 ? key : nil
    }()

    private static func release(_ memory: UnsafeMutableRawPointer?) { memory?.deallocate() }
}
