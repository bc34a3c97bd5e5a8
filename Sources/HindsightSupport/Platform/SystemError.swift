/// The failure of a system call.
package struct SystemError: Error, CustomStringConvertible {
    /// `errno`.
    package let number: Int32
    /// A more specific description, as a clause.
    private let finding: String?

    package init(number: Int32, _ finding: String? = nil) {
        self.number = number
        self.finding = finding
    }

    /// The failure of the last system call.
    package static var last: SystemError { SystemError(number: errno) }

    /// The specific description, or the system's text for the number.
    package var description: String { finding ?? strerror(number).map { String(cString: $0) } ?? "error \(number)" }
}
