// Swift does not consider `stdout` concurrency-safe. It is used only once here, before other threads run.
@preconcurrency import HindsightSupport

/// Separates the text that reducers and middleware print from the tool's output, which programs read.
enum StdoutRedirection {
    /// Redirects the standard output of this process to its standard error, line-buffered, so that a crash loses no
    /// line.
    ///
    /// - Returns: The descriptor of the tool's output from now on.
    static func take() -> Int32 {
        let own = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        guard own >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else { return STDOUT_FILENO }
        setvbuf(stdout, nil, _IOLBF, 0)
        return own
    }
}
