/// The cache of the disk itself.
package enum DiskCache {
    /// Flushes it on Apple's systems, where `fsync` and `msync` do not. On other systems they do, and nothing is left to
    /// do.
    ///
    /// - Returns: Whether it worked. If not, `errno` says why.
    package static func flush(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            fcntl(descriptor, F_FULLFSYNC) != -1
        #else
            true
        #endif
    }
}
