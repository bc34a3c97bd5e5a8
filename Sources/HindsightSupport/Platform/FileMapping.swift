/// What a mapped file keeps open.
package enum FileMapping {
    /// Whether a mapping keeps the open file of its descriptor, and therefore a lock that belongs to the open file.
    package static var keepsOpenFile: Bool {
        #if os(Linux)
            true
        #else
            false
        #endif
    }

    /// Opens the file of a descriptor once more for reading and writing, even if it was moved or deleted.
    ///
    /// - Returns: The descriptor of another open file; -1 if the system has none.
    package static func reopen(_ descriptor: Int32) -> Int32 {
        #if os(Linux)
            open("/proc/self/fd/\(descriptor)", O_RDWR | O_CLOEXEC)
        #else
            -1
        #endif
    }
}
