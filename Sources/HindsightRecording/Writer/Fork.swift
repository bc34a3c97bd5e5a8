import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Tells a process from one that was forked off it, at the cost of a load.
enum Fork {
    private static let count = Atomic(0)

    private static let isWatched: Bool = pthread_atfork(nil, nil, { Fork.count.add(1, ordering: .relaxed) }) == 0

    /// A number that is another one in a forked process.
    static var generation: Int {
        _ = isWatched
        return count.load(ordering: .relaxed)
    }
}
