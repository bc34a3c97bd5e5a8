/// A call of the operating system that failed.
package struct SystemError: Error, CustomStringConvertible {
    /// `errno`.
    package let number: Int32
    /// What is known of it beyond that, as a clause.
    private let finding: String?

    package init(number: Int32, _ finding: String? = nil) {
        self.number = number
        self.finding = finding
    }

    /// The failure of the call that was just made.
    package static var last: SystemError { SystemError(number: errno) }

    /// In the system's words.
    package var description: String { finding ?? strerror(number).map { String(cString: $0) } ?? "error \(number)" }
}
