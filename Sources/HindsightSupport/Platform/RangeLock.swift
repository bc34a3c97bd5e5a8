/// A lock on a range of a file's bytes.
package enum RangeLock {
    /// The command of `fcntl` that takes or releases the lock without waiting.
    ///
    /// On Linux, the lock belongs to the open file. On other systems, it belongs to the process, and is lost when the
    /// process closes any descriptor of the file.
    package static var command: Int32 {
        #if os(Linux)
            37  // F_OFD_SETLK, which glibc defines only for GNU sources.
        #else
            F_SETLK
        #endif
    }
}
