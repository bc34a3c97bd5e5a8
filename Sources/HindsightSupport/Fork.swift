import Synchronization

/// Tells a process from one that was forked off it, at the cost of a load.
@usableFromInline
package enum Fork {
    @usableFromInline static let count = Atomic(0)

    @usableFromInline static let isWatched: Bool = {
        // The handler makes nothing: it runs where only what a signal handler may call is safe.
        ForkedDescriptors.prepare()
        return pthread_atfork(
            nil,
            nil,
            {
                Fork.count.add(1, ordering: .relaxed)
                ForkedDescriptors.closeAll()
            }
        ) == 0
    }()

    /// A number that is another one in a forked process.
    @inlinable package static var generation: Int {
        _ = isWatched
        return count.load(ordering: .relaxed)
    }
}

/// Descriptors that a process which is forked off closes at once: a lock that belongs to an open file is held as long as
/// any process has it open, and the child would keep its parent's recording live.
///
/// Sound: the table is made before the handler that reads it is installed, never freed, and atomic. A slot is emptied
/// before its descriptor is closed, so that the child never closes what another thread of its parent has opened since.
package enum ForkedDescriptors {
    /// A place in the table.
    package struct Slot {
        fileprivate let index: Int
        /// The process that has taken it.
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

    /// Has a descriptor closed in a process that is forked off, until it is ``release(_:)``d.
    ///
    /// - Returns: `nil` where there are too many.
    package static func closing(_ descriptor: Int32) -> Slot? {
        let generation = Fork.generation
        for index in 0..<count
        where table[index].compareExchange(expected: free, desired: descriptor, ordering: .releasing).exchanged {
            return Slot(index: index, generation: generation)
        }
        return nil
    }

    /// To be called before the descriptor is closed.
    ///
    /// - Returns: Whether it is this process's to close.
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
