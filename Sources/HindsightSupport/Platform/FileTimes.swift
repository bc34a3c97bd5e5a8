/// The times of a file.
package enum FileTimes {
    /// When its contents were last modified.
    package static func written(_ file: stat) -> timespec {
        #if canImport(Darwin)
            file.st_mtimespec
        #else
            file.st_mtim
        #endif
    }

    /// When its contents, its permissions or its links were last modified.
    package static func changed(_ file: stat) -> timespec {
        #if canImport(Darwin)
            file.st_ctimespec
        #else
            file.st_ctim
        #endif
    }
}
