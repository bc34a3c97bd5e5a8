/// The clocks of a recording, in nanoseconds.
@usableFromInline
package enum SystemClock {
    /// The time since 1970. The user may set it, also backward.
    @inlinable package static var wall: Int64 { read(CLOCK_REALTIME) }
    /// The time since an arbitrary start. Never goes backward.
    @inlinable package static var monotonic: Int64 { read(CLOCK_MONOTONIC) }
    /// The time since an arbitrary start. Never goes backward, and includes the time that the machine sleeps.
    @inlinable package static var sinceBoot: Int64 {
        #if canImport(Darwin)
            read(CLOCK_MONOTONIC)
        #else
            read(CLOCK_BOOTTIME)
        #endif
    }

    @inlinable static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        // Fails only for a clock that does not exist.
        _ = clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
