import HindsightTree

/// Compares a recording's lines with those of a text.
package struct TextComparison {
    private let path: String
    private let lines: TextLines

    /// - Parameter path: The file of the text.
    package init(with path: String) throws {
        self.path = path
        lines = try TextLines(path: path)
    }

    /// Compares the next line. Space between JSON's tokens and escapes do not count, nor do blank lines.
    ///
    /// - Parameter line: The recording's line; `nil` after the last.
    /// - Throws: A ``RecordingError`` with the code `damaged` and the number of the text's line, if they differ.
    package func check(_ line: String?) throws {
        var given = try lines.next()
        while let text = given, text.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { given = try lines.next() }
        guard let given else {
            if line == nil { return }
            throw failure("the recording would have more lines than the text")
        }
        guard let line else { throw failure("it stands after the line \(TextForm.end)") }
        if given.elementsEqual(line.utf8) { return }
        guard try Node(jsonBytes: given) == Node(json: line) else {
            throw failure("it would not come back as it is, but as \(Self.difference(Array(given), Array(line.utf8)))")
        }
    }

    /// The part of a line in which it differs from another, with a few bytes around it.
    private static func difference(_ given: [UInt8], _ line: [UInt8]) -> String {
        let common = zip(given, line).prefix { $0 == $1 }.count
        let start = max(0, common - 24)
        let part = String(decoding: line[start...].prefix(72), as: UTF8.self)
        return "\(start > 0 ? "…" : "")\(part)\(line.count > start + 72 ? "…" : "")"
    }

    private func failure(_ reason: String) -> RecordingError {
        var error = RecordingError(.damaged, file: path, reason: reason)
        error.line = max(1, lines.number)
        return error
    }
}
