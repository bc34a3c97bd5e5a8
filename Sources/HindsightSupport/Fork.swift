import Synchronization

/// Distinguishes a process from its forks. Costs one load.
@usableFromInline
package enum Fork {
    @usableFromInline static let count = Atomic(0)

    @usableFromInline static let watch: Void = {
        // Creates the table now, because the handler may only do what is safe in a signal handler.
        ForkedDescriptors.prepare()
        pthread_atfork(
            nil,
            nil,
            {
                Fork.count.add(1, ordering: .relaxed)
                ForkedDescriptors.closeAll()
            }
        )
    }()

    /// A number that differs in a forked process.
    @inlinable package static var generation: Int {
        _ = watch
        return count.load(ordering: .relaxed)
    }
}

/// Descriptors that a forked process closes at once. A lock that belongs to an open file is held as long as any process
/// has the file open, so a child would keep its parent's recording live.
///
/// Sound: the table is created before the handler that reads it is installed, is never freed, and is atomic. A slot is
/// emptied before its descriptor is closed, so the child never closes a file that the parent has opened since.
package enum ForkedDescriptors {
    /// An index in the table.
    package struct Slot {
        fileprivate let index: Int
        /// The fork generation of the process that has taken it.
        fileprivate let generation: Int
    }

    private static let count = 256
    private static let free: Int32 = -1
    nonisolated(unsafe) private static let table: UnsafeMutablePointer<Atomic<Int32>> = {
        let table = UnsafeMutablePointer<Atomic<Int32>>.allocate(capacity: count)
        for index in 0..<count { (table + index).initialize(to: Atomic(free)) }
        return table
    }()

    fileprivate static func prepare() { _ = table }

    /// Makes forked processes close a descriptor, until ``release(_:)``.
    ///
    /// - Returns: `nil` if there are too many descriptors.
    package static func closing(_ descriptor: Int32) -> Slot? {
        let generation = Fork.generation
        for index in 0..<count
        where table[index].compareExchange(expected: free, desired: descriptor, ordering: .releasing).exchanged {
            return Slot(index: index, generation: generation)
        }
        return nil
    }

    /// Call this before closing the descriptor.
    ///
    /// - Returns: Whether this process must close it; `false` if it is a fork, which has closed it already.
    package static func release(_ slot: Slot?) -> Bool {
        guard let slot else { return true }
        guard slot.generation == Fork.generation else { return false }
        table[slot.index].store(free, ordering: .releasing)
        return true
    }

    fileprivate static func closeAll() {
        for index in 0..<count {
            let descriptor = table[index].exchange(free, ordering: .acquiring)
            if descriptor != free { _ = close(descriptor) }
        }
    }
}
