/// The message that the Swift runtime prints when a program traps: `MyApp/Cart.swift:12: Fatal error: no such line`.
package enum TrapMessage {
    /// The words at its beginning, after the source location.
    package static let beginnings = ["Fatal error", "Precondition failed", "Assertion failed"]

    /// The last line of a program's error output with such a message.
    package static func last(in output: [UInt8]) -> String? {
        output.split(separator: UInt8(ascii: "\n")).last { line in beginnings.contains { has($0, line) } }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether a line has a text. `String.contains` would link the standard library's regular expressions, a megabyte,
    /// into each app with a store.
    private static func has(_ text: String, _ line: ArraySlice<UInt8>) -> Bool {
        line.indices.contains { line[$0...].starts(with: text.utf8) }
    }
}

/// Stops the program if a condition does not hold, with a message in release builds too, in which `precondition` prints
/// none. For errors of the program that uses this package: the message says what to do.
@inlinable @inline(__always)
package func require(
    _ condition: Bool,
    _ message: @autoclosure () -> String,
    file: StaticString = #fileID,
    line: UInt = #line
) {
    if !condition { fatalError(message(), file: file, line: line) }
}
