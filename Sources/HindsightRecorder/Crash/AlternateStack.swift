import HindsightSupport

/// A stack for a thread's signal handlers. A thread whose stack overflowed could not run a handler on it.
enum AlternateStack {
    private static let bytes = 1 << 16
    /// Marks a stack that is not ours.
    private static var other: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: 1) }

    /// Each thread's stack, freed when the thread ends.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key) { AlternateStack.giveBack($0) } == 0 ? key : nil
    }()

    /// Gives the calling thread a signal stack, if it has none. After the first call, costs reading a thread-local
    /// value.
    static func ensure() {
        guard let key, pthread_getspecific(key) == nil else { return }
        var present = stack_t()
        guard SignalStack.read(&present) else { return }
        guard Int32(present.ss_flags) & Int32(SS_DISABLE) != 0 else {
            _ = pthread_setspecific(key, other)
            return
        }
        let memory = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
        guard let memory, memory != MAP_FAILED else { return }
        var stack = stack_t()
        stack.ss_sp = memory
        stack.ss_size = numericCast(bytes)
        guard SignalStack.replace(by: &stack), pthread_setspecific(key, memory) == 0 else { return }
    }

    private static func giveBack(_ memory: UnsafeMutableRawPointer?) {
        guard let memory, memory != other else { return }
        var present = stack_t()
        // If another stack was installed meanwhile, it stays.
        if SignalStack.read(&present), present.ss_sp == memory {
            var none = stack_t()
            none.ss_flags = numericCast(SS_DISABLE)
            none.ss_size = numericCast(bytes)
            guard SignalStack.replace(by: &none) else { return }
        }
        munmap(memory, bytes)
    }
}
