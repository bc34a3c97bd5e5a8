#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A call of the operating system that failed.
struct SystemError: Error, CustomStringConvertible {
    /// `errno`.
    let number: Int32

    /// The failure of the call that was just made.
    static var last: SystemError { SystemError(number: errno) }

    /// In the system's words.
    var description: String { strerror(number).map { String(cString: $0) } ?? "error \(number)" }
}
