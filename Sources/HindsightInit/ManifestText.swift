/// The text of a `Package.swift`, read without a parser: brackets, strings and comments, as far as inserting needs them.
struct ManifestText {
    private(set) var bytes: [UInt8]

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Where the brackets of an argument of `Package(…)` open and close.
    ///
    /// - Returns: `nil` if the manifest has no call of `Package`, or the argument is no array literal.
    func array(of label: String) -> (open: Int, close: Int)? {
        guard let value = value(of: label), value < bytes.count, bytes[value] == UInt8(ascii: "["),
            let close = closing(of: value)
        else { return nil }
        return (value, close)
    }

    /// Whether the call of `Package` has an argument.
    func hasArgument(_ label: String) -> Bool { value(of: label) != nil }

    /// The place of the bracket that closes the one at `open`.
    func closing(of open: Int) -> Int? {
        var depth = 0
        var place = open
        while place < bytes.count {
            if let end = silenceEnd(at: place) {
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
    func silenceEnd(at place: Int) -> Int? {
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

    /// Where the value of an argument of `Package(…)` begins.
    private func value(of label: String) -> Int? {
        var place = 0
        while place < bytes.count {
            if let end = silenceEnd(at: place) {
                place = end
            } else if let end = wordEnd(at: place) {
                let next = code(from: end)
                if bytes[place..<end].elementsEqual("Package".utf8), hasText("(", at: next) {
                    return argument(label, in: next)
                }
                place = end
            } else {
                place += 1
            }
        }
        return nil
    }

    private func argument(_ label: String, in open: Int) -> Int? {
        guard let close = closing(of: open) else { return nil }
        var place = open + 1
        while place < close {
            if let end = silenceEnd(at: place) {
                place = end
            } else if let end = wordEnd(at: place) {
                let next = code(from: end)
                if bytes[place..<end].elementsEqual(label.utf8), hasText(":", at: next) { return code(from: next + 1) }
                place = end
            } else if hasText("(", at: place) || hasText("[", at: place) || hasText("{", at: place),
                let end = closing(of: place)
            {
                place = end + 1
            } else {
                place += 1
            }
        }
        return nil
    }

    /// The place after the word that begins at `place`; `nil` if none begins there.
    private func wordEnd(at place: Int) -> Int? {
        let count = bytes[place...].prefix { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
                true
            default: false
            }
        }.count
        return count == 0 ? nil : place + count
    }

    /// The first place from `place` on that is neither white space nor a comment.
    private func code(from place: Int) -> Int {
        var place = place
        while place < bytes.count {
            if let end = commentEnd(at: place) {
                place = end
            } else if Self.isSpace(bytes[place]) {
                place += 1
            } else {
                break
            }
        }
        return place
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
            || byte == UInt8(ascii: "\r")
    }

    private func hasText(_ text: String, at place: Int) -> Bool {
        place <= bytes.count && bytes[place...].starts(with: text.utf8)
    }

    mutating func insert(_ text: String, at place: Int) {
        bytes.insert(contentsOf: text.utf8, at: place)
    }
}
