/// A condition of pthreads whose timed waits do not depend on the time of day.
package enum TimedCondition {
    package static func initialize(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        #if !canImport(Darwin)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        #endif
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    /// Waits for a signal for some nanoseconds at most. Requires `mutex`.
    ///
    /// - Returns: `false` if the nanoseconds have passed.
    package static func wait(
        for condition: UnsafeMutablePointer<pthread_cond_t>,
        _ mutex: UnsafeMutablePointer<pthread_mutex_t>,
        nanoseconds: Int
    ) -> Bool {
        var time = timespec()
        #if canImport(Darwin)
            (time.tv_sec, time.tv_nsec) = (nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000)
            return pthread_cond_timedwait_relative_np(condition, mutex, &time) != ETIMEDOUT
        #else
            clock_gettime(CLOCK_MONOTONIC, &time)
            time.tv_nsec += nanoseconds
            if time.tv_nsec >= 1_000_000_000 {
                time.tv_nsec -= 1_000_000_000
                time.tv_sec += 1
            }
            return pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT
        #endif
    }
}
