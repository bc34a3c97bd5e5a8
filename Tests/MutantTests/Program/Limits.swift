#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Limits at which the system ends this process.
enum Limits {
    /// Bytes of address space.
    static func setMemory(_ bytes: UInt) {
        var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
        #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        #else
            setrlimit(RLIMIT_AS, &limit)
        #endif
    }

    /// Seconds from now on, of processor time and of wall time.
    static func setTime(processor: Int, wall: Int) {
        var timer = itimerval()
        timer.it_value.tv_sec = .init(processor)
        #if canImport(Glibc)
            setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
        #else
            setitimer(ITIMER_PROF, &timer, nil)
        #endif
        alarm(UInt32(wall))
    }
}
