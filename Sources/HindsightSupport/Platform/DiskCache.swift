/// The cache of the disk itself.
package enum DiskCache {
    /// Flushes it on Apple's systems, where `fsync` and `msync` do not. On other systems they do, and nothing is left to
    /// do.
    ///
    /// - Returns: Whether it worked. If not, `errno` says why.
    package static func flush(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            // A file system that cannot flush, such as that of a server, may know `fsync`. SQLite does the same.
            fcntl(descriptor, F_FULLFSYNC) != -1 || fsync(descriptor) == 0
        #else
            true
        #endif
    }
}
