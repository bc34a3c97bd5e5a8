/// A mistake in an ``Expression``, or in a query, and where it is.
package struct ExpressionError: Error, Sendable, Hashable {
    /// The kind of mistake. Later versions may add kinds.
    package struct Code: RawRepresentable, Sendable, Hashable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// SQLite cannot read it.
        package static let syntax = Code(rawValue: "syntax")
        /// It is a statement, or several.
        package static let statement = Code(rawValue: "statement")
        /// It names a column, function or table that is not documented.
        package static let unknownName = Code(rawValue: "unknown name")
        /// A path is not a JSON Pointer.
        package static let badPath = Code(rawValue: "bad path")
        /// It would do something other than read.
        package static let refused = Code(rawValue: "refused")
        /// Evaluating it failed, took too long, or needed too much memory.
        package static let failed = Code(rawValue: "failed")
    }

    /// The kind of mistake.
    package let code: Code
    /// The text with the mistake.
    package let text: String
    /// What is wrong, as a sentence.
    package let reason: String
    /// Where the mistake begins: the number of bytes before it; `nil` if that is not known.
    package let offset: Int?
    /// What to write instead, as a sentence.
    package let suggestion: String?
    /// The name that is not known.
    package let given: String?
    /// The names that may stand there.
    package let allowed: [String]

    init(
        _ code: Code,
        in text: String = "",
        at offset: Int? = nil,
        _ reason: String,
        suggestion: String? = nil,
        given: String? = nil,
        allowed: [String] = []
    ) {
        (self.code, self.text, self.offset) = (code, text, offset.map { min(max($0, 0), text.utf8.count) })
        (self.reason, self.suggestion) = (reason, suggestion)
        (self.given, self.allowed) = (given, allowed)
    }
}

extension ExpressionError: CustomStringConvertible {
    /// The mistake, the text with a caret below the mistake, and the suggestion.
    package var description: String {
        var lines = [reason]
        if let offset {
            // A text of several lines is shown up to the line with the mistake.
            let bytes = Array(text.utf8)
            let start = bytes[..<offset].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            let end = bytes[offset...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            let before = String(decoding: bytes[start..<offset], as: UTF8.self)
            lines.append(String(decoding: bytes[start..<end], as: UTF8.self))
            lines.append(String(repeating: " ", count: before.count) + "^")
        }
        if let suggestion { lines.append(suggestion) }
        return lines.joined(separator: "\n")
    }
}
