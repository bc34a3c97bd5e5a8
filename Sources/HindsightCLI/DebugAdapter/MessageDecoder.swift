import HindsightTree

/// Splits a stream of bytes into the messages of the Debug Adapter Protocol: a header with the length, and JSON.
///
/// It holds no descriptor. What is no message gives one problem, and decoding goes on at the next header.
struct MessageDecoder {
    enum Item: Sendable, Equatable {
        case message(Node)
        /// Bytes that are no message, and why.
        case problem(String)
    }

    /// The limits that keep memory bounded.
    static let maxHeaderSize = 1 << 12
    static let maxBodySize = 1 << 26

    private var buffer: [UInt8] = []
    /// The offset of the bytes that are not decoded yet.
    private var start = 0
    /// The length of the JSON after a header.
    private var length: Int?
    /// Whether it looks for the next header after bytes that are no message.
    private var isLost = false

    private static let name = Array("Content-Length:".utf8)
    private static let headerEnd = Array("\r\n\r\n".utf8)

    /// The bytes that a message is sent as.
    static func encode(_ message: Node) -> String {
        let json = message.json
        return "Content-Length: \(json.utf8.count)\r\n\r\n\(json)"
    }

    mutating func append(_ bytes: some Sequence<UInt8>) {
        if start > 0, start >= buffer.count / 2 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next message or problem; `nil` until more bytes arrive.
    ///
    /// Costs are linear in the bytes; if they are cut, a header that has not ended is read again.
    mutating func next() -> Item? {
        if isLost, !findHeader() { return nil }
        do throws(Problem) {
            if length == nil { length = try takeHeader() }
        } catch {
            start = min(start + 1, buffer.count)
            isLost = true
            return .problem(error.text)
        }
        guard let length, buffer.count - start >= length else { return nil }
        let body = buffer[start..<start + length]
        start += length
        self.length = nil
        do throws(TreeError) {
            return .message(try Node(jsonBytes: body))
        } catch {
            return .problem("A message is no JSON: \(brief("\(error)"))")
        }
    }

    private struct Problem: Error { let text: String }

    /// Takes a header, and returns the length that it has; `nil` if it has not ended.
    private mutating func takeHeader() throws(Problem) -> Int? {
        guard let end = buffer[start...].firstRange(of: Self.headerEnd)?.lowerBound else {
            if buffer.count - start > Self.maxHeaderSize { throw Problem(text: "A header has no end.") }
            let line = buffer[start...].prefix { $0 != UInt8(ascii: "\n") }
            guard line.endIndex == buffer.count || line.contains(UInt8(ascii: ":")) else {
                throw Problem(text: "A message must begin with Content-Length.")
            }
            return nil
        }
        guard end - start <= Self.maxHeaderSize else { throw Problem(text: "A header is too long.") }
        var count: Int?
        for line in String(decoding: buffer[start..<end], as: UTF8.self).split(separator: "\r\n") {
            guard let colon = line.firstIndex(of: ":") else {
                throw Problem(text: "A line of a header has no colon.")
            }
            guard line[..<colon].lowercased() == "content-length" else { continue }
            let value = String(line[line.index(after: colon)...].drop { $0 == " " }).trimmed
            guard value.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let number = Int(value),
                number <= Self.maxBodySize
            else {
                throw Problem(text: "Content-Length must be a number of bytes, at most \(Self.maxBodySize).")
            }
            count = number
        }
        guard let count else { throw Problem(text: "A header has no Content-Length.") }
        start = end + Self.headerEnd.count
        return count
    }

    /// Goes to the next header. Drops the bytes before it.
    private mutating func findHeader() -> Bool {
        if let found = buffer[start...].firstRange(of: Self.name)?.lowerBound {
            (start, isLost) = (found, false)
            return true
        }
        // A name may have begun.
        start = max(start, buffer.count - Self.name.count + 1)
        return false
    }
}
