// The C library's streams are not known to be safe to share; here one is touched once, before anything else runs.
#if canImport(Glibc)
    @preconcurrency import Glibc
#elseif canImport(Musl)
    @preconcurrency import Musl
#else
    @preconcurrency import Darwin
#endif

/// The output stream, taken away from an app's reducers and middleware: what they print would stand amid the answer, and
/// no program could read that.
enum StdoutRedirection {
    /// Lets what is printed go where errors go, a line at a time, so that a crash takes none of it along.
    ///
    /// - Returns: The descriptor that leads to the output from now on.
    static func take() -> Int32 {
        let own = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        guard own >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else { return STDOUT_FILENO }
        setvbuf(stdout, nil, _IOLBF, 0)
        return own
    }
}
