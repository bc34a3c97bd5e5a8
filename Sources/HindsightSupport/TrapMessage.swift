/// The message that the Swift runtime prints when a program traps: `MyApp/Cart.swift:12: Fatal error: no such line`.
package enum TrapMessage {
    /// The words at its beginning, after the source location.
    package static let beginnings = ["Fatal error", "Precondition failed", "Assertion failed"]

    /// The last line of a program's error output with such a message.
    package static func last(in output: [UInt8]) -> String? {
        output.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
            .last { line in beginnings.contains { line.contains($0) } }
    }
}
