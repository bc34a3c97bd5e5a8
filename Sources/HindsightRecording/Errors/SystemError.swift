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
    /// What is known of it beyond that, as a clause.
    private let finding: String?

    init(number: Int32, _ finding: String? = nil) {
        self.number = number
        self.finding = finding
    }

    /// The failure of the call that was just made.
    static var last: SystemError { SystemError(number: errno) }

    /// In the system's words.
    var description: String { finding ?? strerror(number).map { String(cString: $0) } ?? "error \(number)" }
}
