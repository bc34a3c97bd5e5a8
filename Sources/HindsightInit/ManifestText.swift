/// The text of a `Package.swift`, read without a parser: brackets, strings and comments, as far as inserting needs them.
struct ManifestText {
    private(set) var bytes: [UInt8]

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Inserts text before the byte at `place`.
    mutating func insert(_ text: String, at place: Int) {
        bytes.insert(contentsOf: text.utf8, at: place)
    }

    /// The place of the bracket that closes the one at `open`; `nil` if it stays open.
    func closing(of open: Int) -> Int? {
        var depth = 0
        var place = open
        while place < bytes.count {
            if let end = endOfStringOrComment(at: place) {
                place = end
                continue
            }
            switch bytes[place] {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                if depth == 0 { return place }
            default: break
            }
            place += 1
        }
        return nil
    }

    /// The place after the string or comment that begins at `place`; `nil` if none begins there.
    func endOfStringOrComment(at place: Int) -> Int? {
        commentEnd(at: place) ?? stringEnd(at: place)
    }

    /// The place after the comment that begins at `place`; `nil` if none begins there.
    func commentEnd(at place: Int) -> Int? {
        if hasText("//", at: place) { return bytes[place...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count }
        guard hasText("/*", at: place) else { return nil }
        var depth = 0
        var end = place
        while end < bytes.count {
            if hasText("/*", at: end) {
                depth += 1
                end += 2
            } else if hasText("*/", at: end) {
                depth -= 1
                end += 2
                if depth == 0 { return end }
            } else {
                end += 1
            }
        }
        return end
    }

    private func stringEnd(at place: Int) -> Int? {
        let hashes = bytes[place...].prefix { $0 == UInt8(ascii: "#") }.count
        let quote = place + hashes
        guard hasText("\"", at: quote) else { return nil }
        let marks = hasText("\"\"\"", at: quote) ? "\"\"\"" : "\""
        let pounds = String(repeating: "#", count: hashes)
        var end = quote + marks.utf8.count
        while end < bytes.count {
            if hasText(marks + pounds, at: end) { return end + marks.utf8.count + hashes }
            guard hasText("\\" + pounds, at: end) else {
                end += 1
                continue
            }
            end += 1 + hashes
            if hasText("(", at: end), let close = closing(of: end) {
                end = close + 1
            } else {
                end += 1
            }
        }
        return bytes.count
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
            || byte == UInt8(ascii: "\r")
    }

    /// Whether the bytes at `place` are this text.
    func hasText(_ text: String, at place: Int) -> Bool {
        place <= bytes.count && bytes[place...].starts(with: text.utf8)
    }
}
