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
        let (node, written) = (try Node(jsonBytes: given), try Node(json: line))
        guard node == written else { throw failure(Self.difference(node, written)) }
    }

    /// Why a line would change, and the first part of it that would, with a few bytes around it.
    private static func difference(_ given: Node, _ written: Node) -> String {
        let reason =
            sorted(given) == sorted(written)
            ? "its members stand in another order than export writes them" : "the recording would not keep it"
        let (old, new) = (Array(given.json.utf8), Array(written.json.utf8))
        let common = zip(old, new).prefix { $0 == $1 }.count
        return "\(reason): \(excerpt(old, at: common)) would become \(excerpt(new, at: common))"
    }

    private static func excerpt(_ bytes: [UInt8], at offset: Int) -> String {
        func isWithinCharacter(_ index: Int) -> Bool { index < bytes.count && bytes[index] & 0xC0 == 0x80 }
        var (start, end) = (max(0, offset - 16), min(bytes.count, offset + 32))
        while isWithinCharacter(start) { start += 1 }
        while isWithinCharacter(end) { end += 1 }
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        return "\(start > 0 ? "…" : "")\(text)\(end < bytes.count ? "…" : "")"
    }

    /// With the members of all objects in the order of their keys.
    private static func sorted(_ node: Node) -> Node {
        switch node {
        case .object(let members):
            .object(members.map { Node.Member($0.key, sorted($0.value)) }.sorted { $0.key < $1.key })
        case .array(let elements): .array(elements.map(sorted))
        default: node
        }
    }

    private func failure(_ reason: String) -> RecordingError {
        RecordingError(.damaged, file: path, line: max(1, lines.number), reason: reason)
    }
}
