import HindsightQuery
import HindsightSupport

/// The lines about a mistake in an expression: what is wrong, the expression with a caret, and what may be meant.
struct ExpressionErrorText {
    let error: ExpressionError

    /// The most columns to show before and after the mistake.
    private static let margin = 60
    /// The most names to list.
    private static let maxNames = 12

    var lines: [String] { [escape(error.reason)] + place + advice }

    private var place: [String] {
        guard let offset = error.offset else { return [] }
        let bytes = Array(error.text.utf8)
        let start = bytes[..<offset].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let end = bytes[offset...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        var before = String(decoding: bytes[start..<offset], as: UTF8.self)
        var after = String(decoding: bytes[offset..<end], as: UTF8.self)
        if before.count > Self.margin { before = "…" + before.suffix(Self.margin) }
        if after.count > Self.margin { after = after.prefix(Self.margin) + "…" }
        (before, after) = (escape(before), escape(after))
        return [before + after, String(repeating: " ", count: before.columns) + "^"]
    }

    private var advice: [String] {
        if let suggestion = error.suggestion { return [escape(suggestion)] }
        guard let given = error.given, !error.allowed.isEmpty else { return [] }
        let question = Suggestion.nearest(to: given, in: error.allowed).map { "Did you mean \($0)?" }
        let list = error.allowed.count <= Self.maxNames ? "There are: \(error.allowed.joined(separator: ", "))." : nil
        // If the table exists but is not available, suggest the views.
        let lines = error.code == .refused ? [question, list] : [question ?? list]
        return lines.compactMap(\.self)
    }
}
