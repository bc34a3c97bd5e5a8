/// The blocks of a file on the disk.
package enum FileAllocation {
    /// Allocates the blocks of the first `count` bytes. A signal interrupts it.
    ///
    /// - Returns: 0, or an error number: `EOPNOTSUPP` if the system or the file system cannot do this.
    package static func allocate(_ descriptor: Int32, _ count: Int) -> Int32 {
        #if canImport(Darwin)
            // `F_PREALLOCATE` reserves blocks, but leaves the file's size as it is.
            EOPNOTSUPP
        #else
            // Unlike most calls, this one returns its error code.
            posix_fallocate(descriptor, 0, off_t(count))
        #endif
    }
}
