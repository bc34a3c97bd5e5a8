import HindsightFormat
import HindsightSupport

/// Fields of comma-separated values, as RFC 4180 has them.
package enum CSVText {
    /// A field with a text of an app.
    package static func field(text: String) -> String { quoted(plain(text)) }

    /// A text that no spreadsheet takes for a formula: one that begins like one gets an apostrophe.
    static func plain(_ text: String) -> String {
        let isFormula = text.utf8.first.map { "=+-@\t\r".utf8.contains($0) } ?? false
        return isFormula && text != Schema.travelType ? "'" + text : text
    }

    /// A field, in quotes if it needs them.
    package static func quoted(_ text: String) -> String {
        guard text.utf8.contains(where: { ",\"\r\n".utf8.contains($0) }) else { return text }
        return "\"\(text.replacingScalars("\"", with: "\"\""))\""
    }
}
